/** A block of another node, as its RPC reports it, and the record that this node keeps of it. */
import type { BlockHeader, BlockId, Commit, StoredBlock, TxResult, Validator } from '../../app/records.ts'
import type { Application, BlockInput } from '../../app/types.ts'
import type { Identity } from '../../identity/types.ts'
import * as consensus from '../../modules/consensus/keeper.ts'
import { BASE_FEE_WEI } from '../../modules/evm/wei.ts'
import * as staking from '../../modules/staking/keeper.ts'
import { createEmptyBranch } from '../../store/branch.ts'
import type { ChainEvent, Change, Reader } from '../../store/types.ts'
import type { VersionedStore } from '../../store/versioned.ts'
import { receiptsOf } from './receipts.ts'

/** Flag of a validator whose vote a commit lacks. */
const ABSENT = 1

export interface NodeBlock {
  readonly header: BlockHeader
  readonly blockId: BlockId
  readonly txs: readonly Uint8Array[]
  readonly results: readonly TxResult[]
  readonly blockEvents: readonly ChainEvent[]
  /** Absent in the first block. */
  readonly lastCommit: Commit | undefined
  /** Absent if the node does not have it. */
  readonly commit: Commit | undefined
  /** Misbehaviour as the engine tells the application of it. */
  readonly misbehaviour: BlockInput['evidence']
  /** Encoded `tendermint.types.Evidence` of it. */
  readonly evidence: readonly Uint8Array[]
  /** Changes of the validator set, which take effect two heights later. */
  readonly validatorUpdates: readonly Validator[]
  /** App hash after the block, where the results say it (CometBFT 0.38). */
  readonly appHash?: Uint8Array | undefined
}

/** Returns the input of a block's execution. `signers` is the set that signed the block before. */
export function inputOf(block: NodeBlock, signers: readonly Validator[]): BlockInput {
  const { header, blockId, txs, lastCommit, misbehaviour } = block
  return {
    height: header.height,
    timeNs: header.timeNs,
    proposer: header.proposer,
    hash: blockId.hash,
    lastCommitHash: header.lastCommitHash,
    header,
    txs,
    lastCommitVotes: (lastCommit?.signatures ?? []).flatMap(({ flag }, i) => {
      const validator = signers[i]
      return validator ? [{ validator: validator.address, power: validator.power, signed: flag !== ABSENT }] : []
    }),
    evidence: misbehaviour,
  }
}

/** Facts that the record of a block needs and the node does not report: they are in the state before the block. */
interface StateFacts {
  readonly evmChainId: bigint
  readonly gasLimit: bigint
  readonly coinbase: Uint8Array
}

/** Reads those facts; before the first block, from the state that its changes make, which include genesis. */
export function factsBefore(
  app: Pick<Application, 'readContext'>,
  store: Pick<VersionedStore, 'latestHeight' | 'atTip'>,
  { header, blockId }: Pick<NodeBlock, 'header' | 'blockId'>,
  changes: readonly Change[],
): StateFacts {
  const snapshot = store.latestHeight() > 0n ? store.atTip() : undefined
  const { height, timeNs, proposer, lastCommitHash } = header
  try {
    const state = snapshot ?? firstState(changes)
    const ctx = app.readContext(state, { height, timeNs, proposer, hash: blockId.hash, lastCommitHash })
    const operator = staking.operatorOf(ctx, proposer)
    return {
      evmChainId: ctx.block.evmChainId,
      gasLimit: consensus.blockGasLimit(ctx),
      coinbase: operator?.length === 20 ? operator : new Uint8Array(20),
    }
  } finally {
    snapshot?.close()
  }
}

function firstState(written: readonly Change[]): Reader {
  const branch = createEmptyBranch()
  for (const { store, key, value } of written) if (value) branch.set(store, key, value)
  return branch
}

/** Returns the record of a block. Throws for a transaction or result that is no message of the chain. */
export function recordOf(
  identity: Identity,
  { header, blockId, txs, results, blockEvents, lastCommit, commit, evidence }: NodeBlock,
  { evmChainId, gasLimit, coinbase }: StateFacts,
  nextAppHash: Uint8Array,
): StoredBlock {
  const evmTxs = receiptsOf(identity, evmChainId, txs, results)
  return {
    header,
    hash: blockId.hash,
    blockId,
    txs,
    results,
    lastCommit,
    commit: commit ?? { height: header.height, round: 0, blockId, signatures: [] },
    blockEvents,
    evmTxs,
    evmGasUsed: evmTxs.reduce((sum, { gasUsed }) => sum + gasUsed, 0n),
    baseFeeWei: BASE_FEE_WEI,
    gasLimit,
    coinbase,
    ...(evidence.length > 0 && { evidence }),
    nextAppHash,
  }
}
