/** Simulated blocks of `eth_simulateV1`: each call sees the effects of the earlier ones, and all writes are dropped. */

import { maxInitCodeSize, type Rules } from '../../../evm/forks.ts'
import { createEvm } from '../../../evm/host.ts'
import { type EvmState, spendableWei } from '../../../evm/state.ts'
import { transactionHash } from '../../../evm/transaction/encode.ts'
import { requireFeeCap, requireTipWithinCap } from '../../../evm/transaction/fee-checks.ts'
import { ownGas } from '../../../evm/transaction/gas.ts'
import { requireNextNonce, requireNoCode } from '../../../evm/transaction/sender-checks.ts'
import type { Transaction, UnsignedTransaction } from '../../../evm/transaction/types.ts'
import { executeMessage } from '../../../evm/transition.ts'
import type { EvmBlockEnv, Precompiles } from '../../../evm/types.ts'
import { formatEip55 } from '../../../primitives/address.ts'
import { EMPTY, encodeUint, toKey, ZERO_WORD } from '../../../primitives/bytes.ts'
import { ChainError, defineErrors, type ErrorRow, queryError } from '../../../primitives/errors.ts'
import type { ReadContext } from '../../../sdk/context.ts'
import { precompilesOf } from '../precompiles/impersonated-signatures.ts'
import { chainRules } from '../rules.ts'
import { collectTransferLogs } from '../tracing/transfer-logs.ts'
import { messageOf, offeredPrices } from './call.ts'
import type { CallArgs } from './call-args.ts'
import { callSetup } from './call-setup.ts'
import { applyOverrides, movePrecompiles } from './overrides.ts'
import type { SimulateArgs, SimulatedBlockArgs } from './simulate-args.ts'
import { type SimulatedBlock, type SimulatedCall, sealBlock } from './simulated-block.ts'

const CODESPACE = 'jsonrpc'

/** JSON-RPC errors that end a simulation, with geth's codes and texts. */
const rows = {
  invalidParams: { code: -32602, status: 'invalidArgument', text: 'empty input' },
  tipAboveFeeCap: {
    code: -32602,
    status: 'invalidArgument',
    text: 'max priority fee per gas higher than max fee per gas',
  },
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
  senderNotEoa: { code: -38024, status: 'failedPrecondition', text: 'sender not an eoa' },
  initCodeSize: { code: -38025, status: 'invalidArgument', text: 'max initcode size exceeded' },
  limit: { code: -38026, status: 'resourceExhausted', text: 'too many blocks' },
} as const satisfies Record<string, ErrorRow>

const errors = defineErrors(CODESPACE, rows)

/** Returns the error of a call that a block would refuse. As in geth, the detail follows the text. */
const refuse = (name: keyof typeof rows, detail: string): ChainError =>
  new ChainError(CODESPACE, rows[name], `${rows[name].text}: ${detail}`)

/** Blocks of one `eth_simulateV1`, as in geth. Beyond: -38026. */
const MAX_BLOCKS = 256n
/** Distance of blocks without a `time` override. Unit: seconds. */
const BLOCK_SECONDS = 12n

export interface SimulatePayload {
  readonly args: SimulateArgs
  /** Gas cap of all calls together. */
  readonly gasCap: bigint
}

interface Run {
  readonly state: EvmState
  readonly rules: Rules
  readonly validation: boolean
  readonly traceTransfers: boolean
  readonly shouldStop: () => boolean
  precompiles: Precompiles
  gasLeft: bigint
}

/** Returns the blocks of the request with empty blocks in the gaps between their numbers. */
function fillGaps(blocks: readonly SimulatedBlockArgs[], first: EvmBlockEnv): SimulatedBlockArgs[] {
  if (blocks.length === 0) throw errors.invalidParams()
  const filled: SimulatedBlockArgs[] = []
  let number = first.number
  for (const block of blocks) {
    const next = block.overrides?.number ?? number + 1n
    if (next <= number) throw refuse('blockNumber', `${next} <= ${number}`)
    if (next - first.number > MAX_BLOCKS) throw errors.limit()
    for (number += 1n; number < next; number++) filled.push({ overrides: undefined, state: [], calls: [] })
    filled.push(block)
  }
  return filled
}

function nextEnv(parent: EvmBlockEnv, { overrides }: SimulatedBlockArgs, baseFeeWei: bigint): EvmBlockEnv {
  const timestamp = overrides?.time ?? parent.timestamp + BLOCK_SECONDS
  if (timestamp <= parent.timestamp) throw refuse('blockTime', `${timestamp} <= ${parent.timestamp}`)
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

/** Returns the unsigned transaction of a call. */
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
  if (wanted > rest) throw refuse('blockGasLimit', `${used + wanted} >= ${env.gasLimit}`)
  if (wanted > run.gasLeft) return run.gasLeft
  return wanted
}

/** Throws the errors of geth's `eth_simulateV1` for a wrong nonce, or a sender with code (EIP-3607, EIP-7702). */
function checkSender(state: EvmState, from: Uint8Array, account: ReturnType<EvmState['account']>, nonce: bigint): void {
  requireNextNonce(from, nonce, account?.nonce ?? 0n, refuse)
  if (account) requireNoCode(from, account.codeHash, () => state.code(account.codeHash), refuse)
}

/** Throws geth's errors for prices that a block would refuse. Without validation a call without a price is free. */
function checkPrices(args: CallArgs, from: Uint8Array, baseFeeWei: bigint, validation: boolean): void {
  const { cap, tip } = offeredPrices(args)
  if (!validation && cap === 0n && tip === 0n) return
  requireTipWithinCap(from, tip, cap, refuse)
  requireFeeCap(from, cap, baseFeeWei, refuse)
}

function runCall(run: Run, args: CallArgs, env: EvmBlockEnv, used: bigint): SimulatedCall {
  const gasLimit = gasOf(run, args, env, used)
  const message = messageOf(args, gasLimit, env.baseFee)
  const { from, gasPriceWei, valueWei } = message
  const account = run.state.account(from)
  const nonce = args.nonce ?? account?.nonce ?? 0n
  if (run.validation) {
    checkSender(run.state, from, account, nonce)
  }
  checkPrices(args, from, env.baseFee, run.validation)
  const mostInitCode = maxInitCodeSize(run.rules)
  if (!message.to && run.rules.eips.has(3860) && message.data.length > mostInitCode) {
    throw refuse('initCodeSize', `code size ${message.data.length} limit ${mostInitCode}`)
  }
  const own = ownGas(message, run.rules)
  for (const least of [own.intrinsic, own.floor]) {
    if (gasLimit < least) throw refuse('intrinsicGas', `have ${gasLimit}, want ${least}`)
  }
  const cost = gasLimit * gasPriceWei
  const spendable = account ? spendableWei(account) : 0n
  if (spendable < cost + valueWei) {
    throw refuse('insufficientFunds', `address ${formatEip55(from)} have ${spendable} want ${cost + valueWei}`)
  }
  const transfers = run.traceTransfers ? collectTransferLogs() : undefined
  const evm = createEvm({
    ...(transfers && { tracer: transfers.tracer }),
    state: run.state,
    rules: run.rules,
    block: env,
    tx: { origin: from, gasPrice: gasPriceWei, blobHashes: [] },
    precompiles: run.precompiles,
    shouldStop: run.shouldStop,
  })
  evm.journal.subBalance(from, cost)
  const result = executeMessage(evm, { ...message, nonce }, own)
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
    maxGasUsed: result.gasUsedBeforeRefund > result.gasUsed ? result.gasUsedBeforeRefund : result.gasUsed,
    vmError: result.success ? '' : (result.error ?? 'execution reverted'),
    logs: result.success ? (transfers?.logs ?? result.logs) : [],
  }
}

/**
 * Runs the blocks on the state of the context. Throws errors of codespace `jsonrpc` with geth's codes, and 4 `deadlineExceeded`
 * when stopped.
 */
export function simulate(
  ctx: ReadContext,
  { args, gasCap }: SimulatePayload,
  budget: { shouldStop(): boolean },
): readonly SimulatedBlock[] {
  const setup = callSetup(ctx)
  const rules = chainRules(ctx)
  const known = new Map<string, Uint8Array>()
  const base = setup.open()
  const heightKey = (number: bigint): string => toKey(encodeUint(number, 32))
  const state: EvmState = { ...base, blockHash: (number) => known.get(heightKey(number)) ?? base.blockHash(number) }
  const run: Run = {
    state,
    rules,
    validation: args.validation,
    traceTransfers: args.traceTransfers,
    shouldStop: () => budget.shouldStop(),
    precompiles: precompilesOf(ctx, rules),
    gasLeft: gasCap,
  }
  const blocks: SimulatedBlock[] = []
  let parent = setup.block
  let parentHash = ctx.block.hash.length === 32 ? ctx.block.hash : ZERO_WORD
  for (const block of fillGaps(args.blocks, setup.block)) {
    const env = nextEnv(parent, block, args.validation ? setup.block.baseFee : 0n)
    applyOverrides(state, block.state)
    run.precompiles = movePrecompiles(run.precompiles, block.state)
    const calls: SimulatedCall[] = []
    let gasUsed = 0n
    for (const call of block.calls) {
      const done = runCall(run, call, env, gasUsed)
      gasUsed += done.gasUsed
      calls.push(done)
    }
    const sealed = sealBlock(env, parentHash, calls, rules.fork)
    known.set(heightKey(env.number), sealed.hash)
    blocks.push(sealed)
    parent = env
    parentHash = sealed.hash
  }
  return blocks
}
