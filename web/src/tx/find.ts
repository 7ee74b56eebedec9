/** Finds a transaction by either of its hashes. */
import { ApiError, ask } from '../api/ask.ts'
import { type BlockTx, readBlock } from '../api/blocks.ts'
import { engine, eth, rest } from '../api/question.ts'
import { fromHex } from '../format/address.ts'

export interface EthTx {
  readonly hash: `0x${string}`
  readonly from: string
  readonly to: string | null
  readonly value: string
  readonly input: `0x${string}`
  readonly nonce: string
  readonly gas: string
  readonly gasPrice: string
  readonly type: string
  readonly blockNumber: string | null
}

export interface EthLog {
  readonly address: string
  readonly topics: readonly `0x${string}`[]
  readonly data: `0x${string}`
  readonly logIndex: string
}

interface EthReceipt {
  readonly status: string
  readonly gasUsed: string
  readonly effectiveGasPrice: string
  readonly contractAddress: string | null
  readonly logs: readonly EthLog[]
}

export interface FoundTx {
  /** Undefined while it waits for a block. */
  readonly height: bigint | undefined
  readonly time: string | undefined
  readonly index: number | undefined
  readonly one: BlockTx | undefined
  readonly eth: EthTx | undefined
  readonly receipt: EthReceipt | undefined
}

async function ethPart(hash: string, signal?: AbortSignal) {
  const found = await ask<EthTx | null>(eth('eth_getTransactionByHash', hash), { signal }).catch(() => null)
  if (!found) return undefined
  const receipt = found.blockNumber
    ? await ask<EthReceipt | null>(eth('eth_getTransactionReceipt', hash), { signal })
    : null
  return { found, receipt }
}

/** Rejects with `ApiError` 404 if there is no such transaction; `isBlock` tells whether it is the hash of a block. */
export async function findTx(text: string, signal?: AbortSignal): Promise<FoundTx> {
  const digits = text.replace(/^0x/, '').toUpperCase()
  if (!/^[0-9A-F]{64}$/.test(digits)) {
    throw new ApiError(`“${text}” is no hash: it has 64 hexadecimal digits, with or without 0x.`, 400)
  }
  let part = await ethPart(`0x${digits.toLowerCase()}`, signal)
  let height = part?.found.blockNumber ? BigInt(part.found.blockNumber) : undefined
  if (!part) {
    const found = await ask<{ tx_response: { height: string } }>(rest(`/sdk/tx/v1beta1/txs/${digits}`), {
      signal,
    }).catch((error: unknown) => {
      if (!(error instanceof ApiError && error.isAbsent)) throw error
      throw new ApiError('No block of this node has a transaction with this hash. The page shows it once one has.', 404)
    })
    height = BigInt(found.tx_response.height)
  }
  if (height === undefined) {
    return { height, time: undefined, index: undefined, one: undefined, eth: part?.found, receipt: undefined }
  }
  const block = await readBlock(height, signal)
  const index = block.txs.findIndex(
    ({ hash, ethHash }) => hash === digits || ethHash?.slice(2).toUpperCase() === digits,
  )
  const one = block.txs[index]
  if (!part && one?.ethHash) part = await ethPart(one.ethHash, signal)
  return { height, time: block.header.time, index, one, eth: part?.found, receipt: part?.receipt ?? undefined }
}

/** Returns the height of the block of a hash; undefined if there is no such block. */
export async function heightOfBlock(text: string): Promise<bigint | undefined> {
  const digits = text.replace(/^0x/, '')
  const hash = btoa(String.fromCharCode(...fromHex(digits)))
  const found = await ask<{ block?: { header: { height: string } } | null }>(engine('block_by_hash', { hash })).catch(
    () => undefined,
  )
  return found?.block ? BigInt(found.block.header.height) : undefined
}
