/** `almanac genesis gentx` and `collect-gentxs`: the transactions by which the first validators enter the genesis document. */

import { join } from 'node:path'
import { create, fromBinary, type JsonValue, toBinary } from '@bufbuild/protobuf'
import type { Command } from 'commander'
import { validateGenesis } from '../../app/genesis-validate.ts'
import { GENESIS_TRANSACTIONS } from '../../app/unbuilt-sections.ts'
import { PubKeySchema } from '../../gen/sdk/crypto/ed25519/keys_pb.ts'
import { SignMode } from '../../gen/sdk/tx/signing/v1beta1/signing_pb.ts'
import { TxRawSchema } from '../../gen/sdk/tx/v1beta1/tx_pb.ts'
import type { Identity } from '../../identity/types.ts'
import { diskFiles } from '../../node/files.ts'
import { homePaths } from '../../node/home-paths.ts'
import { chooseProfile } from '../../node/profile.ts'
import { parseValidatorKey } from '../../node/validator-key.ts'
import { formatBech32 } from '../../primitives/address.ts'
import { formatBase64, formatHex } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { encodeUnsigned, type UnsignedPlan } from '../../sdk/sign-tx.ts'
import { addHomeOptions, addKeyringOptions, findKey, type KeyringFlags, openKeyring } from '../keys/open.ts'
import { identityOfFlags } from '../profile.ts'
import { txJson } from '../send-tx.ts'
import { homeOf, resolveSettings } from '../settings.ts'
import type { Terminal } from '../terminal.ts'
import { coinsOf, messageOf } from '../tx/family.ts'
import { decodeBytes, signDecoded } from '../tx/signing.ts'
import { gentxFolder, listOf, readPrepared, sectionOf, writePrepared } from './document.ts'

interface GentxFlags extends KeyringFlags {
  readonly moniker?: string
  readonly commissionRate: string
  readonly commissionMaxRate: string
  readonly commissionMaxChangeRate: string
  readonly minSelfDelegation: string
  readonly pubkey?: string
  readonly outputDocument?: string
  readonly [text: string]: unknown
}

const GAS = 200_000n

/** Adds both commands. */
export function addGentxCommands(parent: Command, terminal: Terminal): void {
  const gentx = addKeyringOptions(
    parent
      .command('gentx <key> <coin>')
      .description(
        'Sign the transaction by which the key becomes a validator at genesis, with a stake such as 1000000unative',
      ),
  )
    .option('--moniker <text>', 'name of the validator (default: node.moniker)')
    .option('--identity <text>', 'signature of an identity service, such as a Keybase id')
    .option('--website <text>', 'address of a web page')
    .option('--security-contact <text>', 'address for reports of security problems')
    .option('--details <text>', 'any other text')
    .option('--commission-rate <rate>', 'commission', '0.1')
    .option('--commission-max-rate <rate>', 'highest commission that the validator can ever have', '0.2')
    .option('--commission-max-change-rate <rate>', 'largest change of the commission in a day', '0.01')
    .option('--min-self-delegation <amount>', 'stake of its own that the validator keeps', '1')
    .option('--pubkey <json>', 'key of the validator (default: that of the home, in priv_validator_key.json)')
    .option('--output-document <path>', 'file of the transaction (default: config/gentx/ in the home)')
  gentx.action((key: string, coin: string) => makeGentx(key, coin, gentx.opts<GentxFlags>(), terminal))

  const collect = addHomeOptions(
    parent.command('collect-gentxs').description('Put the transactions in config/gentx/ into the genesis document'),
  ).option('--gentx-dir <dir>', 'folder of the transactions (default: config/gentx/ in the home)')
  collect.action(() => collectGentxs(collect.opts(), terminal))
}

function keyJsonOf(identity: Identity, home: string, text: string | undefined): unknown {
  if (text !== undefined) {
    try {
      return JSON.parse(text)
    } catch {
      throw queryError(
        'invalidArgument',
        '--pubkey: must be JSON such as {"@type": "…ed25519.PubKey", "key": "base64"}',
      )
    }
  }
  const path = homePaths(home).validatorKey
  const file = diskFiles.read(path)
  if (file === undefined) throw queryError('notFound', `${path}: no such file; \`almanac init MONIKER\` makes it`)
  const { publicKey } = parseValidatorKey(file, path)
  return { '@type': `/${identity.toProfileName(PubKeySchema.typeName)}`, key: formatBase64(publicKey) }
}

async function makeGentx(name: string, coin: string, flags: GentxFlags, terminal: Terminal): Promise<void> {
  const identity = identityOfFlags(flags)
  const home = homeOf(flags.home)
  const document = readPrepared(home)
  const keyring = openKeyring(flags, terminal)
  const key = findKey(keyring, name)
  const address = formatBech32(identity.bech32.account, key.address)
  const [value, ...more] = coinsOf('coin', coin)
  if (!value || more.length > 0) throw queryError('invalidArgument', `${coin}: must be one coin such as 1000000unative`)
  const text = (field: string) => (typeof flags[field] === 'string' ? flags[field] : '')
  const message = messageOf(identity, 'sdk.staking.v1beta1.MsgCreateValidator', {
    description: {
      moniker: flags.moniker ?? resolveSettings({}, home).config.node.moniker,
      identity: text('identity'),
      website: text('website'),
      security_contact: text('securityContact'),
      details: text('details'),
    },
    commission: {
      rate: flags.commissionRate,
      max_rate: flags.commissionMaxRate,
      max_change_rate: flags.commissionMaxChangeRate,
    },
    min_self_delegation: flags.minSelfDelegation,
    delegator_address: address,
    validator_address: formatBech32(identity.bech32.validator, key.address),
    pubkey: keyJsonOf(identity, home, flags.pubkey),
    value,
  })
  requireFunds(document, address, value)
  const facts = { chainId: document.chain_id, accountNumber: 0n, sequence: 0n }
  const plan: UnsignedPlan = { identity, messages: [message], key, memo: '', timeoutHeight: 0n, ...facts }
  const unsigned = encodeUnsigned(plan, { gasLimit: GAS, amount: [] }, SignMode.DIRECT)
  const signature = await signDecoded(identity, keyring, key, decodeBytes(identity, unsigned), SignMode.DIRECT, facts)
  const raw = fromBinary(TxRawSchema, unsigned)
  const signed = toBinary(TxRawSchema, create(TxRawSchema, { ...raw, signatures: [signature] }))
  const path = flags.outputDocument ?? join(gentxFolder(home), `gentx-${formatHex(key.address)}.json`)
  diskFiles.write(path, `${JSON.stringify(txJson(identity, signed))}\n`)
  terminal.note(
    `The genesis transaction is in ${path}: \`almanac genesis collect-gentxs\` takes those of all validators.`,
  )
}

/** Throws `failedPrecondition` for an account that has less than its stake at genesis. */
function requireFunds(
  document: Parameters<typeof sectionOf>[0],
  address: string,
  { denom, amount }: { readonly denom: string; readonly amount: string },
): void {
  interface Balance {
    readonly address: string
    readonly coins: readonly { readonly denom: string; readonly amount: string }[]
  }
  const balances = listOf<Balance>(sectionOf(document, 'bank'), 'balances')
  const coin = balances.find((balance) => balance.address === address)?.coins.find((one) => one.denom === denom)
  if (coin && BigInt(coin.amount) >= BigInt(amount)) return
  throw queryError(
    'failedPrecondition',
    `${address} has ${coin?.amount ?? '0'}${denom} at genesis, less than the stake: \`almanac genesis add-account\` funds it`,
  )
}

interface CollectFlags extends KeyringFlags {
  readonly gentxDir?: string
}

function collectGentxs(flags: CollectFlags, terminal: Terminal): void {
  const home = homeOf(flags.home)
  const document = readPrepared(home)
  const folder = flags.gentxDir ?? gentxFolder(home)
  const files = diskFiles
    .list(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
  if (files.length === 0)
    throw queryError('notFound', `${folder}: no genesis transactions; \`almanac genesis gentx\` makes one`)
  const transactions = files.map((name) => {
    const path = join(folder, name)
    try {
      return JSON.parse(diskFiles.read(path) ?? '') as JsonValue
    } catch (error) {
      throw queryError('invalidArgument', `${path}: must be JSON: ${(error as Error).message}`)
    }
  })
  const complete = {
    ...document,
    app_state: { ...document.app_state, [GENESIS_TRANSACTIONS]: { gen_txs: transactions } },
  }
  const { profile } = chooseProfile(flags.profile ?? resolveSettings({}, home).config.chain.profile, diskFiles)
  const { validators, chain_id: chainId } = validateGenesis(complete, profile)
  writePrepared(home, complete)
  terminal.note(
    `${chainId} begins with ${validators} validator${validators === 1 ? '' : 's'}: start it by \`almanac start\`.`,
  )
}
