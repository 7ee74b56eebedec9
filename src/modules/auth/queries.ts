/** sdk.auth.v1beta1.Query */
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { BaseAccountSchema } from '../../gen/sdk/auth/v1beta1/auth_pb.ts'
import { Query } from '../../gen/sdk/auth/v1beta1/query_pb.ts'
import * as address from '../../identity/address.ts'
import { ChainError, queryError } from '../../primitives/errors.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { defineQueries } from '../../sdk/module.ts'
import type { AnyValue } from '../../sdk/public-key.ts'
import { parseField, wrongField } from '../../sdk/request.ts'
import { readPage } from '../../store/collections/page.ts'
import type { Account } from './account.ts'
import { accountAny, baseAccount, decodeAccount } from './account-codec.ts'
import * as auth from './keeper.ts'
import * as state from './state.ts'

/**
 * Returns the form that queries show: for an EthAccount its BaseAccount, which common clients can parse, unless the profile
 * exposes EthAccount.
 */
function shown(ctx: ReadContext, account: Account): AnyValue {
  if (account.kind !== 'eth' || ctx.identity.behaviours.exposeEthAccount) {
    return accountAny(ctx.identity, account)
  }
  const typeUrl = `/${ctx.identity.toProfileName(BaseAccountSchema.typeName)}`
  return { typeUrl, value: toBinary(BaseAccountSchema, baseAccount(account)) }
}

function parse(ctx: ReadContext, text: string, empty: string): Uint8Array {
  if (text === '') throw wrongField('address', empty)
  return parseField('address', () => address.parse(ctx, text))
}

const notFound = (text: string) => queryError('notFound', `account ${text} not found`)

function find(ctx: ReadContext, text: string, empty: string): Account {
  const account = auth.getAccount(ctx, parse(ctx, text, empty))
  if (!account) throw notFound(text)
  return account
}

/** Returns the form of a stored account that queries show: one that this build cannot decode, as it is stored. */
function shownStored(ctx: ReadContext, key: Uint8Array, encoded: Uint8Array): AnyValue {
  let account: Account
  try {
    account = decodeAccount(ctx.identity, key, encoded)
  } catch (error) {
    if (error instanceof ChainError) return fromBinary(AnySchema, encoded)
    throw error
  }
  return shown(ctx, account)
}

export const queries = defineQueries(Query, {
  accounts(ctx, { pagination }) {
    const { entries, nextKey, total } = readPage(
      ctx.store,
      state.STORE,
      Uint8Array.of(state.ACCOUNT_PREFIX),
      pagination,
      ([key, encoded]) => shownStored(ctx, key.slice(1), encoded),
      { every: true },
    )
    return { accounts: entries, pagination: { nextKey, total } }
  },
  account(ctx, { address: text }) {
    const bytes = parse(ctx, text, 'Address cannot be empty')
    const { store, key } = auth.accountStoreKey(bytes)
    const encoded = ctx.store.get(store, key)
    if (!encoded) throw notFound(text)
    return { account: shownStored(ctx, bytes, encoded) }
  },
  accountAddressByID(ctx, { id, accountId }) {
    if (id < 0n) throw wrongField('id', `invalid account number ${id}`)
    const number = accountId > 0n ? accountId : id
    const bytes = state.addressOfNumber.get(ctx, number)
    if (!bytes) throw queryError('notFound', `account address not found with account number ${number}`)
    return { accountAddress: address.format(ctx, bytes) }
  },
  params(ctx) {
    return { params: auth.params(ctx) }
  },
  moduleAccounts(ctx) {
    const found = ctx.app.moduleAccounts
      .map((module) => auth.getAccount(ctx, module.address))
      .filter((account) => account !== undefined)
    return { accounts: found.map((account) => shown(ctx, account)) }
  },
  moduleAccountByName(ctx, { name }) {
    const module = ctx.app.moduleAccounts.find((candidate) => candidate.name === name)
    const account = module && auth.getAccount(ctx, module.address)
    if (!account) throw queryError('notFound', `account ${name} not found`)
    return { account: shown(ctx, account) }
  },
  bech32Prefix(ctx) {
    return { bech32Prefix: ctx.identity.bech32.account }
  },
  addressBytesToString(ctx, { addressBytes }) {
    if (addressBytes.length === 0) throw wrongField('address_bytes', 'empty address bytes is not allowed')
    return { addressString: address.format(ctx, addressBytes) }
  },
  addressStringToBytes(ctx, { addressString }) {
    return { addressBytes: parseField('address_string', () => address.parse(ctx, addressString)) }
  },
  accountInfo(ctx, { address: text }) {
    return { info: baseAccount(find(ctx, text, 'address cannot be empty')) }
  },
})
