/** `almanac tx-decode`: decodes and validates signed Ethereum transactions. */
import { createInterface } from 'node:readline'
import { Command, InvalidArgumentError } from 'commander'
import { type ForkName, rulesOf } from '../evm/forks.ts'
import { decodeTransaction } from '../evm/transaction/decode.ts'
import { transactionHash } from '../evm/transaction/encode.ts'
import { refusalName } from '../evm/transaction/errors.ts'
import { recoverSender } from '../evm/transaction/sender.ts'
import { validateTransaction } from '../evm/transaction/validate.ts'
import { formatHex0x, parseHex } from '../primitives/bytes.ts'
import { requireFork } from './statetest.ts'

/** Runs `tx-decode --fork NAME` on the transactions in standard input. Returns the exit code. */
export async function txDecode(args: readonly string[]): Promise<number> {
  const command = new Command('almanac tx-decode')
    .description(
      'Read hexadecimal transactions from standard input, one a line, and print sender, hash and intrinsic gas, or the error, as JSON.',
    )
    .requiredOption('--fork <name>', 'fork whose rules apply, Frontier to Osaka')
    .option('--chain-id <id>', 'reject transactions signed for another chain (default: accept any)', parseChainId)
    .exitOverride()
    .parse([...args], { from: 'user' })
  const { fork: name, chainId } = command.opts<{ fork: string; chainId?: bigint }>()
  const fork = requireFork(name)
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    const text = line.trim()
    if (text !== '') process.stdout.write(`${JSON.stringify(describeTransaction(text, fork, chainId))}\n`)
  }
  return 0
}

function parseChainId(text: string): bigint {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('must be a whole number.')
  return BigInt(text)
}

export type TransactionDescription =
  | { readonly sender: string; readonly hash: string; readonly intrinsicGas: string }
  | { readonly error: string }

/** Returns sender, hash and intrinsic gas (a hexadecimal quantity) of a transaction that the fork accepts, else the error. */
export function describeTransaction(text: string, fork: ForkName, chainId?: bigint): TransactionDescription {
  const bytes = parseHex(text)
  if (!bytes) return { error: 'not hexadecimal' }
  const rules = rulesOf(fork)
  try {
    const transaction = decodeTransaction(bytes)
    const sender = recoverSender(transaction, {
      allowHighS: !rules.eips.has(2),
      ...(chainId === undefined ? {} : { chainId }),
    })
    const intrinsicGas = validateTransaction(transaction, rules)
    return {
      sender: formatHex0x(sender),
      hash: formatHex0x(transactionHash(transaction)),
      intrinsicGas: `0x${intrinsicGas.toString(16)}`,
    }
  } catch (error) {
    if (!refusalName(error)) throw error
    return { error: (error as Error).message }
  }
}
