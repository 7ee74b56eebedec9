/** Blocks as Otterscan's pages show them: their totals, and their transactions page by page. */
import type { EvmTx, StoredBlock } from '../../../app/records.ts'
import { queryError } from '../../../primitives/errors.ts'
import type { GatewayNode } from '../../gateway.ts'
import { formatBlock, formatMined, formatReceipt, type JsonObject, quantity } from '../format.ts'
import { decimalOrQuantity, type Param } from '../params.ts'

/** Transactions in one page of `ots_getBlockTransactions` and of the searches. Beyond: -32602. */
const MAX_PAGE_SIZE = 1_000
/** Length of the start of an input that names the called function: `0x` and four bytes. */
const SELECTOR_LENGTH = 10

/** The number of transactions in a page. */
export const pageSize: Param<number> = {
  required: true,
  read(value) {
    const size = decimalOrQuantity.read(value)
    if (size < 1n || size > MAX_PAGE_SIZE) {
      throw queryError('invalidArgument', `a page has 1 to ${MAX_PAGE_SIZE} transactions, not ${size}`)
    }
    return Number(size)
  },
}

/** Returns the fields of a block, without its transactions and bloom, and with their number. */
function summaryOf(node: GatewayNode, block: StoredBlock): JsonObject {
  const { transactions: _, ...fields } = formatBlock(node, block, false)
  return { ...fields, logsBloom: null, transactionCount: quantity(block.evmTxs.length) }
}

/** Returns the fees that the transactions of a block paid. Unit: wei. */
const feesOf = ({ evmTxs }: StoredBlock): bigint =>
  evmTxs.reduce((sum, { gasUsed, effectiveGasPrice }) => sum + gasUsed * effectiveGasPrice, 0n)

/** `ots_getBlockDetails`. No block issues coins to its proposer: inflation is paid at the ends of epochs. */
export function blockDetails(node: GatewayNode, block: StoredBlock): JsonObject {
  return {
    block: summaryOf(node, block),
    issuance: { blockReward: '0x0', uncleReward: '0x0', issuance: '0x0' },
    totalFees: quantity(feesOf(block)),
  }
}

function shortTransaction(block: StoredBlock, tx: EvmTx): JsonObject {
  const shown = formatMined(block, tx)
  return { ...shown, input: (shown['input'] as string).slice(0, SELECTOR_LENGTH) }
}

const shortReceipt = (block: StoredBlock, tx: EvmTx): JsonObject => ({
  ...formatReceipt(block, { ...tx, logs: [] }),
  logs: null,
  logsBloom: null,
})

/** `ots_getBlockTransactions`: a page of transactions with their receipts. Page 0 has the last ones, in the order of the block. */
export function blockPage(node: GatewayNode, block: StoredBlock, page: bigint, size: number): JsonObject {
  const end = BigInt(block.evmTxs.length) - page * BigInt(size)
  const start = end - BigInt(size)
  const txs = end <= 0n ? [] : block.evmTxs.slice(start < 0n ? 0 : Number(start), Number(end))
  return {
    fullblock: { ...summaryOf(node, block), transactions: txs.map((tx) => shortTransaction(block, tx)) },
    receipts: txs.map((tx) => shortReceipt(block, tx)),
  }
}
