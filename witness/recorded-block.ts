/** Recorded blocks in the forms of the node: input of the application, stored record, changes, validators. */
import type { BlockHeader, BlockId, Commit, StoredBlock, TxResult, Validator } from '../src/app/records.ts'
import type { Application, BlockInput } from '../src/app/types.ts'
import type { Identity } from '../src/identity/types.ts'
import * as consensus from '../src/modules/consensus/keeper.ts'
import { BASE_FEE_WEI } from '../src/modules/evm/wei.ts'
import * as staking from '../src/modules/staking/keeper.ts'
import { hex } from '../src/primitives/bytes.ts'
import { parseRfc3339, ZERO_TIME_NS } from '../src/primitives/time.ts'
import { createEmptyBranch } from '../src/store/branch.ts'
import type { Change, Reader } from '../src/store/types.ts'
import type { VersionedStore } from '../src/store/versioned.ts'
import { receiptsOf } from './receipts.ts'
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
  return {
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

/** Returns the misbehaviour in a line of evidence, which has the form of the CometBFT RPC. */
function misbehaviourOf(line: Readonly<Record<string, unknown>>): BlockInput['evidence'] {
  const value = (line['value'] ?? line) as Readonly<Record<string, unknown>>
  const vote = value['vote_a'] as { readonly validator_address?: string; readonly height?: string } | undefined
  if (!vote?.validator_address) return []
  return [
    {
      kind: 'duplicateVote',
      validator: hex(vote.validator_address),
      height: BigInt(vote.height ?? 0),
      timeNs: requireTime(String(value['Timestamp'] ?? value['timestamp'])),
      power: BigInt(String(value['ValidatorPower'] ?? value['validator_power'] ?? 0)),
      totalPower: BigInt(String(value['TotalVotingPower'] ?? value['total_voting_power'] ?? 0)),
    },
  ]
}

/** Returns the input of a block's execution. `signers` is the set that signed the previous block. */
export function inputOf(
  block: RecordedBlock,
  txs: readonly Uint8Array[],
  signers: RecordedValidators | undefined,
): BlockInput {
  const signatures = block.lastCommit?.signatures ?? []
  return {
    height: BigInt(block.height),
    timeNs: requireTime(block.time),
    proposer: hex(block.proposer),
    hash: hex(block.hash),
    lastCommitHash: hex(block.header.last_commit_hash),
    header: headerOf(block),
    txs,
    lastCommitVotes: signatures.flatMap(({ flag }, i) => {
      const validator = signers?.validators[i]
      if (!validator) return []
      return [{ validator: hex(validator.address), power: BigInt(validator.votingPower), signed: flag !== 1 }]
    }),
    evidence: block.evidence.flatMap(misbehaviourOf),
  }
}

/** Facts of a block that its record needs and its recording lacks. */
export interface BlockFacts {
  readonly evmChainId: bigint
  readonly gasLimit: bigint
  readonly coinbase: Uint8Array
}

/** Reads those facts from the state before the block; before the first block, from the state that its changes make. */
export function factsBefore(
  app: Application,
  store: Pick<VersionedStore, 'latestHeight' | 'at'>,
  block: RecordedBlock,
  changes: readonly Change[],
): BlockFacts {
  const snapshot = store.latestHeight() > 0n ? store.at() : undefined
  const { height, timeNs, lastCommitHash } = headerOf(block)
  const header = { height, timeNs, proposer: bytesOfHex(block.proposer), hash: bytesOfHex(block.hash), lastCommitHash }
  try {
    const ctx = app.readContext(snapshot ?? firstState(changes), header)
    const operator = staking.operatorOf(ctx, header.proposer)
    return {
      evmChainId: ctx.block.evmChainId,
      gasLimit: consensus.blockGasLimit(ctx),
      coinbase: operator?.length === 20 ? operator : new Uint8Array(20),
    }
  } finally {
    snapshot?.close()
  }
}

/** Returns the state that the first block's changes make; they include genesis. */
function firstState(written: readonly Change[]): Reader {
  const branch = createEmptyBranch()
  for (const { store, key, value } of written) if (value) branch.set(store, key, value)
  return branch
}

/** Returns the record of a block. The commit for it is in the next block, if the recording has one. */
export function recordOf(
  identity: Identity,
  block: RecordedBlock,
  next: RecordedBlock | undefined,
  { evmChainId, gasLimit, coinbase }: BlockFacts,
  nextAppHash: Uint8Array,
): StoredBlock {
  const txs = txsOf(block)
  const results = resultsOf(block)
  const evmTxs = receiptsOf(identity, evmChainId, txs, results)
  const hash = bytesOfHex(block.hash)
  const { total, hash: partsHash } = block.partSetHeader
  const blockId = { hash, partsTotal: total, partsHash: bytesOfHex(partsHash) }
  return {
    header: headerOf(block),
    hash,
    blockId,
    txs,
    results,
    lastCommit: commitOf(block),
    commit: (next && commitOf(next)) ?? { height: BigInt(block.height), round: 0, blockId, signatures: [] },
    blockEvents: [...block.beginBlockEvents, ...block.endBlockEvents],
    evmTxs,
    evmGasUsed: evmTxs.reduce((sum, { gasUsed }) => sum + gasUsed, 0n),
    baseFeeWei: BASE_FEE_WEI,
    gasLimit,
    coinbase,
    nextAppHash,
  }
}
