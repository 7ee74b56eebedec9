/** The facts of a block, from the messages of both versions of ABCI. */
import { headerOf } from '../../app/header.ts'
import type { BlockHeader } from '../../app/records.ts'
import type { BlockFacts } from '../../app/types.ts'
import {
  type CommitInfo,
  type Misbehavior,
  MisbehaviorType,
  type RequestBeginBlock,
  type RequestFinalizeBlock,
} from '../../gen/tendermint/abci/types_pb.ts'
import { BlockIDFlag } from '../../gen/tendermint/types/validator_pb.ts'
import { EMPTY } from '../../primitives/bytes.ts'
import { fromTimestamp } from '../../primitives/time.ts'
import { hashConsensusParams, hashData, hashValidators, NO_EVIDENCE_HASH } from '../comet/hashes.ts'
import type { Tip } from '../tip.ts'

const NO_TIME = { seconds: 0n, nanos: 0 }

/** Returns the validators of a commit. Version 1.0 says whether each has signed, version 2.0 what. */
function votesOf(commit: CommitInfo | undefined): BlockFacts['lastCommitVotes'] {
  return (commit?.votes ?? []).map(({ validator, signedLastBlock, blockIdFlag }) => ({
    validator: validator?.address ?? EMPTY,
    power: validator?.power ?? 0n,
    signed: signedLastBlock || blockIdFlag > BlockIDFlag.BLOCK_ID_FLAG_ABSENT,
  }))
}

function evidenceOf(misbehavior: readonly Misbehavior[]): BlockFacts['evidence'] {
  return misbehavior.map(({ type, validator, height, time, totalVotingPower }) => ({
    kind: type === MisbehaviorType.LIGHT_CLIENT_ATTACK ? 'lightClientAttack' : 'duplicateVote',
    validator: validator?.address ?? EMPTY,
    height,
    timeNs: fromTimestamp(time ?? NO_TIME),
    power: validator?.power ?? 0n,
    totalPower: totalVotingPower,
  }))
}

/**
 * Returns the facts of a block of version 1.0. Its header is among them only for a chain whose state has whole headers. Other
 * chains get the same state, and the same app hashes, under both versions.
 */
export function factsOfBegin(request: RequestBeginBlock, hasWholeHeaders: boolean): BlockFacts {
  if (!request.header) throw new Error('BeginBlock has no header')
  const header = headerOf(request.header)
  return {
    height: header.height,
    timeNs: header.timeNs,
    proposer: header.proposer,
    hash: request.hash,
    lastCommitHash: hasWholeHeaders ? header.lastCommitHash : EMPTY,
    ...(hasWholeHeaders && { header }),
    lastCommitVotes: votesOf(request.lastCommitInfo),
    evidence: evidenceOf(request.byzantineValidators),
  }
}

/** Returns the facts of a block of version 2.0. It has no hash of the last commit, whose signatures the engine keeps to itself. */
export function factsOfFinalize(request: RequestFinalizeBlock): BlockFacts {
  return {
    height: request.height,
    timeNs: fromTimestamp(request.time ?? NO_TIME),
    proposer: request.proposerAddress,
    hash: request.hash,
    lastCommitHash: EMPTY,
    lastCommitVotes: votesOf(request.decidedLastCommit),
    evidence: evidenceOf(request.misbehavior),
  }
}

/**
 * Returns the header of a block: the one that came with it, or the fields that follow from the chain. The hash of the last
 * commit and the part-set header of the last block are then empty.
 */
export function headerOfBlock(facts: BlockFacts, tip: Tip, txs: readonly Uint8Array[]): BlockHeader {
  if (facts.header) return facts.header
  return {
    chainId: tip.chainId,
    height: facts.height,
    timeNs: facts.timeNs,
    lastBlockId: { hash: tip.hash, partsTotal: 0, partsHash: EMPTY },
    lastCommitHash: EMPTY,
    dataHash: hashData(txs),
    validatorsHash: hashValidators(tip.validators),
    nextValidatorsHash: hashValidators(tip.nextValidators),
    consensusHash: hashConsensusParams(tip),
    appHash: tip.appHash,
    lastResultsHash: tip.resultsHash,
    evidenceHash: NO_EVIDENCE_HASH,
    proposer: facts.proposer,
  }
}
