/** Turns the trace operations of the query service into jobs: transactions, state and tracer (D15, D33, D38, D45). */
import { requireBaseFee, shownPrice } from '../app/evm/price.ts'
import type { StoredBlock } from '../app/records.ts'
import { inputOfBlock } from '../app/trace.ts'
import type { TracePayload, TraceSubject } from '../app/trace-jobs.ts'
import type { PastBlock } from '../app/types.ts'
import { hashHeader } from '../consensus/comet/hashes.ts'
import { encodeTransaction } from '../evm/transaction/encode.ts'
import { recoverSender } from '../evm/transaction/sender.ts'
import { accessListOf, feeCapOf, type Transaction } from '../evm/transaction/types.ts'
import type { QueryTraceBlockRequest, QueryTraceTxRequest } from '../gen/chain/evm/v1/query_pb.ts'
import type { MsgEthereumTx } from '../gen/chain/evm/v1/tx_pb.ts'
import type { BlockOverrides } from '../modules/evm/calls/call-args.ts'
import * as evm from '../modules/evm/keeper.ts'
import type { TracedMessage } from '../modules/evm/tracing/trace-call.ts'
import { unpackTxData } from '../modules/evm/tx-data.ts'
import { parseEvm } from '../primitives/address.ts'
import { equal, formatHex, formatHex0x, parseHex, ZERO_ADDRESS } from '../primitives/bytes.ts'
import { ChainError, queryError } from '../primitives/errors.ts'
import { keccak256 } from '../primitives/hash.ts'
import { fromTimestamp, NS_PER_SECOND } from '../primitives/time.ts'
import { wrongField } from '../sdk/request.ts'
import type { GatewayNode } from './gateway.ts'
import { findStoredEvmTx } from './stored-evm-tx.ts'
import { readTraceConfig, type TraceSettings } from './trace-config.ts'
import { createPause } from './transport/slices.ts'

/** A trace that is ready to run: a job on the state of one height. */
export interface TraceOrder {
  readonly payload: TracePayload
  /** Height of the state that the job reads; undefined: the latest. */
  readonly height: bigint | undefined
  /** Height that the answer names; undefined: that of the state. */
  readonly shownHeight: bigint | undefined
  readonly settings: TraceSettings
}

/** Size of one trace. Beyond: it is truncated and says so. */
const OUTPUT_BYTES = 16 * 2 ** 30
const NO_LIMIT = (1n << 64n) - 1n
/** Unix seconds of the year 1, the time of an unset field. */
const YEAR_ONE = -62_135_596_800n

/** The fields that both requests have. */
type BlockFields = Pick<
  QueryTraceTxRequest,
  'blockNumber' | 'blockHash' | 'blockTime' | 'proposerAddress' | 'chainId' | 'blockMaxGas'
>

function order(
  settings: TraceSettings,
  subject: TraceSubject,
  height: bigint | undefined,
  shownHeight?: bigint,
): TraceOrder {
  return { payload: { config: settings.config, subject, outputBytes: OUTPUT_BYTES }, height, shownHeight, settings }
}

/** Returns the trace of a stored block, or of one of its EVM transactions. */
export function minedOrder(
  node: GatewayNode,
  block: StoredBlock,
  target: number | undefined,
  settings: TraceSettings,
): TraceOrder {
  const { height } = block.header
  const { evmTxs } = block
  const last = target === undefined ? evmTxs.at(-1) : evmTxs[target]
  const receipts = evmTxs.map(({ hash, txIndex, evmIndex, status, gasUsed, bloom }) => ({
    hash,
    txIndex,
    evmIndex,
    status,
    gasUsed,
    bloom,
  }))
  const input = inputUpTo(node, block, last?.txIndex ?? -1)
  // A block without EVM transactions needs no state.
  const state = last ? parentHeight(block) : height
  return order(settings, { kind: 'mined', input, receipts, target }, state, height)
}

function inputUpTo({ blocks, settings }: GatewayNode, block: StoredBlock, lastTxIndex: number): PastBlock {
  const input = inputOfBlock(block, blocks.validators(block.header.height - 1n) ?? [], lastTxIndex)
  // The hash of a block that was loaded is the one that it has in its own chain.
  const isAdopted = settings.isDevelopment && !equal(hashHeader(block.header), block.hash)
  return { ...input, isAdopted }
}

/**
 * Returns the height of the state before a block. Throws for the first block of a chain: `notFound`, or `unimplemented` if it has
 * transactions, which only that of a loaded dump can have.
 */
function parentHeight({ header: { height }, evmTxs }: StoredBlock): bigint {
  if (height > 1n) return height - 1n
  if (evmTxs.length > 0) {
    throw queryError('unimplemented', 'block 1 comes from a loaded dump, and this chain has no state before it')
  }
  throw queryError('notFound', 'genesis is not traceable')
}

/** A state within a block: the height to begin at, and the transactions that run first. */
export interface PlaceInBlock {
  readonly height: bigint
  readonly within: PastBlock
}

/** Returns the state before an EVM transaction of a stored block, by its index. Throws `notFound` for a wrong index. */
export function placeBefore(node: GatewayNode, block: StoredBlock, evmIndex: bigint): PlaceInBlock {
  const tx = block.evmTxs[Number(evmIndex)]
  if (!tx && (evmIndex > 0n || block.evmTxs.length > 0)) {
    throw queryError('notFound', `transaction index ${evmIndex} out of range for block ${formatHex0x(block.hash)}`)
  }
  return { height: parentHeight(block), within: inputUpTo(node, block, (tx?.txIndex ?? 0) - 1) }
}

function parseHash(text: string, field: string): Uint8Array {
  const bytes = parseHex(text.replace(/^0x/i, ''))
  if (bytes?.length !== 32) throw wrongField(field, `${field} is not a hash of 32 bytes`)
  return bytes
}

/**
 * Returns the block that number and hash name; undefined if neither is given. Throws `notFound` if the block is not
 * stored, `invalidArgument` if they disagree.
 */
function namedBlock(node: GatewayNode, { blockNumber, blockHash }: BlockFields): StoredBlock | undefined {
  if (blockNumber < 0n) throw wrongField('block_number', `block_number must not be negative, but got ${blockNumber}`)
  const height = blockHash === '' ? undefined : node.blocks.heightOfHash(parseHash(blockHash, 'block_hash'))
  if (blockHash !== '' && height === undefined)
    throw queryError('notFound', `no block has the hash ${blockHash.slice(0, 66)}`)
  if (height !== undefined && blockNumber > 0n && blockNumber !== height) {
    throw wrongField('block_number', `block_number is ${blockNumber}, but the block of block_hash has ${height}`)
  }
  const wanted = height ?? (blockNumber > 0n ? blockNumber : undefined)
  if (wanted === undefined) return undefined
  const block = node.blocks.block(wanted)
  if (!block) throw queryError('notFound', `block ${wanted} not found`)
  return block
}

function checkChainId(node: GatewayNode, { chainId }: BlockFields): void {
  if (chainId !== 0n && chainId !== node.evmChainId) {
    throw wrongField('chain_id', `chain_id ${chainId} is not this chain's, ${node.evmChainId}`)
  }
}

/** Returns Unix nanoseconds; undefined for an absent time or the year 1. */
function blockTimeNs({ blockTime }: BlockFields): bigint | undefined {
  return blockTime && blockTime.seconds !== YEAR_ONE ? fromTimestamp(blockTime) : undefined
}

/** Whether a request limits the gas of its block. Clients send -1, which CometBFT writes for no limit, as a default. */
function isGiven(blockMaxGas: bigint): boolean {
  return blockMaxGas > 0n
}

/** Throws `invalidArgument` for a field that contradicts the stored block (D38). */
function checkAgainst(node: GatewayNode, block: StoredBlock, request: BlockFields): void {
  checkChainId(node, request)
  const { header, hash, gasLimit } = block
  const { blockNumber, blockHash, proposerAddress, blockMaxGas } = request
  const differs = (field: string, given: unknown, actual: unknown): Error =>
    wrongField(field, `${field} is ${given}, but the block has ${actual}`)
  if (blockNumber !== 0n && blockNumber !== header.height) throw differs('block_number', blockNumber, header.height)
  if (blockHash !== '' && !equal(parseHash(blockHash, 'block_hash'), hash)) {
    throw differs('block_hash', blockHash, formatHex(hash))
  }
  const timeNs = blockTimeNs(request)
  // The EVM sees the time of the block in whole seconds.
  if (timeNs !== undefined && timeNs !== header.timeNs && timeNs !== (header.timeNs / NS_PER_SECOND) * NS_PER_SECOND) {
    throw differs('block_time', timeNs, header.timeNs)
  }
  if (proposerAddress.length > 0 && !equal(proposerAddress, header.proposer)) {
    throw differs('proposer_address', formatHex(proposerAddress), formatHex(header.proposer))
  }
  const limit = gasLimit === 0n ? -1n : gasLimit
  if (isGiven(blockMaxGas) && blockMaxGas !== limit) throw differs('block_max_gas', blockMaxGas, limit)
}

function unpack(node: GatewayNode, { data }: MsgEthereumTx, field: string): Transaction {
  if (!data || data.typeUrl === '') throw wrongField(field, `${field} is missing`)
  try {
    return unpackTxData(node.identity, data)
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    throw wrongField(field, `failed to unpack tx data: ${error.message}`)
  }
}

const isSigned = ({ signature }: Transaction): boolean => signature.r !== 0n || signature.s !== 0n

function senderOf(node: GatewayNode, tx: Transaction, { from }: MsgEthereumTx, mayBeUnsigned: boolean): Uint8Array {
  const given = from === '' ? undefined : parseEvm(from)
  if (from !== '' && !given) throw wrongField('msg.from', 'msg.from is not an address')
  if (!isSigned(tx) && mayBeUnsigned) return given ?? ZERO_ADDRESS
  let signer: Uint8Array
  try {
    signer = recoverSender(tx, { chainId: node.evmChainId })
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    throw wrongField('msg.data', `the sender cannot be recovered: ${error.message}`)
  }
  checkFrom(given, signer)
  return signer
}

function checkFrom(given: Uint8Array | undefined, signer: Uint8Array): void {
  if (given && !equal(given, signer)) {
    throw wrongField('msg.from', `msg.from is ${formatHex0x(given)}, but ${formatHex0x(signer)} signed`)
  }
}

/**
 * Returns the price of a gas unit that code sees. Throws the refusal `feeCapTooLow` for a transaction that no block would accept;
 * one without a price is free.
 */
function priceOf({ identity }: GatewayNode, tx: Transaction, from: Uint8Array, baseFeeWei: bigint): bigint {
  if (feeCapOf(tx) > 0n) requireBaseFee(identity, from, tx, baseFeeWei)
  return shownPrice(identity, tx, baseFeeWei)
}

function messageOf(tx: Transaction, from: Uint8Array, gasPriceWei: bigint): TracedMessage {
  const { to, gasLimit, valueWei, data, nonce } = tx
  return {
    from,
    to,
    gasLimit,
    gasPriceWei,
    valueWei,
    data,
    nonce,
    accessList: accessListOf(tx),
    authorizations: tx.type === 4 ? tx.authorizations : [],
    hash: keccak256(encodeTransaction(tx)),
  }
}

/** Returns the block context: the fields of the request, then those of the stored block. */
function overridesOf(request: BlockFields, block: StoredBlock | undefined): BlockOverrides {
  const { blockNumber, blockMaxGas } = request
  const timeNs = blockTimeNs(request) ?? block?.header.timeNs
  const limit = isGiven(blockMaxGas) ? blockMaxGas : block?.gasLimit
  return {
    number: block?.header.height ?? (blockNumber > 0n ? blockNumber : undefined),
    time: timeNs === undefined ? undefined : timeNs / NS_PER_SECOND,
    gasLimit: limit === undefined ? undefined : limit <= 0n ? NO_LIMIT : limit,
    feeRecipient: request.proposerAddress.length === 0 ? block?.coinbase : undefined,
    prevRandao: block && (block.prevRandao ?? evm.prevRandaoOf(block.header, block.hash)),
    baseFeeWei: block?.baseFeeWei,
    blobBaseFeeWei: undefined,
  }
}

function checkProposer({ proposerAddress }: BlockFields): Uint8Array | undefined {
  if (proposerAddress.length === 0) return undefined
  if (proposerAddress.length === 20) return proposerAddress
  throw wrongField('proposer_address', `proposer_address has ${proposerAddress.length} bytes, not 20`)
}

/**
 * Returns the trace of `TraceTx` or `TraceCall`. A stored transaction is traced at its position in its block. Any other runs
 * on the state before the described block, or, as a call, on the state after it. Throws `invalidArgument` for a contradiction
 * or a missing field, `notFound` for an unknown hash or block.
 */
export async function txOrder(
  node: GatewayNode,
  request: QueryTraceTxRequest,
  asked: bigint | undefined,
  isCall: boolean,
): Promise<TraceOrder> {
  const settings = readTraceConfig(node, request.traceConfig)
  const { msg } = request
  if (!msg)
    throw wrongField('msg', 'msg is missing: set msg.hash to the hash of a transaction, or msg.data to a transaction')
  const tx = msg.data && msg.data.typeUrl !== '' ? unpack(node, msg, 'msg.data') : undefined
  const given = msg.hash === '' ? undefined : parseHash(msg.hash, 'msg.hash')
  const own = tx && keccak256(encodeTransaction(tx))
  if (given && own && !equal(given, own)) {
    throw wrongField('msg.hash', `msg.hash is not the hash of msg.data, ${formatHex0x(own)}`)
  }
  const hash = own ?? given
  if (!hash) throw wrongField('msg.data', 'msg.data and msg.hash are missing')
  const mined = findStoredEvmTx(node, hash)
  if (mined) {
    checkFrom(msg.from === '' ? undefined : parseEvm(msg.from), mined.tx.from)
    checkAgainst(node, mined.block, request)
    return minedOrder(node, mined.block, mined.tx.evmIndex, settings)
  }
  if (!tx) throw queryError('notFound', `transaction ${formatHex0x(hash)} not found`)
  return await unminedOrder(node, request, tx, { asked, isCall, settings })
}

/** Builds the messages of many transactions, in time slices: recovering a sender takes a tenth of a millisecond. */
async function messagesOf<Item>(
  items: readonly Item[],
  messageAt: (item: Item, i: number) => TracedMessage,
): Promise<readonly TracedMessage[]> {
  const pause = createPause()
  const messages: TracedMessage[] = []
  for (const [i, item] of items.entries()) {
    messages.push(messageAt(item, i))
    await pause()
  }
  return messages
}

async function unminedOrder(
  node: GatewayNode,
  request: QueryTraceTxRequest,
  tx: Transaction,
  {
    asked,
    isCall,
    settings,
  }: { readonly asked: bigint | undefined; readonly isCall: boolean; readonly settings: TraceSettings },
): Promise<TraceOrder> {
  const latest = node.blocks.latestHeight()
  // The block can be the next one, which only the request describes.
  const isKnown = request.blockHash !== '' || (request.blockNumber !== 0n && request.blockNumber <= latest)
  const block = isKnown ? namedBlock(node, request) : undefined
  if (block) checkAgainst(node, block, { ...request, ...(isCall && { proposerAddress: new Uint8Array(0) }) })
  else checkChainId(node, request)
  const proposer = checkProposer(request)
  const from = senderOf(node, tx, request.msg!, isCall)
  const baseFeeWei = block?.baseFeeWei ?? node.withContext(undefined, evm.baseFeeWei)
  const priced = (one: Transaction, sender: Uint8Array): bigint => {
    const price = priceOf(node, one, sender, baseFeeWei)
    return isCall ? feeCapOf(one) : price
  }
  const predecessors = isCall
    ? []
    : await messagesOf(request.predecessors, (message, i) => {
        const one = unpack(node, message, `predecessors[${i}].data`)
        const sender = senderOf(node, one, message, false)
        return messageOf(one, sender, priced(one, sender))
      })
  const described = block?.header.height ?? (request.blockNumber > 0n ? request.blockNumber : undefined)
  const state =
    asked ?? (described === undefined || (isCall && !block) ? undefined : isCall ? described : described - 1n)
  const height = state !== undefined && state > latest ? latest : state
  const messages = {
    predecessors,
    traced: [messageOf(tx, from, priced(tx, from))],
    isList: false,
    blockOverrides: overridesOf(request, block),
    proposer,
  }
  return order(settings, { kind: 'messages', messages }, height)
}

/** Returns the trace of `TraceBlock`: the named block, or that of the requested height. Throws `notFound` if it is not stored. */
export async function blockOrder(
  node: GatewayNode,
  request: QueryTraceBlockRequest,
  asked: bigint | undefined,
): Promise<TraceOrder> {
  const settings = readTraceConfig(node, request.traceConfig)
  const named = namedBlock(node, request)
  if (!named && request.txs.length > 0) return await listOrder(node, request, asked, settings)
  const block = named ?? node.blocks.block(node.withContext(asked, (ctx) => ctx.block.height))
  if (!block) throw queryError('notFound', 'block not found')
  checkAgainst(node, block, request)
  return minedOrder(node, block, undefined, settings)
}

/** Returns the trace of a block that is not stored: its transactions in order, on the state of a stored height. */
export async function unknownBlockOrder(
  node: GatewayNode,
  { txs, ...described }: { readonly txs: readonly Transaction[] } & BlockOverrides,
  height: bigint | undefined,
  settings: TraceSettings,
  isList = true,
): Promise<TraceOrder> {
  const baseFeeWei = described.baseFeeWei ?? node.withContext(height, evm.baseFeeWei)
  const traced = await messagesOf(txs, (tx) => {
    const from = recoverSender(tx, { chainId: node.evmChainId })
    return messageOf(tx, from, priceOf(node, tx, from, baseFeeWei))
  })
  const messages = { predecessors: [], traced, isList, blockOverrides: described, proposer: undefined }
  return order(settings, { kind: 'messages', messages }, height)
}

/** Returns the trace of transactions without a block, in order, on the state of the requested height. */
async function listOrder(
  node: GatewayNode,
  request: QueryTraceBlockRequest,
  asked: bigint | undefined,
  settings: TraceSettings,
): Promise<TraceOrder> {
  checkChainId(node, request)
  const baseFeeWei = node.withContext(asked, evm.baseFeeWei)
  const traced = await messagesOf(request.txs, (message, i) => {
    const tx = unpack(node, message, `txs[${i}].data`)
    const from = senderOf(node, tx, message, false)
    return messageOf(tx, from, priceOf(node, tx, from, baseFeeWei))
  })
  const blockOverrides = overridesOf(request, undefined)
  const messages = { predecessors: [], traced, isList: true, blockOverrides, proposer: checkProposer(request) }
  return order(settings, { kind: 'messages', messages }, asked)
}
