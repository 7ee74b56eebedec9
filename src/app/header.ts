/** Headers, commits and block ids in the fields of the engine's messages, as `create` expects them, and back. */
import type { BlockID, Commit as CommitMessage, Header } from '../gen/tendermint/types/types_pb.ts'
import { BLOCK_PROTOCOL } from '../modules/staking/keeper.ts'
import { EMPTY } from '../primitives/bytes.ts'
import { fromTimestamp, toTimestamp } from '../primitives/time.ts'
import type { BlockHeader, BlockId, Commit } from './records.ts'

const NO_TIME = { seconds: 0n, nanos: 0 }

export function blockIdInit(id: BlockId) {
  return { hash: id.hash, partSetHeader: { total: id.partsTotal, hash: id.partsHash } }
}

export function headerInit(header: BlockHeader) {
  return {
    version: { block: BLOCK_PROTOCOL, ...(header.appVersion && { app: header.appVersion }) },
    chainId: header.chainId,
    height: header.height,
    time: toTimestamp(header.timeNs),
    lastBlockId: blockIdInit(header.lastBlockId),
    lastCommitHash: header.lastCommitHash,
    dataHash: header.dataHash,
    validatorsHash: header.validatorsHash,
    nextValidatorsHash: header.nextValidatorsHash,
    consensusHash: header.consensusHash,
    appHash: header.appHash,
    lastResultsHash: header.lastResultsHash,
    evidenceHash: header.evidenceHash,
    proposerAddress: header.proposer,
  }
}

export function commitInit(commit: Commit) {
  return {
    height: commit.height,
    round: commit.round,
    blockId: blockIdInit(commit.blockId),
    signatures: commit.signatures.map(({ flag, validator, timeNs, signature }) => ({
      blockIdFlag: flag,
      validatorAddress: validator,
      timestamp: toTimestamp(timeNs),
      signature,
    })),
  }
}

export function blockIdOf(id: BlockID | undefined): BlockId {
  return {
    hash: id?.hash ?? EMPTY,
    partsTotal: id?.partSetHeader?.total ?? 0,
    partsHash: id?.partSetHeader?.hash ?? EMPTY,
  }
}

/** Returns a header of the engine's form. */
export function headerOf(header: Header): BlockHeader {
  const appVersion = header.version?.app
  return {
    ...(appVersion && { appVersion }),
    chainId: header.chainId,
    height: header.height,
    timeNs: fromTimestamp(header.time ?? NO_TIME),
    lastBlockId: blockIdOf(header.lastBlockId),
    lastCommitHash: header.lastCommitHash,
    dataHash: header.dataHash,
    validatorsHash: header.validatorsHash,
    nextValidatorsHash: header.nextValidatorsHash,
    consensusHash: header.consensusHash,
    appHash: header.appHash,
    lastResultsHash: header.lastResultsHash,
    evidenceHash: header.evidenceHash,
    proposer: header.proposerAddress,
  }
}

/** Returns a commit of the engine's form. */
export function commitOf(commit: CommitMessage): Commit {
  return {
    height: commit.height,
    round: commit.round,
    blockId: blockIdOf(commit.blockId),
    signatures: commit.signatures.map(({ blockIdFlag, validatorAddress, timestamp, signature }) => ({
      flag: blockIdFlag as 1 | 2 | 3,
      validator: validatorAddress,
      timeNs: fromTimestamp(timestamp ?? NO_TIME),
      signature,
    })),
  }
}
