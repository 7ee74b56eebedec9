import { expect, test } from 'vitest'
import type { CallOutcome } from './call.ts'
import { search } from './estimate.ts'

const EMPTY = new Uint8Array(0)

/** Returns a message that succeeds with at least `needs` gas, and counts its probes. */
function message(needs: bigint, gasUsed: bigint, gasUsedBeforeRefund: bigint) {
  const outcome = { output: EMPTY, gasUsed, gasUsedBeforeRefund, logs: [] }
  const tried: bigint[] = []
  const probe = (gas: bigint): CallOutcome => {
    tried.push(gas)
    return { ...outcome, vmError: gas >= needs ? '' : 'out of gas' }
  }
  return { base: { gasUsed, gasUsedBeforeRefund }, probe, tried }
}

// Results of geth's search for these numbers; the base case is a probe too. From Osaka on the bound is 2^24.
test('the search gives geth’s result with refunds', () => {
  const token = message(51_046n, 33_946n, 42_432n)
  expect(search(token.base, 16_777_216n, token.probe)).toBe(51_122n)
  expect(token.tried.length + 1).toBe(9)
  const other = message(100_000n, 80_000n, 100_000n)
  expect(search(other.base, 1_000_000n, other.probe)).toBe(100_932n)
  expect(other.tried.length + 1).toBe(6)
})

test('the search gives geth’s result without refunds', () => {
  const token = message(51_046n, 33_946n, 33_946n)
  expect(search(token.base, 16_777_216n, token.probe)).toBe(51_203n)
  const other = message(100_000n, 80_000n, 80_000n)
  expect(search(other.base, 1_000_000n, other.probe)).toBe(100_587n)
})

// The reference's recorded answer for a plain transfer, 21000 gas under a cap of 25,000,000.
test('a search from the bounds alone gives the reference’s result', () => {
  const transfer = message(21_000n, 21_000n, 21_000n)
  expect(search(transfer.base, 25_000_000n, transfer.probe, { isBare: true })).toBe(21_163n)
})

test('an upper bound that is exactly enough is the result', () => {
  const exact = message(60_000n, 59_500n, 59_500n)
  expect(search(exact.base, 60_000n, exact.probe)).toBe(60_000n)
})
