/** A binary heap: the first entry is the one that precedes all others. */

export interface Heap<T> {
  readonly size: number
  push(entry: T): void
  /** Returns the first entry. */
  peek(): T | undefined
  /** Removes and returns the first entry. */
  pop(): T | undefined
}

/** Creates a heap of the given entries, in linear time. */
export function createHeap<T>(precedes: (a: T, b: T) => boolean, entries: readonly T[] = []): Heap<T> {
  const heap = [...entries]

  function sink(from: number): void {
    const entry = heap[from]!
    let at = from
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && precedes(heap[child + 1]!, heap[child]!)) child++
      if (!precedes(heap[child]!, entry)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = entry
  }

  for (let at = (heap.length >> 1) - 1; at >= 0; at--) sink(at)

  return {
    get size() {
      return heap.length
    },
    push(entry) {
      let at = heap.length
      heap.push(entry)
      while (at > 0) {
        const parent = (at - 1) >> 1
        if (!precedes(entry, heap[parent]!)) break
        heap[at] = heap[parent]!
        at = parent
      }
      heap[at] = entry
    },
    peek: () => heap[0],
    pop() {
      const first = heap[0]
      const last = heap.pop()
      if (heap.length > 0) {
        heap[0] = last!
        sink(0)
      }
      return first
    },
  }
}
