/** Blocks, transactions and validator updates in the CometBFT RPC. */
import type { StoredBlock, Validator } from '../../app/records.ts'
import { formatUpperHex, txResultJson, validatorUpdateJson } from '../../consensus/comet/block-json.ts'
import { merkleProof } from '../../consensus/comet/merkle.ts'
import { EMPTY, formatBase64, toKey } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { sha256 } from '../../primitives/hash.ts'
import type { GatewayNode } from '../gateway.ts'
import type { TxPosition } from '../search/search.ts'
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

/** Returns a transaction with its result, as in `tx` and `tx_search`; undefined if its block is not stored. */
export function txJson({ blocks }: GatewayNode, position: TxPosition, prove: boolean): Json | undefined {
  const block = blocks.block(position.height)
  const [tx, result] = [block?.txs[position.index], block?.results[position.index]]
  if (!block || !tx || !result) return undefined
  return {
    hash: formatUpperHex(sha256(tx)),
    height: position.height.toString(),
    index: position.index,
    tx_result: txResultJson(result),
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
