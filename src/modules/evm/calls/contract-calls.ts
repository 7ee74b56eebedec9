/** Calls of contracts by the module itself, in a message or in a precompile (docs/modules/evm.md#calls-by-the-module). */

import { decodeRevert } from '../../../evm/revert.ts'
import type { CallResult } from '../../../evm/types.ts'
import { equal } from '../../../primitives/bytes.ts'
import type { ChainError } from '../../../primitives/errors.ts'
import type { Context } from '../../../sdk/context.ts'
import * as auth from '../../auth/keeper.ts'
import { errors } from '../errors.ts'
import { evmAccount } from '../state.ts'

/** Gas limit of a call that changes a token. */
export const EXECUTE_GAS = 200_000n
/** Gas limit of a call that reads a token. */
export const QUERY_GAS = 100_000n

export interface ContractCall {
  /** Caller, whose nonce the call raises by one. */
  readonly from: Uint8Array
  readonly to: Uint8Array
  readonly data: Uint8Array
  readonly gasLimit: bigint
  readonly valueWei?: bigint
  /** Whether the call can change nothing. */
  readonly isStatic?: boolean
}

export interface ContractCalls {
  /** Context of the keepers. Calls and keepers see each other's writes. */
  readonly ctx: Context
  /** Runs a call, whose gas must fit into the meter of `ctx`, and returns its output. Throws evm 5 if it fails. */
  call(call: ContractCall): Uint8Array
}

/** Raises the nonce of a caller, as a transaction would. */
export function raiseNonce(ctx: Context, address: Uint8Array): void {
  const isModule = equal(address, evmAccount.address)
  const account = isModule ? auth.ensureModuleAccount(ctx, evmAccount) : auth.ensureAccount(ctx, address)
  auth.incrementSequence(ctx, account)
}

/** Returns the error of a failed call, with the contract's reason. */
export function callFailure({ error, output }: Pick<CallResult, 'error' | 'output'>, gasLimit: bigint): ChainError {
  if (error?.startsWith('out of gas')) return errors.callFailed(`gas required exceeds allowance (${gasLimit})`)
  if (error !== undefined && error !== 'execution reverted') return errors.callFailed(`VMError: ${error}`)
  const reason = decodeRevert(output)
  return errors.callFailed(`VMError: execution reverted${reason === undefined ? '' : ` with reason "${reason}"`}`)
}
