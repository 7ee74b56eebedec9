/** The least gas a message needs, found as geth finds it (evm.md §2.9, D21). */
import { TRANSACTION_GAS_CAP } from '../../../evm/transaction/validate.ts'
import { EMPTY } from '../../../primitives/bytes.ts'
import { queryError } from '../../../primitives/errors.ts'
import { chainRules } from '../rules.ts'
import { type CallGround, type CallOutcome, callMessage, isGasTooLow, runCall } from './call.ts'
import type { CallArgs } from './call-args.ts'

const TRANSFER_GAS = 21_000n
const CALL_STIPEND = 2_300n
/** Difference between bounds at which the search ends, as part of the upper bound: 15 in a thousand. */
const TOLERANCE_PER_THOUSAND = 15n

export type EstimateOutcome =
  | { readonly kind: 'estimate'; readonly gas: bigint }
  /** The most that was allowed is not enough. */
  | { readonly kind: 'allowance'; readonly gas: bigint }
  /** The code fails with any gas. */
  | { readonly kind: 'failure'; readonly vmError: string; readonly output: Uint8Array }

/** What a run with a gas limit came to; undefined when the limit itself was refused. */
type Probe = (gasLimit: bigint) => CallOutcome | undefined

const failed = (outcome: CallOutcome | undefined): boolean => outcome === undefined || outcome.vmError !== ''

/** The highest limit to try: block, arguments, what the sender can pay, and the cap. Throws for funds below the value. */
function highest(ground: CallGround, args: CallArgs, gasCap: bigint): bigint {
  let hi = args.gas !== undefined && args.gas >= TRANSFER_GAS ? args.gas : ground.block.gasLimit
  if (chainRules(ground.ctx).eips.has(7825) && hi > TRANSACTION_GAS_CAP) hi = TRANSACTION_GAS_CAP
  const feeCap = args.maxFeePerGasWei ?? args.gasPriceWei ?? 0n
  if (feeCap > 0n && !isBare(ground)) {
    const balance = ground.open().account(args.from ?? new Uint8Array(20))?.balanceWei ?? 0n
    const value = args.valueWei ?? 0n
    if (value >= balance) throw queryError('invalidArgument', 'insufficient funds for transfer')
    const affordable = (balance - value) / feeCap
    if (affordable < hi) hi = affordable
  }
  return hi < gasCap ? hi : gasCap
}

/** Whether the profile searches without what geth knows of senders and of plain transfers, and from the bounds alone. */
function isBare({ ctx }: CallGround): boolean {
  return ctx.identity.behaviours.bareEstimates
}

/** Whether the message is nothing but a transfer of value. */
function isPlainTransfer(ground: CallGround, args: CallArgs): boolean {
  if ((args.input ?? args.data ?? EMPTY).length > 0 || !args.to || (args.authorizations?.length ?? 0) > 0) return false
  const state = ground.open()
  const account = state.account(args.to)
  return !account || state.code(account.codeHash).length === 0
}

/** Finds the estimate of the arguments on a ground; `probe` runs them with a limit. At most `gasCap`. */
export function estimateGas(ground: CallGround, args: CallArgs, gasCap: bigint): EstimateOutcome {
  const message = callMessage(args, 0n, ground.block.baseFee)
  const probe: Probe = (gasLimit) => {
    try {
      return runCall(ground, { ...message, gasLimit })
    } catch (error) {
      if (isGasTooLow(error)) return undefined
      throw error
    }
  }
  const hi = highest(ground, args, gasCap)
  if (!isBare(ground) && isPlainTransfer(ground, args) && !failed(probe(TRANSFER_GAS))) {
    return { kind: 'estimate', gas: TRANSFER_GAS }
  }
  const base = probe(hi)
  // Words may follow: of the sentry of SSTORE, of a price beyond all numbers.
  if (base === undefined || /^out of gas(:|$)/.test(base.vmError)) return { kind: 'allowance', gas: hi }
  if (base.vmError !== '') return { kind: 'failure', vmError: base.vmError, output: base.output }
  return { kind: 'estimate', gas: search(base, hi, probe, { isBare: isBare(ground) }) }
}

/** Narrows from the gas that the base run used to the least limit that succeeds, within the tolerance. */
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
