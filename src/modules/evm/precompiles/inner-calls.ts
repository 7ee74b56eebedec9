/** Calls that a precompile makes in the EVM that called it: one level deeper, in the same transaction. */
import { intrinsicGas } from '../../../evm/transaction/gas.ts'
import type { PrecompileContext } from '../../../evm/types.ts'
import { equal } from '../../../primitives/bytes.ts'
import type { Context } from '../../../sdk/context.ts'
import { type ContractCalls, callFailure, raiseNonce } from '../calls/contract-calls.ts'
import { errors } from '../errors.ts'
import type { ChainEvmState } from '../evm-state.ts'
import { chainRules } from '../rules.ts'

/**
 * What all such calls of a transaction may use, as a multiple of the gas that the precompile was given: they are not charged
 * (as on the chain), and a contract that is slow on purpose must not make a block slow.
 */
const MOST_CALL_GAS = 8n

/** Gas that a call may have: what its limit says, and no more than 63 of 64 parts of what is left (EIP-150). */
function gasFor({ gas }: Context, gasLimit: bigint): bigint {
  const left = gas.limit - gas.used
  const most = left - left / 64n
  return most < gasLimit ? most : gasLimit
}

/** Throws evm 5 once the calls of the transaction have used too much together. */
function requireCallGas({ gas }: PrecompileContext, total: bigint): void {
  if (total <= MOST_CALL_GAS * gas) return
  throw errors.callFailed(`calls of the transaction used ${total} gas, more than ${MOST_CALL_GAS} times what is left`)
}

/**
 * Calls that must find their gas in the meter of `ctx` and leave it there. The nonce of the transaction's own sender is not
 * theirs to raise.
 */
export function innerCalls(context: PrecompileContext, state: ChainEvmState, ctx: Context): ContractCalls {
  return {
    ctx,
    call({ from, to, data, gasLimit, valueWei = 0n, isStatic = false }) {
      requireCallGas(context, state.addCallGas(0n))
      const gas = gasFor(ctx, gasLimit)
      const base = state.context()
      const intrinsic = intrinsicGas({ to, data }, chainRules(base))
      if (gas < intrinsic) throw errors.callFailed(`intrinsic gas too low: have ${gas}, want ${intrinsic}`)
      if (!equal(from, context.origin)) raiseNonce(base, from)
      const forgetsAccess = ctx.identity.behaviours.innerCallsForgetAccess
      const message = { caller: from, to, valueWei, data, gas: gas - intrinsic, isStatic, forgetsAccess }
      const result = state.whileCalling(() => context.call(message))
      const total = state.addCallGas(gas - result.gasLeft)
      if (!result.success) throw callFailure(result, gas)
      if (total > MOST_CALL_GAS * context.gas) {
        throw errors.callFailed(
          `calls of the transaction used ${total} gas, more than ${MOST_CALL_GAS} times what is left`,
        )
      }
      return result.output
    },
  }
}
