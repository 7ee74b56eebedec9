/** The flags of `tx staking create-validator` and `edit-validator` as the family's tool has them. */
import type { Command } from 'commander'
import { coinsOf } from './family.ts'

/** Flags by the field of the description, or of the commission, that they set. */
const DESCRIPTION: Readonly<Record<string, string>> = {
  moniker: 'name of the validator',
  identity: 'signature of an identity service, such as a Keybase id',
  website: 'address of a web page',
  'security-contact': 'address for reports of security problems',
  details: 'any other text',
}
const COMMISSION: Readonly<Record<string, string>> = {
  'commission-rate': 'commission, such as 0.05',
  'commission-max-rate': 'highest commission that the validator can ever have',
  'commission-max-change-rate': 'largest change of the commission in a day',
}
const RATES = {
  'commission-rate': 'rate',
  'commission-max-rate': 'max_rate',
  'commission-max-change-rate': 'max_change_rate',
}
/** Text of a description that leaves the field as it is. */
const UNCHANGED = '[do-not-modify]'

const TYPES = { create: 'sdk.staking.v1beta1.MsgCreateValidator', edit: 'sdk.staking.v1beta1.MsgEditValidator' }

const keyOf = (flag: string): string => flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Adds the flags to the command of a message that creates or edits a validator. */
export function addValidatorOptions(typeName: string, command: Command): void {
  if (typeName !== TYPES.create && typeName !== TYPES.edit) return
  const flags = { ...DESCRIPTION, ...(typeName === TYPES.create && COMMISSION) }
  for (const [flag, about] of Object.entries(flags)) command.option(`--${flag} <text>`, about)
  if (typeName === TYPES.create)
    command.option('--amount <coin>', 'coins that the validator delegates to itself; same as --value')
  else command.option('--new-moniker <text>', 'same as --moniker')
}

/** Returns the fields of the message that the flags set. */
export function validatorFields(typeName: string, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (typeName !== TYPES.create && typeName !== TYPES.edit) return {}
  const given = (flag: string) => values[keyOf(flag)]
  const out: Record<string, unknown> = {}
  const unset = typeName === TYPES.edit ? UNCHANGED : ''
  if (Object.keys(DESCRIPTION).some((flag) => given(flag) !== undefined) || given('new-moniker') !== undefined) {
    const fields = Object.keys(DESCRIPTION).map((flag) => [flag.replaceAll('-', '_'), given(flag) ?? unset])
    const moniker = given('moniker') ?? given('new-moniker') ?? unset
    out['description'] = { ...Object.fromEntries(fields), moniker }
  }
  if (typeName === TYPES.edit) return out
  if (Object.keys(COMMISSION).some((flag) => given(flag) !== undefined)) {
    const rates = Object.entries(RATES).map(([flag, field]) => [field, given(flag) ?? '0'])
    out['commission'] = Object.fromEntries(rates)
  }
  const amount = given('amount')
  if (amount !== undefined) out['value'] = coinsOf('--amount', String(amount))[0]
  return out
}
