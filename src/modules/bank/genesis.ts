/** Genesis of bank: balances, wei remainders, supply and metadata. */
import { create } from '@bufbuild/protobuf'
import { GenesisStateSchema } from '../../gen/sdk/bank/v1beta1/genesis_pb.ts'
import * as address from '../../identity/address.ts'
import { toKey } from '../../primitives/bytes.ts'
import { type Coin, format, tryParseList } from '../../primitives/coin.ts'
import type { Context } from '../../sdk/context.ts'
import { withErrorPath } from '../../sdk/error-path.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { fromJson, toJson } from '../../sdk/json.ts'
import type { GenesisHandlers } from '../../sdk/module.ts'
import { setBalance } from './balance.ts'
import * as bank from './keeper.ts'
import { metadataFault } from './metadata.ts'
import * as state from './state.ts'
import { WEI_PER_UNIT } from './wei.ts'

function initBalances(
  ctx: Context,
  balances: readonly { address: string; coins: { denom: string; amount: string }[] }[],
): Map<string, bigint> {
  const totals = new Map<string, bigint>()
  const seen = new Set<string>()
  for (const [i, { address: text, coins }] of balances.entries()) {
    const holder = withErrorPath(`balances[${i}]`, () => address.parse(ctx, text))
    const sorted = tryParseList([...coins].sort((a, b) => (a.denom < b.denom ? -1 : 1)))
    if (!sorted) throw sdkErrors.invalidCoins(`balance of ${text}`)
    if (seen.has(toKey(holder))) throw sdkErrors.invalidRequest(`duplicate balance for address ${text}`)
    seen.add(toKey(holder))
    for (const { denom, amount } of sorted) {
      setBalance(ctx, holder, denom, amount)
      totals.set(denom, (totals.get(denom) ?? 0n) + amount)
    }
  }
  return totals
}

export const genesis: GenesisHandlers = {
  defaults: (ctx) => toJson(ctx, GenesisStateSchema, create(GenesisStateSchema, { params: bank.defaultParams() })),
  init(ctx, json) {
    const { params, balances, supply, denomMetadata, sendEnabled, weiBalances } = fromJson(
      ctx,
      GenesisStateSchema,
      json,
      'bank',
    )
    const { sendEnabled: legacy, ...chosen } = params ?? bank.defaultParams()
    state.params.set(ctx, { ...chosen, sendEnabled: [] })
    for (const { denom, enabled } of [...legacy, ...sendEnabled]) state.sendEnabled.set(ctx, denom, enabled)
    const totals = initBalances(ctx, balances)
    let remainders = 0n
    const remaindered = new Set<string>()
    for (const [i, { addrBech32, weiStoreBal }] of weiBalances.entries()) {
      const holder = withErrorPath(`wei_balances[${i}]`, () => address.parse(ctx, addrBech32))
      if (remaindered.has(toKey(holder))) {
        throw sdkErrors.invalidRequest(`duplicate wei balance for address ${addrBech32}`)
      }
      remaindered.add(toKey(holder))
      if (weiStoreBal >= WEI_PER_UNIT) throw sdkErrors.invalidRequest(`wei balance of ${addrBech32} is a whole unit`)
      if (weiStoreBal > 0n) state.remainders.set(ctx, holder, weiStoreBal)
      remainders += weiStoreBal
    }
    const base = ctx.identity.baseDenom
    if (remainders >= WEI_PER_UNIT) totals.set(base, (totals.get(base) ?? 0n) + remainders / WEI_PER_UNIT)
    const total: Coin[] = [...totals].map(([denom, amount]) => ({ denom, amount }))
    total.sort((a, b) => (a.denom < b.denom ? -1 : 1))
    if (supply.length > 0) {
      const given = tryParseList(supply)
      if (!given || format(given) !== format(total)) {
        const got = given ? format(given) : 'no valid coins'
        throw sdkErrors.invalidRequest(`genesis supply is incorrect, expected ${format(total)}, got ${got}`)
      }
    }
    for (const { denom, amount } of total) state.supplies.set(ctx, denom, amount)
    for (const metadata of denomMetadata) {
      const fault = metadataFault(metadata)
      if (fault) throw sdkErrors.invalidRequest(`metadata of ${metadata.base}: ${fault}`)
      bank.setMetadata(ctx, metadata)
    }
  },
  export(ctx) {
    const balances = new Map<string, { address: string; coins: { denom: string; amount: string }[] }>()
    for (const [[holder, denom], amount] of state.balances.iterate(ctx)) {
      const key = toKey(holder)
      const entry = balances.get(key) ?? { address: address.format(ctx, holder), coins: [] }
      entry.coins.push({ denom, amount: amount.toString() })
      balances.set(key, entry)
    }
    return toJson(
      ctx,
      GenesisStateSchema,
      create(GenesisStateSchema, {
        params: bank.params(ctx),
        balances: [...balances.values()],
        supply: [...state.supplies.iterate(ctx)].map(([denom, amount]) => ({ denom, amount: amount.toString() })),
        denomMetadata: [...state.metadatas.iterate(ctx)].map(([, metadata]) => metadata),
        sendEnabled: [...state.sendEnabled.iterate(ctx)].map(([denom, enabled]) => ({ denom, enabled })),
        weiBalances: [...state.remainders.iterate(ctx)].map(([holder, weiStoreBal]) => ({
          addrBech32: address.format(ctx, holder),
          weiStoreBal,
        })),
      }),
    )
  },
}
