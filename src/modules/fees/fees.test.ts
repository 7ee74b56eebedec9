import { expect, test } from 'vitest'
import * as address from '../../identity/address.ts'
import { identityOf } from '../../identity/profiles.ts'
import { governance } from '../../sdk/authority.ts'
import { testContext } from '../../sdk/testing.ts'
import { genesis } from './genesis.ts'
import * as fees from './keeper.ts'
import { messages } from './messages.ts'
import { queries } from './queries.ts'

const coin = (denom: string) => ({ denom, amount: 1n })

test('fees are paid in the base denom and the denoms that governance adds, which cannot exclude the base denom', () => {
  const ctx = testContext()
  expect([fees.acceptedDenoms(ctx), fees.findRefused(ctx, [coin('ufoo')])]).toEqual([['unative'], coin('ufoo')])
  const authority = address.format(ctx, governance)
  messages.updateParams(ctx, { authority, params: { allowedDenoms: ['ufoo'] } })
  expect([fees.acceptedDenoms(ctx), fees.findRefused(ctx, [coin('ufoo')])]).toEqual([['unative', 'ufoo'], undefined])
  expect(fees.findRefused(ctx, [coin('unative'), coin('ubar'), coin('ufoo')])).toEqual(coin('ubar'))
  expect(queries.params(ctx, {}).params!.allowedDenoms).toEqual(['ufoo'])
  messages.updateParams(ctx, { authority, params: { allowedDenoms: [] } })
  expect(fees.acceptedDenoms(ctx)).toEqual(['unative'])
})

test('more than 16 denoms, a repeated one and a text that is no denom are refused', () => {
  const ctx = testContext()
  const authority = address.format(ctx, governance)
  const update = (allowedDenoms: string[]) => () => messages.updateParams(ctx, { authority, params: { allowedDenoms } })
  const many = Array.from({ length: 17 }, (_, i) => `ufoo${i}`)
  expect(update(many)).toThrow('allowed_denoms must have at most 16 denoms, got 17')
  expect(update(many.slice(1))).not.toThrow()
  expect(update(['ufoo', 'ufoo'])).toThrow('allowed_denoms lists ufoo twice')
  expect(update(['ufoo', '!'])).toThrow('allowed_denoms[1]: "!" is not a denom')
  expect(() => messages.updateParams(ctx, { authority: address.format(ctx, new Uint8Array(20)), params: {} })).toThrow(
    expect.objectContaining({ codespace: 'gov', code: 13 }),
  )
})

test('a default genesis leaves no state, and another comes back from an export', () => {
  const ctx = testContext()
  genesis.init(ctx, genesis.defaults(ctx))
  genesis.init(ctx, {})
  expect(ctx.branchStore.changes()).toEqual([])
  genesis.init(ctx, { params: { allowed_denoms: ['ufoo'] } })
  const exported = genesis.export(ctx)
  expect(exported).toEqual({ params: { allowed_denoms: ['ufoo'] } })
  const other = testContext()
  genesis.init(other, exported)
  expect(genesis.export(other)).toEqual(exported)
  expect(() => genesis.init(testContext(), { params: { allowed_denoms: ['!'] } })).toThrow(
    'params: allowed_denoms[0]: "!" is not a denom',
  )
})

test('the base denom of a real chain is that of its profile', () => {
  expect(fees.acceptedDenoms(testContext({ identity: identityOf('nibiru') }))).toEqual(['unibi'])
})
