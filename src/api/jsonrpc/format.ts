/** Blocks, transactions, receipts and logs in the JSON of geth. */

import type { EvmTx, StoredBlock } from '../../app/records.ts'
import { encodeBlock } from '../../consensus/comet/encoding.ts'
import { NO_COMMIT } from '../../consensus/comet/hashes.ts'
import { createAddress } from '../../evm/contract-address.ts'
import { type EthereumHeader, NO_UNCLES_HASH } from '../../evm/ethereum-block.ts'
import { decodeTransaction } from '../../evm/transaction/decode.ts'
import { encodeTransaction, signatureV } from '../../evm/transaction/encode.ts'
import { accessListOf, type Transaction, type UnsignedTransaction } from '../../evm/transaction/types.ts'
import { formatHex0x } from '../../primitives/bytes.ts'
import { keccak256 } from '../../primitives/hash.ts'
import { NS_PER_SECOND } from '../../primitives/time.ts'
import type { GatewayNode } from '../gateway.ts'
import { ethereumHeader } from './header.ts'

export type JsonObject = Readonly<Record<string, unknown>>

const EMPTY_UNCLES: string = formatHex0x(NO_UNCLES_HASH)

/** Formats a quantity: `0x` and digits without leading zeros. */
export function quantity(value: bigint | number): string {
  return `0x${value.toString(16)}`
}

const timestamp = (block: StoredBlock): string => quantity(block.header.timeNs / NS_PER_SECOND)

/** Returns the length of a block in the encoding of CometBFT. */
function sizeOf({ header, txs, lastCommit, evidence }: StoredBlock): number {
  return encodeBlock(header, txs, lastCommit ?? NO_COMMIT, evidence).length
}

/** Formats a header for subscriptions: without transactions and size. */
export function formatHeader(node: GatewayNode, block: StoredBlock): JsonObject {
  return formatEthereumHeader(ethereumHeader(node, block), block.hash)
}

const hex0xOrAbsent = (name: string, bytes: Uint8Array | undefined): JsonObject =>
  bytes ? { [name]: formatHex0x(bytes) } : {}

/** Formats a header of Ethereum under the hash of its block. */
export function formatEthereumHeader(header: EthereumHeader, hash: Uint8Array): JsonObject {
  const { baseFeeWei, blobGasUsed, excessBlobGas } = header
  return {
    number: quantity(header.number),
    hash: formatHex0x(hash),
    parentHash: formatHex0x(header.parentHash),
    nonce: '0x0000000000000000',
    mixHash: formatHex0x(header.prevRandao),
    sha3Uncles: EMPTY_UNCLES,
    logsBloom: formatHex0x(header.bloom),
    stateRoot: formatHex0x(header.stateRoot),
    miner: formatHex0x(header.coinbase),
    difficulty: '0x0',
    extraData: '0x',
    gasLimit: quantity(header.gasLimit),
    gasUsed: quantity(header.gasUsed),
    timestamp: quantity(header.timestamp),
    transactionsRoot: formatHex0x(header.transactionsRoot),
    receiptsRoot: formatHex0x(header.receiptsRoot),
    ...(baseFeeWei === undefined ? {} : { baseFeePerGas: quantity(baseFeeWei) }),
    ...hex0xOrAbsent('withdrawalsRoot', header.withdrawalsRoot),
    ...(blobGasUsed === undefined ? {} : { blobGasUsed: quantity(blobGasUsed) }),
    ...(excessBlobGas === undefined ? {} : { excessBlobGas: quantity(excessBlobGas) }),
    ...hex0xOrAbsent('parentBeaconBlockRoot', header.parentBeaconBlockRoot),
    ...hex0xOrAbsent('requestsHash', header.requestsHash),
  }
}

/** Formats a block with its EVM transactions, as hashes or whole. */
export function formatBlock(node: GatewayNode, block: StoredBlock, whole: boolean): JsonObject {
  return {
    ...formatHeader(node, block),
    totalDifficulty: '0x0',
    size: quantity(sizeOf(block)),
    transactions: block.evmTxs.map((tx) => (whole ? formatMined(block, tx) : formatHex0x(tx.hash))),
    uncles: [],
    ...(ethereumHeader(node, block).withdrawalsRoot ? { withdrawals: [] } : {}),
  }
}

/** Formats a transaction of a block. */
export function formatMined(block: StoredBlock, tx: EvmTx): JsonObject {
  return {
    blockHash: formatHex0x(block.hash),
    blockNumber: quantity(block.header.height),
    blockTimestamp: timestamp(block),
    ...formatTransaction(decodeTransaction(tx.raw), tx.hash, tx.from, tx.effectiveGasPrice),
    transactionIndex: quantity(tx.evmIndex),
  }
}

/** Formats a pending transaction. */
export function formatPending(raw: Uint8Array, hash: Uint8Array, from: Uint8Array): JsonObject {
  return {
    blockHash: null,
    blockNumber: null,
    blockTimestamp: null,
    ...formatTransaction(decodeTransaction(raw), hash, from),
    transactionIndex: null,
  }
}

/** Formats the fields of a transaction. `gasPrice` is the charged price; before inclusion, the fee cap. */
function formatTransaction(tx: Transaction, hash: Uint8Array, from: Uint8Array, chargedWei?: bigint): JsonObject {
  return {
    from: formatHex0x(from),
    ...formatUnsigned(tx),
    ...(tx.type >= 2 && chargedWei !== undefined ? { gasPrice: quantity(chargedWei) } : {}),
    hash: formatHex0x(hash),
    v: quantity(signatureV(tx)),
    r: quantity(tx.signature.r),
    s: quantity(tx.signature.s),
    ...(tx.type === 0 ? {} : { yParity: quantity(tx.signature.yParity) }),
  }
}

/** Formats the fields of an unsigned transaction. */
export function formatUnsigned(tx: UnsignedTransaction): JsonObject {
  const fees =
    tx.type < 2
      ? { gasPrice: quantity((tx as { gasPriceWei: bigint }).gasPriceWei) }
      : dynamicFees(tx as { maxFeePerGasWei: bigint; maxPriorityFeePerGasWei: bigint })
  return {
    type: quantity(tx.type),
    ...(tx.chainId === undefined ? {} : { chainId: quantity(tx.chainId) }),
    nonce: quantity(tx.nonce),
    to: tx.to ? formatHex0x(tx.to) : null,
    gas: quantity(tx.gasLimit),
    ...fees,
    value: quantity(tx.valueWei),
    input: formatHex0x(tx.data),
    ...(tx.type === 0 ? {} : { accessList: accessListOf(tx).map(formatAccess) }),
    ...(tx.type === 4 ? { authorizationList: tx.authorizations.map(formatAuthorization) } : {}),
  }
}

function dynamicFees(tx: { maxFeePerGasWei: bigint; maxPriorityFeePerGasWei: bigint }): JsonObject {
  const maxFeePerGas = quantity(tx.maxFeePerGasWei)
  return { gasPrice: maxFeePerGas, maxFeePerGas, maxPriorityFeePerGas: quantity(tx.maxPriorityFeePerGasWei) }
}

export function formatAccess(entry: {
  readonly address: Uint8Array
  readonly storageKeys: readonly Uint8Array[]
}): JsonObject {
  return { address: formatHex0x(entry.address), storageKeys: entry.storageKeys.map(formatHex0x) }
}

function formatAuthorization(authorization: (Transaction & { type: 4 })['authorizations'][number]): JsonObject {
  return {
    chainId: quantity(authorization.chainId),
    address: formatHex0x(authorization.address),
    nonce: quantity(authorization.nonce),
    yParity: quantity(authorization.yParity),
    r: quantity(authorization.r),
    s: quantity(authorization.s),
  }
}

/** Formats a signed transaction with its bytes, as in `eth_signTransaction`. */
export function formatSigned(tx: Transaction): JsonObject {
  const raw = encodeTransaction(tx)
  return {
    raw: formatHex0x(raw),
    tx: {
      ...formatUnsigned(tx),
      ...(tx.type >= 2 ? { gasPrice: null } : {}),
      v: quantity(signatureV(tx)),
      r: quantity(tx.signature.r),
      s: quantity(tx.signature.s),
      ...(tx.type === 0 ? {} : { yParity: quantity(tx.signature.yParity) }),
      hash: formatHex0x(keccak256(raw)),
    },
  }
}

export interface LogPosition {
  readonly blockHash: Uint8Array
  readonly height: bigint
  readonly timeNs: bigint
  readonly txHash: Uint8Array
  readonly evmIndex: number
  readonly logIndex: number
}

export function formatLog(
  log: { readonly address: Uint8Array; readonly topics: readonly Uint8Array[]; readonly data: Uint8Array },
  position: LogPosition,
): JsonObject {
  return {
    address: formatHex0x(log.address),
    topics: log.topics.map(formatHex0x),
    data: formatHex0x(log.data),
    blockNumber: quantity(position.height),
    transactionHash: formatHex0x(position.txHash),
    transactionIndex: quantity(position.evmIndex),
    blockHash: formatHex0x(position.blockHash),
    blockTimestamp: quantity(position.timeNs / NS_PER_SECOND),
    logIndex: quantity(position.logIndex),
    removed: false,
  }
}

/** Formats the logs of one transaction of a block. */
export function formatLogs(block: StoredBlock, tx: EvmTx): readonly JsonObject[] {
  return tx.logs.map((log, i) =>
    formatLog(log, {
      blockHash: block.hash,
      height: block.header.height,
      timeNs: block.header.timeNs,
      txHash: tx.hash,
      evmIndex: tx.evmIndex,
      logIndex: tx.firstLogIndex + i,
    }),
  )
}

export function formatReceipt(block: StoredBlock, tx: EvmTx): JsonObject {
  return {
    blockHash: formatHex0x(block.hash),
    blockNumber: quantity(block.header.height),
    // As in geth, a failed creation has the address that its code would have.
    contractAddress: tx.to ? null : formatHex0x(createAddress(tx.from, decodeTransaction(tx.raw).nonce)),
    cumulativeGasUsed: quantity(tx.cumulativeGasUsed),
    effectiveGasPrice: quantity(tx.effectiveGasPrice),
    from: formatHex0x(tx.from),
    gasUsed: quantity(tx.gasUsed),
    logs: formatLogs(block, tx),
    logsBloom: formatHex0x(tx.bloom),
    status: quantity(tx.status),
    to: tx.to ? formatHex0x(tx.to) : null,
    transactionHash: formatHex0x(tx.hash),
    transactionIndex: quantity(tx.evmIndex),
    type: quantity(tx.type),
  }
}
