/** Genesis of accounts: their numbers are kept, and missing ones handed out in order. */
import { create } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { GenesisStateSchema } from '../../gen/sdk/auth/v1beta1/genesis_pb.ts'
import { toKey } from '../../primitives/bytes.ts'
import { errors } from '../../sdk/errors.ts'
import { fromJson, toJson } from '../../sdk/json.ts'
import type { GenesisHandlers } from '../../sdk/module.ts'
import { accountAny, accountOfAny } from './account-codec.ts'
import * as auth from './keeper.ts'
import { defaultParams, validateParams } from './params.ts'
import * as state from './state.ts'

export const genesis: GenesisHandlers = {
  defaults: (ctx) => toJson(ctx, GenesisStateSchema, create(GenesisStateSchema, { params: defaultParams() })),
  init(ctx, json) {
    const { params, accounts } = fromJson(ctx, GenesisStateSchema, json, 'auth')
    const chosen = params ?? defaultParams()
    validateParams(chosen)
    auth.setParams(ctx, chosen)
    const parsed = accounts.map((any) => accountOfAny(ctx.identity, any))
    const seen = new Set<string>()
    for (const { address, addressText } of parsed) {
      if (seen.has(toKey(address))) throw errors.invalidRequest(`duplicate account in genesis: ${addressText}`)
      seen.add(toKey(address))
    }
    // The chain keeps numbers that rise, and hands out others in the order of the list.
    let next = 0n
    for (const account of parsed.sort((a, b) => (a.number < b.number ? -1 : a.number > b.number ? 1 : 0))) {
      const number = account.number > next ? account.number : next
      next = number + 1n
      auth.setAccount(ctx, { ...account, number })
    }
    if (next > 0n) state.nextNumber.set(ctx, next)
    auth.ensureModuleAccount(ctx, auth.feeCollector)
  },
  export(ctx) {
    const accounts = [...auth.accounts(ctx)].map((account) => create(AnySchema, accountAny(ctx.identity, account)))
    return toJson(ctx, GenesisStateSchema, create(GenesisStateSchema, { params: auth.params(ctx), accounts }))
  },
}
