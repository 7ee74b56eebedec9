/** Calls of contracts by a precompile, one level deeper in the same execution. */
import { intrinsicGas } from '../../../evm/transaction/gas.ts'
import type { PrecompileContext } from '../../../evm/types.ts'
import { equal } from '../../../primitives/bytes.ts'
import type { Context } from '../../../sdk/context.ts'
import { type ContractCalls, callFailure, raiseNonce } from '../calls/contract-calls.ts'
import { errors } from '../errors.ts'
import type { ChainEvmState } from '../evm-state.ts'
import { chainRules } from '../rules.ts'

/**
 * Gas limit of all such calls of a transaction, as a multiple of the precompile's gas. The reference does not charge them, so a
 * contract that is slow on purpose could otherwise make a block slow.
 */
const MAX_CALL_GAS_RATIO = 8n

/** Returns the gas of a call: its limit, at most 63/64 of the remaining gas (EIP-150). */
function gasFor({ gas }: Context, gasLimit: bigint): bigint {
  const left = gas.limit - gas.used
  const most = left - left / 64n
  return most < gasLimit ? most : gasLimit
}

/** Throws evm 5 if the calls of the transaction have exceeded their limit. */
function requireCallGas({ gas }: PrecompileContext, total: bigint): void {
  if (total <= MAX_CALL_GAS_RATIO * gas) return
  throw errors.callFailed(
    `calls of the transaction used ${total} gas, more than ${MAX_CALL_GAS_RATIO} times what is left`,
  )
}

/**
 * Creates calls whose gas must fit into the meter of `ctx`, which they do not charge. They do not raise the nonce of the
 * transaction's sender.
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
      const resetsAccess = ctx.identity.behaviours.innerCallsForgetAccess
      const message = { caller: from, to, valueWei, data, gas: gas - intrinsic, isStatic, resetsAccess }
      const result = state.whileCalling(() => context.call(message))
      const total = state.addCallGas(gas - result.gasLeft)
      if (!result.success) throw callFailure(result, gas)
      if (total > MAX_CALL_GAS_RATIO * context.gas) {
        throw errors.callFailed(
          `calls of the transaction used ${total} gas, more than ${MAX_CALL_GAS_RATIO} times what is left`,
        )
      }
      return result.output
    },
  }
}
