/** The facts of a chain and of an account that a signature covers. */
import { ChainError, queryError } from '../../primitives/errors.ts'
import type { NodeClient } from '../client.ts'

interface Account {
  readonly number: bigint
  readonly sequence: bigint
}

/** Returns number and sequence of an account. Finds them in an account that wraps a base account too. */
async function fetchAccount(node: NodeClient, address: string): Promise<Account> {
  let answer: { readonly account: unknown }
  try {
    answer = (await node.get(`/sdk/auth/v1beta1/accounts/${address}`)) as typeof answer
  } catch (error) {
    if (!(error instanceof ChainError) || error.status !== 'notFound') throw error
    throw queryError('notFound', `account ${address} not found on the chain: it exists once it has received coins`)
  }
  const numbers = findNumbers(answer.account)
  if (!numbers) throw queryError('unknown', `the node at ${node.url} returned no account number for ${address}`)
  return { number: BigInt(numbers.account_number), sequence: BigInt(numbers.sequence) }
}

function findNumbers(value: unknown): { readonly account_number: string; readonly sequence: string } | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { account_number: number, sequence } = value as Record<string, unknown>
  if (typeof number === 'string' && typeof sequence === 'string') return { account_number: number, sequence }
  for (const part of Object.values(value)) {
    const found = findNumbers(part)
    if (found) return found
  }
  return undefined
}

export async function fetchChainId(node: NodeClient): Promise<string> {
  const answer = (await node.get('/sdk/base/tendermint/v1beta1/node_info')) as {
    readonly default_node_info: { readonly network: string }
  }
  return answer.default_node_info.network
}

export interface FactFlags {
  readonly chainId?: string
  readonly accountNumber?: string
  readonly sequence?: string
  readonly offline?: boolean
}

export interface Facts {
  readonly chainId: string
  readonly accountNumber: bigint
  readonly sequence: bigint
}

/**
 * Returns what a signature of an account covers, from flags and otherwise from the node. Throws `invalidArgument` for a chain id
 * that is not the node's, and for what is missing with `--offline`.
 */
export async function factsOf(node: () => NodeClient, flags: FactFlags, address: string): Promise<Facts> {
  const { chainId, offline } = flags
  const [number, sequence] = [
    parseIfSet('--account-number', flags.accountNumber),
    parseIfSet('--sequence', flags.sequence),
  ]
  if (offline && (chainId === undefined || number === undefined || sequence === undefined)) {
    throw queryError('invalidArgument', '--offline needs --chain-id, --account-number and --sequence')
  }
  if (chainId !== undefined && number !== undefined && sequence !== undefined) {
    return { chainId, accountNumber: number, sequence }
  }
  const client = node()
  const chain = await fetchChainId(client)
  if (chainId !== undefined && chainId !== chain) {
    throw queryError('invalidArgument', `--chain-id ${chainId}: the node at ${client.url} runs ${chain}`)
  }
  const account = number === undefined || sequence === undefined ? await fetchAccount(client, address) : undefined
  return { chainId: chain, accountNumber: number ?? account!.number, sequence: sequence ?? account!.sequence }
}

/** Parses a whole number of up to 20 digits. Throws `invalidArgument` that names the flag or argument. */
export function parseUint(source: string, text: string): bigint {
  if (!/^\d{1,20}$/.test(text)) throw queryError('invalidArgument', `${source} ${text}: must be a whole number`)
  return BigInt(text)
}

const parseIfSet = (flag: string, text: string | undefined): bigint | undefined =>
  text === undefined ? undefined : parseUint(flag, text)
