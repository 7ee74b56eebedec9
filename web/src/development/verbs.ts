/** Methods of development chains, by the console's own path to JSON-RPC. */
import { ask } from '../api/ask.ts'
import { eth } from '../api/question.ts'

/** Calls a method. Rejects with `ApiError`. */
export const verb = <Result>(method: string, ...params: readonly unknown[]): Promise<Result> =>
  ask<Result>(eth(method, ...params))

export const toQuantity = (value: bigint): string => `0x${value.toString(16)}`

export interface Receipt {
  readonly status: string
  readonly contractAddress: string | null
  readonly blockNumber: string
}

/** Time to wait for a block with a transaction. Unit: milliseconds. */
const LONGEST_WAIT_MS = 60_000
const PAUSE_MS = 300

/** Waits until a transaction is in a block. Rejects if none comes, as when blocks are paused. */
export async function receiptOf(hash: string): Promise<Receipt> {
  for (let waited = 0; waited < LONGEST_WAIT_MS; waited += PAUSE_MS) {
    const receipt = await verb<Receipt | null>('eth_getTransactionReceipt', hash)
    if (receipt) return receipt
    await new Promise<void>((done) => setTimeout(done, PAUSE_MS))
  }
  throw new Error(`Transaction ${hash} waits for a block. Mine one, or let the chain make blocks.`)
}
