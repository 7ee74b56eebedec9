/** Gas estimates by geth's binary search (docs/modules/evm.md#gas-estimates, D21). */
import { spendableWei } from '../../../evm/state.ts'
import { transactionGasCap } from '../../../evm/transaction/validate.ts'
import { EMPTY, ZERO_ADDRESS } from '../../../primitives/bytes.ts'
import { queryError } from '../../../primitives/errors.ts'
import { chainRules } from '../rules.ts'
import { type CallOutcome, callMessage, isGasTooLow, runCall } from './call.ts'
import type { CallArgs } from './call-args.ts'
import type { CallSetup } from './call-setup.ts'

const TRANSFER_GAS = 21_000n
const CALL_STIPEND = 2_300n
/** Distance of the bounds at which the search ends, relative to the upper bound: 15 in a thousand. */
const TOLERANCE_PER_THOUSAND = 15n

export type EstimateOutcome =
  | { readonly kind: 'estimate'; readonly gas: bigint }
  /** The highest allowed limit is too low. */
  | { readonly kind: 'allowance'; readonly gas: bigint }
  /** The code fails with any gas. */
  | { readonly kind: 'failure'; readonly vmError: string; readonly output: Uint8Array }

/** Runs the message with a gas limit. Returns undefined if the limit is below the intrinsic gas. */
type Probe = (gasLimit: bigint) => CallOutcome | undefined

const failed = (outcome: CallOutcome | undefined): boolean => outcome === undefined || outcome.vmError !== ''

/** Returns the highest limit to try: the least of block, arguments, the sender's funds and the cap. Throws 3 for funds below the value. */
function highest(setup: CallSetup, args: CallArgs, gasCap: bigint): bigint {
  let hi = args.gas !== undefined && args.gas >= TRANSFER_GAS ? args.gas : setup.block.gasLimit
  const cap = transactionGasCap(chainRules(setup.ctx))
  if (cap !== undefined && hi > cap) hi = cap
  const feeCap = args.maxFeePerGasWei ?? args.gasPriceWei ?? 0n
  if (feeCap > 0n && !isBare(setup)) {
    const sender = setup.open().account(args.from ?? ZERO_ADDRESS)
    const balance = sender ? spendableWei(sender) : 0n
    const value = args.valueWei ?? 0n
    if (value >= balance) throw queryError('invalidArgument', 'insufficient funds for transfer')
    const affordable = (balance - value) / feeCap
    if (affordable < hi) hi = affordable
  }
  return hi < gasCap ? hi : gasCap
}

/** Whether the profile searches from the bounds alone, without geth's shortcuts for funds, plain transfers and a first guess. */
function isBare({ ctx }: CallSetup): boolean {
  return ctx.identity.behaviours.bareEstimates
}

/** Whether the message only transfers value. */
function isPlainTransfer(setup: CallSetup, args: CallArgs): boolean {
  if ((args.input ?? args.data ?? EMPTY).length > 0 || !args.to || (args.authorizations?.length ?? 0) > 0) return false
  const state = setup.open()
  const account = state.account(args.to)
  return !account || state.code(account.codeHash).length === 0
}

/** Estimates the gas of the arguments; at most `gasCap`. */
export function estimateGas(setup: CallSetup, args: CallArgs, gasCap: bigint): EstimateOutcome {
  const message = callMessage(setup, args, 0n)
  const probe: Probe = (gasLimit) => {
    try {
      return runCall(setup, { ...message, gasLimit })
    } catch (error) {
      if (isGasTooLow(error)) return undefined
      throw error
    }
  }
  const hi = highest(setup, args, gasCap)
  if (!isBare(setup) && isPlainTransfer(setup, args) && !failed(probe(TRANSFER_GAS))) {
    return { kind: 'estimate', gas: TRANSFER_GAS }
  }
  const base = probe(hi)
  // More text can follow: about the SSTORE sentry, or about an overflow of the price.
  if (base === undefined || /^out of gas(:|$)/.test(base.vmError)) return { kind: 'allowance', gas: hi }
  if (base.vmError !== '') return { kind: 'failure', vmError: base.vmError, output: base.output }
  return { kind: 'estimate', gas: search(base, hi, probe, { isBare: isBare(setup) }) }
}

/** Returns the lowest limit that succeeds, within the tolerance. The search starts from the gas that the base run used. */
export function search(
  base: Pick<CallOutcome, 'gasUsed' | 'gasUsedBeforeRefund'>,
  limit: bigint,
  probe: Probe,
  { isBare = false } = {},
): bigint {
  let hi = limit
  let lo = base.gasUsed - 1n
  const optimistic = ((base.gasUsedBeforeRefund + CALL_STIPEND) * 64n) / 63n
  if (!isBare && optimistic < hi) {
    if (failed(probe(optimistic))) lo = optimistic
    else hi = optimistic
  }
  while (lo + 1n < hi) {
    if ((hi - lo) * 1000n < TOLERANCE_PER_THOUSAND * hi) break
    let mid = lo + (hi - lo) / 2n
    if (mid > lo * 2n) mid = lo * 2n
    if (failed(probe(mid))) lo = mid
    else hi = mid
  }
  return hi
}
