/** Genesis of accounts: their numbers are kept, and none is given twice. */
import { create } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { GenesisStateSchema } from '../../gen/sdk/auth/v1beta1/genesis_pb.ts'
import { toKey } from '../../primitives/bytes.ts'
import { errors } from '../../sdk/errors.ts'
import { fromJson, toJson } from '../../sdk/json.ts'
import type { GenesisHandlers } from '../../sdk/module.ts'
import { inPlace } from '../../sdk/place.ts'
import type { Account } from './account.ts'
import { accountAny, accountOfAny } from './account-codec.ts'
import * as auth from './keeper.ts'
import { defaultParams, validateParams } from './params.ts'
import * as state from './state.ts'

/** Of accounts with one number the first keeps it; the others get the lowest that are free, in the order of their numbers. */
function withOwnNumbers(accounts: readonly Account[]): readonly Account[] {
  const used = new Set<bigint>()
  const again: Account[] = []
  const kept: Account[] = []
  for (const account of accounts) {
    const list = used.has(account.number) ? again : kept
    used.add(account.number)
    list.push(account)
  }
  let free = 0n
  for (const account of again.sort((a, b) => (a.number < b.number ? -1 : a.number > b.number ? 1 : 0))) {
    while (used.has(free)) free++
    used.add(free)
    kept.push({ ...account, number: free })
  }
  return kept
}

export const genesis: GenesisHandlers = {
  defaults: (ctx) => toJson(ctx, GenesisStateSchema, create(GenesisStateSchema, { params: defaultParams() })),
  init(ctx, json) {
    const { params, accounts } = fromJson(ctx, GenesisStateSchema, json, 'auth')
    const chosen = params ?? defaultParams()
    validateParams(chosen)
    auth.setParams(ctx, chosen)
    const parsed = accounts.map((any, i) => inPlace(`accounts[${i}]`, () => accountOfAny(ctx.identity, any)))
    const seen = new Set<string>()
    for (const { address, addressText } of parsed) {
      if (seen.has(toKey(address))) throw errors.invalidRequest(`duplicate account in genesis: ${addressText}`)
      seen.add(toKey(address))
    }
    let last = -1n
    for (const account of withOwnNumbers(parsed)) {
      auth.setAccount(ctx, account)
      if (account.number > last) last = account.number
    }
    if (last >= 0n) state.nextNumber.set(ctx, last + 1n)
    auth.ensureModuleAccount(ctx, auth.feeCollector)
  },
  export(ctx) {
    const accounts = [...auth.accounts(ctx)].map((account) => create(AnySchema, accountAny(ctx.identity, account)))
    return toJson(ctx, GenesisStateSchema, create(GenesisStateSchema, { params: auth.params(ctx), accounts }))
  },
}
