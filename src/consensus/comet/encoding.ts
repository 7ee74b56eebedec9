/** Protobuf encoding of CometBFT's types, for hashes and signatures (docs/cometbft.md#hashes). */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import type { BlockHeader, BlockId, Commit, CommitSignature, TxResult, Validator } from '../../app/records.ts'
import { cachePerObject } from '../../primitives/cache.ts'
import { toTimestamp } from '../../primitives/time.ts'

/** Version of the block format, `header.version.block`. */
export const BLOCK_PROTOCOL = 11n

/** Writers that are not in use. A new one allocates more memory than most messages have bytes, and a block has thirty. */
const idleWriters: BinaryWriter[] = []

/** Returns a message. While it is filled, other messages can be made, which use writers of their own. */
function message(fill: (writer: BinaryWriter) => void): Uint8Array {
  const writer = idleWriters.pop() ?? new BinaryWriter()
  fill(writer)
  const encoded = writer.finish()
  idleWriters.push(writer)
  return encoded
}

function int64(writer: BinaryWriter, field: number, value: bigint): void {
  if (value !== 0n) writer.tag(field, WireType.Varint).int64(value)
}

function uint32(writer: BinaryWriter, field: number, value: number): void {
  if (value !== 0) writer.tag(field, WireType.Varint).uint32(value)
}

function sfixed64(writer: BinaryWriter, field: number, value: bigint): void {
  if (value !== 0n) writer.tag(field, WireType.Bit64).sfixed64(value)
}

function bytes(writer: BinaryWriter, field: number, value: Uint8Array): void {
  if (value.length > 0) writer.tag(field, WireType.LengthDelimited).bytes(value)
}

function text(writer: BinaryWriter, field: number, value: string): void {
  if (value !== '') writer.tag(field, WireType.LengthDelimited).string(value)
}

function embedded(writer: BinaryWriter, field: number, value: Uint8Array): void {
  writer.tag(field, WireType.LengthDelimited).bytes(value)
}

/** `google.protobuf.Timestamp`. */
export function encodeTime(timeNs: bigint): Uint8Array {
  const { seconds, nanos } = toTimestamp(timeNs)
  return message((writer) => {
    int64(writer, 1, seconds)
    if (nanos !== 0) writer.tag(2, WireType.Varint).int32(nanos)
  })
}

/**
 * Encodes a BlockID or a CanonicalBlockID, whose encodings are equal. Once for each object: an id is in its own votes, and in
 * header, hash and commit of the next block.
 */
export const encodeBlockId: (id: BlockId) => Uint8Array = cachePerObject((id: BlockId) => {
  const parts = message((writer) => {
    uint32(writer, 1, id.partsTotal)
    bytes(writer, 2, id.partsHash)
  })
  return message((writer) => {
    bytes(writer, 1, id.hash)
    embedded(writer, 2, parts)
  })
})

/** Version{block=1, app=2}. */
export function encodeVersion({ appVersion = 0n }: Pick<BlockHeader, 'appVersion'>): Uint8Array {
  return message((writer) => {
    writer.tag(1, WireType.Varint).uint64(BLOCK_PROTOCOL)
    if (appVersion !== 0n) writer.tag(2, WireType.Varint).uint64(appVersion)
  })
}

/** Encodes a text as a message of one field; empty text as no bytes. */
export function encodeTextValue(value: string): Uint8Array {
  return message((writer) => text(writer, 1, value))
}

/** Encodes an int64 as a message of one field; zero as no bytes. */
export function encodeInt64Value(value: bigint): Uint8Array {
  return message((writer) => int64(writer, 1, value))
}

/** Encodes bytes as a message of one field; empty bytes as none. */
export function encodeBytesValue(value: Uint8Array): Uint8Array {
  return message((writer) => bytes(writer, 1, value))
}

function encodeHeader(header: BlockHeader): Uint8Array {
  return message((writer) => {
    embedded(writer, 1, encodeVersion(header))
    text(writer, 2, header.chainId)
    int64(writer, 3, header.height)
    embedded(writer, 4, encodeTime(header.timeNs))
    embedded(writer, 5, encodeBlockId(header.lastBlockId))
    bytes(writer, 6, header.lastCommitHash)
    bytes(writer, 7, header.dataHash)
    bytes(writer, 8, header.validatorsHash)
    bytes(writer, 9, header.nextValidatorsHash)
    bytes(writer, 10, header.consensusHash)
    bytes(writer, 11, header.appHash)
    bytes(writer, 12, header.lastResultsHash)
    bytes(writer, 13, header.evidenceHash)
    bytes(writer, 14, header.proposer)
  })
}

/** Encodes a CommitSig. Once for each object: it is in the hash of the commit and in the block. */
export const encodeCommitSignature: (signature: CommitSignature) => Uint8Array = cachePerObject(
  (signature: CommitSignature) =>
    message((writer) => {
      uint32(writer, 1, signature.flag)
      bytes(writer, 2, signature.validator)
      embedded(writer, 3, encodeTime(signature.timeNs))
      bytes(writer, 4, signature.signature)
    }),
)

function encodeCommit(commit: Commit): Uint8Array {
  return message((writer) => {
    int64(writer, 1, commit.height)
    uint32(writer, 2, commit.round)
    embedded(writer, 3, encodeBlockId(commit.blockId))
    for (const signature of commit.signatures) embedded(writer, 4, encodeCommitSignature(signature))
  })
}

/** Block{header=1, data=2, evidence=3, last_commit=4}. The part set is made of these bytes. Evidence is encoded. */
export function encodeBlock(
  header: BlockHeader,
  txs: readonly Uint8Array[],
  lastCommit: Commit,
  evidence: readonly Uint8Array[] = [],
): Uint8Array {
  return message((writer) => {
    embedded(writer, 1, encodeHeader(header))
    embedded(
      writer,
      2,
      message((data) => {
        for (const tx of txs) embedded(data, 1, tx)
      }),
    )
    embedded(
      writer,
      3,
      message((list) => {
        for (const piece of evidence) embedded(list, 1, piece)
      }),
    )
    embedded(writer, 4, encodeCommit(lastCommit))
  })
}

/** SimpleValidator{pub_key=1{ed25519=1}, voting_power=2}. */
export function encodeSimpleValidator(validator: Validator): Uint8Array {
  const key = message((writer) => bytes(writer, 1, validator.publicKey))
  return message((writer) => {
    embedded(writer, 1, key)
    int64(writer, 2, validator.power)
  })
}

/** HashedParams{block_max_bytes=1, block_max_gas=2}. */
export function encodeHashedParams(params: { readonly maxBytes: bigint; readonly maxGas: bigint }): Uint8Array {
  return message((writer) => {
    int64(writer, 1, params.maxBytes)
    int64(writer, 2, params.maxGas)
  })
}

/** The fields of a result that a header hashes. */
export type HashedResult = Pick<TxResult, 'code' | 'data' | 'gasWanted' | 'gasUsed'>

/** ExecTxResult reduced to its deterministic fields: code, data and gas. */
export function encodeDeterministicResult(result: HashedResult): Uint8Array {
  return message((writer) => {
    uint32(writer, 1, result.code)
    bytes(writer, 2, result.data)
    int64(writer, 5, result.gasWanted)
    int64(writer, 6, result.gasUsed)
  })
}

/** The content of a vote that is signed. */
export interface CanonicalVote {
  readonly chainId: string
  readonly height: bigint
  readonly round: number
  /** Undefined for a vote for nil. */
  readonly blockId: BlockId | undefined
  readonly timeNs: bigint
}

const PRECOMMIT = 2

/** Returns the bytes that a validator signs for a precommit: a CanonicalVote with its length in front. */
export function encodePrecommitSignBytes(vote: CanonicalVote): Uint8Array {
  const canonical = message((writer) => {
    uint32(writer, 1, PRECOMMIT)
    sfixed64(writer, 2, vote.height)
    sfixed64(writer, 3, BigInt(vote.round))
    if (vote.blockId) embedded(writer, 4, encodeBlockId(vote.blockId))
    embedded(writer, 5, encodeTime(vote.timeNs))
    text(writer, 6, vote.chainId)
  })
  return new BinaryWriter().bytes(canonical).finish()
}
