/** Answers for components: asked when what they depend on changes, with the previous answer shown until then. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { ask } from './ask.ts'
import { useHead } from './head.ts'
import { useHeight } from './height.ts'
import type { Question } from './question.ts'

export interface Load<Value> {
  /** The last answer, also while the next one is asked. */
  readonly value: Value | undefined
  readonly error: Error | undefined
  readonly isLoading: boolean
}

/**
 * Loads a value, and again when one of `keys` changes; the answer to the previous keys is dropped. `keys` are compared as
 * text. A change of the first key empties the value first, since it belongs to another thing.
 */
export function useLoad<Value>(keys: readonly unknown[], load: (signal: AbortSignal) => Promise<Value>): Load<Value> {
  const [state, setState] = useState<Load<Value> & { readonly subject?: string }>({
    value: undefined,
    error: undefined,
    isLoading: true,
  })
  const subject = String(keys[0])
  useEffect(() => {
    const gone = new AbortController()
    setState((old) => ({
      value: old.subject === subject ? old.value : undefined,
      error: undefined,
      isLoading: true,
      subject,
    }))
    load(gone.signal).then(
      (value) => gone.signal.aborted || setState({ value, error: undefined, isLoading: false, subject }),
      (error: unknown) => {
        if (gone.signal.aborted) return
        setState({
          value: undefined,
          error: error instanceof Error ? error : new Error(String(error)),
          isLoading: false,
          subject,
        })
      },
    )
    return () => gone.abort()
  }, [keys.map(String).join('\n')])
  return state
}

/** Time between two questions for what changes seldom. Unit: milliseconds. */
export const SELDOM_MS = 5000

/**
 * Asks one question at the height of the page, and at the latest height again with each block: at once, but at most once in
 * `everyMs`.
 */
export function useAnswer<Answer>(question: Question, everyMs = 0): Load<Answer> {
  const height = useHeight()
  return useLoad([JSON.stringify(question), useMoment(everyMs)], (signal) => ask<Answer>(question, { height, signal }))
}

/** Returns a key for `useLoad`: the height of the page or, at the latest height, a text that changes with a block, at most once in `everyMs`. */
export function useMoment(everyMs: number): string {
  const height = useHeight()
  const latest = useHead()?.height
  const [shown, setShown] = useState(latest)
  const lastMs = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    if (latest === shown) return
    const show = (): void => {
      lastMs.current = performance.now()
      setShown(latest)
    }
    const waitMs = lastMs.current + everyMs - performance.now()
    if (waitMs <= 0) return show()
    const timer = setTimeout(show, waitMs)
    return () => clearTimeout(timer)
  }, [latest])
  if (height !== undefined) return `height ${height}`
  return `latest ${everyMs === 0 ? latest : shown}`
}

/** Returns a key for `useLoad`: the height of the page or, at the latest height, a text that changes after a number of blocks. */
export function useRound(blocks: bigint): string {
  const height = useHeight()
  const latest = useHead()?.height
  if (height !== undefined) return `height ${height}`
  return latest === undefined ? '' : `round ${latest / blocks}`
}
