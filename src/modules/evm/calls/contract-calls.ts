/** What the module asks of contracts, wherever it does: in a message of its own, or in a precompile (evm.md §3.6). */

import { decodeRevert } from '../../../evm/revert.ts'
import type { CallResult } from '../../../evm/types.ts'
import { equal } from '../../../primitives/bytes.ts'
import type { ChainError } from '../../../primitives/errors.ts'
import type { Context } from '../../../sdk/context.ts'
import * as auth from '../../auth/keeper.ts'
import { errors } from '../errors.ts'
import { evmAccount } from '../state.ts'

/** Most gas of a call that changes a token. */
export const EXECUTE_GAS = 200_000n
/** Most gas of a question to a token. */
export const QUERY_GAS = 100_000n

export interface ContractCall {
  /** Whose call it is; its nonce goes up by one. */
  readonly from: Uint8Array
  readonly to: Uint8Array
  readonly data: Uint8Array
  readonly gasLimit: bigint
  readonly valueWei?: bigint
  /** A question, which may change nothing. */
  readonly isStatic?: boolean
}

export interface ContractCalls {
  /** Where the keepers work; what a call wrote is visible there, and the other way round. */
  readonly ctx: Context
  /** Runs a call, which has to find its gas in `ctx`, and gives what it returned. Throws evm 5 when it fails. */
  call(call: ContractCall): Uint8Array
}

/** Counts a call as a transaction of its caller. */
export function raiseNonce(ctx: Context, address: Uint8Array): void {
  const isModule = equal(address, evmAccount.address)
  const account = isModule ? auth.ensureModuleAccount(ctx, evmAccount) : auth.ensureAccount(ctx, address)
  auth.setAccount(ctx, { ...account, sequence: account.sequence + 1n })
}

/** The failure of a call, with the contract's reason. */
export function callFailure({ error, output }: Pick<CallResult, 'error' | 'output'>, gasLimit: bigint): ChainError {
  if (error?.startsWith('out of gas')) return errors.callFailed(`gas required exceeds allowance (${gasLimit})`)
  if (error !== undefined && error !== 'execution reverted') return errors.callFailed(`VMError: ${error}`)
  const reason = decodeRevert(output)
  return errors.callFailed(`VMError: execution reverted${reason === undefined ? '' : ` with reason "${reason}"`}`)
}
