/** Answers for components: asked when what they depend on changes, with the previous answer shown until then. */
import { useEffect, useState } from 'preact/hooks'
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

/** Asks one question at the height of the page, and at the latest height again with each block. */
export function useAnswer<Answer>(question: Question): Load<Answer> {
  const height = useHeight()
  const latest = useHead()?.height
  return useLoad([JSON.stringify(question), height ?? latest ?? ''], (signal) =>
    ask<Answer>(question, { height, signal }),
  )
}

/** Returns a key for `useLoad`: the height of the page or, at the latest height, a text that changes after a number of blocks. */
export function useRound(blocks: bigint): string {
  const height = useHeight()
  const latest = useHead()?.height
  if (height !== undefined) return `height ${height}`
  return latest === undefined ? '' : `round ${latest / blocks}`
}
