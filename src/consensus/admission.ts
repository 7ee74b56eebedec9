/** Results of admission, and waiting for them. */
import type { CheckResult } from '../app/types.ts'
import { EMPTY } from '../primitives/bytes.ts'
import type { ChainError } from '../primitives/errors.ts'
import { errors } from '../sdk/errors.ts'
import type { Admission } from './driver.ts'

/** Returns the result of a transaction that was refused before any check. */
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

/** Returns a check that refuses larger transactions, which no pool takes, before they are decoded or sent to another thread. */
export function ofSize<Result extends CheckResult | Promise<CheckResult>>(
  limitBytes: number,
  check: (tx: Uint8Array) => Result,
): (tx: Uint8Array) => CheckResult | Result {
  return (tx) => {
    if (tx.length <= limitBytes) return check(tx)
    return refusal(errors.txTooLarge(`${tx.length} bytes, at most ${limitBytes}`))
  }
}

export function admissionOf(
  hash: Uint8Array,
  { code, codespace, log, gasWanted, gasUsed, error }: CheckResult,
): Admission {
  return { code, codespace, log, gasWanted, gasUsed, hash, ...(error && { error }) }
}

/** Resolves with the value of a promise, or with undefined after the timeout. */
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

/** Returns the error of a transaction that offers too little to replace the pending one of its sender and nonce. */
export const underpriced = (nonce: bigint): ChainError =>
  errors.txInMempool(`another transaction with nonce ${nonce} waits`)

/** Whether a transaction was refused with that error. */
export const isUnderpriced = ({ log }: Pick<Admission, 'log'>): boolean =>
  /^another transaction with nonce \d+ waits/.test(log)
