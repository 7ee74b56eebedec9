/** What admission says of a transaction, and who waits how long to hear it. */
import type { CheckResult } from '../app/types.ts'
import { EMPTY } from '../primitives/bytes.ts'
import type { ChainError } from '../primitives/errors.ts'
import type { Admission } from './driver.ts'

/** A refusal that came before any check. */
export function refusal(error: ChainError): CheckResult {
  return {
    code: error.code,
    codespace: error.codespace,
    log: error.message,
    data: EMPTY,
    gasWanted: 0n,
    gasUsed: 0n,
    events: [],
    error,
  }
}

export function admissionOf(
  hash: Uint8Array,
  { code, codespace, log, gasWanted, gasUsed, error }: CheckResult,
): Admission {
  return { code, codespace, log, gasWanted, gasUsed, hash, ...(error && { error }) }
}

/** The value of a promise, or undefined when it takes longer. */
export async function within<T>(promise: Promise<T>, timeoutMs: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeoutMs)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}
