/** The chain's tip: hashes, block limits and validator sets that the next block builds on. Source: docs/cometbft.md#validators. */
import { rotateProposers, withUpdates } from '../app/proposers.ts'
import type { Commit, StoredBlock, Validator } from '../app/records.ts'
import type { BlockOutput, GenesisDocument } from '../app/types.ts'
import { type BlockLimits, maxBlockBytes } from '../modules/consensus/keeper.ts'
import { EMPTY } from '../primitives/bytes.ts'
import { sha256 } from '../primitives/hash.ts'
import { parseRfc3339 } from '../primitives/time.ts'
import { hashResults, NO_BLOCK_ID, sortValidators } from './comet/hashes.ts'

/** The facts after a block that the next one depends on. */
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
  /** The set that signed the last block. */
  readonly lastValidators: readonly Validator[]
  /** The set that signs the next block. */
  readonly validators: readonly Validator[]
  /** The set that signs the block after the next. */
  readonly nextValidators: readonly Validator[]
}

/** Block space reserved for header and commit. */
const BLOCK_OVERHEAD_BYTES = 4096n

/** Returns how many bytes of transactions fit into a block under these limits. */
export function roomForTxs(limits: BlockLimits): number {
  return Math.max(0, Number(maxBlockBytes(limits) - BLOCK_OVERHEAD_BYTES))
}

interface BlockParams {
  readonly max_bytes?: string
  readonly max_gas?: string
}

/** Returns the block limits of a genesis document, with the defaults of CometBFT. */
function blockLimitsOf(genesis: GenesisDocument): BlockLimits {
  const block = (genesis.consensus_params['block'] ?? {}) as BlockParams
  return { maxBytes: BigInt(block.max_bytes ?? '22020096'), maxGas: BigInt(block.max_gas ?? '-1') }
}

/** Returns the tip before the first block. Its app hash is the empty one: the first commit includes the writes of genesis. */
export function genesisTip(genesis: GenesisDocument, validators: readonly Validator[]): Tip {
  const first = rotateProposers(sortValidators(withUpdates([], validators)))
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
    nextValidators: rotateProposers(first),
    ...blockLimitsOf(genesis),
  }
}

/**
 * Returns the tip after a stored block, or after one whose state was restored: its results and commit are not known. `limits`
 * apply to the next block; `validatorsAt` returns the set of a height.
 */
export function tipOf(
  block: Pick<StoredBlock, 'header' | 'hash' | 'blockId' | 'commit' | 'nextAppHash'> & {
    readonly results?: StoredBlock['results']
  },
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
    commit: block.results && block.commit,
    appHash: block.nextAppHash,
    resultsHash: block.results ? hashResults(block.results) : EMPTY,
    lastValidators: validatorsAt(height) ?? [],
    validators: validatorsAt(height + 1n) ?? [],
    nextValidators: validatorsAt(height + 2n) ?? [],
    ...limits,
  }
}

/**
 * Returns the set of the next height: applies the application's updates (power 0 removes) and advances the proposer by one
 * turn. Ignores updates that would leave no power, so that a chain of one validator goes on (D25).
 */
export function updateValidators(set: readonly Validator[], updates: readonly Validator[]): readonly Validator[] {
  return rotateProposers(updates.length === 0 ? set : sortValidators(withUpdates(set, updates)))
}

/** Returns the tip after an executed block. */
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
