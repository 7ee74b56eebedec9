import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { beforeEach, describe, expect, test } from 'vitest'
import { MsgEthereumTxSchema } from '../../gen/chain/evm/v1/tx_pb.ts'
import { GenericAuthorizationSchema } from '../../gen/sdk/authz/v1beta1/authz_pb.ts'
import { MsgExecSchema, MsgGrantSchema } from '../../gen/sdk/authz/v1beta1/tx_pb.ts'
import { SendAuthorizationSchema } from '../../gen/sdk/bank/v1beta1/authz_pb.ts'
import { MsgMultiSendSchema, MsgSendSchema } from '../../gen/sdk/bank/v1beta1/tx_pb.ts'
import { AuthorizationType, StakeAuthorizationSchema } from '../../gen/sdk/staking/v1beta1/authz_pb.ts'
import { MsgDelegateSchema } from '../../gen/sdk/staking/v1beta1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import { messageType } from '../../identity/registry.ts'
import { concat, formatHex, utf8 } from '../../primitives/bytes.ts'
import { formatKey, NS_PER_SECOND, toTimestamp } from '../../primitives/time.ts'
import type { BranchedContext } from '../../sdk/context.ts'
import { defineModule } from '../../sdk/module.ts'
import { moduleAccount } from '../../sdk/module-account.ts'
import { testContext } from '../../sdk/testing.ts'
import { createInfiniteGasMeter } from '../../store/gas.ts'
import * as auth from '../auth/keeper.ts'
import { bank as bankModule } from '../bank/index.ts'
import * as bank from '../bank/keeper.ts'
import { staking } from '../staking/index.ts'
import { accept, parseAuthorization } from './authorization.ts'
import { genesis } from './genesis.ts'
import { authz } from './index.ts'
import { messages } from './messages.ts'
import { queries } from './queries.ts'

const mintery = moduleAccount('mintery', 'minter')
/** A module account that has never been used. */
const newcomer = moduleAccount('newcomer')
const granterBytes = new Uint8Array(20).fill(0xa1)
const granteeBytes = new Uint8Array(20).fill(0xb2)
const strangerBytes = new Uint8Array(20).fill(0xc3)
const MSG_SEND = '/cosmos.bank.v1beta1.MsgSend'

let ctx: BranchedContext
let [granter, grantee, stranger] = ['', '', '']
beforeEach(() => {
  const modules = [authz, bankModule, staking, defineModule({ name: 'mintery', accounts: [mintery, newcomer] })]
  ctx = testContext({ app: { message: messageType }, modules })
  granter = address.format(ctx, granterBytes)
  grantee = address.format(ctx, granteeBytes)
  stranger = address.format(ctx, strangerBytes)
  bank.mint(ctx, mintery, coins(1000n))
  bank.send(ctx, mintery.address, granterBytes, coins(1000n))
  ctx.branchStore.events.length = 0
})

const coins = (amount: bigint) => [{ denom: 'unative', amount }]
const texts = (amount: number) => [{ denom: 'unative', amount: String(amount) }]
const code = (codespace: string, number: number) => expect.objectContaining({ codespace, code: number })

function packed<Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>): Any {
  return create(AnySchema, { typeUrl: `/${schema.typeName}`, value: toBinary(schema, create(schema, init)) })
}

const sendLimit = (amount: number, allowList: string[] = []) =>
  packed(SendAuthorizationSchema, { spendLimit: texts(amount), allowList })
const generic = (msg: string) => packed(GenericAuthorizationSchema, { msg })

const later = (seconds: bigint) => ctx.block.timeNs + seconds * NS_PER_SECOND

function grant(authorization: Any, endNs?: bigint, to = grantee) {
  const expiration = endNs === undefined ? {} : { expiration: toTimestamp(endNs) }
  return messages.grant(ctx, { granter, grantee: to, grant: { authorization, ...expiration } })
}

const send = (amount: number, to = stranger, from = granter) =>
  packed(MsgSendSchema, { fromAddress: from, toAddress: to, amount: texts(amount) })
const exec = (...msgs: Any[]) => messages.exec(ctx, { grantee, msgs })

const written = () =>
  Object.fromEntries(
    ctx.branchStore
      .changes()
      .filter(({ store, value }) => store === 'authz' && value !== undefined)
      .map(({ key, value }) => [formatHex(key), formatHex(value!)]),
  )

describe('state', () => {
  test('a grant is stored under granter, grantee and type URL, and in the queue under its expiration', () => {
    const end = later(100n)
    grant(sendLimit(50), end)
    const parties = concat(Uint8Array.of(20), granterBytes, Uint8Array.of(20), granteeBytes)
    const grantKey = formatHex(concat(Uint8Array.of(0x01), parties, utf8(MSG_SEND)))
    const queueKey = formatHex(concat(Uint8Array.of(0x02), utf8(formatKey(end)), parties))
    // GrantQueueItem{msg_type_urls: [MSG_SEND]}: field 1, 28 bytes.
    expect(written()[queueKey]).toBe(`0a1c${formatHex(utf8(MSG_SEND))}`)
    const authorization = sendLimit(50)
    const typeUrl = '/cosmos.bank.v1beta1.SendAuthorization'
    const any = `0a${hexLength(typeUrl.length)}${formatHex(utf8(typeUrl))}12${hexLength(authorization.value.length)}${formatHex(authorization.value)}`
    expect(written()[grantKey]).toBe(`0a${hexLength(any.length / 2)}${any}120608${END_SECONDS}`)
    messages.revoke(ctx, { granter, grantee, msgTypeUrl: MSG_SEND })
    expect(written()).toEqual({ [queueKey]: '' })
  })

  /** 1704067300 as a varint. */
  const END_SECONDS = 'e481c8ac06'
  const hexLength = (length: number) => length.toString(16).padStart(2, '0')

  test('a grant creates the account of a new grantee', () => {
    expect(auth.hasAccount(ctx, granteeBytes)).toBe(false)
    grant(generic(MSG_SEND))
    expect(auth.hasAccount(ctx, granteeBytes)).toBe(true)
  })

  test('a grant to the address of a module without account is refused with sdk 4', () => {
    const grantTo = () => grant(generic(MSG_SEND), undefined, address.format(ctx, newcomer.address))
    expect(grantTo).toThrow(code('sdk', 4))
    expect(auth.hasAccount(ctx, newcomer.address)).toBe(false)
    auth.ensureModuleAccount(ctx, newcomer)
    grantTo()
  })

  test('names are accepted under both profiles and stored under the active one', () => {
    grant(
      create(AnySchema, {
        ...generic('/sdk.bank.v1beta1.MsgSend'),
        typeUrl: '/sdk.authz.v1beta1.GenericAuthorization',
      }),
    )
    expect(queries.grants(ctx, { granter, grantee }).grants[0]!.authorization!.typeUrl).toBe(
      '/cosmos.authz.v1beta1.GenericAuthorization',
    )
    expect(exec(send(1)).results).toHaveLength(1)
    messages.revoke(ctx, { granter, grantee, msgTypeUrl: '/sdk.bank.v1beta1.MsgSend' })
  })

  test('a grant is deleted at the beginning of the first block after its expiration', () => {
    grant(sendLimit(50), later(10n))
    grant(packed(StakeAuthorizationSchema, { authorizationType: AuthorizationType.DELEGATE }), later(10n))
    ctx.block.timeNs = later(10n)
    authz.beginBlock!(ctx)
    expect(queries.grants(ctx, { granter, grantee }).grants).toHaveLength(2)
    ctx.block.timeNs += 1n
    authz.beginBlock!(ctx)
    expect(written()).toEqual({})
  })

  test('a later grant for the same messages replaces the first, also in the queue', () => {
    grant(generic(MSG_SEND), later(10n))
    grant(sendLimit(7), later(20n))
    ctx.block.timeNs = later(15n)
    authz.beginBlock!(ctx)
    expect(queries.grants(ctx, { granter, grantee }).grants.map(({ authorization }) => authorization!.typeUrl)).toEqual(
      ['/cosmos.bank.v1beta1.SendAuthorization'],
    )
    grant(sendLimit(7))
    ctx.block.timeNs = later(15n)
    authz.beginBlock!(ctx)
    expect(queries.grants(ctx, { granter, grantee }).grants).toHaveLength(1)
  })

  test('genesis imports an export and skips expired grants', () => {
    grant(sendLimit(50), later(100n))
    messages.grant(ctx, { granter, grantee: stranger, grant: { authorization: generic(MSG_SEND) } })
    const exported = genesis.export(ctx)
    const other = testContext({ app: { message: messageType } })
    genesis.init(other, exported)
    expect(genesis.export(other)).toEqual(exported)
    const later1 = testContext({ app: { message: messageType }, block: { timeNs: later(100n) } })
    genesis.init(later1, exported)
    expect((genesis.export(later1) as { authorization: unknown[] }).authorization).toHaveLength(1)
    expect(() => genesis.init(other, { authorization: [{ granter, grantee: 'x', authorization: null }] })).toThrow(
      'authorization[0]: ',
    )
  })
})

describe('exec', () => {
  test('a limit shrinks with its use, refuses more than the remainder, and ends at zero', () => {
    grant(sendLimit(50))
    ctx.branchStore.events.length = 0
    const { results } = exec(send(30))
    expect(results).toEqual([new Uint8Array(0)])
    expect(bank.balance(ctx, strangerBytes, 'unative')).toBe(30n)
    expect(ctx.events.map(({ type, attributes }) => [type, attributes.at(-1)])).toEqual(
      ['coin_spent', 'coin_received', 'transfer', 'message'].map((type) => [
        type,
        { key: 'authz_msg_index', value: '0' },
      ]),
    )
    expect(() => exec(send(21))).toThrow(code('sdk', 5))
    exec(send(20))
    expect(() => exec(send(1))).toThrow(code('authz', 2))
  })

  test('an expired grant is refused before a block deletes it', () => {
    grant(sendLimit(50), later(10n))
    ctx.block.timeNs = later(10n)
    exec(send(1))
    ctx.block.timeNs += 1n
    expect(() => exec(send(1))).toThrow(code('authz', 6))
  })

  test('only listed recipients are permitted, at ten gas per comparison', () => {
    const authorization = parseAuthorization(ctx, sendLimit(50, [grantee, stranger]))
    const meter = createInfiniteGasMeter()
    accept(ctx.withGas(meter), authorization, create(MsgSendSchema, { toAddress: stranger, amount: texts(1) }))
    expect(meter.used).toBe(20n)
    grant(sendLimit(50, [grantee, stranger]))
    exec(send(1, grantee))
    expect(() => exec(send(1, granter))).toThrow(`cannot send to ${granter} address`)
  })

  test('the list of recipients also applies to the payment that uses up the limit', () => {
    const whole = create(MsgSendSchema, { toAddress: granter, amount: texts(50) })
    expect(() => accept(ctx, parseAuthorization(ctx, sendLimit(50, [stranger])), whole)).toThrow(code('sdk', 4))
    expect(accept(ctx, parseAuthorization(ctx, sendLimit(50, [granter])), whole)).toBe(undefined)
  })

  test('own messages need no grant, and each message of another account needs its grant', () => {
    bank.send(ctx, granterBytes, granteeBytes, coins(10n))
    exec(send(1, stranger, grantee))
    expect(() => exec(send(1, stranger, grantee), send(1))).toThrow(
      `failed to get grant with given granter: ${granter}, grantee: ${grantee} & msgType: ${MSG_SEND}`,
    )
  })

  test('executions nest twice and no deeper, and every level needs its grant', () => {
    const inner = packed(MsgExecSchema, { grantee: stranger, msgs: [send(1)] })
    expect(() => exec(inner)).toThrow(code('authz', 2))
    messages.grant(ctx, { granter, grantee: stranger, grant: { authorization: generic(MSG_SEND) } })
    messages.grant(ctx, {
      granter: stranger,
      grantee,
      grant: { authorization: generic('/cosmos.authz.v1beta1.MsgExec') },
    })
    exec(inner)
    const deeper = packed(MsgExecSchema, { grantee, msgs: [inner] })
    expect(() => exec(deeper)).toThrow('exceeded max nested message depth: 2')
  })

  test('an Ethereum transaction is refused in a grant and in an execution at any depth', () => {
    const ethereum = packed(MsgEthereumTxSchema, {})
    expect(() => grant(generic(`/${MsgEthereumTxSchema.typeName}`))).toThrow(code('sdk', 37))
    expect(() => exec(ethereum)).toThrow(code('sdk', 29))
    expect(() => exec(packed(MsgExecSchema, { grantee, msgs: [ethereum] }))).toThrow(code('sdk', 29))
  })

  test('messages with several signers, unknown messages, and an empty list are refused', () => {
    const part = (from: string) => ({ address: from, coins: texts(1) })
    const multi = packed(MsgMultiSendSchema, { inputs: [part(granter), part(stranger)], outputs: [part(grantee)] })
    expect(() => exec(multi)).toThrow(code('authz', 9))
    expect(() => exec(create(AnySchema, { typeUrl: '/cosmos.group.v1.MsgVote' }))).toThrow(code('sdk', 34))
    expect(() => exec()).toThrow(code('sdk', 18))
  })

  test('the error of a failed message contains its type URL', () => {
    grant(generic(MSG_SEND))
    expect(() => exec(send(5000))).toThrow(/^failed to execute message; message \/cosmos\.bank\.v1beta1\.MsgSend: /)
  })

  test('the stateless checks cover the messages within an execution', () => {
    const message = create(MsgExecSchema, { grantee, msgs: [send(0)] })
    expect(() => ctx.app.validate(ctx, MsgExecSchema, message)).toThrow(code('sdk', 10))
  })
})

describe('stake authorizations', () => {
  const validator = () => address.formatValidator(ctx, strangerBytes)
  const delegation = (amount: number, to = validator()) =>
    create(MsgDelegateSchema, { delegatorAddress: granter, validatorAddress: to, amount: texts(amount)[0]! })
  const stake = (init: MessageInitShape<typeof StakeAuthorizationSchema>) => ({
    schema: StakeAuthorizationSchema,
    message: create(StakeAuthorizationSchema, { authorizationType: AuthorizationType.DELEGATE, ...init }),
  })
  const only = () => stake({ validators: { case: 'allowList', value: { address: [validator()] } } })
  const allBut = () => stake({ validators: { case: 'denyList', value: { address: [validator()] } } })

  test('delegations use up a limit of tokens', () => {
    const left = accept(ctx, stake({ maxTokens: texts(10)[0]! }), delegation(4))
    expect(left!.message).toMatchObject({ maxTokens: { amount: '6' } })
    expect(accept(ctx, left!, delegation(6))).toBeUndefined()
    expect(() => accept(ctx, left!, delegation(7))).toThrow(code('sdk', 5))
  })

  test('a list permits or denies validators', () => {
    const elsewhere = address.formatValidator(ctx, granterBytes)
    accept(ctx, only(), delegation(1))
    expect(() => accept(ctx, only(), delegation(1, elsewhere))).toThrow(code('sdk', 4))
    accept(ctx, allBut(), delegation(1, elsewhere))
    expect(() => accept(ctx, allBut(), delegation(1))).toThrow(code('sdk', 4))
  })

  test('a list permits or denies a validator in either spelling, of the message and of the list', () => {
    const upper = validator().toUpperCase()
    accept(ctx, only(), delegation(1, upper))
    expect(() => accept(ctx, allBut(), delegation(1, upper))).toThrow(code('sdk', 4))
    // A list of an earlier build, as stored.
    const stored = (which: 'allowList' | 'denyList') =>
      stake({ validators: { case: which, value: { address: [upper] } } })
    accept(ctx, stored('allowList'), delegation(1))
    expect(() => accept(ctx, stored('denyList'), delegation(1))).toThrow(code('sdk', 4))
    expect(() => accept(ctx, stored('denyList'), delegation(1, upper))).toThrow(code('sdk', 4))
  })
})

describe('spellings of addresses', () => {
  test('a grant stores its lists in lower case, and leaves a text that is no address as it is', () => {
    grant(sendLimit(9, [stranger.toUpperCase(), 'NOBODY']))
    const { grants } = queries.grants(ctx, { granter, grantee, msgTypeUrl: MSG_SEND })
    const { message } = parseAuthorization(ctx, grants[0]!.authorization)
    expect(message).toMatchObject({ allowList: [stranger, 'NOBODY'] })
    exec(send(1, stranger.toUpperCase()))
    expect(() => exec(send(1, 'NOBODY'))).toThrow(code('sdk', 7))
    expect(() => exec(send(1, granter))).toThrow(code('sdk', 4))
  })
})

describe('bad input', () => {
  test.each([
    ['a grant to oneself', () => grant(generic(MSG_SEND), undefined, granter), 'authz', 7],
    ['a malformed grantee', () => grant(generic(MSG_SEND), undefined, 'nobody'), 'sdk', 7],
    ['an expiration at the block time', () => grant(generic(MSG_SEND), ctx.block.timeNs), 'authz', 3],
    ['a message without handler', () => grant(generic('/cosmos.nft.v1beta1.MsgSend')), 'sdk', 29],
    ['a message that is not an authorization', () => grant(packed(MsgSendSchema, {})), 'sdk', 29],
    ['a grant without authorization', () => messages.grant(ctx, { granter, grantee, grant: {} }), 'sdk', 34],
    ['a send authorization without limit', () => grant(packed(SendAuthorizationSchema, {})), 'sdk', 10],
    ['a send authorization with limit 0', () => grant(sendLimit(0)), 'sdk', 10],
    ['a duplicate recipient', () => grant(sendLimit(1, [stranger, stranger])), 'bank', 8],
    ['a recipient in two spellings', () => grant(sendLimit(1, [stranger, stranger.toUpperCase()])), 'bank', 8],
    ['a stake authorization without type', () => grant(packed(StakeAuthorizationSchema, {})), 'authz', 4],
    [
      'a negative token limit',
      () =>
        grant(
          packed(StakeAuthorizationSchema, { authorizationType: 1, maxTokens: { denom: 'unative', amount: '-1' } }),
        ),
      'authz',
      12,
    ],
    [
      'the revocation of a missing grant',
      () => messages.revoke(ctx, { granter, grantee, msgTypeUrl: MSG_SEND }),
      'authz',
      2,
    ],
    ['a revocation without type URL', () => messages.revoke(ctx, { granter, grantee, msgTypeUrl: '' }), 'sdk', 18],
  ] as const)('%s is refused', (_, run, codespace, number) => {
    expect(run).toThrow(code(codespace, number))
  })

  test('truncated bytes within a grant are refused as undecodable', () => {
    const authorization = create(AnySchema, { ...sendLimit(5), value: Uint8Array.of(0x0a, 0x7f) })
    const message = create(MsgGrantSchema, { granter, grantee, grant: { authorization } })
    expect(() => messages.grant(ctx, message)).toThrow(code('sdk', 2))
  })
})

describe('queries', () => {
  beforeEach(() => {
    grant(sendLimit(50), later(100n))
    grant(packed(StakeAuthorizationSchema, { authorizationType: AuthorizationType.DELEGATE }))
    messages.grant(ctx, { granter: stranger, grantee, grant: { authorization: generic(MSG_SEND) } })
  })

  test('grants are listed by both parties, by type, by granter and by grantee, in pages', () => {
    expect(queries.grants(ctx, { granter, grantee })).toMatchObject({ pagination: { total: 2n } })
    expect(queries.grants(ctx, { granter, grantee, msgTypeUrl: '/cosmos.bank.v1beta1.MsgSend' }).grants).toHaveLength(1)
    const parties = (list: readonly { readonly granter: string; readonly grantee: string }[]) =>
      list.map((one) => [one.granter, one.grantee])
    expect(parties(queries.granterGrants(ctx, { granter }).grants)).toEqual([
      [granter, grantee],
      [granter, grantee],
    ])
    expect(parties(queries.granteeGrants(ctx, { grantee }).grants)).toEqual([
      [granter, grantee],
      [granter, grantee],
      [stranger, grantee],
    ])
    expect(queries.granteeGrants(ctx, { grantee: stranger }).grants).toEqual([])
    const { grants, pagination } = queries.granteeGrants(ctx, { grantee, pagination: { limit: 2n } })
    expect([grants.length, pagination!.nextKey.length > 0]).toEqual([2, true])
  })

  test('a malformed address and a missing grant are errors with their reason', () => {
    expect(() => queries.grants(ctx, { granter: 'x', grantee })).toThrow(/^invalid granter address: /)
    expect(() => queries.granteeGrants(ctx, { grantee: '' })).toThrow(/^invalid grantee address: /)
    const msgTypeUrl = '/cosmos.gov.v1.MsgVote'
    expect(() => queries.grants(ctx, { granter, grantee, msgTypeUrl })).toThrow(
      expect.objectContaining({
        status: 'notFound',
        message: 'authorization not found for /cosmos.gov.v1.MsgVote type',
      }),
    )
  })
})
