/** Calls and the probes of estimates: executions whose writes are dropped (docs/modules/evm.md#calls). */

import type { Rules } from '../../../evm/forks.ts'
import { createEvm } from '../../../evm/host.ts'
import { type EvmLog, type EvmState, spendableWei } from '../../../evm/state.ts'
import { refuse } from '../../../evm/transaction/errors.ts'
import { requireFeeCap, requireTipWithinCap } from '../../../evm/transaction/fee-checks.ts'
import { type OwnGas, ownGas } from '../../../evm/transaction/gas.ts'
import type { AccessList, Authorization } from '../../../evm/transaction/types.ts'
import { executeMessage, tracedMessage } from '../../../evm/transition.ts'
import { formatEip55 } from '../../../primitives/address.ts'
import { EMPTY, ZERO_ADDRESS } from '../../../primitives/bytes.ts'
import { ChainError, queryError } from '../../../primitives/errors.ts'
import { errors } from '../errors.ts'
import type { CallArgs } from './call-args.ts'
import type { CallSetup } from './call-setup.ts'
import { giveUp } from './light.ts'

/** Gas cap of a call unless the request or the configuration sets another. */
export const DEFAULT_GAS_CAP = 25_000_000n
const MAX_UINT256 = (1n << 256n) - 1n
const LIGHT = { giveUp }

/** The message that a call executes. */
export interface CallMessage {
  readonly from: Uint8Array
  readonly to: Uint8Array | undefined
  readonly gasLimit: bigint
  readonly gasPriceWei: bigint
  readonly valueWei: bigint
  readonly data: Uint8Array
  readonly accessList: AccessList
  readonly authorizations: readonly Authorization[]
  /** Nonce of the state by default. */
  readonly nonce?: bigint
}

export interface CallOutcome {
  readonly output: Uint8Array
  /** Empty on success; else geth's text of the failure. */
  readonly vmError: string
  /** After refunds. */
  readonly gasUsed: bigint
  readonly gasUsedBeforeRefund: bigint
  readonly logs: readonly EvmLog[]
}

/** Whether both ways of pricing are given, which is an error. */
function hasBothPrices(args: CallArgs): boolean {
  const dynamic = args.maxFeePerGasWei !== undefined || args.maxPriorityFeePerGasWei !== undefined
  return args.gasPriceWei !== undefined && dynamic
}

/** Returns the gas price that a call sees: 0 if the arguments name no price. Unit: wei. */
function gasPrice(args: CallArgs, baseFeeWei: bigint): bigint {
  if (args.gasPriceWei !== undefined) return args.gasPriceWei
  const tip = args.maxPriorityFeePerGasWei ?? 0n
  const cap = args.maxFeePerGasWei
  if (cap === undefined && tip === 0n) return 0n
  const price = baseFeeWei + tip
  const most = cap ?? MAX_UINT256
  return price > most ? most : price
}

/** Returns the prices that arguments offer, as a cap and a tip within it. Unit: wei. */
export function offeredPrices(args: CallArgs): { readonly cap: bigint; readonly tip: bigint } {
  const { gasPriceWei, maxFeePerGasWei = 0n, maxPriorityFeePerGasWei = 0n } = args
  return gasPriceWei === undefined
    ? { cap: maxFeePerGasWei, tip: maxPriorityFeePerGasWei }
    : { cap: gasPriceWei, tip: gasPriceWei }
}

/** Throws the refusals of geth for prices that no block would accept. A call without a price is free, and not checked. */
function requirePrices(args: CallArgs, from: Uint8Array, baseFeeWei: bigint): void {
  const { cap, tip } = offeredPrices(args)
  if (cap === 0n && tip === 0n) return
  requireTipWithinCap(from, tip, cap)
  requireFeeCap(from, cap, baseFeeWei)
}

/**
 * Builds the message of a call at a gas limit. Throws 3 `invalidArgument` for contradictory prices, and the refusals
 * `tipAboveFeeCap` and `feeCapTooLow`.
 */
export function callMessage(
  { ctx, block }: Pick<CallSetup, 'ctx' | 'block'>,
  args: CallArgs,
  gasLimit: bigint,
): CallMessage {
  const message = messageOf(args, gasLimit, block.baseFee)
  if (!ctx.identity.behaviours.baseFeeAboveCap) requirePrices(args, message.from, block.baseFee)
  return message
}

/** Builds the message of the arguments at a gas limit, without checks of the prices against the base fee. */
export function messageOf(args: CallArgs, gasLimit: bigint, baseFeeWei: bigint): CallMessage {
  if (hasBothPrices(args)) {
    throw queryError('invalidArgument', 'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified')
  }
  return {
    from: args.from ?? ZERO_ADDRESS,
    to: args.to,
    gasLimit,
    gasPriceWei: gasPrice(args, baseFeeWei),
    valueWei: args.valueWei ?? 0n,
    data: args.input ?? args.data ?? EMPTY,
    accessList: args.accessList ?? [],
    authorizations: args.authorizations ?? [],
  }
}

/**
 * Throws `insufficientFunds` with geth's text if the sender cannot pay the value, which clients tell from a failure of the code.
 * The price of a call is not paid, and not checked.
 */
export function requireValue(setup: CallSetup, { from = ZERO_ADDRESS, valueWei = 0n }: CallArgs): void {
  if (valueWei === 0n) return
  const sender = setup.open().account(from)
  const have = sender ? spendableWei(sender) : 0n
  if (have < valueWei) {
    throw refuse('insufficientFunds', `address ${formatEip55(from)} have ${have} want ${valueWei}`)
  }
}

/**
 * Runs a message and drops its writes. Checks no balance, fee or nonce except that the sender can transfer the value.
 * Throws 3 `invalidArgument` for gas below the intrinsic gas, 4 `deadlineExceeded` when stopped.
 */
export function runCall(setup: CallSetup, message: CallMessage): CallOutcome {
  return runMessage(setup, message, setup.open()).outcome
}

/** Runs like `runCall`, on a state that the caller opened; `keep` writes the effects of the message to that state. */
export function runMessage(
  setup: CallSetup,
  message: CallMessage,
  state: EvmState,
): { readonly outcome: CallOutcome; readonly keep: () => void } {
  const { rules } = setup
  const own = checkGas(message, rules)
  const { gasPriceWei } = message
  const hidesBaseFee = gasPriceWei === 0n && !setup.ctx.identity.behaviours.callsSeeBaseFee
  const evm = createEvm({
    state,
    rules,
    block: hidesBaseFee ? setup.freeBlock : setup.block,
    tx: { origin: message.from, gasPrice: gasPriceWei, blobHashes: [] },
    precompiles: setup.precompiles,
    shouldStop: setup.shouldStop,
    light: setup.isLight ? LIGHT : undefined,
    tracer: setup.tracer,
  })
  const nonce = message.nonce ?? state.account(message.from)?.nonce ?? 0n
  const { from, to, gasLimit, valueWei, data, accessList, authorizations } = message
  const numbered = { from, to, nonce, gasLimit, valueWei, data, accessList, authorizations }
  setup.tracer?.start?.(tracedMessage(numbered, gasPriceWei, setup.block), evm.journal)
  const result = executeMessage(evm, numbered, own)
  setup.tracer?.end?.(result, evm.journal)
  if (result.stopped && setup.isLight) giveUp()
  if (result.stopped) throw queryError('deadlineExceeded', 'execution timeout')
  const outcome = {
    output: result.output,
    vmError: result.success ? '' : (result.error ?? 'execution reverted'),
    gasUsed: result.gasUsed,
    gasUsedBeforeRefund: result.gasUsedBeforeRefund,
    logs: result.success ? result.logs : [],
  }
  return { outcome, keep: () => evm.journal.finalise() }
}

function checkGas(message: CallMessage, rules: Rules): OwnGas {
  const { gasLimit } = message
  const own = ownGas(message, rules)
  const { intrinsic, floor } = own
  if (gasLimit < intrinsic) throw errors.gasTooLow(`intrinsic gas too low: have ${gasLimit}, want ${intrinsic}`)
  if (gasLimit < floor) {
    throw errors.gasTooLow(`insufficient gas for floor data gas cost: have ${gasLimit}, want ${floor}`)
  }
  return own
}

/** Whether a message did not run because its gas limit was too low: a probe then counts as failed. */
export function isGasTooLow(error: unknown): boolean {
  return error instanceof ChainError && error.codespace === 'evm' && error.code === errors.gasTooLow().code
}
