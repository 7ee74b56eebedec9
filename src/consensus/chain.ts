/** What one block hands to the next: ids, hashes, and who may sign. Pure; the engine's rules are cometbft.md §6. */

import { proposerOf, takeTurns, withUpdates } from '../app/proposers.ts'
import type { BlockHeader, Commit, CommitSignature, StoredBlock, Validator } from '../app/records.ts'
import type { BlockInput, BlockOutput, GenesisDocument } from '../app/types.ts'
import { type BlockLimits, mostBytes } from '../modules/consensus/keeper.ts'
import { EMPTY, equal, toKey } from '../primitives/bytes.ts'
import { sha256 } from '../primitives/hash.ts'
import { parseRfc3339 } from '../primitives/time.ts'
import type { Change } from '../store/types.ts'
import { encodePrecommitSignBytes } from './comet/encoding.ts'
import {
  blockIdOf,
  hashCommit,
  hashConsensusParams,
  hashData,
  hashResults,
  hashValidators,
  NO_BLOCK_ID,
  NO_EVIDENCE_HASH,
  sortValidators,
} from './comet/hashes.ts'

/** Where a chain stands after a block. */
export interface Tip extends BlockLimits {
  readonly chainId: string
  /** 0 before the first block (or one below the initial height). */
  readonly height: bigint
  readonly timeNs: bigint
  readonly hash: Uint8Array
  readonly blockId: StoredBlock['blockId']
  readonly commit: Commit | undefined
  readonly appHash: Uint8Array
  readonly resultsHash: Uint8Array
  /** Signed the last block. */
  readonly lastValidators: readonly Validator[]
  /** Sign the next block. */
  readonly validators: readonly Validator[]
  /** Sign the one after that. */
  readonly nextValidators: readonly Validator[]
}

export interface Signer {
  readonly address: Uint8Array
  sign(message: Uint8Array): Uint8Array
}

/** Space of a block that is not transactions: header, commit. */
const BLOCK_OVERHEAD_BYTES = 4096n

/** Bytes of transactions that a block under these limits has room for. */
export function roomForTxs(limits: BlockLimits): number {
  return Math.max(0, Number(mostBytes(limits) - BLOCK_OVERHEAD_BYTES))
}

interface BlockParams {
  readonly max_bytes?: string
  readonly max_gas?: string
}

/** What a genesis document says of block limits; the engine's defaults where it is silent. */
function blockLimitsOf(genesis: GenesisDocument): BlockLimits {
  const block = (genesis.consensus_params['block'] ?? {}) as BlockParams
  return { maxBytes: BigInt(block.max_bytes ?? '22020096'), maxGas: BigInt(block.max_gas ?? '-1') }
}

/** The tip before the first block. The app hash is that of no stores: the writes of genesis belong to the first commit. */
export function genesisTip(genesis: GenesisDocument, validators: readonly Validator[]): Tip {
  const first = takeTurns(sortValidators(withUpdates([], validators)))
  return {
    chainId: genesis.chain_id,
    height: BigInt(genesis.initial_height) - 1n,
    timeNs: parseRfc3339(genesis.genesis_time) ?? 0n,
    hash: EMPTY,
    blockId: NO_BLOCK_ID,
    commit: undefined,
    appHash: sha256(EMPTY),
    resultsHash: hashResults([]),
    lastValidators: [],
    validators: first,
    nextValidators: takeTurns(first),
    ...blockLimitsOf(genesis),
  }
}

/** The tip behind a stored block; `limits` are those of the next one, `validatorsAt` gives the set in force at a height. */
export function tipOf(
  block: StoredBlock,
  limits: BlockLimits,
  validatorsAt: (height: bigint) => readonly Validator[] | undefined,
): Tip {
  const { height, timeNs, chainId } = block.header
  return {
    chainId,
    height,
    timeNs,
    hash: block.hash,
    blockId: block.blockId,
    commit: block.commit,
    appHash: block.nextAppHash,
    resultsHash: hashResults(block.results),
    lastValidators: validatorsAt(height) ?? [],
    validators: validatorsAt(height + 1n) ?? [],
    nextValidators: validatorsAt(height + 2n) ?? [],
    ...limits,
  }
}

/** A block before its execution. */
export interface Proposal {
  readonly header: BlockHeader
  readonly blockId: StoredBlock['blockId']
  readonly commit: Commit
  readonly input: BlockInput
}

/** Rounds that are gone through to find a proposer who is there. */
const MOST_ROUNDS = 100

/** The first round whose proposer is there; where none is, the block is that of the first round. */
function turnOf(
  validators: readonly Validator[],
  signers: readonly Signer[],
): { readonly proposer: Validator; readonly round: number } {
  let set = validators
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const proposer = proposerOf(set)
    if (signers.some(({ address }) => equal(address, proposer.address))) return { proposer, round }
    set = takeTurns(set)
  }
  return { proposer: proposerOf(validators), round: 0 }
}

/** The next block: its header, its identity, the commit that the signers give it, and what the application is told. */
export function propose(tip: Tip, txs: readonly Uint8Array[], timeNs: bigint, signers: readonly Signer[]): Proposal {
  const height = tip.height + 1n
  const { proposer, round } = turnOf(tip.validators, signers)
  const header: BlockHeader = {
    chainId: tip.chainId,
    height,
    timeNs,
    lastBlockId: tip.blockId,
    lastCommitHash: hashCommit(tip.commit),
    dataHash: hashData(txs),
    validatorsHash: hashValidators(tip.validators),
    nextValidatorsHash: hashValidators(tip.nextValidators),
    consensusHash: hashConsensusParams(tip),
    appHash: tip.appHash,
    lastResultsHash: tip.resultsHash,
    evidenceHash: NO_EVIDENCE_HASH,
    proposer: proposer.address,
  }
  const blockId = blockIdOf(header, txs, tip.commit)
  const commit: Commit = {
    height,
    round,
    blockId,
    signatures: tip.validators.map(({ address }) => signatureOf(address, signers, { ...header, blockId, round })),
  }
  const signed = new Set(
    tip.commit?.signatures.flatMap(({ flag, validator }) => (flag === 2 ? [toKey(validator)] : [])),
  )
  return {
    header,
    blockId,
    commit,
    input: {
      height,
      timeNs,
      proposer: proposer.address,
      hash: blockId.hash,
      lastCommitHash: header.lastCommitHash,
      header,
      txs,
      lastCommitVotes: tip.lastValidators.map(({ address, power }) => ({
        validator: address,
        power,
        signed: signed.has(toKey(address)),
      })),
      evidence: [],
    },
  }
}

/** The precommit of one validator, absent if it does not sign. */
function signatureOf(
  validator: Uint8Array,
  signers: readonly Signer[],
  {
    chainId,
    height,
    timeNs,
    blockId,
    round,
  }: BlockHeader & { readonly blockId: StoredBlock['blockId']; readonly round: number },
): CommitSignature {
  const signer = signers.find(({ address }) => equal(address, validator))
  if (!signer) return { flag: 1, validator: EMPTY, timeNs: 0n, signature: EMPTY }
  const message = encodePrecommitSignBytes({ chainId, height, round, blockId, timeNs })
  return { flag: 2, validator, timeNs, signature: signer.sign(message) }
}

/**
 * The set of the height after one: with the application's updates (power 0 removes), and one turn on. Updates that would
 * leave nobody with power are not applied: a chain of one validator goes on (D25).
 */
export function updateValidators(set: readonly Validator[], updates: readonly Validator[]): readonly Validator[] {
  return takeTurns(updates.length === 0 ? set : sortValidators(withUpdates(set, updates)))
}

/** The record of an executed block. */
export function storedBlock(proposal: Proposal, tip: Tip, output: BlockOutput, nextAppHash: Uint8Array): StoredBlock {
  return {
    header: proposal.header,
    hash: proposal.blockId.hash,
    blockId: proposal.blockId,
    txs: proposal.input.txs,
    results: output.results,
    lastCommit: tip.commit,
    commit: proposal.commit,
    blockEvents: output.blockEvents,
    evmTxs: output.evmTxs,
    evmGasUsed: output.evmGasUsed,
    baseFeeWei: output.baseFeeWei,
    gasLimit: output.gasLimit,
    coinbase: output.coinbase,
    ...(output.prevRandao && { prevRandao: output.prevRandao }),
    nextAppHash,
  }
}

/** Where the chain stands after the block. */
export function advance(
  tip: Tip,
  block: StoredBlock,
  { validatorUpdates, nextLimits }: Pick<BlockOutput, 'validatorUpdates' | 'nextLimits'>,
): Tip {
  return {
    ...tip,
    height: block.header.height,
    timeNs: block.header.timeNs,
    hash: block.hash,
    blockId: block.blockId,
    commit: block.commit,
    appHash: block.nextAppHash,
    resultsHash: hashResults(block.results),
    lastValidators: tip.validators,
    validators: tip.nextValidators,
    nextValidators: updateValidators(tip.nextValidators, validatorUpdates),
    ...nextLimits,
  }
}

/** Writes of genesis with those of the first block over them; a key that both left absent is not written at all. */
export function overlay(genesis: readonly Change[], first: readonly Change[]): Change[] {
  const merged = new Map<string, Change>()
  for (const change of genesis) merged.set(`${change.store}\0${toKey(change.key)}`, change)
  for (const change of first) merged.set(`${change.store}\0${toKey(change.key)}`, change)
  return [...merged]
    .filter(([, { value }]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, change]) => change)
}
