/** sdk.auth.v1beta1.Query */
import { toBinary } from '@bufbuild/protobuf'
import { BaseAccountSchema } from '../../gen/sdk/auth/v1beta1/auth_pb.ts'
import { Query } from '../../gen/sdk/auth/v1beta1/query_pb.ts'
import * as address from '../../identity/address.ts'
import { queryError } from '../../primitives/errors.ts'
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

function find(ctx: ReadContext, text: string, empty: string): Account {
  if (text === '') throw wrongField('address', empty)
  const account = auth.getAccount(
    ctx,
    parseField('address', () => address.parse(ctx, text)),
  )
  if (!account) throw queryError('notFound', `account ${text} not found`)
  return account
}

export const queries = defineQueries(Query, {
  accounts(ctx, { pagination }) {
    const { entries, nextKey, total } = readPage(
      ctx.store,
      state.STORE,
      Uint8Array.of(state.ACCOUNT_PREFIX),
      pagination,
      ([key, encoded]) => shown(ctx, decodeAccount(ctx.identity, key.slice(1), encoded)),
      { every: true },
    )
    return { accounts: entries, pagination: { nextKey, total } }
  },
  account(ctx, { address: text }) {
    return { account: shown(ctx, find(ctx, text, 'Address cannot be empty')) }
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
