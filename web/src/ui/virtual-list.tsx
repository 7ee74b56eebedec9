/** A list of any length: only the rows in view are in the document. All rows have one height. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** Rows beyond the view at each end, for scrolling without gaps. */
const EXTRA_ROWS = 8
/** Time between two calls of `onView` while the page scrolls: what has left the view meanwhile is not asked for. Unit: milliseconds. */
const VIEW_MS = 100
/** Browsers limit the height of an element, some to 17 million pixels. Beyond it the list ends. */
const MAX_ROWS = 300_000

export interface VirtualListProps {
  readonly count: number
  /** Unit: pixels. */
  readonly rowHeight: number
  readonly label: string
  /** Draws a row. The same value as before is not drawn again. */
  readonly row: (index: number) => ComponentChildren
  /** Called with the first and the last row in view after they have changed. */
  readonly onView?: (first: number, last: number) => void
}

/** Shows the rows at the place where the page is scrolled to. */
export function VirtualList({ count, rowHeight, label, row, onView }: VirtualListProps) {
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ first: 0, last: 30 })
  const shownCount = Math.min(count, MAX_ROWS)
  useEffect(() => {
    let frame = 0
    const measure = (): void => {
      frame = 0
      const top = -(box.current?.getBoundingClientRect().top ?? 0)
      const first = Math.max(0, Math.floor(top / rowHeight) - EXTRA_ROWS)
      const last = Math.min(shownCount - 1, Math.ceil((top + innerHeight) / rowHeight) + EXTRA_ROWS)
      setView((old) => (old.first === first && old.last === last ? old : { first, last }))
    }
    const schedule = (): void => {
      frame ||= requestAnimationFrame(measure)
    }
    measure()
    addEventListener('scroll', schedule, { passive: true })
    addEventListener('resize', schedule)
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener('scroll', schedule)
      removeEventListener('resize', schedule)
    }
  }, [shownCount, rowHeight])
  const lastCall = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    const call = (): void => {
      lastCall.current = performance.now()
      onView?.(view.first, view.last)
    }
    const waitMs = lastCall.current + VIEW_MS - performance.now()
    if (waitMs <= 0) return call()
    const timer = setTimeout(call, waitMs)
    return () => clearTimeout(timer)
  }, [view.first, view.last, shownCount])
  const rows = []
  for (let index = view.first; index <= Math.min(view.last, shownCount - 1); index++) {
    rows.push(
      <div
        key={index}
        role="row"
        aria-rowindex={index + 2}
        class="virtual-row"
        style={{ top: `${index * rowHeight}px`, height: `${rowHeight}px` }}
      >
        {row(index)}
      </div>,
    )
  }
  return (
    <div ref={box} class="virtual" role="rowgroup" aria-label={label} style={{ height: `${shownCount * rowHeight}px` }}>
      {rows}
    </div>
  )
}

export { MAX_ROWS }
