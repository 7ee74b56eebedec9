/** A transaction of the command line: planned, priced, shown, signed and sent. */
import { fromBinary } from '@bufbuild/protobuf'
import type { Command } from 'commander'
import { createJsonWriter } from '../api/json.ts'
import { type GasPrice, parseGasPrices } from '../app/ante/gas-prices.ts'
import { TxSchema } from '../gen/sdk/tx/v1beta1/tx_pb.ts'
import type { Identity } from '../identity/types.ts'
import { formatBech32 } from '../primitives/address.ts'
import { formatBase64 } from '../primitives/bytes.ts'
import { tryParseText } from '../primitives/coin.ts'
import * as decimal from '../primitives/decimal.ts'
import { queryError } from '../primitives/errors.ts'
import { encodeSigned, encodeUnsigned, type Fee, type TxPlan } from '../sdk/sign-tx.ts'
import { addNodeOptions, type NodeClient, type NodeFlags, openNode } from './client.ts'
import type { KeyRecord, Keyring } from './keyring.ts'
import { addKeyringOptions, findKey, type KeyringFlags, openKeyring } from './keys.ts'
import { formatOutput, type OutputFormat, parseOutputFormat } from './output.ts'
import { identityOfFlags } from './profile.ts'
import type { Terminal } from './terminal.ts'

export interface TxFlags extends KeyringFlags, NodeFlags {
  readonly from: string
  readonly chainId?: string
  readonly accountNumber?: string
  readonly sequence?: string
  readonly gas: string
  readonly gasAdjustment: string
  readonly gasPrices?: string
  readonly fees?: string
  readonly feeGranter?: string
  readonly note: string
  readonly timeoutHeight: string
  readonly broadcastMode: string
  readonly dryRun?: boolean
  readonly generateOnly?: boolean
  readonly yes?: boolean
  readonly output: string
}

/** The flags that `feeOf` makes a fee of. */
export function addFeeOptions(command: Command): Command {
  return command
    .option('--gas-prices <coins>', 'price of a unit of gas, as 0.025unative (default: the least the node takes)')
    .option('--fees <coins>', 'the whole fee of a transaction, as 5000unative, in place of a price')
}

/** The flags of a command that sends a transaction. */
export function addTxOptions(command: Command): Command {
  return addFeeOptions(addNodeOptions(addKeyringOptions(command)))
    .requiredOption('--from <key>', 'name or address of the key that signs')
    .option('--chain-id <id>', 'chain to sign for (default: what the node says)')
    .option('--account-number <number>', 'of the signer (default: what the node says)')
    .option('--sequence <number>', 'of the signer (default: what the node says)')
    .option('--gas <gas>', 'gas limit, or auto: what a simulation used, times the adjustment', 'auto')
    .option('--gas-adjustment <factor>', 'factor for --gas auto', '1.4')
    .option('--fee-granter <address>', 'who pays the fee, by an allowance that it gave')
    .option('--note <text>', 'memo of the transaction', '')
    .option('--timeout-height <height>', 'last height at which the transaction may be included', '0')
    .option('--broadcast-mode <mode>', 'sync or async', 'sync')
    .option('--dry-run', 'simulate, print the gas, send nothing')
    .option('--generate-only', 'print the unsigned transaction, send nothing')
    .option('-y, --yes', 'send without asking')
}

export function parseUint(flag: string, text: string): bigint {
  if (!/^\d{1,20}$/.test(text)) throw queryError('invalidArgument', `--${flag} ${text}: not a whole number`)
  return BigInt(text)
}

interface Account {
  readonly number: bigint
  readonly sequence: bigint
}

/** Account number and sequence, also of accounts that wrap a base account. */
async function fetchAccount(node: NodeClient, address: string): Promise<Account> {
  const answer = (await node.get(`/sdk/auth/v1beta1/accounts/${address}`)) as { readonly account: unknown }
  const numbers = findNumbers(answer.account)
  if (!numbers) throw queryError('unknown', `the node shows no account number for ${address}`)
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

function pricesOf(text: string): readonly GasPrice[] {
  const prices = parseGasPrices(text)
  if (!prices) throw queryError('invalidArgument', `--gas-prices ${text}: not prices such as 0.025unative`)
  return prices
}

function grantedBy({ feeGranter }: Pick<TxFlags, 'feeGranter'>): Pick<Fee, 'granter'> {
  return feeGranter === undefined ? {} : { granter: feeGranter }
}

/** The fee of a transaction, by its flags. Throws 3 for what are no coins or prices. */
export async function feeOf(
  node: NodeClient,
  flags: Pick<TxFlags, 'fees' | 'gasPrices' | 'feeGranter'>,
  gasLimit: bigint,
): Promise<Fee> {
  const granted = grantedBy(flags)
  if (flags.fees !== undefined) {
    const amount = tryParseText(flags.fees)
    if (!amount) throw queryError('invalidArgument', `--fees ${flags.fees}: not coins such as 5000unative`)
    return { gasLimit, amount, ...granted }
  }
  const prices = pricesOf(flags.gasPrices ?? (await fetchMinGasPrice(node)))
  const amount = prices.map(({ denom, price }) => ({
    denom,
    amount: decimal.ceil(decimal.fromRaw(price * gasLimit)),
  }))
  return { gasLimit, amount: amount.filter((coin) => coin.amount > 0n), ...granted }
}

async function fetchMinGasPrice(node: NodeClient): Promise<string> {
  const config = (await node.get('/sdk/base/node/v1beta1/config')) as { readonly minimum_gas_price: string }
  return config.minimum_gas_price
}

/** Gas that a run would use. Throws what the run threw. */
async function simulateGas(node: NodeClient, tx: Uint8Array): Promise<bigint> {
  const answer = (await node.post('/sdk/tx/v1beta1/simulate', { tx_bytes: formatBase64(tx) })) as {
    readonly gas_info: { readonly gas_used: string }
  }
  return BigInt(answer.gas_info.gas_used)
}

/** A plan with the key of the keyring that signs it. */
type KeyedPlan = TxPlan & { readonly key: KeyRecord }

async function gasOf(node: NodeClient, plan: TxPlan, flags: TxFlags): Promise<bigint> {
  if (flags.gas !== 'auto') return parseUint('gas', flags.gas)
  const factor = decimal.parse(flags.gasAdjustment)
  if (factor === undefined || factor <= 0n) {
    throw queryError('invalidArgument', `--gas-adjustment ${flags.gasAdjustment}: not a positive number`)
  }
  const granted = grantedBy(flags)
  const used = await simulateGas(node, encodeUnsigned(plan, { gasLimit: 0n, amount: [], ...granted }))
  return decimal.ceil(decimal.mul(decimal.fromInteger(used), factor))
}

async function planOf(
  identity: Identity,
  node: NodeClient,
  flags: TxFlags,
  key: KeyRecord,
  messages: readonly TypedMessage[],
): Promise<KeyedPlan> {
  const offline = flags.accountNumber !== undefined && flags.sequence !== undefined
  const account = offline ? undefined : await fetchAccount(node, formatBech32(identity.bech32.account, key.address))
  const given = (name: string, text: string | undefined) => (text === undefined ? undefined : parseUint(name, text))
  return {
    identity,
    messages,
    key,
    memo: flags.note,
    timeoutHeight: parseUint('timeout-height', flags.timeoutHeight),
    chainId: flags.chainId ?? (await fetchChainId(node)),
    accountNumber: given('account-number', flags.accountNumber) ?? account!.number,
    sequence: given('sequence', flags.sequence) ?? account!.sequence,
  }
}

function txJson(identity: Identity, bytes: Uint8Array): unknown {
  return JSON.parse(createJsonWriter(identity).of(TxSchema)(fromBinary(TxSchema, bytes)))
}

/** A message with its type. */
export type TypedMessage = TxPlan['messages'][number]

/** What a command sends with, from its flags. */
export interface Sender {
  readonly identity: Identity
  readonly node: NodeClient
  /** Bytes of the signer's address. */
  readonly address: Uint8Array
}

/** Makes messages and sends them as one transaction, or shows what it would send. */
export async function sendTx(
  flags: TxFlags,
  terminal: Terminal,
  messagesOf: (sender: Sender) => readonly TypedMessage[] | Promise<readonly TypedMessage[]>,
): Promise<void> {
  const format = parseOutputFormat(flags.output)
  if (flags.broadcastMode !== 'sync' && flags.broadcastMode !== 'async') {
    throw queryError('invalidArgument', `--broadcast-mode ${flags.broadcastMode}: must be sync or async`)
  }
  const keyring = openKeyring(flags, terminal)
  const key = findKey(keyring, flags.from)
  const node = openNode(flags)
  const identity = identityOfFlags(flags)
  const messages = await messagesOf({ identity, node, address: key.address })
  const plan = await planOf(identity, node, flags, key, messages)
  const gasLimit = await gasOf(node, plan, flags)
  if (flags.dryRun) return terminal.print(formatOutput({ gas_estimate: gasLimit.toString() }, format))
  const fee = await feeOf(node, flags, gasLimit)
  const unsigned = encodeUnsigned(plan, fee)
  if (flags.generateOnly) return terminal.print(formatOutput(txJson(identity, unsigned), format))
  await confirm(identity, unsigned, flags, terminal)
  await signAndSend(node, keyring, plan, fee, flags, format, terminal)
}

async function confirm(identity: Identity, unsigned: Uint8Array, flags: TxFlags, terminal: Terminal): Promise<void> {
  if (flags.yes) return
  if (!terminal.interactive) throw queryError('aborted', 'nothing sent: nobody is there to ask; give --yes to send')
  terminal.note(formatOutput(txJson(identity, unsigned), 'yaml'))
  if ((await terminal.ask('Sign and send this? [y/N]'))?.toLowerCase() !== 'y') {
    throw queryError('aborted', 'nothing sent')
  }
}

async function signAndSend(
  node: NodeClient,
  keyring: Keyring,
  plan: KeyedPlan,
  fee: Fee,
  flags: TxFlags,
  format: OutputFormat,
  terminal: Terminal,
): Promise<void> {
  const tx = encodeSigned(plan, fee, await keyring.privateKey(plan.key.name))
  const mode = flags.broadcastMode === 'sync' ? 'BROADCAST_MODE_SYNC' : 'BROADCAST_MODE_ASYNC'
  const answer = (await node.post('/sdk/tx/v1beta1/txs', { tx_bytes: formatBase64(tx), mode })) as {
    readonly tx_response: { readonly code: number; readonly raw_log: string }
  }
  const { tx_response: response } = answer
  terminal.print(formatOutput(response, format))
  if (response.code !== 0)
    throw queryError('failedPrecondition', `the node refused the transaction: ${response.raw_log}`)
}
