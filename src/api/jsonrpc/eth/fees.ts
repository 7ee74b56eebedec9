/** Current and past prices of gas. */
import { minimumPriceWei } from '../../../app/evm/price.ts'
import type { StoredBlock } from '../../../app/records.ts'
import { rulesOf } from '../../../evm/forks.ts'
import * as evm from '../../../modules/evm/keeper.ts'
import { BASE_FEE_WEI } from '../../../modules/evm/wei.ts'
import type { GatewayNode } from '../../gateway.ts'
import { createSignalPause } from '../../transport/slices.ts'
import { invalidParams, serverError } from '../errors.ts'
import { type JsonObject, quantity } from '../format.ts'
import { gasLimitOf, genesisBlock } from '../header.ts'
import type { RpcCall } from '../method.ts'
import type { BlockRef } from '../params.ts'
import { blockOf, heightOf } from './block-ref.ts'

/** Blocks of one `eth_feeHistory`, as in geth. Beyond: the answer has the newest of them. */
const MAX_BLOCKS = 1024n
/** Percentiles of one `eth_feeHistory`, as in geth. Beyond: -32000. */
const MAX_PERCENTILES = 100

/** Returns the base fee of the next block. Unit: wei. */
export function baseFee(node: GatewayNode): bigint {
  return node.withContext(undefined, evm.baseFeeWei)
}

/** Returns the least tip with which this node admits a transaction: what its minimum price adds to the base fee. Unit: wei. */
export function suggestedTip(node: GatewayNode): bigint {
  const above = minimumPriceWei(node.settings.minGasPrice, node.identity.baseDenom) - baseFee(node)
  return above > 0n ? above : 0n
}

/** Returns the least price that this node admits for the next block. Unit: wei. */
export const suggestedPrice = (node: GatewayNode): bigint => baseFee(node) + suggestedTip(node)

/** Whether the fork of the chain has a base fee, as from London on. */
export const hasBaseFee = (node: GatewayNode): boolean =>
  node.withContext(undefined, (ctx) => rulesOf(evm.chainRules(ctx).fork).eips.has(1559))

function checkPercentiles(percentiles: readonly number[]): void {
  if (percentiles.length > MAX_PERCENTILES) {
    throw serverError(`invalid reward percentile: over the query limit ${MAX_PERCENTILES}`)
  }
  for (const [i, value] of percentiles.entries()) {
    if (value < 0 || value > 100) throw serverError(`invalid reward percentile: ${value.toFixed(6)}`)
    const before = percentiles[i - 1]
    if (before !== undefined && value <= before) {
      throw serverError(`invalid reward percentile: #${i - 1}:${before.toFixed(6)} >= #${i}:${value.toFixed(6)}`)
    }
  }
}

/** Returns the effective tips at percentiles of the gas of a block, computed as in geth. Unit: wei. */
function rewards(block: StoredBlock, percentiles: readonly number[]): readonly string[] {
  if (block.evmTxs.length === 0) return percentiles.map(() => '0x0')
  const tips = block.evmTxs
    .map((tx) => ({ gasUsed: tx.gasUsed, tip: tx.effectiveGasPrice - block.baseFeeWei }))
    .sort((a, b) => (a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : 0))
  let index = 0
  let sum = tips[0]!.gasUsed
  return percentiles.map((percentile) => {
    const threshold = BigInt(Math.floor((Number(block.evmGasUsed) * percentile) / 100))
    while (sum < threshold && index < tips.length - 1) sum += tips[++index]!.gasUsed
    const { tip } = tips[index]!
    return quantity(tip > 0n ? tip : 0n)
  })
}

/** Fee history of one block. */
interface BlockFees {
  readonly baseFee: string
  readonly gasUsedRatio: number
  readonly reward: readonly string[]
}

/** `eth_feeHistory`: base fees, gas used, and tips at percentiles, of at most 1,024 blocks. Stops if the client disconnects. */
export async function feeHistory(
  { node, signal }: RpcCall,
  count: bigint,
  newest: BlockRef,
  percentiles: readonly number[],
): Promise<JsonObject> {
  checkPercentiles(percentiles)
  if (count === 0n) return { oldestBlock: '0x0', gasUsedRatio: [] }
  if ('hash' in newest) throw invalidParams('a block number or tag is required')
  const latest = node.blocks.latestHeight()
  const hasGenesis = genesisBlock(node) !== undefined
  const last = hasGenesis && 'tag' in newest && newest.tag === 'earliest' ? 0n : heightOf(node, newest)!
  if (last > latest) {
    throw serverError(`request beyond head block: requested ${last}, head ${latest}`)
  }
  const earliest = hasGenesis ? 0n : node.blocks.earliestHeight()
  const wanted = last - (count > MAX_BLOCKS ? MAX_BLOCKS : count) + 1n
  const first = wanted < earliest ? earliest : wanted
  const pause = createSignalPause(signal())
  const fees: BlockFees[] = []
  let next = BASE_FEE_WEI
  for (let height = first; height <= last; height++) {
    const block = blockOf(node, { number: height })
    if (!block) continue
    next = block.baseFeeWei
    fees.push({
      baseFee: quantity(block.baseFeeWei),
      gasUsedRatio: Number(block.evmGasUsed) / Number(gasLimitOf(block)),
      reward: percentiles.length === 0 ? [] : rewards(block, percentiles),
    })
    const rest = pause()
    if (!rest) continue
    await rest
    if (signal().aborted) break
  }
  next = last === latest ? baseFee(node) : (node.blocks.block(last + 1n)?.baseFeeWei ?? next)
  return {
    oldestBlock: quantity(first),
    ...(percentiles.length > 0 && { reward: fees.map(({ reward }) => reward) }),
    baseFeePerGas: [...fees.map(({ baseFee }) => baseFee), quantity(next)],
    gasUsedRatio: fees.map(({ gasUsedRatio }) => gasUsedRatio),
    baseFeePerBlobGas: [...fees.map(() => '0x1'), '0x1'],
    blobGasUsedRatio: fees.map(() => 0),
  }
}
