/** Blocks as protobuf messages of CometBFT and the SDK. */
import { create, fromBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { commitInit, headerInit } from '../../app/header.ts'
import type { StoredBlock } from '../../app/records.ts'
import { NO_COMMIT } from '../../consensus/comet/hashes.ts'
import { HeightBoundsSchema } from '../../gen/chain/errors/v1/errors_pb.ts'
import type { BlockSchema as SdkBlockSchema } from '../../gen/sdk/base/tendermint/v1beta1/types_pb.ts'
import type { BlockSchema } from '../../gen/tendermint/types/block_pb.ts'
import { EvidenceSchema } from '../../gen/tendermint/types/evidence_pb.ts'
import { queryError } from '../../primitives/errors.ts'
import type { GatewayNode } from '../gateway.ts'

/** Returns a block. Throws with `HeightBounds`: `invalidArgument` below 1 or above the tip, `notFound` for a pruned one. */
export function requireBlock({ blocks }: GatewayNode, height: bigint): StoredBlock {
  const [earliest, latest] = [blocks.earliestHeight(), blocks.latestHeight()]
  const bounds = [create(HeightBoundsSchema, { requested: height, earliest, latest })]
  if (height < 1n) throw queryError('invalidArgument', `height must be greater than 0, but got ${height}`, bounds)
  if (height > latest) {
    throw queryError('invalidArgument', 'requested block height is bigger then the chain length', bounds)
  }
  const block = blocks.block(height)
  if (!block) throw queryError('notFound', `height ${height} is not available, lowest height is ${earliest}`, bounds)
  return block
}

const evidenceInit = ({ evidence = [] }: StoredBlock) => ({
  evidence: evidence.map((piece) => fromBinary(EvidenceSchema, piece)),
})

/** Returns a block in the form of CometBFT. */
export function blockInit(block: StoredBlock): MessageInitShape<typeof BlockSchema> {
  return {
    header: headerInit(block.header),
    data: { txs: [...block.txs] },
    evidence: evidenceInit(block),
    lastCommit: commitInit(block.lastCommit ?? NO_COMMIT),
  }
}

/** Returns a block in the form of the SDK, with its proposer as Bech32 text. */
export function sdkBlockInit(block: StoredBlock, proposerBech32: string): MessageInitShape<typeof SdkBlockSchema> {
  return {
    header: { ...headerInit(block.header), proposerAddress: proposerBech32 },
    data: { txs: [...block.txs] },
    evidence: evidenceInit(block),
    lastCommit: commitInit(block.lastCommit ?? NO_COMMIT),
  }
}
