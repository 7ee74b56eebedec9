/** Genesis of accounts. Account numbers are preserved; a number that occurs twice is reassigned. */
import { create } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { GenesisStateSchema } from '../../gen/sdk/auth/v1beta1/genesis_pb.ts'
import { toKey } from '../../primitives/bytes.ts'
import { withErrorPath } from '../../sdk/error-path.ts'
import { errors } from '../../sdk/errors.ts'
import { fromJson, toJson } from '../../sdk/json.ts'
import type { GenesisHandlers } from '../../sdk/module.ts'
import type { Account } from './account.ts'
import { accountAny, accountOfAny } from './account-codec.ts'
import * as auth from './keeper.ts'
import { defaultParams, validateParams } from './params.ts'
import * as state from './state.ts'

/**
 * Returns the accounts with unique numbers, in the order in which to store them. Of accounts with the same number, the first
 * ordinary account keeps it, or the first module account if there is no ordinary one, because module accounts never sign. The
 * others get the lowest free numbers, in the order of their numbers.
 *
 * With `sharing`, module accounts keep their number even if it is in use: the chain itself creates such accounts. Ordinary
 * accounts are stored last, so that the index of numbers points to them.
 */
function withUniqueNumbers(accounts: readonly Account[], sharing: boolean): readonly Account[] {
  const used = new Set<bigint>()
  const again: Account[] = []
  const kept: Account[] = []
  const ordinary = accounts.filter(({ kind }) => kind !== 'module')
  const modules = accounts.filter(({ kind }) => kind === 'module')
  for (const account of [...ordinary, ...modules]) {
    const keeps = !used.has(account.number) || (sharing && account.kind === 'module')
    used.add(account.number)
    ;(keeps ? kept : again).push(account)
  }
  let free = 0n
  for (const account of again.sort((a, b) => (a.number < b.number ? -1 : a.number > b.number ? 1 : 0))) {
    while (used.has(free)) free++
    used.add(free)
    kept.push({ ...account, number: free })
  }
  return kept.reverse()
}

export const genesis: GenesisHandlers = {
  defaults: (ctx) => toJson(ctx, GenesisStateSchema, create(GenesisStateSchema, { params: defaultParams() })),
  init(ctx, json) {
    const { params, accounts } = fromJson(ctx, GenesisStateSchema, json, 'auth')
    const chosen = params ?? defaultParams()
    validateParams(chosen)
    state.params.set(ctx, chosen)
    const parsed = accounts.map((any, i) => withErrorPath(`accounts[${i}]`, () => accountOfAny(ctx.identity, any)))
    const seen = new Set<string>()
    for (const { address, addressText } of parsed) {
      if (seen.has(toKey(address))) throw errors.invalidRequest(`duplicate account in genesis: ${addressText}`)
      seen.add(toKey(address))
    }
    let last = -1n
    for (const account of withUniqueNumbers(parsed, ctx.identity.behaviours.factoryAccountWithoutNumber)) {
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
