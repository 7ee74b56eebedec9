/** The calls that views show. */
import type { CallFrame } from '../call-frames.ts'

/** Addresses of Ethereum's own precompiles are below this number. */
const OWN_PRECOMPILES = 0x200

/** Whether a call is shown: not one of a precompile of Ethereum that moves nothing and calls nobody, as in OpenEthereum. */
export function isShown({ isPrecompile, to, valueWei, calls }: CallFrame): boolean {
  if (!isPrecompile || !to || calls.length > 0) return true
  const isEthereum = to.subarray(0, 18).every((byte) => byte === 0) && to[18]! * 256 + to[19]! < OWN_PRECOMPILES
  return !isEthereum || valueWei > 0n
}
