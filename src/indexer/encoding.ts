/**
 * The encoding of block records: three rows per block (body, results, receipts), which are read separately. Long rows are
 * compressed, and results leave out logs that the receipts have. Rows of older builds have neither.
 */

import type {
  BlockHeader,
  BlockId,
  Commit,
  CommitSignature,
  EvmTx,
  StoredBlock,
  TxResult,
  Validator,
} from '../app/records.ts'
import { concat, EMPTY } from '../primitives/bytes.ts'
import { takeVarint } from '../primitives/varint.ts'
import type { ChainEvent } from '../store/types.ts'
import { type LogReference, omitLogs, type ReceiptSource, restoreLogs } from './log-references.ts'
import { compress, decompress } from './packing.ts'
import {
  finishWriting,
  type In,
  type Out,
  putBytes,
  putInteger,
  putList,
  putNumber,
  putOptionalBytes,
  putRaw,
  putText,
  startReading,
  startWriting,
  takeBytes,
  takeInteger,
  takeList,
  takeOptionalBytes,
  takeText,
} from './wire.ts'

/** The first byte of every record: its form. */
const FORM = 1
/** A compressed record, its own form included; of a block body only the transactions are compressed. */
const PACKED = 2
/** Results without the logs that receipts have. */
const WITHOUT_LOGS = 3
/** A block body whose header has an application version: the version, then the body in its own form. */
const VERSIONED = 4
const BLOOM_LENGTH = 256
const NO_BLOOM = new Uint8Array(BLOOM_LENGTH)

/** The row of a block in its own table: everything except results and receipts. */
export type BlockBody = Omit<StoredBlock, 'results' | 'blockEvents' | 'evmTxs'>
export type BlockResults = Pick<StoredBlock, 'results' | 'blockEvents'>

function putBlockId(out: Out, id: BlockId): void {
  putBytes(out, id.hash)
  putNumber(out, id.partsTotal)
  putBytes(out, id.partsHash)
}

function takeBlockId(input: In): BlockId {
  return { hash: takeBytes(input), partsTotal: takeVarint(input), partsHash: takeBytes(input) }
}

function putHeader(out: Out, header: BlockHeader): void {
  putText(out, header.chainId)
  putInteger(out, header.height)
  putInteger(out, header.timeNs)
  putBlockId(out, header.lastBlockId)
  putBytes(out, header.lastCommitHash)
  putBytes(out, header.dataHash)
  putBytes(out, header.validatorsHash)
  putBytes(out, header.nextValidatorsHash)
  putBytes(out, header.consensusHash)
  putBytes(out, header.appHash)
  putBytes(out, header.lastResultsHash)
  putBytes(out, header.evidenceHash)
  putBytes(out, header.proposer)
}

function takeHeader(input: In, appVersion: bigint): BlockHeader {
  return {
    ...(appVersion !== 0n && { appVersion }),
    chainId: takeText(input),
    height: takeInteger(input),
    timeNs: takeInteger(input),
    lastBlockId: takeBlockId(input),
    lastCommitHash: takeBytes(input),
    dataHash: takeBytes(input),
    validatorsHash: takeBytes(input),
    nextValidatorsHash: takeBytes(input),
    consensusHash: takeBytes(input),
    appHash: takeBytes(input),
    lastResultsHash: takeBytes(input),
    evidenceHash: takeBytes(input),
    proposer: takeBytes(input),
  }
}

function putCommit(out: Out, commit: Commit): void {
  putInteger(out, commit.height)
  putNumber(out, commit.round)
  putBlockId(out, commit.blockId)
  putList(out, commit.signatures, (to, signature) => {
    putNumber(to, signature.flag)
    putBytes(to, signature.validator)
    putInteger(to, signature.timeNs)
    putBytes(to, signature.signature)
  })
}

function takeCommit(input: In): Commit {
  return {
    height: takeInteger(input),
    round: takeVarint(input),
    blockId: takeBlockId(input),
    signatures: takeList(
      input,
      (from): CommitSignature => ({
        flag: takeVarint(from) as CommitSignature['flag'],
        validator: takeBytes(from),
        timeNs: takeInteger(from),
        signature: takeBytes(from),
      }),
    ),
  }
}

interface Opened {
  readonly input: In
  readonly form: number
}

/** Reads the form of a record. Throws an `Error` for a form of a newer build. */
function open(bytes: Uint8Array): Opened {
  const input = startReading(bytes)
  return { input, form: requireForm(takeVarint(input)) }
}

function requireForm(form: number): number {
  if (form >= FORM && form <= WITHOUT_LOGS) return form
  throw new Error(`block record of form ${form}: this build reads forms ${FORM} to ${WITHOUT_LOGS}`)
}

/** Opens a block body, whose own form follows an application version if it has one. */
function openBody(bytes: Uint8Array): Opened & { readonly appVersion: bigint } {
  if (bytes[0] !== VERSIONED) return { ...open(bytes), appVersion: 0n }
  const input = startReading(bytes)
  takeVarint(input)
  const appVersion = takeInteger(input)
  return { input, appVersion, form: requireForm(takeVarint(input)) }
}

/** Opens a record that can be compressed as a whole. */
function openPacked(bytes: Uint8Array): Opened & { readonly end: number } {
  const opened = open(bytes)
  if (opened.form !== PACKED) return { ...opened, end: bytes.length }
  const plain = decompress(bytes.subarray(opened.input.at))
  return { ...open(plain), end: plain.length }
}

function start(capacity: number, form = FORM): Out {
  const out = startWriting(capacity)
  putNumber(out, form)
  return out
}

/** Returns a finished record, compressed if it pays. */
function pack(out: Out): Uint8Array {
  const plain = finishWriting(out)
  const packed = compress(plain)
  return packed ? concat(Uint8Array.of(PACKED), packed) : plain
}

export function encodeBlockBody(block: BlockBody): Uint8Array {
  const txs = startWriting(512 + block.txs.length * 512)
  putList(txs, block.txs, putBytes)
  const packed = compress(txs.bytes.subarray(0, txs.length))
  const { appVersion = 0n } = block.header
  const out = startWriting(2048 + (packed?.length ?? txs.length))
  if (appVersion !== 0n) {
    putNumber(out, VERSIONED)
    putInteger(out, appVersion)
  }
  putNumber(out, packed ? PACKED : FORM)
  putBytes(out, block.hash)
  putHeader(out, block.header)
  putBlockId(out, block.blockId)
  putCommit(out, block.commit)
  putNumber(out, block.lastCommit ? 1 : 0)
  if (block.lastCommit) putCommit(out, block.lastCommit)
  putInteger(out, block.evmGasUsed)
  putInteger(out, block.baseFeeWei)
  putInteger(out, block.gasLimit)
  putBytes(out, block.coinbase)
  putBytes(out, block.nextAppHash)
  if (packed) putBytes(out, packed)
  else putRaw(out, txs)
  // Both are rare: the record ends before them.
  if (block.prevRandao || block.evidence) putBytes(out, block.prevRandao ?? EMPTY)
  if (block.evidence) putList(out, block.evidence, putBytes)
  return finishWriting(out)
}

export function decodeBlockBody(bytes: Uint8Array): BlockBody {
  const { input, form, appVersion } = openBody(bytes)
  const hash = takeBytes(input)
  const header = takeHeader(input, appVersion)
  const blockId = takeBlockId(input)
  const commit = takeCommit(input)
  return {
    hash,
    header,
    blockId,
    commit,
    lastCommit: takeVarint(input) ? takeCommit(input) : undefined,
    evmGasUsed: takeInteger(input),
    baseFeeWei: takeInteger(input),
    gasLimit: takeInteger(input),
    coinbase: takeBytes(input),
    nextAppHash: takeBytes(input),
    txs: takeList(form === PACKED ? startReading(decompress(takeBytes(input))) : input, takeBytes),
    ...takeRare(input, bytes.length),
  }
}

/** Takes the fields at the end of a block body that few blocks have. */
function takeRare(input: In, end: number): Pick<BlockBody, 'prevRandao' | 'evidence'> {
  const prevRandao = input.at < end ? takeBytes(input) : EMPTY
  return {
    ...(prevRandao.length > 0 && { prevRandao }),
    ...(input.at < end && { evidence: takeList(input, takeBytes) }),
  }
}

/** Decodes only header and hash, from the beginning of a block's row. */
export function decodeBlockHeader(bytes: Uint8Array): { readonly header: BlockHeader; readonly hash: Uint8Array } {
  const { input, appVersion } = openBody(bytes)
  const hash = takeBytes(input)
  return { hash, header: takeHeader(input, appVersion) }
}

function putEvent(out: Out, event: ChainEvent): void {
  putText(out, event.type)
  putNumber(out, event.attributes.length)
  for (const { key, value } of event.attributes) {
    putText(out, key)
    putText(out, value)
  }
}

function takeEvent(input: In): ChainEvent {
  return {
    type: takeText(input),
    attributes: takeList(input, (from) => ({ key: takeText(from), value: takeText(from) })),
  }
}

function putResult(out: Out, result: TxResult): void {
  putNumber(out, result.code)
  putText(out, result.codespace)
  putText(out, typeof result.log === 'string' ? result.log : '')
  putText(out, result.info)
  putBytes(out, result.data)
  putInteger(out, result.gasWanted)
  putInteger(out, result.gasUsed)
  putList(out, result.events, putEvent)
}

function takeResult(input: In): TxResult {
  return {
    code: takeVarint(input),
    codespace: takeText(input),
    log: takeText(input),
    info: takeText(input),
    data: takeBytes(input),
    gasWanted: takeInteger(input),
    gasUsed: takeInteger(input),
    events: takeList(input, takeEvent),
  }
}

function putReference(out: Out, { result, evmTx, attribute, isDataCut }: LogReference): void {
  putNumber(out, result)
  putNumber(out, evmTx)
  putNumber(out, isDataCut ? 1 : 0)
  putList(out, attribute ?? [], putNumber)
}

function takeReference(input: In): LogReference {
  const result = takeVarint(input)
  const evmTx = takeVarint(input)
  const isDataCut = takeVarint(input) === 1
  const [event, attribute] = takeList(input, takeVarint)
  return { result, evmTx, isDataCut, attribute: event === undefined ? undefined : [event, attribute!] }
}

/** Encodes results. The logs that the receipts of `source` have are left out. */
export function encodeResults({ results: whole, blockEvents }: BlockResults, source?: ReceiptSource): Uint8Array {
  const { results, references } = omitLogs(whole, source)
  const out = start(1024 + results.length * 2048, references.length > 0 ? WITHOUT_LOGS : FORM)
  putList(out, blockEvents, putEvent)
  putList(out, results, putResult)
  putList(out, results, (to, { log }) => putList(to, typeof log === 'string' ? [] : log, putNumber))
  if (references.length > 0) putList(out, references, putReference)
  return pack(out)
}

/** Decodes results. Reads `source` if logs were left out. */
export function decodeResults(bytes: Uint8Array, source: () => ReceiptSource): BlockResults {
  const { input, form, end } = openPacked(bytes)
  const blockEvents = takeList(input, takeEvent)
  const results = takeList(input, takeResult)
  // Older records contain the texts of logs, and end here. Newer ones derive the logs from events.
  if (input.at === end) return { blockEvents, results }
  const starts = takeList(input, (from) => takeList(from, takeVarint))
  const found = results.map((result, i) => (starts[i]!.length > 0 ? { ...result, log: starts[i]! } : result))
  if (form !== WITHOUT_LOGS) return { blockEvents, results: found }
  return { blockEvents, results: restoreLogs(found, takeList(input, takeReference), source()) }
}

const isZero = (bytes: Uint8Array): boolean => {
  for (const byte of bytes) if (byte !== 0) return false
  return true
}

function putEvmTx(out: Out, tx: EvmTx): void {
  putBytes(out, tx.hash)
  putBytes(out, tx.raw)
  putNumber(out, tx.txIndex)
  putNumber(out, tx.evmIndex)
  putBytes(out, tx.from)
  putOptionalBytes(out, tx.to)
  putOptionalBytes(out, tx.contractAddress)
  putNumber(out, tx.status)
  putInteger(out, tx.gasUsed)
  putInteger(out, tx.cumulativeGasUsed)
  putInteger(out, tx.effectiveGasPrice)
  putNumber(out, tx.type)
  putOptionalBytes(out, tx.logs.length === 0 && isZero(tx.bloom) ? undefined : tx.bloom)
  putNumber(out, tx.firstLogIndex)
  putList(out, tx.logs, (to, log) => {
    putBytes(to, log.address)
    putList(to, log.topics, putBytes)
    putBytes(to, log.data)
  })
}

function takeEvmTx(input: In): EvmTx {
  return {
    hash: takeBytes(input),
    raw: takeBytes(input),
    txIndex: takeVarint(input),
    evmIndex: takeVarint(input),
    from: takeBytes(input),
    to: takeOptionalBytes(input),
    contractAddress: takeOptionalBytes(input),
    status: takeVarint(input) as EvmTx['status'],
    gasUsed: takeInteger(input),
    cumulativeGasUsed: takeInteger(input),
    effectiveGasPrice: takeInteger(input),
    type: takeVarint(input),
    bloom: takeOptionalBytes(input) ?? NO_BLOOM,
    firstLogIndex: takeVarint(input),
    logs: takeList(input, (from) => ({
      address: takeBytes(from),
      topics: takeList(from, takeBytes),
      data: takeBytes(from),
    })),
  }
}

export function encodeReceipts(txs: readonly EvmTx[]): Uint8Array {
  const out = start(64 + txs.length * 640)
  putList(out, txs, putEvmTx)
  return pack(out)
}

export function decodeReceipts(bytes: Uint8Array): EvmTx[] {
  return takeList(openPacked(bytes).input, takeEvmTx)
}

export function encodeValidators(validators: readonly Validator[]): Uint8Array {
  const out = start(256)
  putList(out, validators, (to, { address, publicKey, power }) => {
    putBytes(to, address)
    putBytes(to, publicKey)
    putInteger(to, power)
  })
  // The row of a lone validator ends here, as do older records: they have no proposer priorities.
  if (validators.length > 1) {
    putNumber(out, validators.findIndex(({ isProposer }) => isProposer) + 1)
    for (const { priority = 0n } of validators) putInteger(out, priority)
  }
  return finishWriting(out)
}

export function decodeValidators(bytes: Uint8Array): Validator[] {
  const { input } = open(bytes)
  const validators = takeList(input, (from) => ({
    address: takeBytes(from),
    publicKey: takeBytes(from),
    power: takeInteger(from),
  }))
  if (input.at === bytes.length) return validators
  const proposer = takeVarint(input) - 1
  return validators.map((validator, i) => ({
    ...validator,
    priority: takeInteger(input),
    ...(i === proposer && { isProposer: true }),
  }))
}

/** Encodes the height and the index of a transaction. */
export function encodePosition(height: bigint, index: number): Uint8Array {
  const out = startWriting(16)
  putNumber(out, Number(height))
  putNumber(out, index)
  return finishWriting(out)
}

export function decodePosition(bytes: Uint8Array): { readonly height: bigint; readonly index: number } {
  const input = startReading(bytes)
  return { height: BigInt(takeVarint(input)), index: takeVarint(input) }
}
