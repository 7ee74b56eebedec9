/** Commands of `almanac tx` whose arguments do not follow from one message: those of the family's own tool. */
import type { Command } from 'commander'
import { readJson } from '../../api/json-read.ts'
import { messageType } from '../../identity/registry.ts'
import type { Identity } from '../../identity/types.ts'
import { parseRates, voteHash } from '../../modules/oracle/vote-text.ts'
import { readInputText } from '../../node/input-file.ts'
import { formatBech32 } from '../../primitives/address.ts'
import * as coin from '../../primitives/coin.ts'
import { queryError } from '../../primitives/errors.ts'
import { addTxOptions, type Sender, sendTx, type TxFlags, type TypedMessage } from '../send-tx.ts'
import type { Terminal } from '../terminal.ts'

type Json = Readonly<Record<string, unknown>>

/** Makes a message from JSON with the fields of its descriptor. Throws `invalidArgument` that names the field. */
export function messageOf(identity: Identity, typeName: string, json: Json): TypedMessage {
  const schema = messageType(typeName)!
  return { schema, message: readJson(identity, schema, JSON.stringify(json)) }
}

const accountOf = ({ identity, address }: Sender): string => formatBech32(identity.bech32.account, address)

/** Returns the JSON of coins. Throws `invalidArgument` that names the flag or argument. */
export function coinsOf(source: string, text: string): { denom: string; amount: string }[] {
  const coins = coin.tryParseText(text)
  if (!coins) throw queryError('invalidArgument', `${source} ${text}: must be coins such as 5unative`)
  return coins.map(coin.toText)
}

/** Returns one coin. Throws `invalidArgument` that names the flag. */
function coinOf(source: string, text: string): { denom: string; amount: string } {
  const [first, ...more] = coinsOf(source, text)
  if (!first || more.length > 0)
    throw queryError('invalidArgument', `${source} ${text}: must be one coin such as 5unative`)
  return first
}

type Make = (sender: Sender, args: readonly string[], flags: Json) => TypedMessage[] | Promise<TypedMessage[]>

interface FamilyCommand {
  readonly words: string
  readonly about: string
  readonly options?: readonly (readonly [flags: string, about: string])[]
  /** Whether the first argument is the signer, as with `--from`. */
  readonly fromFirst?: boolean
  readonly make: Make
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Splits coins evenly among receivers. Throws `invalidArgument` for an amount that cannot be split. */
function sharesOf(amount: string, receivers: number, split: unknown): { denom: string; amount: string }[] {
  const coins = coinsOf('amount', amount)
  if (!split) return coins
  return coins.map(({ denom, amount: whole }) => ({ denom, amount: (BigInt(whole) / BigInt(receivers)).toString() }))
}

const BANK: readonly FamilyCommand[] = [
  {
    words: 'multi-send [args...]',
    about: 'Send the same coins to several accounts: FROM TO… COINS',
    options: [['--split', 'divide the coins among the accounts instead']],
    fromFirst: true,
    make(sender, args, { split }) {
      const receivers = args.slice(0, -1)
      if (receivers.length === 0)
        throw queryError('invalidArgument', 'no accounts: give FROM, one or more TO, and COINS')
      const share = sharesOf(args.at(-1)!, receivers.length, split)
      const total = share.map(({ denom, amount }) => ({
        denom,
        amount: (BigInt(amount) * BigInt(receivers.length)).toString(),
      }))
      const inputs = [{ address: accountOf(sender), coins: total }]
      const outputs = receivers.map((address) => ({ address, coins: share }))
      return [messageOf(sender.identity, 'sdk.bank.v1beta1.MsgMultiSend', { inputs, outputs })]
    },
  },
]

const rewards = (sender: Sender, validator: string): TypedMessage =>
  messageOf(sender.identity, 'sdk.distribution.v1beta1.MsgWithdrawDelegatorReward', {
    delegator_address: accountOf(sender),
    validator_address: validator,
  })

const DISTRIBUTION: readonly FamilyCommand[] = [
  {
    words: 'withdraw-rewards <validator>',
    about: 'Withdraw the rewards of a delegation, and with --commission those of the validator',
    options: [['--commission', 'withdraw the commission of the validator, too']],
    make(sender, [validator = ''], { commission }) {
      const type = 'sdk.distribution.v1beta1.MsgWithdrawValidatorCommission'
      const more = commission ? [messageOf(sender.identity, type, { validator_address: validator })] : []
      return [rewards(sender, validator), ...more]
    },
  },
  {
    words: 'withdraw-all-rewards',
    about: 'Withdraw the rewards of all delegations of the signer',
    async make(sender) {
      const path = `/cosmos/distribution/v1beta1/delegators/${accountOf(sender)}/validators`
      const { validators } = (await sender.node.get(path)) as { readonly validators: readonly string[] }
      if (validators.length === 0) throw queryError('notFound', `${accountOf(sender)} delegates to no validator`)
      return validators.map((validator) => rewards(sender, validator))
    },
  },
]

/** Returns the JSON of an allowance from the flags of `feegrant grant`. */
function allowanceOf(identity: Identity, flags: Json): Json {
  const typed = (name: string, fields: Json) => ({
    '@type': `/${identity.toProfileName(`sdk.feegrant.v1beta1.${name}`)}`,
    ...fields,
  })
  const [limit, expiration, period, periodLimit] = ['spendLimit', 'expiration', 'period', 'periodLimit'].map((key) =>
    text(flags[key]),
  )
  const basic = {
    spend_limit: limit === undefined ? [] : coinsOf('--spend-limit', limit),
    ...(expiration !== undefined && { expiration }),
  }
  let allowance: Json = typed('BasicAllowance', basic)
  if (period !== undefined || periodLimit !== undefined) {
    if (period === undefined || periodLimit === undefined || !/^\d+$/.test(period))
      throw queryError('invalidArgument', '--period needs --period-limit, and is a number of seconds')
    const coins = coinsOf('--period-limit', periodLimit)
    // The chain sets the end of the first period.
    const [reset, spendable] = ['1970-01-01T00:00:00Z', coins]
    allowance = typed('PeriodicAllowance', {
      basic,
      period: `${period}s`,
      period_spend_limit: coins,
      period_can_spend: spendable,
      period_reset: reset,
    })
  }
  const allowed = text(flags['allowedMessages'])
  return allowed === undefined
    ? allowance
    : typed('AllowedMsgAllowance', { allowance, allowed_messages: allowed.split(',') })
}

const FEEGRANT: readonly FamilyCommand[] = [
  {
    words: 'grant [args...]',
    about: 'Let another account pay fees from the signer: GRANTER GRANTEE',
    options: [
      ['--spend-limit <coins>', 'coins that the allowance ends with (default: no limit)'],
      ['--expiration <time>', 'end of the allowance, such as 2030-01-02T15:04:05Z (default: none)'],
      ['--period <seconds>', 'length of a period with a limit of its own'],
      ['--period-limit <coins>', 'limit of a period'],
      ['--allowed-messages <types>', 'type URLs of the messages that it pays for, separated by commas (default: all)'],
    ],
    fromFirst: true,
    make(sender, [grantee = ''], flags) {
      const fields = { granter: accountOf(sender), grantee, allowance: allowanceOf(sender.identity, flags) }
      return [messageOf(sender.identity, 'sdk.feegrant.v1beta1.MsgGrantAllowance', fields)]
    },
  },
  {
    words: 'revoke [args...]',
    about: 'End a fee allowance: GRANTER GRANTEE',
    fromFirst: true,
    make: (sender, [grantee = '']) => [
      messageOf(sender.identity, 'sdk.feegrant.v1beta1.MsgRevokeAllowance', { granter: accountOf(sender), grantee }),
    ],
  },
]

/** Returns the JSON of an authorization of a kind. Throws `invalidArgument` for another kind or a missing flag. */
function authorizationOf(identity: Identity, kind: string, flags: Json): Json {
  const typed = (name: string, fields: Json) => ({ '@type': `/${identity.toProfileName(name)}`, ...fields })
  const limit = text(flags['spendLimit'])
  if (kind === 'generic') {
    const msg = text(flags['msgType'])
    if (msg === undefined) throw queryError('invalidArgument', '--msg-type is required for a generic authorization')
    return typed('sdk.authz.v1beta1.GenericAuthorization', { msg })
  }
  if (kind === 'send') {
    if (limit === undefined) throw queryError('invalidArgument', '--spend-limit is required for a send authorization')
    return typed('sdk.bank.v1beta1.SendAuthorization', { spend_limit: coinsOf('--spend-limit', limit) })
  }
  const stake = ['delegate', 'unbond', 'redelegate'].indexOf(kind)
  if (stake < 0)
    throw queryError(
      'invalidArgument',
      `authorization ${kind}: must be one of send, generic, delegate, unbond, redelegate`,
    )
  const list = (key: string) => text(flags[key])?.split(',')
  const [allowed, denied] = [list('allowedValidators'), list('denyValidators')]
  return typed('sdk.staking.v1beta1.StakeAuthorization', {
    authorization_type: stake + 1,
    ...(allowed && { allow_list: { address: allowed } }),
    ...(denied && { deny_list: { address: denied } }),
    ...(limit !== undefined && { max_tokens: coinOf('--spend-limit', limit) }),
  })
}

/** Throws `invalidArgument` that names the first unknown field of an object. */
function requireFields(place: string, object: object, known: readonly string[]): void {
  const unknown = Object.keys(object).find((key) => !known.includes(key))
  if (unknown !== undefined)
    throw queryError('invalidArgument', `${place}: unknown field "${unknown}": must be one of ${known.join(', ')}`)
}

/** Reads a file with a JSON object of known fields. Throws `invalidArgument` for any other content. */
function readObject(file: string, known: readonly string[]): Json {
  let value: unknown
  try {
    value = JSON.parse(readInputText(file))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw queryError('invalidArgument', `${file}: must be JSON: ${error.message}`)
  }
  if (typeof value !== 'object' || value === null) throw queryError('invalidArgument', `${file}: must be a JSON object`)
  requireFields(file, value, known)
  return value as Json
}

/** Fields of a transaction in JSON. */
const TX_FIELDS = ['body', 'auth_info', 'signatures']

const AUTHZ: readonly FamilyCommand[] = [
  {
    words: 'grant [grantee] [kind]',
    about: 'Let another account act for the signer; kind: send, generic, delegate, unbond or redelegate',
    options: [
      ['--spend-limit <coins>', 'coins that the authorization ends with'],
      ['--msg-type <type>', 'type URL of the message that a generic authorization is for'],
      ['--allowed-validators <operators>', 'validators that it is for, separated by commas'],
      ['--deny-validators <operators>', 'validators that it is not for, separated by commas'],
      ['--expiration <seconds>', 'end as Unix time in seconds (default: none)'],
    ],
    make(sender, [grantee = '', kind = ''], flags) {
      const end = text(flags['expiration'])
      if (end !== undefined && !/^\d{1,11}$/.test(end))
        throw queryError('invalidArgument', `--expiration ${end}: must be a Unix time in seconds`)
      const grant = {
        authorization: authorizationOf(sender.identity, kind, flags),
        ...(end !== undefined && { expiration: new Date(Number(end) * 1000).toISOString() }),
      }
      return [messageOf(sender.identity, 'sdk.authz.v1beta1.MsgGrant', { granter: accountOf(sender), grantee, grant })]
    },
  },
  {
    words: 'revoke [grantee] [msg-type]',
    about: 'End the authorization of an account for a message type',
    make: (sender, [grantee = '', type = '']) => [
      messageOf(sender.identity, 'sdk.authz.v1beta1.MsgRevoke', {
        granter: accountOf(sender),
        grantee,
        msg_type_url: type,
      }),
    ],
  },
  {
    words: 'exec [file]',
    about: 'Run the messages of a transaction in a JSON file for the accounts that authorized the signer',
    make(sender, [file = '']) {
      const { body } = readObject(file, TX_FIELDS) as { readonly body?: { readonly messages?: unknown } }
      const msgs = body?.messages
      if (!Array.isArray(msgs)) throw queryError('invalidArgument', `${file}: no transaction with messages`)
      return [messageOf(sender.identity, 'sdk.authz.v1beta1.MsgExec', { grantee: accountOf(sender), msgs })]
    },
  },
]

const ORACLE: readonly FamilyCommand[] = [
  {
    words: 'aggregate-prevote <salt> <rates> [validator]',
    about:
      'Commit to a vote by its hash; rates such as "(ubtc:uusd,64250.5)|(ueth:uusd,3100)" (default: own validator)',
    make(sender, [salt = '', rates = '', named]) {
      const { bech32 } = sender.identity
      const validator = named ?? formatBech32(bech32.validator, sender.address)
      parseRates(rates)
      const fields = { hash: voteHash(salt, rates, validator), feeder: accountOf(sender), validator }
      return [messageOf(sender.identity, 'chain.oracle.v1beta1.MsgAggregateExchangeRatePrevote', fields)]
    },
  },
]

const SUDO: readonly FamilyCommand[] = [
  {
    words: 'edit <file>',
    about: 'Edit the sudoers as a JSON file says: {"action": "add_contracts", "contracts": ["chain1…"]}',
    make(sender, [file = '']) {
      const { action, contracts } = readObject(file, ['action', 'contracts'])
      if (typeof action !== 'string' || !Array.isArray(contracts))
        throw queryError('invalidArgument', `${file}: must have a text action and a list contracts`)
      const fields = { action, contracts, sender: accountOf(sender) }
      return [messageOf(sender.identity, 'chain.sudo.v1.MsgEditSudoers', fields)]
    },
  },
]

/** Returns a period of a file. Throws `invalidArgument` that names its place. */
function periodOf(place: string, period: Json | null): object {
  requireFields(place, period ?? {}, ['coins', 'length_seconds'])
  const { coins, length_seconds: length } = period ?? {}
  if (typeof coins !== 'string') throw queryError('invalidArgument', `${place}.coins: must be a text such as 5unative`)
  if (!Number.isSafeInteger(length) || Number(length) <= 0)
    throw queryError('invalidArgument', `${place}.length_seconds: must be a number of seconds`)
  return { amount: coinsOf(`${place}.coins`, coins), length: String(length) }
}

const VESTING: readonly FamilyCommand[] = [
  {
    words: 'create-periodic-vesting-account [to] [file]',
    about:
      'Create an account whose coins are released by the periods of a JSON file: {"start_time": UNIX, "periods": [{"coins": "5unative", "length_seconds": 60}]}',
    make(sender, [to = '', file = '']) {
      const { start_time: start, periods } = readObject(file, ['start_time', 'periods'])
      if (!Number.isSafeInteger(start)) throw queryError('invalidArgument', `${file}: start_time: must be a Unix time`)
      if (!Array.isArray(periods) || periods.length === 0)
        throw queryError('invalidArgument', `${file}: periods: must be a list with a period`)
      const fields = {
        from_address: accountOf(sender),
        to_address: to,
        start_time: String(start),
        vesting_periods: periods.map((period, i) => periodOf(`${file}: periods[${i}]`, period as Json | null)),
      }
      return [messageOf(sender.identity, 'sdk.vesting.v1beta1.MsgCreatePeriodicVestingAccount', fields)]
    },
  },
]

const COMMANDS: Readonly<Record<string, readonly FamilyCommand[]>> = {
  authz: AUTHZ,
  bank: BANK,
  distribution: DISTRIBUTION,
  feegrant: FEEGRANT,
  oracle: ORACLE,
  sudo: SUDO,
  vesting: VESTING,
}

/** Adds flags to a command for each field of the message of its name. Returns the action for a command line without arguments. */
export type AddFields = (command: Command) => (() => Promise<void>) | undefined

/** Adds the commands of a module. Those of the descriptors under other names stay, and flags of the same name keep working. */
export function addFamilyCommands(module: string, parent: Command, terminal: Terminal, addFields: AddFields): void {
  for (const { words, about, options = [], fromFirst, make } of COMMANDS[module] ?? []) {
    const command = addTxOptions(parent.command(words).description(about))
    for (const [flags, help] of options) command.option(flags, help)
    const sendFields = addFields(command)
    command.action(() => {
      const flags = command.opts<TxFlags & Json>()
      // A variadic argument is one list; `args` has its items.
      const args = [...command.args]
      if (args.length === 0 && sendFields) return sendFields()
      const from = fromFirst && flags.from === undefined ? args.shift() : flags.from
      return sendTx({ ...flags, ...(from !== undefined && { from }) }, terminal, (sender) => make(sender, args, flags))
    })
  }
}
