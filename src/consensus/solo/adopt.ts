/** Records blocks of another chain in this one: their hashes, transactions and receipts, without executing them. */
import type { StoredBlock } from '../../app/records.ts'
import { queryError } from '../../primitives/errors.ts'
import { blockIdOf, hashData } from '../comet/hashes.ts'
import type { AdoptedBlock } from '../driver.ts'
import type { Executor } from '../execution.ts'
import type { Tip } from '../tip.ts'
import type { Signer } from '../validators.ts'
import { commitOf, draft } from './propose.ts'

interface Parts {
  readonly executor: Executor
  readonly signers: () => readonly Signer[]
  /** Called after each change of the state. */
  readonly settle: () => void
}

/** Blocks between two pauses for other requests. */
const BLOCKS_AT_ONCE = 16

/** Returns the fields of a record that the other chain decides. */
function foreignFields({ height: _, timeNs: __, amendments: ___, ...fields }: AdoptedBlock): Partial<StoredBlock> {
  return fields
}

/** Returns the record of the block after the tip. Header and commit are this chain's; the hash is the other chain's. */
function recordAfter(tip: Tip, given: AdoptedBlock, signers: readonly Signer[]): StoredBlock {
  const { header, blockId: own, round } = draft(tip, given.txs, given.timeNs, signers)
  const blockId = { ...own, hash: given.hash }
  return {
    header,
    blockId,
    lastCommit: tip.commit,
    commit: commitOf({ header, blockId, round }, tip.validators, signers),
    blockEvents: [],
    nextAppHash: tip.appHash,
    isAdopted: true,
    ...(foreignFields(given) as AdoptedBlock),
  }
}

/** Returns the record that takes the place of the first block's. */
function recordInPlaceOf(before: StoredBlock, tip: Tip, given: AdoptedBlock, signers: readonly Signer[]): StoredBlock {
  const header = { ...before.header, timeNs: given.timeNs, dataHash: hashData(given.txs) }
  const blockId = { ...blockIdOf(header, given.txs, before.lastCommit), hash: given.hash }
  const { round } = before.commit
  const commit = commitOf({ header, blockId, round }, tip.lastValidators, signers)
  return { ...before, ...foreignFields(given), header, blockId, commit }
}

/** Goes back to the block before the first given one, and records the given ones. See `Development.adopt`. */
export async function adoptBlocks({ executor, signers, settle }: Parts, given: readonly AdoptedBlock[]): Promise<void> {
  const first = given[0]
  if (!first) return
  const earliest = executor.blocks.earliestHeight()
  const latest = executor.tip().height
  if (first.height < earliest || first.height > latest + 1n) {
    throw queryError('invalidArgument', `block ${first.height} does not follow a block of ${earliest} to ${latest}`)
  }
  const replaces = first.height === earliest
  const kept = replaces ? earliest : first.height - 1n
  if (kept < latest) executor.rollback(kept, settle)
  for (const [i, block] of given.entries()) {
    if (i === 0 && replaces) {
      executor.replace(recordInPlaceOf(executor.blocks.block(earliest)!, executor.tip(), block, signers()), settle)
    } else {
      const record = recordAfter(executor.tip(), block, signers())
      executor.commitForeign({ height: block.height, record: (nextAppHash) => ({ ...record, nextAppHash }) }, [])
      settle()
    }
    const amendments = block.amendments ? executor.read(block.amendments) : []
    if (amendments.length > 0) executor.amend(amendments, settle)
    if (i % BLOCKS_AT_ONCE === BLOCKS_AT_ONCE - 1) await new Promise((resolve) => setImmediate(resolve))
  }
}
