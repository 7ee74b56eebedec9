/** Recorded blocks in the forms of the node: blocks, changes, validators. */
import type { BlockHeader, BlockId, Commit, TxResult, Validator } from '../src/app/records.ts'
import type { NodeBlock } from '../src/consensus/follow/node-block.ts'
import { evidenceOf, misbehaviourOf } from '../src/consensus/follow/rpc/evidence-of-json.ts'
import { hex } from '../src/primitives/bytes.ts'
import { parseRfc3339, ZERO_TIME_NS } from '../src/primitives/time.ts'
import type { Change } from '../src/store/types.ts'
import type { RecordedBlock, RecordedBlockId, RecordedChanges, RecordedValidators } from './recording.ts'

const bytesOfBase64 = (text: string | null | undefined): Uint8Array => new Uint8Array(Buffer.from(text ?? '', 'base64'))
const bytesOfHex = (text: string): Uint8Array => hex(text.toLowerCase())

function requireTime(text: string): bigint {
  const timeNs = parseRfc3339(text)
  if (timeNs === undefined) throw new Error(`"${text}" is not an RFC 3339 time`)
  return timeNs
}

/** Returns the transactions of a block, as raw bytes. */
export const txsOf = ({ txs }: RecordedBlock): readonly Uint8Array[] => txs.map(bytesOfBase64)

export function changesOf({ changes }: RecordedChanges): Change[] {
  return changes.map(({ store, key, value, delete: deleted }) => ({
    store,
    key: hex(key),
    value: deleted ? undefined : hex(value ?? ''),
  }))
}

export function validatorsOf({ validators }: RecordedValidators): Validator[] {
  return validators.map(({ address, pubKey, votingPower, proposerPriority }) => ({
    address: bytesOfHex(address),
    publicKey: bytesOfBase64(pubKey.value),
    power: BigInt(votingPower),
    priority: BigInt(proposerPriority),
  }))
}

function blockIdOf({ hash, parts }: Partial<RecordedBlockId>): BlockId {
  return { hash: bytesOfHex(hash ?? ''), partsTotal: parts?.total ?? 0, partsHash: bytesOfHex(parts?.hash ?? '') }
}

function headerOf({ header, height, time }: RecordedBlock): BlockHeader {
  const bytes = (name: string): Uint8Array => bytesOfHex(String(header[name] ?? ''))
  const appVersion = BigInt((header['version'] as { readonly app?: string } | undefined)?.app ?? 0)
  return {
    ...(appVersion !== 0n && { appVersion }),
    chainId: header.chain_id,
    height: BigInt(height),
    timeNs: requireTime(time),
    lastBlockId: blockIdOf((header['last_block_id'] ?? {}) as Partial<RecordedBlockId>),
    lastCommitHash: bytes('last_commit_hash'),
    dataHash: bytes('data_hash'),
    validatorsHash: bytes('validators_hash'),
    nextValidatorsHash: bytes('next_validators_hash'),
    consensusHash: bytes('consensus_hash'),
    appHash: bytes('app_hash'),
    lastResultsHash: bytes('last_results_hash'),
    evidenceHash: bytes('evidence_hash'),
    proposer: bytes('proposer_address'),
  }
}

function commitOf({ lastCommit }: RecordedBlock): Commit | undefined {
  if (!lastCommit || lastCommit.height === 0) return undefined
  const { height, round, blockId, signatures } = lastCommit
  return {
    height: BigInt(height),
    round,
    blockId: blockIdOf(blockId),
    signatures: signatures.map(({ validatorAddress, flag, timestamp, signature }) => ({
      flag: flag as 1 | 2 | 3,
      validator: bytesOfHex(validatorAddress),
      timeNs: parseRfc3339(timestamp) ?? ZERO_TIME_NS,
      signature: bytesOfBase64(signature),
    })),
  }
}

function resultsOf(block: RecordedBlock): TxResult[] {
  return block.results.map(({ data, gasWanted, gasUsed, ...result }) => ({
    ...result,
    data: bytesOfBase64(data),
    gasWanted: BigInt(gasWanted),
    gasUsed: BigInt(gasUsed),
  }))
}

/** Returns a recorded block as a node reports it. The commit for it is in the next block, if the recording has one. */
export function nodeBlockOf(block: RecordedBlock, next?: RecordedBlock): NodeBlock {
  const { total, hash: partsHash } = block.partSetHeader
  return {
    header: headerOf(block),
    blockId: { hash: bytesOfHex(block.hash), partsTotal: total, partsHash: bytesOfHex(partsHash) },
    txs: txsOf(block),
    results: resultsOf(block),
    blockEvents: [...block.beginBlockEvents, ...block.endBlockEvents],
    lastCommit: commitOf(block),
    commit: next && commitOf(next),
    misbehaviour: block.evidence.flatMap(misbehaviourOf),
    evidence: block.evidence.map(evidenceOf),
    validatorUpdates: [],
  }
}
