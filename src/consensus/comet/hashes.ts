/** Hashes of a block: header, data, validators, parameters, results, commit and parts (docs/cometbft.md#hashes). */
import type { BlockHeader, BlockId, Commit, Validator } from '../../app/records.ts'
import { compare, EMPTY, equal } from '../../primitives/bytes.ts'
import { cachePerObject } from '../../primitives/cache.ts'
import { sha256 } from '../../primitives/hash.ts'
import { createMerkleRoot } from '../../store/tree/multi-store.ts'
import {
  encodeBlock,
  encodeBlockId,
  encodeBytesValue,
  encodeCommitSignature,
  encodeDeterministicResult,
  encodeHashedParams,
  encodeInt64Value,
  encodeSimpleValidator,
  encodeTextValue,
  encodeTime,
  encodeVersion,
  type HashedResult,
} from './encoding.ts'
import { hashLeaf, merkleRoot } from './merkle.ts'

const PART_SIZE_BYTES = 65_536

/** The block id before the first block. */
export const NO_BLOCK_ID: BlockId = { hash: EMPTY, partsTotal: 0, partsHash: EMPTY }

/** The commit in the first block: without signatures. */
export const NO_COMMIT: Commit = { height: 0n, round: 0, blockId: NO_BLOCK_ID, signatures: [] }

/** Creates a function that hashes a leaf of bytes, and caches the hash until the bytes change: most blocks repeat most leaves. */
function createLeafHash(): (value: Uint8Array) => Uint8Array {
  let last: { readonly value: Uint8Array; readonly hash: Uint8Array } | undefined
  return (value) => {
    if (!last || !equal(last.value, value)) last = { value: value.slice(), hash: hashLeaf(encodeBytesValue(value)) }
    return last.hash
  }
}

const FIRST_VERSION_HASH = hashLeaf(encodeVersion({}))
const headerRootOf = createMerkleRoot()
const leafHashOf = {
  dataHash: createLeafHash(),
  validatorsHash: createLeafHash(),
  nextValidatorsHash: createLeafHash(),
  consensusHash: createLeafHash(),
  lastResultsHash: createLeafHash(),
  evidenceHash: createLeafHash(),
  proposer: createLeafHash(),
}

/** Returns the hash of the header, which is the hash of the block. */
export function hashHeader(header: BlockHeader): Uint8Array {
  return headerRootOf([
    header.appVersion ? hashLeaf(encodeVersion(header)) : FIRST_VERSION_HASH,
    hashLeaf(encodeTextValue(header.chainId)),
    hashLeaf(encodeInt64Value(header.height)),
    hashLeaf(encodeTime(header.timeNs)),
    hashLeaf(encodeBlockId(header.lastBlockId)),
    hashLeaf(encodeBytesValue(header.lastCommitHash)),
    leafHashOf.dataHash(header.dataHash),
    leafHashOf.validatorsHash(header.validatorsHash),
    leafHashOf.nextValidatorsHash(header.nextValidatorsHash),
    leafHashOf.consensusHash(header.consensusHash),
    hashLeaf(encodeBytesValue(header.appHash)),
    leafHashOf.lastResultsHash(header.lastResultsHash),
    leafHashOf.evidenceHash(header.evidenceHash),
    leafHashOf.proposer(header.proposer),
  ])
}

/** Returns `data_hash`, whose leaves are the hashes of the transactions. */
export function hashData(txs: readonly Uint8Array[]): Uint8Array {
  return merkleRoot(txs.map(sha256))
}

/** Returns `last_results_hash` of the next block, over code, data, gas wanted and gas used of each result. */
export function hashResults(results: readonly HashedResult[]): Uint8Array {
  return merkleRoot(results.map(encodeDeterministicResult))
}

/** Sorts a validator set: by power, highest first, then by address. */
export function sortValidators(validators: readonly Validator[]): Validator[] {
  return [...validators].sort((a, b) =>
    a.power === b.power ? compare(a.address, b.address) : a.power > b.power ? -1 : 1,
  )
}

/** Returns `validators_hash` of a set in any order. It is computed once for each list, which must not change afterwards. */
export const hashValidators: (validators: readonly Validator[]) => Uint8Array = cachePerObject((validators) =>
  merkleRoot(sortValidators(validators).map(encodeSimpleValidator)),
)

/** Returns `consensus_hash`, which covers only the two block limits; -1 is no gas limit. */
export function hashConsensusParams(params: { readonly maxBytes: bigint; readonly maxGas: bigint }): Uint8Array {
  return sha256(encodeHashedParams(params))
}

/** Returns `last_commit_hash`. The commit is undefined before the first block. */
export function hashCommit(commit: Commit | undefined): Uint8Array {
  return merkleRoot((commit ?? NO_COMMIT).signatures.map(encodeCommitSignature))
}

/** `evidence_hash` of a block without evidence. */
export const NO_EVIDENCE_HASH: Uint8Array = merkleRoot([])

/** Returns the id of a block: its hash, and the root over its encoding in parts of 65,536 bytes. */
export function blockIdOf(header: BlockHeader, txs: readonly Uint8Array[], lastCommit: Commit | undefined): BlockId {
  const encoded = encodeBlock(header, txs, lastCommit ?? NO_COMMIT)
  const parts: Uint8Array[] = []
  for (let start = 0; start < encoded.length; start += PART_SIZE_BYTES) {
    parts.push(encoded.subarray(start, start + PART_SIZE_BYTES))
  }
  return { hash: hashHeader(header), partsTotal: parts.length, partsHash: merkleRoot(parts) }
}
