import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { beforeEach, describe, expect, test } from 'vitest'
import { MsgSendSchema } from '../../gen/sdk/bank/v1beta1/tx_pb.ts'
import {
  AllowedMsgAllowanceSchema,
  BasicAllowanceSchema,
  PeriodicAllowanceSchema,
} from '../../gen/sdk/feegrant/v1beta1/feegrant_pb.ts'
import * as address from '../../identity/address.ts'
import { identityOf } from '../../identity/profiles.ts'
import { messageType } from '../../identity/registry.ts'
import { concat, formatHex, utf8 } from '../../primitives/bytes.ts'
import { formatKey, NS_PER_SECOND, toDuration, toTimestamp } from '../../primitives/time.ts'
import type { BranchedContext } from '../../sdk/context.ts'
import { defineModule } from '../../sdk/module.ts'
import { moduleAccount } from '../../sdk/module-account.ts'
import { testContext } from '../../sdk/testing.ts'
import { createInfiniteGasMeter } from '../../store/gas.ts'
import * as auth from '../auth/keeper.ts'
import { genesis } from './genesis.ts'
import { feegrant } from './index.ts'
import { getGrant, useAllowance } from './keeper.ts'
import { messages } from './messages.ts'
import { queries } from './queries.ts'

const granterBytes = new Uint8Array(20).fill(0xa1)
const granteeBytes = new Uint8Array(20).fill(0xb2)
const parties = { granter: granterBytes, grantee: granteeBytes }
const SEND = '/cosmos.bank.v1beta1.MsgSend'
const VOTE = '/cosmos.gov.v1.MsgVote'

let ctx: BranchedContext
let [granter, grantee] = ['', '']
function open(profile = 'almanac') {
  ctx = testContext({ identity: identityOf(profile), app: { message: messageType } })
  granter = address.format(ctx, granterBytes)
  grantee = address.format(ctx, granteeBytes)
}
beforeEach(() => open())

const code = (codespace: string, number: number) => expect.objectContaining({ codespace, code: number })
const texts = (amount: number, denom = 'unative') => [{ denom, amount: String(amount) }]
const later = (seconds: bigint) => ctx.block.timeNs + seconds * NS_PER_SECOND
const at = (timeNs: bigint) => toTimestamp(timeNs)

function packed<Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>): Any {
  const typeUrl = `/${ctx.identity.toProfileName(schema.typeName)}`
  return create(AnySchema, { typeUrl, value: toBinary(schema, create(schema, init)) })
}

const basic = (amount: number, endNs?: bigint) =>
  packed(BasicAllowanceSchema, { spendLimit: texts(amount), ...(endNs !== undefined && { expiration: at(endNs) }) })

function periodic(limit: number, each: number, resetNs: bigint): Any {
  return packed(PeriodicAllowanceSchema, {
    basic: limit === 0 ? {} : { spendLimit: texts(limit) },
    period: toDuration(100n * NS_PER_SECOND),
    periodSpendLimit: texts(each),
    periodCanSpend: texts(each),
    periodReset: at(resetNs),
  })
}

const grant = (allowance?: Any) => messages.grantAllowance(ctx, { granter, grantee, ...(allowance && { allowance }) })
const revoke = () => messages.revokeAllowance(ctx, { granter, grantee })
const use = (amount: bigint, typeUrls: readonly string[] = [SEND]) =>
  useAllowance(ctx, parties, { fee: amount === 0n ? [] : [{ denom: 'unative', amount }], typeUrls })
const written = () =>
  Object.fromEntries(
    ctx.branchStore
      .changes()
      .filter(({ store, value }) => store === 'feegrant' && value !== undefined)
      .map(({ key, value }) => [formatHex(key), formatHex(value!)]),
  )
const types = () => ctx.branchStore.events.splice(0).map(({ type }) => type)
const end = () => {
  feegrant.endBlock!(ctx)
}

describe('state', () => {
  test('an allowance is stored under grantee and granter, and in the queue under its expiration', () => {
    const endNs = later(100n)
    grant(basic(50, endNs))
    const key = concat(Uint8Array.of(20), granteeBytes, Uint8Array.of(20), granterBytes)
    const queueKey = formatHex(concat(Uint8Array.of(0x01), utf8(formatKey(endNs)), key))
    expect(Object.keys(written())).toEqual([formatHex(concat(Uint8Array.of(0x00), key)), queueKey])
    expect(written()[queueKey]).toBe('')
    expect(auth.hasAccount(ctx, granteeBytes)).toBe(true)
    expect(types()).toEqual(['set_feegrant'])
    revoke()
    expect(written()).toEqual({})
    expect(types()).toEqual(['revoke_feegrant'])
  })

  test('an expired allowance is deleted at the end of a later block', () => {
    grant(basic(50, later(10n)))
    ctx.block.timeNs = later(10n)
    end()
    expect(getGrant(ctx, parties)).toBeDefined()
    ctx.block.timeNs += 1n
    end()
    expect(written()).toEqual({})
  })

  test('a renewed allowance has its own expiration, except on the reference chain', () => {
    for (const [profile, isKept] of [
      ['almanac', true],
      ['nibiru', false],
    ] as const) {
      open(profile)
      grant(basic(50, later(10n)))
      revoke()
      grant(basic(50))
      ctx.block.timeNs = later(11n)
      end()
      expect([profile, getGrant(ctx, parties) !== undefined]).toEqual([profile, isKept])
    }
  })

  test('an allowance for the address of a module without account is refused with sdk 4', () => {
    const module = moduleAccount('newcomer')
    ctx = testContext({
      app: { message: messageType },
      modules: [defineModule({ name: 'newcomer', accounts: [module] })],
    })
    const grantTo = () =>
      messages.grantAllowance(ctx, { granter, grantee: address.format(ctx, module.address), allowance: basic(50) })
    expect(grantTo).toThrow(code('sdk', 4))
    expect(auth.hasAccount(ctx, module.address)).toBe(false)
    auth.ensureModuleAccount(ctx, module)
    grantTo()
  })

  test('genesis imports an export, and refuses a pair that occurs twice', () => {
    grant(basic(50, later(100n)))
    messages.grantAllowance(ctx, { granter: grantee, grantee: granter, allowance: periodic(100, 10, later(5n)) })
    const exported = genesis.export(ctx)
    const other = testContext({ app: { message: messageType } })
    genesis.init(other, exported)
    expect(genesis.export(other)).toEqual(exported)
    expect(() => genesis.init(other, exported)).toThrow('allowances[0]: fee allowance already exists')
  })

  test('genesis skips allowances that have expired', () => {
    grant(basic(50, later(100n)))
    const exported = genesis.export(ctx)
    const other = testContext({ app: { message: messageType }, block: { timeNs: later(101n) } })
    genesis.init(other, exported)
    expect(getGrant(other, parties)).toBeUndefined()
  })
})

describe('paying', () => {
  test('a limit shrinks, refuses more than the remainder, and ends at zero', () => {
    grant(basic(50))
    types()
    use(30n)
    expect(types()).toEqual(['use_feegrant', 'update_feegrant'])
    expect(() => use(21n)).toThrow(code('feegrant', 2))
    use(20n)
    expect(types()).toEqual(['revoke_feegrant', 'use_feegrant'])
    expect(() => use(1n)).toThrow(code('sdk', 38))
  })

  test('an allowance without a limit pays any fee until it expires', () => {
    grant(packed(BasicAllowanceSchema, { expiration: at(later(10n)) }))
    use(10n ** 30n)
    ctx.block.timeNs = later(10n)
    use(1n)
    ctx.block.timeNs += 1n
    expect(() => use(1n)).toThrow(code('feegrant', 3))
  })

  test('a period has its own limit, and the next period starts on schedule', () => {
    grant(periodic(0, 10, later(100n)))
    use(10n)
    expect(() => use(1n)).toThrow('period limit: 1unative of nothing')
    const first = ctx.block.timeNs
    ctx.block.timeNs = first + 150n * NS_PER_SECOND
    use(4n)
    expect(() => use(7n)).toThrow(code('feegrant', 2))
    // The second period ends two periods after the start, not one period after the payment.
    ctx.block.timeNs = first + 200n * NS_PER_SECOND
    use(10n)
  })

  test('after more than a period without payment the next period starts at the payment', () => {
    grant(periodic(0, 10, later(100n)))
    ctx.block.timeNs = later(1000n)
    use(10n)
    ctx.block.timeNs = later(99n)
    expect(() => use(1n)).toThrow(code('feegrant', 2))
    ctx.block.timeNs = later(1n)
    use(1n)
  })

  test('a new period is limited by the remaining total', () => {
    grant(periodic(12, 10, later(100n)))
    use(10n)
    ctx.block.timeNs = later(100n)
    expect(() => use(3n)).toThrow('period limit: 3unative of 2unative')
    use(2n)
    expect(getGrant(ctx, parties)).toBeUndefined()
  })

  test('an allowance for some messages pays only for those, at ten gas per comparison', () => {
    const allowance = basic(50)
    grant(packed(AllowedMsgAllowanceSchema, { allowance, allowedMessages: [SEND, '/cosmos.gov.v1.MsgVote'] }))
    use(10n, [SEND, VOTE])
    expect(() => use(10n, [SEND, '/cosmos.authz.v1beta1.MsgExec'])).toThrow(code('feegrant', 7))
    use(40n, [VOTE])
    expect(getGrant(ctx, parties)).toBeUndefined()
    grant(packed(AllowedMsgAllowanceSchema, { allowance, allowedMessages: [SEND] }))
    const gasOf = (typeUrls: readonly string[]) => {
      const meter = createInfiniteGasMeter()
      useAllowance(ctx.withGas(meter), parties, { fee: [], typeUrls })
      return meter.used
    }
    expect(gasOf([SEND, SEND, SEND]) - gasOf([SEND])).toBe(20n)
  })
})

describe('bad input', () => {
  const filter = (allowance: Any | undefined, allowedMessages: string[]) =>
    packed(AllowedMsgAllowanceSchema, { ...(allowance && { allowance }), allowedMessages })

  test.each([
    ['a missing allowance', () => grant(), 'feegrant', 5],
    ['a message that is not an allowance', () => grant(packed(MsgSendSchema, {})), 'sdk', 29],
    ['a limit of 0', () => grant(basic(0)), 'sdk', 10],
    ['an expiration in the past', () => grant(basic(1, ctx.block.timeNs - 1n)), 'sdk', 18],
    ['a negative expiration', () => grant(basic(1, -NS_PER_SECOND)), 'feegrant', 4],
    ['a period without a limit', () => grant(packed(PeriodicAllowanceSchema, {})), 'sdk', 10],
    [
      'a negative period',
      () => grant(packed(PeriodicAllowanceSchema, { periodSpendLimit: texts(1), period: { seconds: -1n, nanos: 0 } })),
      'feegrant',
      4,
    ],
    [
      'a period limit in another denom than the total',
      () =>
        grant(packed(PeriodicAllowanceSchema, { basic: { spendLimit: texts(9) }, periodSpendLimit: texts(1, 'ufoo') })),
      'sdk',
      10,
    ],
    ['an empty list of messages', () => grant(filter(basic(1), [])), 'feegrant', 6],
    ['a list of messages without an allowance', () => grant(filter(undefined, [SEND])), 'feegrant', 5],
    ['a list of messages within another', () => grant(filter(filter(basic(1), [SEND]), [SEND])), 'sdk', 29],
    [
      'an allowance for oneself',
      () => messages.grantAllowance(ctx, { granter, grantee: granter, allowance: basic(1) }),
      'sdk',
      7,
    ],
    [
      'a malformed grantee',
      () => messages.grantAllowance(ctx, { granter, grantee: 'nobody', allowance: basic(1) }),
      'sdk',
      7,
    ],
    ['the revocation of a missing allowance', revoke, 'sdk', 38],
  ] as const)('%s is refused', (_, run, codespace, number) => {
    expect(run).toThrow(code(codespace, number))
  })

  test('a second allowance between the same accounts is refused', () => {
    grant(basic(1))
    expect(() => grant(basic(2))).toThrow('fee allowance already exists')
  })
})

test('allowances are found by both parties, by grantee and by granter', () => {
  grant(basic(5))
  expect(queries.allowance(ctx, { granter, grantee }).allowance).toMatchObject({ granter, grantee })
  expect(queries.allowances(ctx, { grantee }).allowances).toHaveLength(1)
  expect(queries.allowances(ctx, { grantee: granter })).toMatchObject({ allowances: [], pagination: { total: 0n } })
  expect(queries.allowancesByGranter(ctx, { granter }).allowances).toHaveLength(1)
  expect(queries.allowancesByGranter(ctx, { granter: grantee }).allowances).toEqual([])
  expect(() => queries.allowance(ctx, { granter: grantee, grantee: granter })).toThrow(
    expect.objectContaining({ status: 'notFound', message: 'fee-grant not found' }),
  )
  expect(() => queries.allowances(ctx, { grantee: 'x' })).toThrow(/^invalid grantee address: /)
})
