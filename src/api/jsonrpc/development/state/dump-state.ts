/** `dumpState`: the accounts, blocks and receipts of this chain in the form of anvil 1.7. */

import { decodeResponse } from '../../../../app/evm/response.ts'
import type { EvmTx, StoredBlock } from '../../../../app/records.ts'
import { headerItem } from '../../../../evm/ethereum-block.ts'
import { decodeTransaction } from '../../../../evm/transaction/decode.ts'
import * as evm from '../../../../modules/evm/keeper.ts'
import { EMPTY, formatHex0x, ZERO_WORD } from '../../../../primitives/bytes.ts'
import { ChainError } from '../../../../primitives/errors.ts'
import { keccak256 } from '../../../../primitives/hash.ts'
import { encode } from '../../../../primitives/rlp.ts'
import { NS_PER_SECOND } from '../../../../primitives/time.ts'
import type { GatewayNode } from '../../../gateway.ts'
import { createPause } from '../../../transport/slices.ts'
import { formatEthereumHeader, formatReceipt, type JsonObject, quantity } from '../../format.ts'
import { ethereumHeader, gasLimitOf, genesisBlock } from '../../header.ts'
import { formatAccount } from './accounts.ts'
import { exitOf } from './exits.ts'
import { formatHistoricalState } from './historical.ts'
import { dumpedHash, formatTransaction } from './transactions.ts'

/** Returns the block fields that anvil continues from. */
function blockEnv(node: GatewayNode, block: StoredBlock): JsonObject {
  const { prevRandao } = ethereumHeader(node, block)
  return {
    number: quantity(block.header.height),
    beneficiary: formatHex0x(block.coinbase),
    timestamp: quantity(block.header.timeNs / NS_PER_SECOND),
    gas_limit: Number(gasLimitOf(block)),
    basefee: Number(block.baseFeeWei),
    difficulty: '0x0',
    prevrandao: formatHex0x(prevRandao),
    blob_excess_gas_and_price: { excess_blob_gas: 0, blob_gasprice: 1 },
    slot_num: 0,
  }
}

const hexOrNull = (bytes: Uint8Array | undefined): string | null => (bytes ? formatHex0x(bytes) : null)

/** Returns the outermost call of a transaction. Calls inside are not in a block's record. */
function outermostCall(tx: EvmTx, gasLimit: bigint, valueWei: bigint, data: Uint8Array, output: string, exit: string) {
  const { from, to, contractAddress, status, gasUsed } = tx
  return {
    parent: null,
    children: [],
    idx: 0,
    trace: {
      depth: 0,
      success: status === 1,
      caller: formatHex0x(from),
      address: formatHex0x(to ?? contractAddress ?? new Uint8Array(20)),
      maybe_precompile: null,
      selfdestruct_address: null,
      selfdestruct_refund_target: null,
      selfdestruct_transferred_value: null,
      kind: to ? 'CALL' : 'CREATE',
      value: quantity(valueWei),
      data: formatHex0x(data),
      output,
      gas_used: Number(gasUsed),
      gas_limit: Number(gasLimit),
      gas_refund_counter: 0,
      status: exit,
      steps: [],
      decoded: null,
    },
    logs: tx.logs.map(({ address, topics, data: bytes }, i) => ({
      address: formatHex0x(address),
      raw_log: { topics: topics.map(formatHex0x), data: formatHex0x(bytes) },
      decoded: null,
      position: 0,
      index: i,
    })),
    ordering: tx.logs.map((_, i) => ({ Log: i })),
  }
}

function formatRecord(block: StoredBlock, tx: EvmTx, blockHash: Uint8Array): JsonObject {
  const response = decodeResponse(block.results[tx.txIndex]?.data ?? EMPTY)
  const transaction = decodeTransaction(tx.raw)
  const { gasLimit, valueWei, data, nonce } = transaction
  const created = tx.to ? undefined : formatReceipt(block, { ...tx, logs: [] })['contractAddress']
  const returned = response?.ret ?? EMPTY
  const exit = exitOf(response?.vmError ?? '', returned)
  const output = formatHex0x(returned)
  return {
    info: {
      transaction_hash: formatHex0x(dumpedHash(transaction, tx.hash)),
      transaction_index: tx.evmIndex,
      from: formatHex0x(tx.from),
      to: hexOrNull(tx.to),
      contract_address: created ?? null,
      traces: [outermostCall(tx, gasLimit, valueWei, data, output, exit)],
      exit,
      out: output,
      nonce: Number(nonce),
      gas_used: Number(tx.gasUsed),
    },
    receipt: {
      type: quantity(tx.type),
      status: quantity(tx.status),
      cumulativeGasUsed: quantity(tx.cumulativeGasUsed),
      logs: tx.logs.map(({ address, topics, data: bytes }) => ({
        address: formatHex0x(address),
        topics: topics.map(formatHex0x),
        data: formatHex0x(bytes),
      })),
      logsBloom: formatHex0x(tx.bloom),
    },
    block_hash: formatHex0x(blockHash),
    block_number: Number(block.header.height),
  }
}

function formatDumpedTx({ raw, hash }: EvmTx): JsonObject {
  return formatTransaction(decodeTransaction(raw), hash)
}

interface DumpedBlocks {
  readonly blocks: JsonObject[]
  readonly transactions: JsonObject[]
  /** States after blocks before the newest, each with the hash by which anvil knows its block; undefined if they are not wanted. */
  readonly states: (readonly [hash: string, state: JsonObject])[] | undefined
  /** Hash of the last header: anvil knows a block by it, and finds its parent by it. */
  parentHash: Uint8Array
}

function addBlock(node: GatewayNode, dumped: DumpedBlocks, block: StoredBlock): void {
  const header = { ...ethereumHeader(node, block), parentHash: dumped.parentHash }
  dumped.parentHash = keccak256(encode(headerItem(header)))
  dumped.blocks.push({
    header: formatEthereumHeader(header, block.hash),
    transactions: block.evmTxs.map(formatDumpedTx),
    ommers: [],
    withdrawals: null,
  })
  for (const tx of block.evmTxs) dumped.transactions.push(formatRecord(block, tx, dumped.parentHash))
}

/** Adds the state after a block, if the chain still has it. */
function addState(node: GatewayNode, { states, parentHash }: DumpedBlocks, height: bigint): void {
  if (!states || height === node.blocks.latestHeight()) return
  try {
    const state = node.withContext(height, (ctx) => formatHistoricalState(evm.dumpAccounts(ctx)))
    states.push([formatHex0x(parentHash), state])
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
  }
}

/**
 * Returns the state of the chain as the JSON that anvil 1.7 reads and writes, with `keepsStates` also the states of older blocks.
 * Other requests are served meanwhile.
 */
export async function dumpState(node: GatewayNode, keepsStates = false): Promise<JsonObject> {
  const { blocks } = node
  const pause = createPause()
  const rollbacks = (): number => node.driver.status().rollbacks ?? 0
  for (;;) {
    const began = rollbacks()
    const states = keepsStates ? [] : undefined
    const dumped: DumpedBlocks = { blocks: [], transactions: [], states, parentHash: ZERO_WORD }
    const genesis = genesisBlock(node)
    if (genesis) addBlock(node, dumped, genesis)
    for (let height = blocks.earliestHeight(); height <= blocks.latestHeight(); height++) {
      const block = blocks.block(height)
      if (block) addBlock(node, dumped, block)
      addState(node, dumped, height)
      const wait = height < blocks.latestHeight() ? pause() : undefined
      if (wait) await wait
    }
    // The chain went back in a pause: its blocks are others.
    if (rollbacks() === began) return withAccounts(node, dumped)
  }
}

function withAccounts(node: GatewayNode, { blocks, transactions, states }: DumpedBlocks): JsonObject {
  const latest = node.blocks.block(node.blocks.latestHeight())!
  const accounts = node.withContext(undefined, (ctx) =>
    Array.from(evm.dumpAccounts(ctx), (account) => [formatHex0x(account.address), formatAccount(account)] as const),
  )
  return {
    block: blockEnv(node, latest),
    accounts: Object.fromEntries(accounts),
    best_block_number: Number(latest.header.height),
    blocks,
    transactions,
    historical_states: states ?? null,
  }
}
