/** Headers and block ids in the fields of the engine's messages, as `create` expects them. */
import { BLOCK_PROTOCOL } from '../modules/staking/keeper.ts'
import { toTimestamp } from '../primitives/time.ts'
import type { BlockHeader, BlockId } from './records.ts'

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
