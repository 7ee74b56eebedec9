/** How executions end, in the words of anvil's dumps and in those of this chain. */
import * as errors from '../../../../evm/errors.ts'

/** Ends of a failed execution, by the text of this chain. */
const EXITS: readonly (readonly [text: string, exit: string])[] = [
  [errors.REVERTED, 'Revert'],
  [errors.OUT_OF_GAS, 'OutOfGas'],
  [errors.INVALID_JUMP, 'InvalidJump'],
  [errors.WRITE_PROTECTION, 'StateChangeDuringStaticCall'],
  [errors.RETURN_DATA_OUT_OF_BOUNDS, 'OutOfOffset'],
  [errors.DEPTH, 'CallTooDeep'],
  [errors.INSUFFICIENT_BALANCE, 'OutOfFunds'],
  [errors.COLLISION, 'CreateCollision'],
  [errors.MAX_CODE_SIZE, 'CreateContractSizeLimit'],
  [errors.INVALID_CODE, 'CreateContractStartingWithEF'],
  [errors.MAX_INIT_CODE_SIZE, 'CreateInitCodeSizeLimit'],
  [errors.NONCE_OVERFLOW, 'NonceOverflow'],
  [errors.PRECOMPILE_FAILED, 'PrecompileError'],
  ['stack underflow', 'StackUnderflow'],
  ['stack limit reached', 'StackOverflow'],
  ['invalid opcode', 'OpcodeNotFound'],
  ['invalid opcode', 'InvalidFEOpcode'],
]

/** Ends of an execution that succeeds. */
const SUCCESSES: readonly string[] = ['Stop', 'Return', 'SelfDestruct']

/** Returns the end of an execution as anvil names it. */
export function exitOf(vmError: string, output: Uint8Array): string {
  if (vmError === '') return output.length > 0 ? 'Return' : 'Stop'
  const sought = vmError.startsWith(errors.CODE_STORE_OUT_OF_GAS) ? errors.OUT_OF_GAS : vmError
  return EXITS.find(([text]) => sought.startsWith(text))?.[1] ?? 'Revert'
}

/** Returns the text of a failure that anvil names; empty for a success. An unknown name is a revert. */
export function vmErrorOf(exit: string): string {
  if (SUCCESSES.includes(exit)) return ''
  return EXITS.find(([, name]) => name === exit)?.[0] ?? errors.REVERTED
}
