import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { beforeEach, describe, expect, test } from 'vitest'
import { DenomAuthorityMetadataSchema } from '../../gen/chain/tokenfactory/v1/state_pb.ts'
import {
  Msg,
  MsgBurnNativeSchema,
  MsgBurnSchema,
  MsgChangeAdminSchema,
  MsgCreateDenomResponseSchema,
  MsgCreateDenomSchema,
  MsgMintSchema,
} from '../../gen/chain/tokenfactory/v1/tx_pb.ts'
import { MetadataSchema } from '../../gen/sdk/bank/v1beta1/bank_pb.ts'
import { identityOf } from '../../identity/profiles.ts'
import { decodeBech32, formatBech32, ofModule } from '../../primitives/address.ts'
import { formatHex, hex, utf8 } from '../../primitives/bytes.ts'
import { sha256 } from '../../primitives/hash.ts'
import { aminoMessage, canonicalJson } from '../../sdk/amino-json.ts'
import { governance } from '../../sdk/authority.ts'
import type { BranchedContext } from '../../sdk/context.ts'
import { testContext } from '../../sdk/testing.ts'
import { createGasMeter } from '../../store/gas.ts'
import { auth as authModule } from '../auth/index.ts'
import * as auth from '../auth/keeper.ts'
import { bank as bankModule } from '../bank/index.ts'
import * as bank from '../bank/keeper.ts'
import { genesis as sudoGenesis } from '../sudo/genesis.ts'
import { genesis } from './genesis.ts'
import { tokenfactory as module } from './index.ts'
import { defaultMetadata } from './keeper.ts'
import { messages } from './messages.ts'
import { queries } from './queries.ts'
import * as state from './state.ts'

const A = 'chain1qfjqsfs08rfugwex7d549lecaja23p5jcejn57'
const B = 'chain1rh8u6q2lxdqzcsax76jh8f50hcync7p6mu63ch'
const DENOM = `factory/${A}/nusd`
const bytesOf = (text: string) => (decodeBech32(text) as { bytes: Uint8Array }).bytes
const [a, b] = [bytesOf(A), bytesOf(B)]
const GOV = formatBech32('chain', governance)
const coin = (amount: string, denom = DENOM) => ({ denom, amount })
const failure = (code: number, codespace = 'tokenfactory') => expect.objectContaining({ codespace, code })

let ctx: BranchedContext
beforeEach(() => {
  ctx = testContext({ modules: [authModule, bankModule, module] })
  sudoGenesis.init(ctx, { sudoers: { root: B, contracts: [] } })
  genesis.init(ctx, genesis.defaults(ctx))
})

const createDenom = (sender = A, subdenom = 'nusd') => messages.createDenom(ctx, { sender, subdenom }).newTokenDenom
const key = (text: string) => ctx.store.get('tokenfactory', hex(text))
const hexOf = (bytes: Uint8Array | undefined) => (bytes === undefined ? undefined : formatHex(bytes))

describe('stored and sent bytes', () => {
  test('keys and values of a denom match', () => {
    expect(createDenom()).toBe(DENOM)
    expect(formatHex(ofModule('tokenfactory'))).toBe('2e6443cca08670b1a6b0ceda12e0369a7ff6be5a')
    const text = formatHex(utf8(DENOM))
    const creator = formatHex(utf8(A))
    expect(hexOf(key(`01${text}00`))).toBe(
      '0a2c636861696e3171666a7173667330387266756777657837643534396c6563616a61323370356a63656a6e353712046e757364',
    )
    expect(hexOf(key(`02${creator}00`))).toBe('')
    expect(hexOf(key('030000000000000000'))).toBe('0880ade204')
    expect(hexOf(key(`04${text}00`))).toBe(`0a2c${creator}`)
    expect(hexOf(key(`05${creator}00${text}00`))).toBe('')
    messages.changeAdmin(ctx, { sender: A, denom: DENOM, newAdmin: '' })
    expect(hexOf(key(`04${text}00`))).toBe('')
    const metadata = ctx.store.get('bank', hex(`01${text}`))!
    const part = (tag: string) => `${tag}39${text}`
    expect(metadata.length).toBe(297)
    expect(formatHex(metadata)).toBe(`123b${part('0a')}${part('1a')}${part('22')}${part('2a')}${part('32')}`)
    expect(formatHex(toBinary(MetadataSchema, defaultMetadata(DENOM)))).toBe(formatHex(metadata))
  })

  const encode = <Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>) =>
    formatHex(toBinary(schema, create(schema, init)))

  test('messages match', () => {
    const [text, alice, bob] = [DENOM, A, B].map((one) => formatHex(utf8(one)))
    expect(encode(MsgCreateDenomSchema, { sender: A, subdenom: 'nusd' })).toBe(`0a2c${alice}12046e757364`)
    expect(encode(MsgCreateDenomResponseSchema, { newTokenDenom: DENOM })).toBe(`0a39${text}`)
    expect(encode(MsgMintSchema, { sender: A, coin: coin('69420'), mintTo: B })).toBe(
      `0a2c${alice}12420a39${text}120536393432301a2c${bob}`,
    )
    expect(encode(MsgBurnSchema, { sender: A, coin: coin('1') })).toBe(`0a2c${alice}123e0a39${text}120131`)
    expect(encode(MsgChangeAdminSchema, { sender: A, denom: DENOM, newAdmin: B })).toBe(
      `0a2c${alice}1239${text}1a2c${bob}`,
    )
    expect(encode(MsgBurnNativeSchema, { sender: A, coin: coin('123', 'unative') })).toBe(
      `0a2c${alice}120e0a07756e61746976651203313233`,
    )
  })

  test('the module account and changed parameters match', () => {
    expect(formatBech32('chain', ofModule('tokenfactory'))).toBe('chain19ejy8n9qsectrf4semdp9cpknflld0j6gzfxx5')
    messages.updateModuleParams(ctx, { authority: GOV, params: { denomCreationGasConsume: 4_000_000n } })
    expect(hexOf(key('030000000000000000'))).toBe('088092f401')
  })

  test('the amino JSON of a creation matches, and every message has an amino name', () => {
    const signed = { ...ctx, toName: (name: string) => name }
    const creation = create(MsgCreateDenomSchema, { sender: A, subdenom: 'nusd' })
    const json = canonicalJson(aminoMessage(signed, MsgCreateDenomSchema, creation))
    expect(formatHex(sha256(utf8(json)))).toBe('bddfb6116a82604565808fa05aa1cda0d27d6b00397427686c09b25f92f472cc')
    const names = Object.values(Msg.method).map(({ input }) => aminoMessage(signed, input, create(input)))
    expect(names).toMatchObject(
      [
        'create-denom',
        'change-admin',
        'update-module-params',
        'mint',
        'burn',
        'set-denom-metadata',
        'sudo-set-denom-metadata',
        'burn-native',
      ].map((name) => ({ type: `chain/tokenfactory/${name}` })),
    )
  })

  test('a subdenom has 1 to 44 allowed characters', () => {
    for (const subdenom of ['nusd', 'NUSD', 'n.u_s-d:1', 'a', '1', 'x'.repeat(44)]) {
      expect(createDenom(A, subdenom)).toBe(`factory/${A}/${subdenom}`)
    }
    for (const subdenom of ['nusd ', 'n/usd', '', 'nüsd', 'x'.repeat(45), 'x'.repeat(75), 'x'.repeat(76), 'a\0b']) {
      expect(() => createDenom(A, subdenom), subdenom).toThrow(failure(5))
    }
    expect(() => createDenom('nobody')).toThrow(failure(4))
    expect(() => createDenom('nibi1qfjqsfs08rfugwex7d549lecaja23p5j67zpkc')).toThrow(failure(4))
  })

  test('an upper-case sender creates the denom of the same account', () => {
    expect(createDenom(A.toUpperCase())).toBe(DENOM)
    expect(() => createDenom()).toThrow(failure(7))
  })

  test('a denom contains its creator in lower case', () => {
    createDenom()
    const upper = `factory/${A.toUpperCase()}/nusd`
    expect(() => messages.mint(ctx, { sender: A, coin: { denom: upper, amount: '1' } })).toThrow(failure(3))
  })

  test('an admin that an earlier build stored in upper case is the same account', () => {
    createDenom()
    state.admins.set(ctx, DENOM, create(DenomAuthorityMetadataSchema, { admin: A.toUpperCase() }))
    expect(queries.denomInfo(ctx, { denom: DENOM }).admin).toBe(A)
    messages.mint(ctx, { sender: A, coin: coin('1') })
    messages.changeAdmin(ctx, { sender: A, denom: DENOM, newAdmin: B.toUpperCase() })
    expect(state.admins.get(ctx, DENOM)!.admin).toBe(B)
  })

  test('events match', () => {
    createDenom()
    messages.mint(ctx, { sender: A, coin: coin('69420'), mintTo: B })
    const [created] = ctx.events
    expect(created).toEqual({
      type: 'chain.tokenfactory.v1.EventCreateDenom',
      attributes: [
        { key: 'creator', value: `"${A}"` },
        { key: 'denom', value: `"${DENOM}"` },
      ],
    })
    expect(ctx.events.at(-1)).toEqual({
      type: 'chain.tokenfactory.v1.EventMint',
      attributes: [
        { key: 'caller', value: `"${A}"` },
        { key: 'coin', value: `{"denom":"${DENOM}","amount":"69420"}` },
        { key: 'to_addr', value: `"${B}"` },
      ],
    })
  })
})

describe('the life of a denom', () => {
  const supply = () => bank.supply(ctx, DENOM)

  test('creation costs gas once, and a denom cannot be created twice', () => {
    const short = ctx.branch({ gas: createGasMeter(9_000_000n) })
    expect(() => messages.createDenom(short, { sender: A, subdenom: 'nusd' })).toThrow(failure(11, 'sdk'))
    expect(bank.metadata(ctx, DENOM)).toBeUndefined()
    const meter = createGasMeter(10_200_000n)
    const enough = ctx.branch({ gas: meter })
    messages.createDenom(enough, { sender: A, subdenom: 'nusd' })
    enough.merge()
    expect(meter.used).toBeGreaterThan(10_000_000n)
    const again = ctx.branch({ gas: createGasMeter(1_000_000n) })
    expect(() => messages.createDenom(again, { sender: A, subdenom: 'nusd' })).toThrow(failure(7))
  })

  test('the admin mints, and burns coins of any user account without consent', () => {
    createDenom()
    expect(() => messages.mint(ctx, { sender: B, coin: coin('1') })).toThrow(`sender (${B}), admin (${A})`)
    expect(messages.mint(ctx, { sender: A, coin: coin('100'), mintTo: B }).mintTo).toBe(B)
    expect([supply(), bank.balance(ctx, b, DENOM)]).toEqual([100n, 100n])
    messages.burn(ctx, { sender: A, coin: coin('40'), burnFrom: B })
    expect([supply(), bank.balance(ctx, b, DENOM)]).toEqual([60n, 60n])
    expect(() => messages.burn(ctx, { sender: A, coin: coin('70'), burnFrom: B })).toThrow(failure(5, 'sdk'))
    expect(messages.mint(ctx, { sender: A, coin: coin('5') }).mintTo).toBe(A)
    messages.burn(ctx, { sender: A, coin: coin('5') })
    expect([supply(), bank.balance(ctx, a, DENOM)]).toEqual([60n, 0n])
  })

  test('module accounts can neither receive minted coins nor have coins burned', () => {
    createDenom()
    for (const mintTo of [
      formatBech32('chain', ofModule('tokenfactory')),
      formatBech32('chain', ofModule('fee_collector')),
      GOV,
    ]) {
      expect(() => messages.mint(ctx, { sender: A, coin: coin('1'), mintTo })).toThrow(failure(13))
      expect(() => messages.burn(ctx, { sender: A, coin: coin('1'), burnFrom: mintTo })).toThrow('failed to burn from')
    }
  })

  test('an admin is replaced, and can renounce', () => {
    createDenom()
    messages.changeAdmin(ctx, { sender: A, denom: DENOM, newAdmin: B })
    expect(() => messages.mint(ctx, { sender: A, coin: coin('1') })).toThrow(failure(12))
    messages.mint(ctx, { sender: B, coin: coin('1') })
    expect(queries.denoms(ctx, { creator: A }).denoms).toEqual([DENOM])
    expect(queries.denoms(ctx, { creator: B }).denoms).toEqual([])
    expect(() => messages.changeAdmin(ctx, { sender: A, denom: DENOM, newAdmin: A })).toThrow(failure(8))
    messages.changeAdmin(ctx, { sender: B, denom: DENOM, newAdmin: '' })
    expect(() => messages.mint(ctx, { sender: B, coin: coin('1') })).toThrow('admin ()')
    expect(queries.denomInfo(ctx, { denom: DENOM }).admin).toBe('')
    expect(ctx.events.at(-1)!.attributes).toEqual([
      { key: 'denom', value: `"${DENOM}"` },
      { key: 'new_admin', value: '""' },
      { key: 'old_admin', value: `"${B}"` },
    ])
  })

  test('any account can become admin, the current one included, and only the admin decides', () => {
    createDenom()
    const change = (sender: string, newAdmin: string, denom = DENOM) =>
      messages.changeAdmin(ctx, { sender, denom, newAdmin })
    expect(() => change('x', B)).toThrow('invalid sender (x): decoding bech32 failed')
    expect(() => change('x', B)).toThrow(failure(7, 'sdk'))
    expect(() => change(A, 'x')).toThrow('invalid new admin (x): decoding bech32 failed')
    expect(() => change(A, B, 'unative')).toThrow(failure(3))
    expect(() => change(A, B, `factory/${A}/other`)).toThrow(failure(10))
    expect(() => change(B, B)).toThrow(
      `only the current admin can set a new admin: current admin (${A}), sender (${B})`,
    )
    change(A, A)
    expect(ctx.events.at(-1)!.attributes.map(({ value }) => value)).toEqual([`"${DENOM}"`, `"${A}"`, `"${A}"`])
    change(A, formatBech32('chain', ofModule('fee_collector')))
    expect(() => messages.mint(ctx, { sender: A, coin: coin('1') })).toThrow(failure(12))
  })

  test('invalid requests are refused, and unknown denoms are not found', () => {
    const status = (ask: () => unknown) => {
      try {
        return ask()
      } catch (error) {
        return (error as { status: string }).status
      }
    }
    expect(() => queries.denomInfo(ctx, { denom: 'unative' })).toThrow(
      `denom format error: expected "factory/{creator-bech32}/{subdenom}", got denom has invalid number of sections separated by '/'`,
    )
    const stem = 'denom format error: expected "factory/{creator-bech32}/{subdenom}", got'
    for (const [denom, fault] of [
      ['fabric/a/x', 'missing denom prefix "factory"'],
      ['factory//x', 'empty creator address'],
      [`factory/${A}/`, 'empty subdenom'],
    ] as const) {
      expect(() => queries.denomInfo(ctx, { denom })).toThrow(`${stem} ${denom}: [${fault}]`)
    }
    for (const denom of [
      '',
      'unative',
      `fabric/${A}/x`,
      `factory//x`,
      `factory/${A}/`,
      `factory/${A}/x y`,
      'factory/a/b',
    ]) {
      expect(
        status(() => queries.denomInfo(ctx, { denom })),
        denom,
      ).toBe('invalidArgument')
    }
    expect(status(() => queries.denomInfo(ctx, { denom: `factory/${A}/none` }))).toBe('notFound')
    expect(queries.denoms(ctx, { creator: B })).not.toHaveProperty('pagination')
    expect(status(() => queries.denoms(ctx, { creator: 'xyz' }))).toBe('invalidArgument')
    expect(status(() => queries.denoms(ctx, { creator: '' }))).toBe('invalidArgument')
  })

  test('metadata survives export and import', () => {
    createDenom()
    const metadata = { ...defaultMetadata(DENOM), display: 'nusd', name: 'N', symbol: 'N' }
    metadata.denomUnits.push({ ...metadata.denomUnits[0]!, denom: 'nusd', exponent: 6 })
    messages.setDenomMetadata(ctx, { sender: A, metadata })
    const [mine, banks] = [genesis.export(ctx), bankModule.genesis!.export(ctx)]
    const again = testContext({ modules: [authModule, bankModule, module] })
    bankModule.genesis!.init(again, banks)
    genesis.init(again, mine)
    expect(bank.metadata(again, DENOM)).toMatchObject({ display: 'nusd', denomUnits: [{}, { exponent: 6 }] })
    expect([genesis.export(again), bankModule.genesis!.export(again)]).toEqual([mine, banks])
  })
})

describe('metadata', () => {
  const metadata = (denom: string) => ({ ...defaultMetadata(denom), name: 'Another' })

  test('the admin sets that of a denom, sudoers that of any other', () => {
    createDenom()
    expect(() => messages.setDenomMetadata(ctx, { sender: B, metadata: metadata(DENOM) })).toThrow(failure(12))
    expect(() => messages.setDenomMetadata(ctx, { sender: A, metadata: metadata('unative') })).toThrow(failure(10))
    expect(() => messages.setDenomMetadata(ctx, { sender: A, metadata: { ...metadata(DENOM), name: '' } })).toThrow(
      'name field cannot be blank',
    )
    messages.setDenomMetadata(ctx, { sender: A, metadata: metadata(DENOM) })
    expect(() => messages.sudoSetDenomMetadata(ctx, { sender: A, metadata: metadata('unative') })).toThrow(
      failure(2, 'sudo'),
    )
    expect(() =>
      messages.sudoSetDenomMetadata(ctx, { sender: B, metadata: { ...metadata('unative'), name: '' } }),
    ).toThrow('MetadataError: name field cannot be blank')
    messages.sudoSetDenomMetadata(ctx, { sender: B, metadata: metadata('unative') })
    expect([bank.metadata(ctx, DENOM)!.name, bank.metadata(ctx, 'unative')!.name]).toEqual(['Another', 'Another'])
    expect(ctx.events.at(-1)!.type).toBe('chain.tokenfactory.v1.EventSetDenomMetadata')
    expect(() => messages.setDenomMetadata(ctx, { sender: 'x', metadata: metadata(DENOM) })).toThrow(failure(7, 'sdk'))
  })

  test('governance and listed contracts set that of any denom', () => {
    sudoGenesis.init(ctx, { sudoers: { root: B, contracts: [A] } })
    for (const sender of [GOV, A]) {
      messages.sudoSetDenomMetadata(ctx, { sender, metadata: { ...metadata('unative'), name: sender } })
      expect(bank.metadata(ctx, 'unative')!.name).toBe(sender)
    }
  })

  test('a denom with metadata set by sudoers cannot be created', () => {
    messages.sudoSetDenomMetadata(ctx, { sender: B, metadata: metadata(DENOM) })
    expect(() => createDenom()).toThrow(failure(7))
  })
})

test('any account burns its own coins of any denom', () => {
  bank.mint(ctx, state.account, [{ denom: 'unative', amount: 50n }])
  bank.send(ctx, state.account.address, a, [{ denom: 'unative', amount: 50n }])
  messages.burnNative(ctx, { sender: A, coin: coin('20', 'unative') })
  expect([bank.supply(ctx, 'unative'), bank.balance(ctx, a, 'unative')]).toEqual([30n, 30n])
  expect(ctx.events.at(-1)!.type).toBe('chain.tokenfactory.v1.EventBurn')
  expect(() => messages.burnNative(ctx, { sender: A, coin: coin('31', 'unative') })).toThrow(failure(5, 'sdk'))
  for (const amount of ['0', '-1', '', '1.5']) {
    expect(() => messages.burnNative(ctx, { sender: A, coin: coin(amount, 'unative') })).toThrow(failure(10, 'sdk'))
  }
})

test('only governance sets parameters, and the cost cannot be 0', () => {
  const params = { denomCreationGasConsume: 5n }
  expect(() => messages.updateModuleParams(ctx, { authority: A, params })).toThrow(failure(13, 'gov'))
  expect(() => messages.updateModuleParams(ctx, { authority: GOV, params: { denomCreationGasConsume: 0n } })).toThrow(
    failure(9),
  )
  messages.updateModuleParams(ctx, { authority: GOV, params })
  expect(queries.params(ctx, {}).params).toMatchObject(params)
})

test('invalid coins and a supply above 256 bits are refused', () => {
  createDenom()
  for (const amount of ['0', '', 'x', (1n << 256n).toString()]) {
    expect(() => messages.mint(ctx, { sender: A, coin: coin(amount) })).toThrow(failure(10, 'sdk'))
    expect(() => messages.burn(ctx, { sender: A, coin: coin(amount) })).toThrow(failure(10, 'sdk'))
  }
  expect(() => messages.burn(ctx, { sender: B, coin: coin('1') })).toThrow(`sender (${B}), admin (${A})`)
  expect(() => messages.burn(ctx, { sender: A, coin: coin('1', `factory/${A}/other`) })).toThrow(failure(10))
  expect(() => messages.burn(ctx, { sender: A, coin: coin('1'), burnFrom: 'x' })).toThrow(failure(7, 'sdk'))
  expect(() => messages.mint(ctx, { sender: 'x', coin: coin('1') })).toThrow(failure(7, 'sdk'))
  expect(() => messages.mint(ctx, { sender: A, coin: coin('1', 'unative') })).toThrow(failure(3))
  expect(() => messages.mint(ctx, { sender: A, coin: coin('1', `factory/${A}/other`) })).toThrow(failure(10))
  expect(() => messages.mint(ctx, { sender: A, coin: coin('1'), mintTo: 'x' })).toThrow(failure(7, 'sdk'))
  messages.mint(ctx, { sender: A, coin: coin(((1n << 256n) - 1n).toString()) })
  expect(() => messages.mint(ctx, { sender: A, coin: coin('1') })).toThrow('would be too large')
})

test('denoms of a creator are listed in pages on request', () => {
  for (const name of ['c', 'a', 'b']) createDenom(A, name)
  const page = queries.denoms(ctx, { creator: A, pagination: { limit: 2n, countTotal: true } })
  expect(page.denoms).toEqual([`factory/${A}/a`, `factory/${A}/b`])
  expect(page.pagination!.total).toBe(3n)
  const rest = queries.denoms(ctx, { creator: A, pagination: { key: page.pagination!.nextKey } })
  expect(rest.denoms).toEqual([`factory/${A}/c`])
})

test('a genesis with a repeated or invalid denom is refused with its index', () => {
  const start =
    (...denoms: string[]) =>
    () => {
      const again = testContext({ modules: [authModule, bankModule, module] })
      genesis.init(again, { factory_denoms: denoms.map((denom) => ({ denom, authority_metadata: { admin: '' } })) })
    }
  expect(start(DENOM, DENOM)).toThrow(`factory_denoms[1]: duplicate denom: ${DENOM}`)
  expect(start('unative')).toThrow('factory_denoms[0]: denom format error')
  expect(() => genesis.init(ctx, { params: { denom_creation_gas_consume: '0' } })).toThrow('to zero')
  const badAdmin = [{ denom: DENOM, authority_metadata: { admin: 'x' } }]
  expect(() => genesis.init(ctx, { factory_denoms: badAdmin })).toThrow('factory_denoms[0]: decoding bech32 failed')
  expect(() => genesis.init(ctx, { factory_denoms: badAdmin })).toThrow(failure(6))
  start(DENOM)()
})

test('a genesis creates the numbered module account and missing metadata, and emits no event', () => {
  const again = testContext({ modules: [authModule, bankModule, module] })
  auth.setAccount(again, auth.newAccount(again, a))
  const others = `factory/${A}/other`
  bank.setMetadata(again, { ...defaultMetadata(others), name: 'Kept' })
  const denoms = [DENOM, others].map((denom) => ({ denom, authority_metadata: { admin: A } }))
  genesis.init(again, { factory_denoms: denoms })
  expect(auth.getAccount(again, state.account.address)!.number).toBe(1n)
  expect([DENOM, others].map((denom) => bank.metadata(again, denom)!.name)).toEqual([DENOM, 'Kept'])
  expect(again.events).toEqual([])
})

describe('under the reference profile', () => {
  const begin = (profile: string) => {
    const identity = identityOf(profile)
    ctx = testContext({ identity, modules: [authModule, bankModule, module] })
    const [sender, root] = [formatBech32('nibi', a), formatBech32('nibi', b)]
    sudoGenesis.init(ctx, { sudoers: { root, contracts: [] } })
    genesis.init(ctx, genesis.defaults(ctx))
    return { sender, root }
  }

  test('creation costs no extra gas, an admin cannot renounce, and two messages emit no event', () => {
    const { sender, root } = begin('nibiru')
    const meter = createGasMeter(1_000_000n)
    const branch = ctx.branch({ gas: meter })
    const denom = messages.createDenom(branch, { sender, subdenom: 'gold' }).newTokenDenom
    branch.merge()
    expect(denom).toBe(`tf/${sender}/gold`)
    expect(() => messages.changeAdmin(ctx, { sender, denom, newAdmin: '' })).toThrow(
      'invalid new admin (): empty address string is not allowed: invalid address',
    )
    ctx.branchStore.events.length = 0
    messages.sudoSetDenomMetadata(ctx, { sender: root, metadata: defaultMetadata('unibi') })
    expect(ctx.events).toEqual([])
  })

  test('release 2.17 lets only governance and sudoers create denoms', () => {
    const { sender, root } = begin('nibiru@2.17')
    expect(() => messages.createDenom(ctx, { sender, subdenom: 'gold' })).toThrow(failure(13, 'gov'))
    expect(messages.createDenom(ctx, { sender: root, subdenom: 'gold' }).newTokenDenom).toBe(`tf/${root}/gold`)
  })
})

test('the supply of a factory denom equals mints less burns over random messages', () => {
  createDenom()
  let seed = 5n
  const random = (below: number) => {
    seed = (seed * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) & ((1n << 64n) - 1n)
    return Number((seed >> 33n) % BigInt(below))
  }
  const people = [A, B, GOV, formatBech32('chain', ofModule('tokenfactory')), 'nobody']
  let expected = 0n
  for (let i = 0; i < 2_000; i++) {
    const sender = people[random(2)]!
    const other = random(3) === 0 ? '' : people[random(people.length)]!
    const amount = BigInt(random(1_000))
    const branch = ctx.branch()
    try {
      switch (random(4)) {
        case 0:
          messages.mint(branch, { sender, coin: coin(amount.toString()), mintTo: other })
          expected += amount
          break
        case 1:
          messages.burn(branch, { sender, coin: coin(amount.toString()), burnFrom: other })
          expected -= amount
          break
        case 2:
          messages.burnNative(branch, { sender, coin: coin(amount.toString()) })
          expected -= amount
          break
        default:
          messages.changeAdmin(branch, { sender, denom: DENOM, newAdmin: people[random(2)]! })
      }
      branch.merge()
    } catch {
      // A refused message changes nothing.
    }
  }
  expect(bank.supply(ctx, DENOM)).toBe(expected)
  expect(bank.balance(ctx, a, DENOM) + bank.balance(ctx, b, DENOM)).toBe(expected)
  expect(expected).toBeGreaterThan(0n)
})
