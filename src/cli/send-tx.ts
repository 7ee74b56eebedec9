/** Transactions of the command line: estimates gas and fee, asks for confirmation, signs and sends. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { type Command, Option } from 'commander'
import { createJsonWriter } from '../api/json.ts'
import { TxRawSchema, TxSchema } from '../gen/sdk/tx/v1beta1/tx_pb.ts'
import type { Identity } from '../identity/types.ts'
import { formatBech32 } from '../primitives/address.ts'
import { queryError } from '../primitives/errors.ts'
import { encodeUnsigned, type Fee, type PlannedMessage, type UnsignedPlan } from '../sdk/sign-tx.ts'
import { addNodeOptions, type NodeClient, type NodeFlags, openNode } from './client.ts'
import type { Keyring } from './keyring.ts'
import { addKeyringOptions, findAnyKey, findKey, type KeyringFlags, openKeyring, tryParseAddress } from './keys/open.ts'
import type { KeyRecord } from './keys/record.ts'
import { formatOutput, parseOutputFormat } from './output.ts'
import { identityOfFlags } from './profile.ts'
import type { Terminal } from './terminal.ts'
import { type FactFlags, type Facts, factsOf, parseUint } from './tx/account.ts'
import { addFeeOptions, type FeeFlags, feeOf, gasOf } from './tx/fee.ts'
import { checkSendFlags, type SendFlags, sendAndPrint } from './tx/outcome.ts'
import { decodeBytes, parseSignMode, signDecoded } from './tx/signing.ts'

export interface TxFlags extends KeyringFlags, NodeFlags, FeeFlags, FactFlags, SendFlags {
  readonly from?: string
  readonly gas: string
  readonly gasAdjustment: string
  readonly note: string
  readonly timeoutHeight: string
  readonly signMode: string
  readonly dryRun?: boolean
  readonly generateOnly?: boolean
  readonly yes?: boolean
  readonly output: string
}

/** Adds the flags that say what a signature covers besides the transaction. */
export function addFactOptions(command: Command): Command {
  return command
    .option('--chain-id <id>', 'chain id to sign for (default: that of the node)')
    .option('--account-number <number>', 'account number of the signer (default: queried from the node)')
    .option('--sequence <number>', 'sequence of the signer (default: queried from the node)')
    .option('--offline', 'do not ask a node: --chain-id, --account-number and --sequence are required')
}

/** Adds the flags that say until when a command waits. */
export function addSendOptions(command: Command): Command {
  return command
    .option('--async', 'do not wait for the block: print the result of admission')
    .option('--timeout <time>', 'longest time to wait for the block, such as 30s or 2m', '60s')
    .option(
      '-b, --broadcast-mode <mode>',
      'block (wait for it), sync (as --async), or async (wait for nothing)',
      'block',
    )
}

/** Adds the flags of a command that sends a transaction. */
export function addTxOptions(command: Command): Command {
  addFactOptions(addFeeOptions(addNodeOptions(addKeyringOptions(command))))
    .option('--from <key>', 'name or address of the key that signs')
    .option('--gas <gas>', 'gas limit, or auto: gas used by a simulation times --gas-adjustment', 'auto')
    .option('--gas-adjustment <factor>', 'factor for --gas auto', '1.4')
    .option('--fee-granter <address>', 'account that pays the fee under a fee allowance (default: the signer)')
    .option('--fee-payer <address>', 'account that pays the fee and signs too; with --generate-only')
    .addOption(new Option('--note <text>', 'memo of the transaction').default('', 'none'))
    .option('--timeout-height <height>', 'last height at which the transaction can be included; 0: no limit', '0')
    .option('--sign-mode <mode>', 'direct, or amino-json (for signers that show what they sign)', 'direct')
    .option('--dry-run', 'simulate the transaction and print its gas without sending it')
    .option('--generate-only', 'print the unsigned transaction without sending it')
    .option('-y, --yes', 'send without confirmation')
  return addSendOptions(command)
}

/** A message with its schema. */
export type TypedMessage = PlannedMessage

/** The signer, node and names with which a command sends, from its flags. */
export interface Sender {
  readonly identity: Identity
  readonly node: NodeClient
  /** Address of the signer, 20 bytes. */
  readonly address: Uint8Array
}

/** The signer of a transaction. It has no key here if it is a multisig, or another person's. */
interface Signer {
  readonly address: Uint8Array
  readonly key?: KeyRecord
}

function signerOf(keyring: Keyring, { from, generateOnly }: TxFlags): Signer {
  if (from === undefined)
    throw queryError('invalidArgument', '--from is missing: name the key that signs, as `almanac keys list` shows it')
  if (!generateOnly) return keyOf(findKey(keyring, from))
  const address = tryParseAddress(from)
  const known = keyring.list().find(({ name }) => name === from)
  if (address && !known) {
    const key = keyring.list().find((record) => formatBech32('x', record.address) === formatBech32('x', address))
    return key && key.place !== 'multi' ? keyOf(key) : { address }
  }
  const record = findAnyKey(keyring, from)
  return record.place === 'multi' ? { address: record.address } : keyOf(record)
}

const keyOf = (key: KeyRecord): Signer => ({ address: key.address, key })

/** Gas limit of a transaction that no simulation can measure, as in the family. */
const DEFAULT_GAS = 200_000n

async function feeOfPlan(node: NodeClient, plan: UnsignedPlan, flags: TxFlags): Promise<Fee> {
  const isUnmeasured = flags.gas === 'auto' && (flags.offline || !plan.key || flags.feePayer !== undefined)
  const gasLimit = isUnmeasured ? DEFAULT_GAS : await gasOf(node, plan, flags)
  if (flags.offline && flags.fees === undefined && flags.gasPrices === undefined) return { gasLimit, amount: [] }
  return await feeOf(node, flags, gasLimit)
}

/** Throws `invalidArgument` if the transaction needs the signature of a fee payer, and would be sent without it. */
function checkFeePayer({ feePayer, generateOnly, dryRun }: TxFlags): void {
  if (feePayer === undefined || (generateOnly && !dryRun)) return
  throw queryError(
    'invalidArgument',
    `--fee-payer ${feePayer}: it signs too, so add --generate-only; both then sign the file with \`almanac tx sign\``,
  )
}

function planOf(
  identity: Identity,
  flags: TxFlags,
  { key }: Signer,
  messages: readonly TypedMessage[],
  facts: Facts,
): UnsignedPlan {
  const timeoutHeight = parseUint('--timeout-height', flags.timeoutHeight)
  return { identity, messages, key, memo: flags.note, timeoutHeight, ...facts }
}

export function txJson(identity: Identity, bytes: Uint8Array): unknown {
  return JSON.parse(createJsonWriter(identity).of(TxSchema)(fromBinary(TxSchema, bytes)))
}

/** Makes messages and sends them as one transaction, or prints the transaction or its gas if a flag selects that. */
export async function sendTx(
  flags: TxFlags,
  terminal: Terminal,
  messagesOf: (sender: Sender) => readonly TypedMessage[] | Promise<readonly TypedMessage[]>,
): Promise<void> {
  const format = parseOutputFormat(flags.output)
  checkSendFlags(flags)
  checkFeePayer(flags)
  const mode = parseSignMode(flags.signMode)
  const keyring = openKeyring(flags, terminal)
  const signer = signerOf(keyring, flags)
  const node = openNode(flags)
  const identity = identityOfFlags(flags)
  const { address, key } = signer
  const messages = await messagesOf({ identity, node, address })
  const facts = await factsOf(() => node, flags, formatBech32(identity.bech32.account, address))
  const plan = planOf(identity, flags, signer, messages, facts)
  if (flags.dryRun) {
    const gas = await gasOf(node, plan, flags)
    return terminal.print(formatOutput({ gas_estimate: gas.toString() }, format))
  }
  const fee = await feeOfPlan(node, plan, flags)
  if (flags.generateOnly || !key)
    return terminal.print(formatOutput(txJson(identity, encodeUnsigned(plan, fee)), format))
  const unsigned = encodeUnsigned(plan, fee, mode)
  await confirm(identity, unsigned, flags, terminal)
  const signature = await signDecoded(identity, keyring, key, decodeBytes(identity, unsigned), mode, facts)
  const raw = fromBinary(TxRawSchema, unsigned)
  const signed = toBinary(TxRawSchema, create(TxRawSchema, { ...raw, signatures: [signature] }))
  await sendAndPrint(node, signed, flags, format, terminal)
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
