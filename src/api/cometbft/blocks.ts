/** Blocks, transactions and validator updates in the CometBFT RPC. */
import type { StoredBlock, TxResult, Validator } from '../../app/records.ts'
import {
  base64OrNull,
  blockIdJson,
  formatUpperHex,
  txResultJson,
  validatorUpdateJson,
} from '../../consensus/comet/block-json.ts'
import { merkleProof } from '../../consensus/comet/merkle.ts'
import { blockJson } from '../../consensus/comet/stored-block-json.ts'
import { hasLateData } from '../../indexer/late-values.ts'
import { EMPTY, formatBase64, toKey } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { sha256 } from '../../primitives/hash.ts'
import type { GatewayNode } from '../gateway.ts'
import { longText } from '../long-json.ts'
import type { TxPosition } from '../search/search.ts'
import { answerSize, base64DataPieces, logPieces, longValue } from '../stored-results.ts'
import type { Json } from './method.ts'

/** Throws unless a block of this height is stored. */
export function requireHeight({ blocks }: GatewayNode, height: bigint): void {
  const [earliest, latest] = [blocks.earliestHeight(), blocks.latestHeight()]
  if (height <= 0n) throw queryError('invalidArgument', `height must be greater than 0, but got ${height}`)
  if (height > latest) {
    const text = `height ${height} must be less than or equal to the current blockchain height ${latest}`
    throw queryError('outOfRange', text)
  }
  if (height < earliest) {
    throw queryError('notFound', `height ${height} is not available, lowest height is ${earliest}`)
  }
}

/** Returns the block of a height, by default the latest. Throws the errors of `requireHeight`. */
export function requireBlock(node: GatewayNode, height: bigint | undefined): StoredBlock {
  const asked = height ?? node.blocks.latestHeight()
  requireHeight(node, asked)
  const block = node.blocks.block(asked)
  if (!block) throw queryError('notFound', `block ${asked} is not available`)
  return block
}

/** Finds a block by its hash; undefined if no stored block has it. */
export function blockOfHash({ blocks }: GatewayNode, hash: Uint8Array = EMPTY): StoredBlock | undefined {
  const height = hash.length === 32 ? blocks.heightOfHash(hash) : undefined
  return height === undefined ? undefined : blocks.block(height)
}

/** Returns a block with its id, as in `block` and `block_search`. */
export function wholeBlockJson(block: StoredBlock): Json {
  return { block_id: blockIdJson(block.blockId), block: blockJson(block) }
}

/** Returns the approximate size of a block as JSON. Unit: bytes. */
export function blockJsonSize(node: GatewayNode, height: bigint): number {
  return requireBlock(node, height).txs.reduce((sum, tx) => sum + tx.length * 2, 0)
}

/** Returns the approximate size of a transaction with its result as JSON. Unit: bytes. */
export function txJsonSize({ blocks }: GatewayNode, { height, index }: TxPosition): number {
  const block = blocks.block(height)
  return block ? answerSize(block, index) : 0
}

/** Returns a result whose long fields are made while it is sent. */
export function longResultJson(result: TxResult): Json {
  return txResultJson(result, {
    data: hasLateData(result) ? longText(() => base64DataPieces(result)) : base64OrNull(result.data),
    log: longText(() => logPieces(result)),
    events: result.events.map(({ type, attributes }) => ({
      type,
      attributes: attributes.map((attribute) => ({ key: attribute.key, value: longValue(attribute), index: true })),
    })),
  })
}

/** Returns a transaction with its result, as in `tx` and `tx_search`; undefined if its block is not stored. */
export function txJson({ blocks }: GatewayNode, position: TxPosition, prove: boolean): Json | undefined {
  const block = blocks.block(position.height)
  const [tx, result] = [block?.txs[position.index], block?.results[position.index]]
  if (!block || !tx || !result) return undefined
  return {
    hash: formatUpperHex(sha256(tx)),
    height: position.height.toString(),
    index: position.index,
    tx_result: longResultJson(result),
    tx: formatBase64(tx),
    ...(prove && { proof: txProof(block, position.index) }),
  }
}

function txProof(block: StoredBlock, index: number): Json {
  const proof = merkleProof(block.txs.map(sha256), index)
  return {
    root_hash: formatUpperHex(block.header.dataHash),
    data: formatBase64(block.txs[index]!),
    proof: {
      total: proof.total.toString(),
      index: proof.index.toString(),
      leaf_hash: formatBase64(proof.leafHash),
      aunts: proof.aunts.map(formatBase64),
    },
  }
}

/** Returns the changes of a block to the validator set two heights later; null if there are no changes, or not yet. */
export function validatorUpdates({ blocks }: GatewayNode, height: bigint): Json[] | null {
  const [before, after] = [blocks.validators(height + 1n), blocks.validators(height + 2n)]
  if (!before || !after) return null
  const powers = new Map(before.map(({ address, power }) => [toKey(address), power]))
  const changed: Validator[] = []
  for (const validator of after) {
    const key = toKey(validator.address)
    if (powers.get(key) !== validator.power) changed.push(validator)
    powers.delete(key)
  }
  for (const validator of before) if (powers.has(toKey(validator.address))) changed.push({ ...validator, power: 0n })
  return changed.length === 0 ? null : changed.map(validatorUpdateJson)
}
