/** A halt of the chain, which every answer of the node reports in a header. */
import { createStore } from '../store.ts'

/** The reason of the halt and what to do; undefined while the chain runs. */
export const halt = createStore<string | undefined>(undefined)

/** Takes the value of `X-Chain-Halted` of an answer. */
export function noteHalt(header: string | null): void {
  halt.set(header === null ? undefined : safelyDecoded(header))
}

function safelyDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
