/** Blocks in the JSON of the CometBFT RPC (docs/cometbft.md#rpc). */
import type { StoredBlock } from '../../app/records.ts'
import { formatBase64 } from '../../primitives/bytes.ts'
import { blockIdJson, commitJson, headerJson } from './block-json.ts'
import { encodeBlock } from './encoding.ts'
import { evidenceJson } from './evidence.ts'
import { NO_COMMIT } from './hashes.ts'

type Json = Record<string, unknown>

export function blockJson(block: StoredBlock): Json {
  return {
    header: headerJson(block.header),
    data: { txs: block.txs.map(formatBase64) },
    evidence: { evidence: (block.evidence ?? []).map(evidenceJson) },
    last_commit: commitJson(block.lastCommit ?? NO_COMMIT),
  }
}

/** Returns header and size, as `blockchain` lists blocks. */
export function blockMetaJson(block: StoredBlock): Json {
  return {
    block_id: blockIdJson(block.blockId),
    block_size: encodeBlock(block.header, block.txs, block.lastCommit ?? NO_COMMIT, block.evidence).length.toString(),
    header: headerJson(block.header),
    num_txs: block.txs.length.toString(),
  }
}
