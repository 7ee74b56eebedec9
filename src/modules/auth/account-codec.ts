/** The stored forms of accounts, one protobuf message for each kind (docs/modules/auth.md#state). */
import { create, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { EthAccountSchema } from '../../gen/chain/types/v1/account_pb.ts'
import { type BaseAccount, BaseAccountSchema, ModuleAccountSchema } from '../../gen/sdk/auth/v1beta1/auth_pb.ts'
import {
  type BaseVestingAccount,
  ContinuousVestingAccountSchema,
  DelayedVestingAccountSchema,
  PeriodicVestingAccountSchema,
  PermanentLockedAccountSchema,
} from '../../gen/sdk/vesting/v1beta1/vesting_pb.ts'
import * as address from '../../identity/address.ts'
import { neutralTypeName } from '../../identity/type-name.ts'
import type { Identity } from '../../identity/types.ts'
import { equal, formatHex0x, parseHex } from '../../primitives/bytes.ts'
import type { Coin } from '../../primitives/coin.ts'
import { NotExecutable } from '../../primitives/errors.ts'
import { EMPTY_CODE_HASH } from '../../primitives/hash.ts'
import { type Input, takeBytes, takeVarint } from '../../primitives/varint.ts'
import { errors } from '../../sdk/errors.ts'
import type { AnyValue } from '../../sdk/public-key.ts'
import type { Account, AccountKind } from './account.ts'
import { decodeEthAccount, encodeEthAccount } from './eth-account.ts'
import { parseCoins, type Schedule, type Vesting } from './vesting.ts'

const ETH_ACCOUNT_TYPE = EthAccountSchema.typeName as string
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER)

/** Encodes an account as the Any that is stored. Throws `NotExecutable` for another one than was stored, of kind `other`. */
export function encodeAccount(identity: Identity, account: Account): Uint8Array {
  const isCommon = account.kind === 'eth' && account.number <= MAX_SAFE && account.sequence <= MAX_SAFE
  if (isCommon) return encodeEthAccount(identity.toProfileName(ETH_ACCOUNT_TYPE), account)
  const any = accountAny(identity, account)
  if (account.kind === 'other' && otherAccount(identity, account.address, any)?.sequence !== account.sequence)
    throw new NotExecutable(`it writes the account ${account.addressText} of type ${any.typeUrl}`)
  return toBinary(AnySchema, create(AnySchema, any))
}

/**
 * Decodes the account in a stored Any. Throws an `Error` for anything else, since the stored state is then corrupt, and sdk 34 for
 * an unknown kind without the base account that every kind of the SDK begins with.
 */
export function decodeAccount(identity: Identity, key: Uint8Array, encoded: Uint8Array): Account {
  const fast = decodeEthAccount(identity.toProfileName(ETH_ACCOUNT_TYPE), key, encoded)
  if (fast) return fast
  const any = fromBinary(AnySchema, encoded)
  return isKnownKind(identity, any) ? accountOfAny(identity, any) : requireOther(identity, key, any)
}

function requireOther(identity: Identity, key: Uint8Array, any: AnyValue): Account {
  const found = otherAccount(identity, key, any)
  if (!found) throw errors.unpackAny(`account type ${any.typeUrl}`)
  return found
}

/**
 * Returns an account of a kind that this build does not have: its base account is the first field, or the first field of that.
 * Undefined if neither is the account of the address.
 */
function otherAccount(identity: Identity, key: Uint8Array, { typeUrl, value }: AnyValue): Account | undefined {
  let inner: Uint8Array | undefined = value
  for (let depth = 0; depth < MOST_AROUND_BASE; depth++) {
    inner = firstField(inner)
    if (!inner) return undefined
    try {
      const base = fromBinary(BaseAccountSchema, inner)
      if (equal(address.parse({ identity }, base.address), key))
        return { ...ofBase(identity, 'other', base), stored: { typeUrl, value } }
    } catch {
      // It is a message with the base account in it, or none.
    }
  }
  return undefined
}

/** Messages around a base account, as in a vesting account. */
const MOST_AROUND_BASE = 2
/** The tag of field 1 with bytes. */
const FIRST_BYTES = 0x0a

function firstField(bytes: Uint8Array): Uint8Array | undefined {
  const input: Input = { bytes, at: 1 }
  try {
    return bytes[0] === FIRST_BYTES ? takeBytes(input, takeVarint(input)) : undefined
  } catch {
    return undefined
  }
}

const KINDS = new Set<string>(
  [
    ...[EthAccountSchema, BaseAccountSchema, ModuleAccountSchema, ContinuousVestingAccountSchema],
    ...[DelayedVestingAccountSchema, PermanentLockedAccountSchema, PeriodicVestingAccountSchema],
  ].map(({ typeName }) => typeName),
)

/** Whether this build has the kind of an account. */
const isKnownKind = (identity: Identity, { typeUrl }: AnyValue): boolean =>
  KINDS.has(neutralTypeName(identity, typeUrl))

function baseMessage(account: Account): MessageShape<typeof BaseAccountSchema> {
  const { publicKey, number, sequence } = account
  const base = create(BaseAccountSchema, { address: account.addressText, accountNumber: number, sequence })
  if (publicKey) base.pubKey = create(AnySchema, publicKey)
  return base
}

/** Returns the BaseAccount within any kind of account, which common clients can parse. */
export function baseAccount(account: Account): BaseAccount {
  return baseMessage(account)
}

/** Returns an account as an Any of its kind. */
export function accountAny(identity: Identity, account: Account): AnyValue {
  const pack = (typeName: string, value: Uint8Array) => ({ typeUrl: `/${identity.toProfileName(typeName)}`, value })
  const base = baseMessage(account)
  switch (account.kind) {
    case 'eth': {
      const message = create(EthAccountSchema, { baseAccount: base, codeHash: formatHex0x(account.codeHash) })
      return pack(EthAccountSchema.typeName, toBinary(EthAccountSchema, message))
    }
    case 'base':
      return pack(BaseAccountSchema.typeName, toBinary(BaseAccountSchema, base))
    case 'module': {
      const { name, permissions } = account.module ?? { name: '', permissions: [] }
      const message = create(ModuleAccountSchema, { baseAccount: base, name, permissions: [...permissions] })
      return pack(ModuleAccountSchema.typeName, toBinary(ModuleAccountSchema, message))
    }
    case 'vesting':
      return vestingAny(pack, base, account.vesting!)
    case 'other':
      return account.stored!
  }
}

function vestingAny(
  pack: (typeName: string, value: Uint8Array) => AnyValue,
  base: BaseAccount,
  vesting: Vesting,
): AnyValue {
  const texts = (coins: readonly Coin[]) => coins.map(({ denom, amount }) => ({ denom, amount: amount.toString() }))
  const baseVestingAccount = {
    baseAccount: base,
    originalVesting: texts(vesting.original),
    delegatedFree: texts(vesting.delegatedFree),
    delegatedVesting: texts(vesting.delegatedVesting),
    endTime: vesting.endTime,
  }
  const { schedule } = vesting
  switch (schedule.kind) {
    case 'continuous': {
      const schema = ContinuousVestingAccountSchema
      return pack(
        schema.typeName,
        toBinary(schema, create(schema, { baseVestingAccount, startTime: schedule.startTime })),
      )
    }
    case 'delayed':
      return pack(
        DelayedVestingAccountSchema.typeName,
        toBinary(DelayedVestingAccountSchema, create(DelayedVestingAccountSchema, { baseVestingAccount })),
      )
    case 'permanent':
      return pack(
        PermanentLockedAccountSchema.typeName,
        toBinary(PermanentLockedAccountSchema, create(PermanentLockedAccountSchema, { baseVestingAccount })),
      )
    case 'periodic': {
      const schema = PeriodicVestingAccountSchema
      const vestingPeriods = schedule.periods.map(({ length, amount }) => ({ length, amount: texts(amount) }))
      return pack(
        schema.typeName,
        toBinary(schema, create(schema, { baseVestingAccount, startTime: schedule.startTime, vestingPeriods })),
      )
    }
  }
}

/**
 * Returns the account in an Any, with a neutral or profile type URL. Throws sdk 34 for an unknown kind, sdk 7 for a bad
 * address.
 */
export function accountOfAny(identity: Identity, any: AnyValue): Account {
  const { value } = any
  switch (neutralTypeName(identity, any.typeUrl)) {
    case EthAccountSchema.typeName: {
      const message = fromBinary(EthAccountSchema, value)
      const codeHash = parseHex(message.codeHash)
      return {
        ...ofBase(identity, 'eth', message.baseAccount),
        codeHash: codeHash?.length === 32 ? codeHash : EMPTY_CODE_HASH,
      }
    }
    case BaseAccountSchema.typeName:
      return ofBase(identity, 'base', fromBinary(BaseAccountSchema, value))
    case ModuleAccountSchema.typeName: {
      const { baseAccount: base, name, permissions } = fromBinary(ModuleAccountSchema, value)
      return { ...ofBase(identity, 'module', base), module: { name, permissions } }
    }
    case ContinuousVestingAccountSchema.typeName: {
      const { baseVestingAccount, startTime } = fromBinary(ContinuousVestingAccountSchema, value)
      return ofVesting(identity, baseVestingAccount, { kind: 'continuous', startTime })
    }
    case DelayedVestingAccountSchema.typeName:
      return ofVesting(identity, fromBinary(DelayedVestingAccountSchema, value).baseVestingAccount, { kind: 'delayed' })
    case PermanentLockedAccountSchema.typeName: {
      const { baseVestingAccount } = fromBinary(PermanentLockedAccountSchema, value)
      return ofVesting(identity, baseVestingAccount, { kind: 'permanent' })
    }
    case PeriodicVestingAccountSchema.typeName: {
      const { baseVestingAccount, startTime, vestingPeriods } = fromBinary(PeriodicVestingAccountSchema, value)
      const periods = vestingPeriods.map(({ length, amount }) => ({ length, amount: parseCoins(amount) }))
      return ofVesting(identity, baseVestingAccount, { kind: 'periodic', startTime, periods })
    }
    default:
      throw errors.unpackAny(`account type ${any.typeUrl}`)
  }
}

function ofBase(identity: Identity, kind: AccountKind, base: BaseAccount | undefined): Account {
  if (!base) throw errors.unpackAny('an account without base account')
  const bytes = address.parse({ identity }, base.address)
  return {
    kind,
    address: bytes,
    addressText: address.format({ identity }, bytes),
    publicKey: base.pubKey,
    number: base.accountNumber,
    sequence: base.sequence,
    codeHash: EMPTY_CODE_HASH,
  }
}

function ofVesting(identity: Identity, message: BaseVestingAccount | undefined, schedule: Schedule): Account {
  return {
    ...ofBase(identity, 'vesting', message?.baseAccount),
    vesting: {
      schedule,
      original: parseCoins(message?.originalVesting ?? []),
      delegatedFree: parseCoins(message?.delegatedFree ?? []),
      delegatedVesting: parseCoins(message?.delegatedVesting ?? []),
      endTime: message?.endTime ?? 0n,
    },
  }
}
