/** Checks of a transaction against its sender's account, with the texts of geth. */
import { formatEip55 } from '../../primitives/address.ts'
import { equal, formatHex0x } from '../../primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../../primitives/hash.ts'
import { delegationTarget } from '../delegation.ts'
import { refuse } from './errors.ts'

/** Returns the error to throw for a failed check. */
type Fail = (name: 'nonceTooLow' | 'nonceTooHigh' | 'senderNotEoa', detail: string) => Error

/** Throws `nonceTooLow` or `nonceTooHigh` unless a transaction has the next nonce of its sender. */
export function requireNextNonce(sender: Uint8Array, nonce: bigint, stateNonce: bigint, fail: Fail = refuse): void {
  if (nonce === stateNonce) return
  const name = nonce < stateNonce ? 'nonceTooLow' : 'nonceTooHigh'
  throw fail(name, `address ${formatEip55(sender)}, tx: ${nonce} state: ${stateNonce}`)
}

/** Throws `senderNotEoa` for a sender with code, unless the code is a delegation (EIP-3607, EIP-7702). */
export function requireNoCode(
  sender: Uint8Array,
  codeHash: Uint8Array,
  readCode: () => Uint8Array | undefined,
  fail: Fail = refuse,
): void {
  if (equal(codeHash, EMPTY_CODE_HASH)) return
  const code = readCode()
  if (!code || delegationTarget(code)) return
  throw fail('senderNotEoa', `address ${formatEip55(sender)}, codehash: ${formatHex0x(codeHash)}`)
}
