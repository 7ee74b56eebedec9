/** `loadState`: blocks, receipts and accounts of a dump, in this chain. */
import { wrapEthereumTx } from '../../../../app/evm/envelope.ts'
import { recordedResult } from '../../../../app/evm/recorded-result.ts'
import type { EvmTx, TxResult } from '../../../../app/records.ts'
import type { AdoptedBlock } from '../../../../consensus/driver.ts'
import { encodeTransaction } from '../../../../evm/transaction/encode.ts'
import { effectiveGasPrice } from '../../../../evm/transaction/gas.ts'
import * as evm from '../../../../modules/evm/keeper.ts'
import { EMPTY, equal } from '../../../../primitives/bytes.ts'
import { queryError } from '../../../../primitives/errors.ts'
import { keccak256 } from '../../../../primitives/hash.ts'
import {
  type Field,
  fieldOf,
  isPresent,
  itemsOf,
  readAddressText,
  readHex,
  readUint,
  readWord,
} from '../../../../primitives/json-fields.ts'
import { NS_PER_SECOND } from '../../../../primitives/time.ts'
import type { ReadContext } from '../../../../sdk/context.ts'
import type { GatewayNode } from '../../../gateway.ts'
import { developmentOf } from '../verbs.ts'
import { vmErrorOf } from './exits.ts'
import { type DumpedBlock, type DumpedState, readState } from './read-state.ts'

type DumpedTx = DumpedBlock['transactions'][number]

/** Empty blocks that are made before those of a dump. Beyond: an error. */
const MAX_FILLED = 10_000n

interface Place {
  /** The hash of the transaction. */
  readonly hash: Field
  readonly txIndex: number
  readonly firstLogIndex: number
  readonly baseFeeWei: bigint
}

/** Returns the transaction with its receipt. */
function readExecuted({ transaction, impersonated, info, receipt }: DumpedTx, place: Place): EvmTx {
  const to = fieldOf(info, 'to')
  const contract = fieldOf(info, 'contract_address')
  const status = readUint(fieldOf(receipt, 'status'), 1) === 1n ? 1 : 0
  return {
    hash: readHex(place.hash, 32),
    raw: encodeTransaction(transaction),
    txIndex: place.txIndex,
    evmIndex: place.txIndex,
    from: impersonated ?? readAddressText(fieldOf(info, 'from')),
    to: isPresent(to) ? readAddressText(to) : undefined,
    contractAddress: status === 1 && isPresent(contract) ? readAddressText(contract) : undefined,
    status,
    gasUsed: readUint(fieldOf(info, 'gas_used'), 64),
    cumulativeGasUsed: readUint(fieldOf(receipt, 'cumulativeGasUsed'), 64),
    effectiveGasPrice: effectiveGasPrice(transaction, place.baseFeeWei),
    type: transaction.type,
    bloom: readHex(fieldOf(receipt, 'logsBloom'), 256),
    firstLogIndex: place.firstLogIndex,
    logs: itemsOf(fieldOf(receipt, 'logs')).map((log) => ({
      address: readAddressText(fieldOf(log, 'address')),
      topics: itemsOf(fieldOf(log, 'topics')).map(readWord),
      data: readHex(fieldOf(log, 'data')),
    })),
  }
}

/** Returns a block as this chain records it. Blocks of one second are a nanosecond apart. */
function adoptedBlock(node: GatewayNode, ctx: ReadContext, block: DumpedBlock, afterNs: bigint): AdoptedBlock {
  const { header, transactions } = block
  const { number: height, hash, baseFeeWei } = header
  const startNs = header.timestamp * NS_PER_SECOND
  const isSameSecond = afterNs >= startNs && afterNs < startNs + NS_PER_SECOND
  const txs: Uint8Array[] = []
  const results: TxResult[] = []
  const evmTxs: EvmTx[] = []
  let firstLogIndex = 0
  for (const [txIndex, one] of transactions.entries()) {
    const stated = header.hasOwnHash ? one.hash : fieldOf(one.info, 'transaction_hash')
    const evmTx = readExecuted(one, { hash: stated, txIndex, firstLogIndex, baseFeeWei })
    const exit = fieldOf(one.info, 'exit')
    const out = fieldOf(one.info, 'out')
    // Anvil has another hash for what an impersonated sender signs. A transaction that runs again is checked against its own.
    const ownHash = one.impersonated ? keccak256(evmTx.raw) : evmTx.hash
    const wrapped = wrapEthereumTx(node.identity, one.transaction, ownHash)
    const run = {
      block: { height, hash },
      wrapped,
      gasLimit: one.transaction.gasLimit,
      evmTx,
      output: isPresent(out) ? readHex(out) : EMPTY,
      vmError: evmTx.status === 1 ? '' : vmErrorOf(String(exit.value)) || vmErrorOf('Revert'),
    }
    txs.push(wrapped)
    results.push(recordedResult(ctx, run))
    evmTxs.push(evmTx)
    firstLogIndex += evmTx.logs.length
  }
  return {
    height,
    hash,
    timeNs: isSameSecond ? afterNs + 1n : startNs,
    txs,
    results,
    evmTxs,
    evmGasUsed: header.gasUsed,
    baseFeeWei,
    gasLimit: header.gasLimit,
    coinbase: header.coinbase,
    prevRandao: header.prevRandao,
  }
}

/** Returns the impersonated senders of a block that this chain does not impersonate, from the latest state on. */
function strangersOf(ctx: ReadContext, { transactions }: DumpedBlock): readonly Uint8Array[] {
  return transactions.flatMap(({ impersonated }) =>
    impersonated && !evm.isImpersonated(ctx, impersonated) ? [impersonated] : [],
  )
}

/** Returns the blocks as this chain records them. All show the accounts of the dump, or those that it kept for them. */
function adoptedBlocks(node: GatewayNode, { blocks, accounts }: DumpedState): readonly AdoptedBlock[] {
  const keepsStates = blocks.some((block) => block.accounts !== undefined)
  const made: AdoptedBlock[] = []
  let ownBaseFeeWei = 0n
  let strangers: readonly (readonly Uint8Array[])[] = []
  node.withContext(undefined, (ctx) => {
    ownBaseFeeWei = evm.baseFeeWei(ctx)
    strangers = blocks.map((block) => strangersOf(ctx, block))
    for (const block of blocks) made.push(adoptedBlock(node, ctx, block, made.at(-1)?.timeNs ?? -1n))
  })
  // Code reads only the hashes of blocks before its own.
  const hashes = made.flatMap((block) => evm.blockHashAmendments(node.identity, block))
  const shownAt = (i: number): DumpedState['accounts'] | undefined => {
    if (!keepsStates) return i === 0 ? accounts : undefined
    return i === blocks.length - 1 ? accounts : blocks[i]!.accounts
  }
  return made.map((block, i) => {
    const shown = shownAt(i)
    if (!shown) return block
    // The next block runs again with its own base fee and senders, and blocks that are made later have those of this chain.
    const next: readonly evm.Amendment[] = keepsStates
      ? [
          { kind: 'baseFee', wei: made[i + 1]?.baseFeeWei ?? ownBaseFeeWei },
          ...strangers[i]!.map((address) => ({ kind: 'impersonate', address, on: false }) as const),
          ...(strangers[i + 1] ?? []).map((address) => ({ kind: 'impersonate', address, on: true }) as const),
        ]
      : []
    return {
      ...block,
      amendments: (at) => [...shown.flatMap((one) => [...evm.amendmentsOf(at, one)]), ...hashes, ...next],
    }
  })
}

/** Makes empty blocks up to the one before the dump's first, which has to follow a block of this chain. */
async function fillUp(node: GatewayNode, first: bigint): Promise<void> {
  const missing = first - 1n - node.blocks.latestHeight()
  if (missing <= 0n) return
  if (missing > MAX_FILLED) {
    throw queryError(
      'invalidArgument',
      `the blocks of the state begin at ${first}, and this chain is at ${node.blocks.latestHeight()}: start a chain at that height (almanac dev --number ${first})`,
    )
  }
  await developmentOf(node).mine(missing)
}

/**
 * Loads a dump: the chain goes back to the last block that it has in common with it, and takes the dump's later blocks. The
 * accounts of the dump replace those of the chain; others stay as they were at that block. Throws `invalidArgument` with the
 * path of a wrong field; then nothing changes.
 */
export async function loadState(node: GatewayNode, bytes: Uint8Array): Promise<void> {
  const development = developmentOf(node)
  const state = readState(bytes)
  const earliest = node.blocks.earliestHeight()
  const dumped = state.blocks.filter(({ header }) => header.number >= earliest)
  const differs = ({ header: { number, hash } }: DumpedBlock): boolean => {
    const own = node.blocks.header(number)
    return !own || !equal(own.hash, hash)
  }
  const from = dumped.findIndex(differs)
  const adopted = from < 0 ? [] : adoptedBlocks(node, { ...state, blocks: dumped.slice(from) })
  if (adopted.length > 0) {
    await fillUp(node, adopted[0]!.height)
    await development.adopt(adopted)
    return
  }
  const best = dumped.at(-1)?.header.number
  const beyond = best === undefined ? 0n : node.blocks.latestHeight() - best
  if (beyond > 0n) await development.rollback(beyond)
  const amendments = node.withContext(undefined, (ctx) =>
    state.accounts.flatMap((one) => [...evm.amendmentsOf(ctx, one)]),
  )
  if (amendments.length > 0) await development.amend(amendments)
}
