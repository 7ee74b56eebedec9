/** Execution of an admitted Ethereum transaction: EVM, refund, block totals, events, response (docs/modules/evm.md#execution). */
import { create, toBinary } from '@bufbuild/protobuf'
import { bloomOf } from '../../evm/bloom.ts'
import type { Rules } from '../../evm/forks.ts'
import { createEvm } from '../../evm/host.ts'
import { accessListOf } from '../../evm/transaction/types.ts'
import { executeMessage, type MessageResult } from '../../evm/transition.ts'
import {
  EventContractDeployedSchema,
  EventContractExecutedSchema,
  EventEthereumTxSchema,
  EventTransferSchema,
  EventTxLogSchema,
} from '../../gen/chain/evm/v1/events_pb.ts'
import { MsgEthereumTxResponseSchema } from '../../gen/chain/evm/v1/tx_pb.ts'
import * as auth from '../../modules/auth/keeper.ts'
import * as bank from '../../modules/bank/keeper.ts'
import { afterContractCall } from '../../modules/evm/hooks.ts'
import {
  addToBlock,
  baseFeeWei,
  blockEnv,
  chainPrecompiles,
  codeHash,
  consoleTracer,
  createEvmState,
  logMessages,
  precompilesOf,
  recordCreation,
  traceState,
} from '../../modules/evm/keeper.ts'
import { formatEip55 } from '../../primitives/address.ts'
import { EMPTY, equal, formatHex, formatHex0x } from '../../primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../../primitives/hash.ts'
import type { Context } from '../../sdk/context.ts'
import type { DecodedTx } from '../../sdk/tx.ts'
import type { EvmTx } from '../records.ts'
import type { TxWatch } from '../watch.ts'
import type { Admitted } from './admission.ts'
import type { EthereumTx } from './envelope.ts'
import { shownPrice } from './price.ts'
import { encodeResponse } from './response.ts'
import { isPlainTransfer, transfer } from './transfer.ts'

export interface Executed {
  /** Encoded `TxMsgData`. */
  readonly data: Uint8Array
  readonly gasUsed: bigint
  /** Unit: wei. */
  readonly priceWei: bigint
  readonly evmTx: EvmTx
}

/** Gas for which the result of a transaction has room for one byte of output: the price of a byte of calldata. */
const GAS_OF_OUTPUT_BYTE = 16n

/**
 * Returns the output as the response contains it: as many bytes as the gas pays for. Memory costs little gas and can be
 * returned as a whole, but every node keeps results.
 */
function keptOutput(ctx: Context, output: Uint8Array, gasUsed: bigint): Uint8Array {
  const paidBytes = gasUsed / GAS_OF_OUTPUT_BYTE
  if (ctx.identity.behaviours.wholeOutput || BigInt(output.length) <= paidBytes) return output
  return output.slice(0, Number(paidBytes))
}

/** The result of a message, and the accounts that it destructed. */
type EvmRun = MessageResult & { readonly isDestructed?: (address: Uint8Array) => boolean }

/** Runs the EVM on the context, with `priceWei` as GASPRICE. The writes of failed code are already reverted. */
export function runEvm(
  ctx: Context,
  { transaction: tx, from }: EthereumTx,
  rules: Rules,
  priceWei: bigint,
  watch?: TxWatch,
  print?: (line: string) => void,
): EvmRun {
  const state = createEvmState(ctx)
  const tracer = watch?.tracer ?? (watch || !print ? undefined : consoleTracer(print))
  const evm = createEvm({
    state,
    rules,
    block: blockEnv(ctx),
    tx: { origin: from, gasPrice: priceWei, blobHashes: [] },
    precompiles: precompilesOf(ctx, rules),
    ...(watch && { shouldStop: () => watch.shouldStop() }),
    ...(tracer && { tracer }),
  })
  const result = executeMessage(evm, {
    from,
    to: tx.to,
    nonce: tx.nonce,
    gasLimit: tx.gasLimit,
    valueWei: tx.valueWei,
    data: tx.data,
    accessList: accessListOf(tx),
    authorizations: tx.type === 4 ? tx.authorizations : [],
  })
  evm.journal.finalise()
  state.settle()
  for (const { address, creator } of evm.journal.creations()) recordCreation(ctx, address, { creator, origin: from })
  return { ...result, isDestructed: (address) => evm.journal.isDestructed(address) }
}

function emitOutcome(
  ctx: Context,
  { transaction: tx, fromText: sender, toText }: EthereumTx,
  contract: Uint8Array | undefined,
): void {
  if (contract) ctx.emit(EventContractDeployedSchema, { sender, contractAddr: formatEip55(contract) })
  else if (!tx.to) return
  else if (tx.data.length > 0) ctx.emit(EventContractExecutedSchema, { sender, contractAddr: toText })
  else if (tx.valueWei > 0n) {
    ctx.emit(EventTransferSchema, { sender, recipient: toText, amount: tx.valueWei.toString() })
  }
}

function refund(ctx: Context, from: Uint8Array, refundWei: bigint): void {
  if (refundWei === 0n) return
  bank.subWei(ctx, auth.feeCollector.address, refundWei)
  bank.addWei(ctx, from, refundWei)
}

/**
 * Executes an admitted transaction. The outcome of the code, failures included, is in the result. It throws only for bugs and
 * host failures; the caller then drops the context's branch.
 */
export function execute(
  ctx: Context,
  wrapped: DecodedTx,
  evmTx: EthereumTx,
  rules: Rules,
  { priceWei, zeroGas, intrinsicGas }: Admitted,
  txIndex: number,
  watch?: TxWatch,
  print?: (line: string) => void,
): Executed {
  const { transaction: tx, from, hash } = evmTx
  const contract = tx.to && !equal(codeHash(ctx, tx.to), EMPTY_CODE_HASH) ? tx.to : undefined
  const result: EvmRun =
    !watch?.tracer && isPlainTransfer(ctx, evmTx, chainPrecompiles(rules))
      ? transfer(ctx, evmTx, rules, intrinsicGas)
      : runEvm(ctx, evmTx, rules, zeroGas ? 0n : shownPrice(ctx.identity, tx, baseFeeWei(ctx)), watch, print)
  const { gasUsed, success } = result
  refund(ctx, from, (tx.gasLimit - gasUsed) * priceWei)
  watch?.tracer?.end?.(result, traceState(ctx, result.isDestructed))

  const logs = success ? result.logs : []
  const bloom = bloomOf(logs)
  const position = addToBlock(ctx, { gasUsed, logCount: logs.length, bloom })
  const hashHex = formatHex0x(hash)
  const vmError = success ? '' : (result.error ?? 'execution reverted')
  const contractAddress = success && !tx.to ? result.contractAddress : undefined
  ctx.emit(EventEthereumTxSchema, {
    ethHash: hashHex,
    index: position.evmIndex.toString(),
    gasUsed: gasUsed.toString(),
    hash: formatHex(wrapped.hash()).toUpperCase(),
    recipient: evmTx.toText,
    vmError,
  })
  ctx.emitEvent('message', { module: 'evm', sender: evmTx.fromText, tx_type: tx.type.toString() })
  if (success) emitOutcome(ctx, evmTx, contractAddress)
  const messages = logMessages(ctx, logs, hashHex, position)
  ctx.emit(EventTxLogSchema, { logs: messages })
  if (success && contract) afterContractCall.run(ctx, { contract, gasUsed, priceWei, hash })

  const response = create(MsgEthereumTxResponseSchema, {
    hash: hashHex,
    logs: messages,
    ret: result.output.length > 0 ? keptOutput(ctx, result.output, gasUsed) : EMPTY,
    vmError,
    gasUsed,
  })
  return {
    data: encodeResponse(ctx.identity, toBinary(MsgEthereumTxResponseSchema, response)),
    gasUsed,
    priceWei,
    evmTx: {
      hash,
      raw: evmTx.raw,
      txIndex,
      evmIndex: position.evmIndex,
      from,
      to: tx.to,
      contractAddress,
      status: success ? 1 : 0,
      gasUsed,
      cumulativeGasUsed: position.cumulativeGasUsed,
      effectiveGasPrice: priceWei,
      type: tx.type,
      bloom,
      firstLogIndex: position.firstLogIndex,
      logs,
    },
  }
}
