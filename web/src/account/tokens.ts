/** ERC-20s: what a token says of itself, and the transfers that tokens have reported. */
import type { Hex } from 'viem'
import type { ContractFunction } from '../abi/codec.ts'
import { ApiError, ask } from '../api/ask.ts'
import { blockTag } from '../api/height.ts'
import { eth, type Question } from '../api/question.ts'

export interface Token {
  readonly name: string
  readonly symbol: string
  readonly decimals: number
  /** Unit: 10^-decimals. */
  readonly supply: bigint
}

const TOKEN_FUNCTIONS = ['name', 'symbol', 'decimals', 'totalSupply'] as const

/** Codes of JSON-RPC for a call that reverts, and for one that fails otherwise. */
const FAILED_CALLS: ReadonlySet<number | undefined> = new Set([3, -32000])

/** Calls a function of a contract. Returns the decoded outputs; undefined if the call fails, or returns something else. */
export async function read(
  contract: string,
  item: ContractFunction,
  args: readonly string[],
  height: bigint | undefined,
  signal: AbortSignal,
) {
  const { decodeOutput, encodeCall } = await import('../abi/codec.ts')
  const call = { to: contract, data: encodeCall(item, args) }
  const output = await ask<Hex>(eth('eth_call', call, blockTag(height)), { signal }).catch((error: unknown) => {
    if (error instanceof ApiError && FAILED_CALLS.has(error.code)) return undefined
    throw error
  })
  if (output === undefined) return undefined
  try {
    return decodeOutput(item, output)
  } catch {
    return undefined
  }
}

/** Returns what a contract says of itself as a token; undefined if it lacks name, symbol, decimals or supply. */
export async function tokenOf(
  contract: string,
  height: bigint | undefined,
  signal: AbortSignal,
): Promise<Token | undefined> {
  const { TOKENS } = await import('../abi/standard.ts')
  const functionOf = (name: string) => TOKENS.find((item) => item.name === name) as ContractFunction
  const outputs = await Promise.all(TOKEN_FUNCTIONS.map((name) => read(contract, functionOf(name), [], height, signal)))
  const [name, symbol, decimals, supply] = outputs.map((fields) => fields?.[0]?.value)
  if (name === undefined || symbol === undefined || decimals === undefined || supply === undefined) return undefined
  return { name, symbol, decimals: Number(decimals), supply: BigInt(supply) }
}

/** Topic of `Transfer(address,address,uint256)`. ERC-721 has the same topic, and the number of the token as a fourth. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** A log with the topic of a transfer. */
export interface TransferLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly transactionHash: string
  readonly blockNumber: string
  readonly logIndex: string
}

/** Returns the question for the transfers from or to an account up to a height. */
export function transfersOf(hex: string, side: 'from' | 'to', height: bigint | undefined): Question {
  const account = `0x${hex.slice(2).toLowerCase().padStart(64, '0')}`
  const topics = side === 'from' ? [TRANSFER, account] : [TRANSFER, null, account]
  return eth('eth_getLogs', { fromBlock: '0x1', toBlock: blockTag(height), topics })
}
