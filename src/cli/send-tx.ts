/** Transactions of the command line: estimates gas and fee, asks for confirmation, signs and sends. */
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
import type { Keyring } from './keyring.ts'
import { addKeyringOptions, findKey, type KeyringFlags, openKeyring } from './keys/open.ts'
import type { KeyRecord } from './keys/record.ts'
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

/** Adds the flags from which `feeOf` computes a fee. */
export function addFeeOptions(command: Command): Command {
  return command
    .option('--gas-prices <coins>', 'price of one unit of gas, such as 0.025unative (default: the minimum of the node)')
    .option('--fees <coins>', 'total fee of the transaction, such as 5000unative; overrides --gas-prices')
}

/** Adds the flags of a command that sends a transaction. */
export function addTxOptions(command: Command): Command {
  return addFeeOptions(addNodeOptions(addKeyringOptions(command)))
    .requiredOption('--from <key>', 'name or address of the key that signs')
    .option('--chain-id <id>', 'chain id to sign for (default: that of the node)')
    .option('--account-number <number>', 'account number of the signer (default: queried from the node)')
    .option('--sequence <number>', 'sequence of the signer (default: queried from the node)')
    .option('--gas <gas>', 'gas limit, or auto: gas used by a simulation times --gas-adjustment', 'auto')
    .option('--gas-adjustment <factor>', 'factor for --gas auto', '1.4')
    .option('--fee-granter <address>', 'account that pays the fee under a fee allowance (default: the signer)')
    .option('--note <text>', 'memo of the transaction', '')
    .option('--timeout-height <height>', 'last height at which the transaction can be included; 0: no limit', '0')
    .option('--broadcast-mode <mode>', 'sync (wait for the result of admission) or async (do not wait)', 'sync')
    .option('--dry-run', 'simulate the transaction and print its gas without sending it')
    .option('--generate-only', 'print the unsigned transaction without sending it')
    .option('-y, --yes', 'send without confirmation')
}

/** Parses a whole number of up to 20 digits. Throws `invalidArgument` that names the flag or argument. */
export function parseUint(source: string, text: string): bigint {
  if (!/^\d{1,20}$/.test(text)) throw queryError('invalidArgument', `${source} ${text}: must be a whole number`)
  return BigInt(text)
}

interface Account {
  readonly number: bigint
  readonly sequence: bigint
}

/** Returns number and sequence of an account. Finds them in an account that wraps a base account too. */
async function fetchAccount(node: NodeClient, address: string): Promise<Account> {
  const answer = (await node.get(`/sdk/auth/v1beta1/accounts/${address}`)) as { readonly account: unknown }
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

function pricesOf(text: string): readonly GasPrice[] {
  const prices = parseGasPrices(text)
  if (!prices) throw queryError('invalidArgument', `--gas-prices ${text}: must be prices such as 0.025unative`)
  return prices
}

function granterOf({ feeGranter }: Pick<TxFlags, 'feeGranter'>): Pick<Fee, 'granter'> {
  return feeGranter === undefined ? {} : { granter: feeGranter }
}

/** Computes the fee of a transaction from its flags. Throws `invalidArgument` for invalid coins or prices. */
export async function feeOf(
  node: NodeClient,
  flags: Pick<TxFlags, 'fees' | 'gasPrices' | 'feeGranter'>,
  gasLimit: bigint,
): Promise<Fee> {
  const granter = granterOf(flags)
  if (flags.fees !== undefined) {
    const amount = tryParseText(flags.fees)
    if (!amount) throw queryError('invalidArgument', `--fees ${flags.fees}: must be coins such as 5000unative`)
    return { gasLimit, amount, ...granter }
  }
  const prices = pricesOf(flags.gasPrices ?? (await fetchMinGasPrice(node)))
  const amount = prices.map(({ denom, price }) => ({
    denom,
    amount: decimal.ceil(decimal.fromRaw(price * gasLimit)),
  }))
  return { gasLimit, amount: amount.filter((coin) => coin.amount > 0n), ...granter }
}

async function fetchMinGasPrice(node: NodeClient): Promise<string> {
  const config = (await node.get('/sdk/base/node/v1beta1/config')) as { readonly minimum_gas_price: string }
  return config.minimum_gas_price
}

/** Returns the gas that a transaction would use. Throws the error of the simulation if it fails. */
async function simulateGas(node: NodeClient, tx: Uint8Array): Promise<bigint> {
  const answer = (await node.post('/sdk/tx/v1beta1/simulate', { tx_bytes: formatBase64(tx) })) as {
    readonly gas_info: { readonly gas_used: string }
  }
  return BigInt(answer.gas_info.gas_used)
}

/** A transaction plan with the keyring's key that signs it. */
type KeyedPlan = TxPlan & { readonly key: KeyRecord }

async function gasOf(node: NodeClient, plan: TxPlan, flags: TxFlags): Promise<bigint> {
  if (flags.gas !== 'auto') return parseUint('--gas', flags.gas)
  const factor = decimal.parse(flags.gasAdjustment)
  if (factor === undefined || factor <= 0n) {
    throw queryError('invalidArgument', `--gas-adjustment ${flags.gasAdjustment}: must be a positive number`)
  }
  const granter = granterOf(flags)
  const used = await simulateGas(node, encodeUnsigned(plan, { gasLimit: 0n, amount: [], ...granter }))
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
  const parsed = (flag: string, text: string | undefined) => (text === undefined ? undefined : parseUint(flag, text))
  return {
    identity,
    messages,
    key,
    memo: flags.note,
    timeoutHeight: parseUint('--timeout-height', flags.timeoutHeight),
    chainId: flags.chainId ?? (await fetchChainId(node)),
    accountNumber: parsed('--account-number', flags.accountNumber) ?? account!.number,
    sequence: parsed('--sequence', flags.sequence) ?? account!.sequence,
  }
}

function txJson(identity: Identity, bytes: Uint8Array): unknown {
  return JSON.parse(createJsonWriter(identity).of(TxSchema)(fromBinary(TxSchema, bytes)))
}

/** A message with its schema. */
export type TypedMessage = TxPlan['messages'][number]

/** The signer, node and names with which a command sends, from its flags. */
export interface Sender {
  readonly identity: Identity
  readonly node: NodeClient
  /** Address of the signer, 20 bytes. */
  readonly address: Uint8Array
}

/** Makes messages and sends them as one transaction, or prints the transaction or its gas if a flag selects that. */
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
  if (!terminal.interactive)
    throw queryError('aborted', 'nothing sent: standard input is not a terminal, so confirm with --yes')
  terminal.note(formatOutput(txJson(identity, unsigned), 'yaml'))
  if ((await terminal.ask('Sign and send this transaction? [y/N]'))?.toLowerCase() !== 'y') {
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
