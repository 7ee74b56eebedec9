/** Blocks that nobody keeps, one upon the other, each with calls that see what those before them did (`eth_simulateV1`). */
import type { Rules } from '../../evm/forks.ts'
import { createEvm } from '../../evm/host.ts'
import type { EvmLog, EvmState } from '../../evm/state.ts'
import { transactionHash } from '../../evm/transaction/encode.ts'
import { floorGas, intrinsicGas } from '../../evm/transaction/gas.ts'
import type { Transaction, UnsignedTransaction } from '../../evm/transaction/types.ts'
import { executeMessage } from '../../evm/transition.ts'
import type { EvmBlockEnv, Precompiles } from '../../evm/types.ts'
import { formatEip55 } from '../../primitives/address.ts'
import { EMPTY, encodeUint, toKey } from '../../primitives/bytes.ts'
import { defineErrors, queryError } from '../../primitives/errors.ts'
import { keccak256 } from '../../primitives/hash.ts'
import { encode, fromUint } from '../../primitives/rlp.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { callGround, callMessage } from './call.ts'
import type { CallArgs } from './call-args.ts'
import { applyOverrides, movePrecompiles } from './overrides.ts'
import { chainPrecompiles } from './precompiles.ts'
import { chainRules } from './rules.ts'
import type { SimulateArgs, SimulatedBlockArgs } from './simulate-args.ts'

/** JSON-RPC codes of a simulation that cannot go on, as geth has them. */
const errors = defineErrors('jsonrpc', {
  invalidParams: { code: -32602, status: 'invalidArgument', text: 'empty input' },
  nonceTooLow: { code: -38010, status: 'failedPrecondition', text: 'nonce too low' },
  nonceTooHigh: { code: -38011, status: 'failedPrecondition', text: 'nonce too high' },
  feeCapTooLow: { code: -38012, status: 'failedPrecondition', text: 'max fee per gas less than block base fee' },
  intrinsicGas: { code: -38013, status: 'invalidArgument', text: 'intrinsic gas too low' },
  insufficientFunds: {
    code: -38014,
    status: 'failedPrecondition',
    text: 'insufficient funds for gas * price + value',
  },
  blockGasLimit: { code: -38015, status: 'invalidArgument', text: 'block gas limit reached' },
  blockNumber: { code: -38020, status: 'invalidArgument', text: 'block numbers must be in order' },
  blockTime: { code: -38021, status: 'invalidArgument', text: 'block timestamps must be in order' },
  limit: { code: -38026, status: 'resourceExhausted', text: 'too many blocks' },
})

const MAX_BLOCKS = 256n
/** Seconds between blocks that name no time. */
const BLOCK_SECONDS = 12n
const EMPTY_TRIE_ROOT = keccak256(encode(EMPTY))
const EMPTY_UNCLES = keccak256(encode([]))
const ZERO_WORD = new Uint8Array(32)

export interface SimulatedCall {
  readonly transaction: Transaction
  readonly hash: Uint8Array
  readonly from: Uint8Array
  readonly output: Uint8Array
  readonly gasUsed: bigint
  /** Empty on success. */
  readonly vmError: string
  readonly logs: readonly EvmLog[]
}

export interface SimulatedBlock {
  readonly env: EvmBlockEnv
  readonly hash: Uint8Array
  readonly parentHash: Uint8Array
  readonly gasUsed: bigint
  readonly calls: readonly SimulatedCall[]
}

export interface SimulatePayload {
  readonly args: SimulateArgs
  /** Gas of all calls together. */
  readonly gasCap: bigint
}

interface Run {
  readonly state: EvmState
  readonly rules: Rules
  readonly validation: boolean
  readonly shouldStop: () => boolean
  precompiles: Precompiles
  gasLeft: bigint
}

/** Blocks between two numbers, so that none is missing, and then the one asked for. */
function fillGaps(blocks: readonly SimulatedBlockArgs[], first: EvmBlockEnv): SimulatedBlockArgs[] {
  if (blocks.length === 0) throw errors.invalidParams()
  const filled: SimulatedBlockArgs[] = []
  let number = first.number
  for (const block of blocks) {
    const next = block.overrides?.number ?? number + 1n
    if (next <= number) throw errors.blockNumber(`${next} <= ${number}`)
    if (next - first.number > MAX_BLOCKS) throw errors.limit()
    for (number += 1n; number < next; number++) filled.push({ overrides: undefined, state: [], calls: [] })
    filled.push(block)
  }
  return filled
}

function nextEnv(parent: EvmBlockEnv, { overrides }: SimulatedBlockArgs, baseFeeWei: bigint): EvmBlockEnv {
  const timestamp = overrides?.time ?? parent.timestamp + BLOCK_SECONDS
  if (timestamp <= parent.timestamp) throw errors.blockTime(`${timestamp} <= ${parent.timestamp}`)
  return {
    ...parent,
    number: parent.number + 1n,
    timestamp,
    coinbase: overrides?.feeRecipient ?? parent.coinbase,
    gasLimit: overrides?.gasLimit ?? parent.gasLimit,
    prevRandao: overrides?.prevRandao ?? ZERO_WORD,
    baseFee: overrides?.baseFeeWei ?? baseFeeWei,
    blobBaseFee: overrides?.blobBaseFeeWei ?? parent.blobBaseFee,
  }
}

/** The transaction that a call stands for, unsigned. */
function transactionOf(args: CallArgs, nonce: bigint, gasLimit: bigint, chainId: bigint): Transaction {
  const common = { nonce, gasLimit, to: args.to, valueWei: args.valueWei ?? 0n, data: args.input ?? args.data ?? EMPTY }
  const accessList = args.accessList ?? []
  const unsigned: UnsignedTransaction =
    args.gasPriceWei === undefined
      ? {
          ...common,
          type: 2,
          chainId,
          accessList,
          maxFeePerGasWei: args.maxFeePerGasWei ?? 0n,
          maxPriorityFeePerGasWei: args.maxPriorityFeePerGasWei ?? 0n,
        }
      : { ...common, type: 0, chainId: undefined, gasPriceWei: args.gasPriceWei }
  return { ...unsigned, signature: { r: 0n, s: 0n, yParity: 0 } } as Transaction
}

function gasOf(run: Run, args: CallArgs, env: EvmBlockEnv, used: bigint): bigint {
  const rest = env.gasLimit - used
  const wanted = args.gas ?? rest
  if (wanted > rest) throw errors.blockGasLimit(`${used + wanted} >= ${env.gasLimit}`)
  if (wanted > run.gasLeft) return run.gasLeft
  return wanted
}

function checkNonce(from: Uint8Array, have: bigint, want: bigint): void {
  const place = `address ${formatEip55(from)}, tx: ${have} state: ${want}`
  if (have < want) throw errors.nonceTooLow(place)
  if (have > want) throw errors.nonceTooHigh(place)
}

function runCall(run: Run, args: CallArgs, env: EvmBlockEnv, used: bigint): SimulatedCall {
  const gasLimit = gasOf(run, args, env, used)
  const message = callMessage(args, gasLimit, env.baseFee)
  const { from, gasPriceWei, valueWei } = message
  const account = run.state.account(from)
  const nonce = args.nonce ?? account?.nonce ?? 0n
  if (run.validation) {
    checkNonce(from, nonce, account?.nonce ?? 0n)
    const feeCap = args.gasPriceWei ?? args.maxFeePerGasWei ?? 0n
    if (feeCap < env.baseFee) throw errors.feeCapTooLow(`maxFeePerGas: ${feeCap}, baseFee: ${env.baseFee}`)
  }
  for (const least of [intrinsicGas(message, run.rules), floorGas(message, run.rules)]) {
    if (gasLimit < least) throw errors.intrinsicGas(`have ${gasLimit}, want ${least}`)
  }
  const cost = gasLimit * gasPriceWei
  if (cost > 0n && (account?.balanceWei ?? 0n) < cost + valueWei) {
    throw errors.insufficientFunds(`have ${account?.balanceWei ?? 0n} want ${cost + valueWei}`)
  }
  const evm = createEvm({
    state: run.state,
    rules: run.rules,
    block: env,
    tx: { origin: from, gasPrice: gasPriceWei, blobHashes: [] },
    precompiles: run.precompiles,
    shouldStop: run.shouldStop,
  })
  evm.journal.subBalance(from, cost)
  const result = executeMessage(evm, { ...message, nonce })
  if (result.stopped) throw queryError('deadlineExceeded', 'execution timeout')
  evm.journal.addBalance(from, (gasLimit - result.gasUsed) * gasPriceWei)
  evm.journal.finalise()
  run.gasLeft -= result.gasUsed
  const transaction = transactionOf(args, nonce, gasLimit, env.chainId)
  return {
    transaction,
    hash: transactionHash(transaction),
    from,
    output: result.output,
    gasUsed: result.gasUsed,
    vmError: result.success ? '' : (result.error ?? 'execution reverted'),
    logs: result.success ? result.logs : [],
  }
}

/** Hash of a pretended header: of an Ethereum header whose roots are those of nothing. */
function headerHash(env: EvmBlockEnv, parentHash: Uint8Array, gasUsed: bigint): Uint8Array {
  return keccak256(
    encode([
      parentHash,
      EMPTY_UNCLES,
      env.coinbase,
      ZERO_WORD,
      EMPTY_TRIE_ROOT,
      EMPTY_TRIE_ROOT,
      new Uint8Array(256),
      EMPTY,
      fromUint(env.number),
      fromUint(env.gasLimit),
      fromUint(gasUsed),
      fromUint(env.timestamp),
      EMPTY,
      env.prevRandao,
      new Uint8Array(8),
      fromUint(env.baseFee),
    ]),
  )
}

/**
 * Runs the blocks on the state of the context. Throws with geth's JSON-RPC codes (codespace `jsonrpc`) what makes a
 * simulation impossible, 4 `deadlineExceeded` when stopped.
 */
export function simulate(
  ctx: ReadContext,
  { args, gasCap }: SimulatePayload,
  budget: { shouldStop(): boolean },
): readonly SimulatedBlock[] {
  const ground = callGround(ctx)
  const rules = chainRules(ctx)
  const known = new Map<string, Uint8Array>()
  const base = ground.open()
  const heightKey = (number: bigint): string => toKey(encodeUint(number, 32))
  const state: EvmState = { ...base, blockHash: (number) => known.get(heightKey(number)) ?? base.blockHash(number) }
  const run: Run = {
    state,
    rules,
    validation: args.validation,
    shouldStop: () => budget.shouldStop(),
    precompiles: chainPrecompiles(rules),
    gasLeft: gasCap,
  }
  const blocks: SimulatedBlock[] = []
  let parent = ground.block
  let parentHash = ctx.block.hash.length === 32 ? ctx.block.hash : ZERO_WORD
  for (const block of fillGaps(args.blocks, ground.block)) {
    const env = nextEnv(parent, block, args.validation ? ground.block.baseFee : 0n)
    applyOverrides(state, block.state)
    run.precompiles = movePrecompiles(run.precompiles, block.state)
    const calls: SimulatedCall[] = []
    let gasUsed = 0n
    for (const call of block.calls) {
      const done = runCall(run, call, env, gasUsed)
      gasUsed += done.gasUsed
      calls.push(done)
    }
    const hash = headerHash(env, parentHash, gasUsed)
    known.set(heightKey(env.number), hash)
    blocks.push({ env, hash, parentHash, gasUsed, calls })
    parent = env
    parentHash = hash
  }
  return blocks
}
