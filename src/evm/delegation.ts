/** The delegation of an account to the code of another (EIP-7702). */

const DESIGNATOR_LENGTH = 23

/** Returns the account that a delegation designator points to; undefined for any other code. */
export function delegationTarget(code: Uint8Array): Uint8Array | undefined {
  return code.length === DESIGNATOR_LENGTH && code[0] === 0xef && code[1] === 0x01 && code[2] === 0x00
    ? code.subarray(3)
    : undefined
}
