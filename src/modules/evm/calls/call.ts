/** Executions that nobody keeps: calls, and the probes of estimates (evm.md §2.8). */

import type { Rules } from '../../../evm/forks.ts'
import { createEvm } from '../../../evm/host.ts'
import type { EvmLog, EvmState } from '../../../evm/state.ts'
import type { Tracer } from '../../../evm/trace.ts'
import { type OwnGas, ownGas } from '../../../evm/transaction/gas.ts'
import type { AccessList, Authorization } from '../../../evm/transaction/types.ts'
import { executeMessage, tracedMessage } from '../../../evm/transition.ts'
import type { EvmBlockEnv, Precompiles } from '../../../evm/types.ts'
import { EMPTY } from '../../../primitives/bytes.ts'
import { ChainError, queryError } from '../../../primitives/errors.ts'
import type { ReadContext } from '../../../sdk/context.ts'
import { createContext, createTransient } from '../../../sdk/create-context.ts'
import { createBranch } from '../../../store/branch.ts'
import { errors } from '../errors.ts'
import { type ChainEvmState, createEvmState, type KnownReads } from '../evm-state.ts'
import { chainPrecompiles } from '../precompiles.ts'
import { chainRules } from '../rules.ts'
import { blockEnv } from './block-env.ts'
import type { AccountOverride, BlockOverrides, CallArgs } from './call-args.ts'
import { giveUp, type LightBudget, lightPrecompiles, lightReader } from './light.ts'
import { applyOverrides, movePrecompiles } from './overrides.ts'

/** The most gas of one call when neither caller nor configuration says otherwise. */
export const DEFAULT_GAS_CAP = 25_000_000n
const ZERO_ADDRESS = new Uint8Array(20)
const MAX_UINT256 = (1n << 256n) - 1n
const LIGHT = { giveUp }

/** What a call runs as. */
export interface CallMessage {
  readonly from: Uint8Array
  readonly to: Uint8Array | undefined
  readonly gasLimit: bigint
  readonly gasPriceWei: bigint
  readonly valueWei: bigint
  readonly data: Uint8Array
  readonly accessList: AccessList
  readonly authorizations: readonly Authorization[]
  /** That of the state by default. */
  readonly nonce?: bigint
}

export interface CallOptions {
  readonly stateOverrides?: readonly AccountOverride[] | undefined
  readonly blockOverrides?: BlockOverrides | undefined
  /** Consensus address that sets COINBASE in place of the block's proposer (D38). */
  readonly proposer?: Uint8Array | undefined
  readonly shouldStop?: (() => boolean) | undefined
  /** Only light work is wanted: anything else throws `TOO_HEAVY`. In place of `shouldStop`, and without overrides. */
  readonly light?: LightBudget | undefined
  /** Hears of every message that runs. */
  readonly tracer?: Tracer | undefined
}

export interface CallOutcome {
  readonly output: Uint8Array
  /** Empty on success; else the failure in geth's words. */
  readonly vmError: string
  /** After refunds. */
  readonly gasUsed: bigint
  readonly gasUsedBeforeRefund: bigint
  readonly logs: readonly EvmLog[]
}

/** Whether both ways of pricing are given; nothing runs then. */
function hasBothPrices(args: CallArgs): boolean {
  const dynamic = args.maxFeePerGasWei !== undefined || args.maxPriorityFeePerGasWei !== undefined
  return args.gasPriceWei !== undefined && dynamic
}

/** The price that a call sees: 0 when none is given. Unit: wei. */
function gasPrice(args: CallArgs, baseFeeWei: bigint): bigint {
  if (args.gasPriceWei !== undefined) return args.gasPriceWei
  const tip = args.maxPriorityFeePerGasWei ?? 0n
  const cap = args.maxFeePerGasWei
  if (cap === undefined && tip === 0n) return 0n
  const price = baseFeeWei + tip
  const most = cap ?? MAX_UINT256
  return price > most ? most : price
}

/** The message that arguments mean at a gas limit. Throws 3 `invalidArgument` for contradictory prices. */
export function callMessage(args: CallArgs, gasLimit: bigint, baseFeeWei: bigint): CallMessage {
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

/** A state to run on and to forget, with overrides in force, and what else an execution needs. */
export interface CallGround {
  readonly ctx: ReadContext
  readonly rules: Rules
  readonly block: EvmBlockEnv
  /** The block as a call without a price sees it: without a base fee, so that code comparing the two does not fail (as geth). */
  readonly freeBlock: EvmBlockEnv
  /** Opens a fresh view of the state; what runs on it changes no other. */
  open(): ChainEvmState
  readonly precompiles: Precompiles
  readonly shouldStop: (() => boolean) | undefined
  readonly isLight: boolean
  /** Hears of every message that runs. */
  readonly tracer?: Tracer | undefined
}

type BlockFacts = Pick<CallGround, 'rules' | 'block' | 'freeBlock'>

/** What calls have found out about a committed state: the next one at it need not read it again. */
interface Known {
  readonly facts: BlockFacts
  readonly reads: KnownReads
}

/** By revision of the state. */
const knownStates = new WeakMap<object, Known>()

function blockFacts(ctx: ReadContext, overrides?: BlockOverrides, proposer?: Uint8Array): BlockFacts {
  const block = blockEnv(ctx, overrides, proposer)
  return { rules: chainRules(ctx), block, freeBlock: { ...block, baseFee: 0n } }
}

/** Undefined for a state that may still change. */
function knownOf(ctx: ReadContext): Known | undefined {
  const { revision } = ctx.store
  if (!revision) return undefined
  let known = knownStates.get(revision)
  if (!known) {
    known = { facts: blockFacts(ctx), reads: { accounts: new Map(), codes: new Map() } }
    knownStates.set(revision, known)
  }
  return known
}

/** Prepares the ground of one request. */
export function callGround(ctx: ReadContext, options: CallOptions = {}): CallGround {
  const { stateOverrides = [], blockOverrides, proposer, light, tracer } = options
  const known = knownOf(ctx)
  const isPlain = !blockOverrides && !proposer
  const { rules, block, freeBlock } = known && isPlain ? known.facts : blockFacts(ctx, blockOverrides, proposer)
  const precompiles = chainPrecompiles(rules)
  const store = light ? lightReader(ctx.store, light) : ctx.store
  return {
    ctx,
    rules,
    block,
    freeBlock,
    precompiles: light ? lightPrecompiles(precompiles) : movePrecompiles(precompiles, stateOverrides),
    shouldStop: light?.shouldStop ?? options.shouldStop,
    isLight: light !== undefined,
    tracer,
    open() {
      const { block, identity, app } = ctx
      const branch = createBranch(store)
      const scratch = createContext({ branch, transient: createTransient(), block: { ...block }, identity, app })
      const state = createEvmState(scratch, known?.reads)
      applyOverrides(state, stateOverrides)
      return state
    },
  }
}

/**
 * Runs a message and forgets what it wrote. No balance, fee or nonce is checked but the value's transfer.
 * Throws 3 `invalidArgument` for gas below the intrinsic gas, 4 `deadlineExceeded` when stopped.
 */
export function runCall(ground: CallGround, message: CallMessage): CallOutcome {
  return runMessage(ground, message, ground.open()).outcome
}

/** As `runCall`, on a state that the caller opened; `keep` writes to it what the message did. */
export function runMessage(
  ground: CallGround,
  message: CallMessage,
  state: EvmState,
): { readonly outcome: CallOutcome; readonly keep: () => void } {
  const { rules } = ground
  const own = checkGas(message, rules)
  const { gasPriceWei } = message
  const hidesBaseFee = gasPriceWei === 0n && !ground.ctx.identity.behaviours.callsSeeBaseFee
  const evm = createEvm({
    state,
    rules,
    block: hidesBaseFee ? ground.freeBlock : ground.block,
    tx: { origin: message.from, gasPrice: gasPriceWei, blobHashes: [] },
    precompiles: ground.precompiles,
    shouldStop: ground.shouldStop,
    light: ground.isLight ? LIGHT : undefined,
    tracer: ground.tracer,
  })
  const nonce = message.nonce ?? state.account(message.from)?.nonce ?? 0n
  const { from, to, gasLimit, valueWei, data, accessList, authorizations } = message
  const numbered = { from, to, nonce, gasLimit, valueWei, data, accessList, authorizations }
  ground.tracer?.start?.(tracedMessage(numbered, gasPriceWei, ground.block), evm.journal)
  const result = executeMessage(evm, numbered, own)
  ground.tracer?.end?.(result, evm.journal)
  if (result.stopped && ground.isLight) giveUp()
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

/** Whether a failure to run at all means that the gas limit was too low: a probe then counts as failed. */
export function isGasTooLow(error: unknown): boolean {
  return error instanceof ChainError && error.codespace === 'evm' && error.code === errors.gasTooLow().code
}
