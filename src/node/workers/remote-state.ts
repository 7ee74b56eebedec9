/** The main thread's state for a worker, which cannot open a store in memory itself (D16). */
import { receiveMessageOnPort } from 'node:worker_threads'
import type { Application } from '../../app/types.ts'
import type { Entry, Range, Reader } from '../../store/types.ts'
import type { WithContext } from '../state-reader.ts'
import { type CarriedError, packError, type RemoteState, unpackError } from './messages.ts'

type Header = Parameters<Application['readContext']>[1]

type StateRequest =
  | { readonly kind: 'header'; readonly height: bigint | undefined }
  | { readonly kind: 'get'; readonly height: bigint; readonly store: string; readonly key: Uint8Array }
  | { readonly kind: 'iterate'; readonly height: bigint; readonly store: string; readonly range: Range }

type Answer = { readonly value: unknown } | { readonly error: CarriedError }

/** Number of entries in one answer. */
const PAGE = 128

/** Answers a worker's requests until its port closes. */
export function serveState({ port, answered }: RemoteState, withContext: WithContext): void {
  const count = new Int32Array(answered)
  const answer = (request: StateRequest): unknown =>
    withContext(request.height, ({ store, block }) => {
      if (request.kind === 'get') return store.get(request.store, request.key)
      if (request.kind === 'header') {
        const { height, timeNs, proposer, hash, lastCommitHash } = block
        return { height, timeNs, proposer, hash, lastCommitHash } satisfies Header
      }
      const entries: Entry[] = []
      for (const entry of store.iterate(request.store, request.range)) {
        entries.push(entry)
        if (entries.length === PAGE) break
      }
      return entries
    })
  port.on('message', (request: StateRequest) => {
    let reply: Answer
    try {
      reply = { value: answer(request) }
    } catch (error) {
      reply = { error: packError(error) }
    }
    port.postMessage(reply)
    Atomics.add(count, 0, 1)
    Atomics.notify(count, 0)
  })
  port.unref()
}

/**
 * Opens the state for a worker, with the heights of `createStateReader`. Each uncached read blocks until the main thread
 * answers.
 */
export function openRemoteState({ port, answered }: RemoteState, app: Pick<Application, 'readContext'>): WithContext {
  const count = new Int32Array(answered)

  function ask(request: StateRequest): unknown {
    const before = Atomics.load(count, 0)
    port.postMessage(request)
    for (;;) {
      Atomics.wait(count, 0, before)
      const received = receiveMessageOnPort(port)
      if (!received) continue
      const answer = received.message as Answer
      if ('error' in answer) throw unpackError(answer.error)
      return answer.value
    }
  }

  function readerOf(height: bigint): Reader {
    const cache = new Map<string, Uint8Array | undefined>()
    function get(store: string, key: Uint8Array): Uint8Array | undefined {
      const name = `${store}/${Buffer.from(key).toString('latin1')}`
      if (cache.has(name)) return cache.get(name)
      const value = ask({ kind: 'get', height, store, key }) as Uint8Array | undefined
      cache.set(name, value)
      return value
    }
    function* iterate(store: string, range: Range = {}): IterableIterator<Entry> {
      let { start, end } = range
      const { reverse = false } = range
      for (;;) {
        const entries = ask({ kind: 'iterate', height, store, range: { start, end, reverse } }) as readonly Entry[]
        yield* entries
        const last = entries.at(-1)
        if (!last || entries.length < PAGE) return
        if (reverse) end = last[0]
        else start = Uint8Array.of(...last[0], 0)
      }
    }
    return { get, has: (store, key) => get(store, key) !== undefined, iterate }
  }

  return (height, read) => {
    const header = ask({ kind: 'header', height }) as Header
    return read(app.readContext(readerOf(header.height), header))
  }
}
