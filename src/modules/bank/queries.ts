/** sdk.bank.v1beta1.Query */
import { Query } from '../../gen/sdk/bank/v1beta1/query_pb.ts'
import * as address from '../../identity/address.ts'
import { queryError } from '../../primitives/errors.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { defineQueries } from '../../sdk/module.ts'
import { parseField, requireDenom, wrongField } from '../../sdk/request.ts'
import * as bank from './keeper.ts'
import * as state from './state.ts'

function parseHolder(ctx: ReadContext, text: string): Uint8Array {
  if (text === '') throw wrongField('address', 'empty address string is not allowed')
  return parseField('address', () => address.parse(ctx, text), 'invalid address: ')
}

function metadataOf(ctx: ReadContext, denom: string) {
  requireDenom('denom', denom)
  const metadata = bank.metadata(ctx, denom)
  if (!metadata) throw queryError('notFound', `client metadata for denom ${denom}`)
  return { metadata }
}

export const queries = defineQueries(Query, {
  balance(ctx, { address: text, denom }) {
    const holder = parseHolder(ctx, text)
    requireDenom('denom', denom)
    return { balance: { denom, amount: bank.balance(ctx, holder, denom).toString() } }
  },
  allBalances(ctx, { address: text, pagination }) {
    const page = state.balances.page(ctx, pagination, { prefix: parseHolder(ctx, text) })
    const balances = page.entries.map(([[, denom], amount]) => ({ denom, amount: amount.toString() }))
    return { balances, pagination: { nextKey: page.nextKey, total: page.total } }
  },
  spendableBalances(ctx, { address: text, pagination }) {
    const holder = parseHolder(ctx, text)
    const page = state.balances.page(ctx, pagination, { prefix: holder })
    const balances = page.entries.map(([[, denom]]) => ({
      denom,
      amount: bank.spendable(ctx, holder, denom).toString(),
    }))
    return { balances, pagination: { nextKey: page.nextKey, total: page.total } }
  },
  spendableBalanceByDenom(ctx, { address: text, denom }) {
    const holder = parseHolder(ctx, text)
    requireDenom('denom', denom)
    return { balance: { denom, amount: bank.spendable(ctx, holder, denom).toString() } }
  },
  totalSupply(ctx, { pagination }) {
    const page = state.supplies.page(ctx, pagination)
    const supply = page.entries.map(([denom, amount]) => ({ denom, amount: amount.toString() }))
    return { supply, pagination: { nextKey: page.nextKey, total: page.total } }
  },
  supplyOf(ctx, { denom }) {
    requireDenom('denom', denom)
    return { amount: { denom, amount: bank.supply(ctx, denom).toString() } }
  },
  params(ctx) {
    return { params: bank.params(ctx) }
  },
  denomMetadata(ctx, { denom }) {
    return metadataOf(ctx, denom)
  },
  denomMetadataByQueryString(ctx, { denom }) {
    return metadataOf(ctx, denom)
  },
  denomsMetadata(ctx, { pagination }) {
    const page = state.metadatas.page(ctx, pagination)
    const metadatas = page.entries.map(([, metadata]) => metadata)
    return { metadatas, pagination: { nextKey: page.nextKey, total: page.total } }
  },
  denomOwners(ctx, { denom, pagination }) {
    requireDenom('denom', denom)
    const page = state.owners.page(ctx, pagination, { prefix: denom })
    const denomOwners = page.entries.map(([[, holder]]) => ({
      address: address.format(ctx, holder),
      balance: { denom, amount: bank.balance(ctx, holder, denom).toString() },
    }))
    return { denomOwners, pagination: { nextKey: page.nextKey, total: page.total } }
  },
  sendEnabled(ctx, { denoms, pagination }) {
    if (denoms.length > 0) {
      const sendEnabled = denoms.flatMap((denom) => {
        requireDenom('denoms', denom)
        const enabled = state.sendEnabled.get(ctx, denom)
        return enabled === undefined ? [] : [{ denom, enabled }]
      })
      return { sendEnabled }
    }
    const page = state.sendEnabled.page(ctx, pagination)
    const sendEnabled = page.entries.map(([denom, enabled]) => ({ denom, enabled }))
    return { sendEnabled, pagination: { nextKey: page.nextKey, total: page.total } }
  },
})
