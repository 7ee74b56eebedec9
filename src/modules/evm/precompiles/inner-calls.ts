/** Calls of contracts by a precompile, one level deeper in the same execution. */
import { intrinsicGas } from '../../../evm/transaction/gas.ts'
import type { CallResult, PrecompileContext } from '../../../evm/types.ts'
import { equal } from '../../../primitives/bytes.ts'
import type { Context } from '../../../sdk/context.ts'
import { type ContractCall, type ContractCalls, callFailure, raiseNonce } from '../calls/contract-calls.ts'
import { errors } from '../errors.ts'
import type { ChainEvmState } from '../evm-state.ts'
import { chainRules } from '../rules.ts'
import { CALL_GAS, MAX_WORK_RATIO, type WorkGas } from './prices.ts'

/** Returns the gas of a call: its limit, at most 63/64 of the remaining gas (EIP-150). */
function gasFor(left: bigint, gasLimit: bigint): bigint {
  const most = left - left / 64n
  return most < gasLimit ? most : gasLimit
}

/** Throws evm 5 if the calls of the transaction have exceeded their limit. */
function requireCallGas({ gas }: PrecompileContext, total: bigint): void {
  if (total <= MAX_WORK_RATIO * gas) return
  throw errors.callFailed(`calls of the transaction used ${total} gas, more than ${MAX_WORK_RATIO} times what is left`)
}

/** Runs calls with a gas limit. Each is charged, also if it fails. */
function charged({ left, chargeCall }: WorkGas, gasLimit: bigint, run: (gas: bigint) => CallResult): Uint8Array {
  chargeCall(CALL_GAS)
  const gas = gasFor(left(), gasLimit)
  const result = run(gas)
  chargeCall(gas - result.gasLeft)
  if (!result.success) throw callFailure(result, gas)
  return result.output
}

/** Runs a call as the reference does: its gas includes that of a transaction, must fit into what is left, and is not charged. */
function limited(
  context: PrecompileContext,
  state: ChainEvmState,
  { left }: WorkGas,
  { to, data, gasLimit }: ContractCall,
  run: (gas: bigint) => CallResult,
): Uint8Array {
  requireCallGas(context, state.addCallGas(0n))
  const gas = gasFor(left(), gasLimit)
  const intrinsic = intrinsicGas({ to, data }, chainRules(state.context()))
  if (gas < intrinsic) throw errors.callFailed(`intrinsic gas too low: have ${gas}, want ${intrinsic}`)
  const result = run(gas - intrinsic)
  const total = state.addCallGas(gas - result.gasLeft)
  if (!result.success) throw callFailure(result, gas)
  requireCallGas(context, total)
  return result.output
}

/** Creates calls whose gas must fit into what is left of the precompile's. They do not raise the nonce of the transaction's sender. */
export function innerCalls(
  context: PrecompileContext,
  state: ChainEvmState,
  ctx: Context,
  work: WorkGas,
): ContractCalls {
  const { flatPrecompileGas, innerCallsForgetAccess: resetsAccess } = ctx.identity.behaviours
  return {
    ctx,
    call(call) {
      const { from, to, data, gasLimit, valueWei = 0n, isStatic = false } = call
      const isSender = equal(from, context.origin)
      const run = (gas: bigint) =>
        state.whileCalling(() => context.call({ caller: from, to, valueWei, data, gas, isStatic, resetsAccess }))
      if (!flatPrecompileGas) {
        if (!isStatic && !isSender) raiseNonce(ctx, from)
        return charged(work, gasLimit, run)
      }
      return limited(context, state, work, call, (gas) => {
        if (!isSender) raiseNonce(state.context(), from)
        return run(gas)
      })
    },
  }
}
