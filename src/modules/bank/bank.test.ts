import { create } from '@bufbuild/protobuf'
import { beforeEach, describe, expect, test } from 'vitest'
import { MetadataSchema } from '../../gen/sdk/bank/v1beta1/bank_pb.ts'
import { identityOf } from '../../identity/profiles.ts'
import { formatBech32 } from '../../primitives/address.ts'
import { concat, formatHex, hex } from '../../primitives/bytes.ts'
import { governance } from '../../sdk/authority.ts'
import type { BranchedContext, Context } from '../../sdk/context.ts'
import { defineModule } from '../../sdk/module.ts'
import { moduleAccount } from '../../sdk/module-account.ts'
import { testContext } from '../../sdk/testing.ts'
import { createGasMeter } from '../../store/gas.ts'
import * as auth from '../auth/keeper.ts'
import { genesis } from './genesis.ts'
import { bank as module } from './index.ts'
import * as bank from './keeper.ts'
import { messages } from './messages.ts'
import { queries } from './queries.ts'

const alice = hex('026408260f38d3c43b26f36952ff38ecbaa88692')
const aliceText = 'chain1qfjqsfs08rfugwex7d549lecaja23p5jcejn57'
const bob = hex('1dcfcd015f33402c43aef6a57ba6977df044f83a')
const bobText = formatBech32('chain', bob)
const gov = formatBech32('chain', governance)
const mintery = moduleAccount('mintery', 'minter', 'burner')
const plain = moduleAccount('plain')
const coins = (amount: bigint, denom = 'unative') => [{ denom, amount }]
const texts = (amount: bigint, denom = 'unative') => [{ denom, amount: amount.toString() }]

let ctx: BranchedContext
beforeEach(() => {
  ctx = testContext({ modules: [module, defineModule({ name: 'mintery', accounts: [mintery, plain] })] })
})

/** Mints coins to a holder and discards the events. */
function fund(holder: Uint8Array, amount: bigint, denom = 'unative'): void {
  bank.mint(ctx, mintery, coins(amount, denom))
  bank.send(ctx, mintery.address, holder, coins(amount, denom))
  ctx.branchStore.events.length = 0
}
const all = (holder: Uint8Array) => bank.balances(ctx, holder).map(({ denom, amount }) => `${amount}${denom}`)
const eventTypes = () => ctx.events.map(({ type }) => type)

test('balances, owners and supply are stored under the expected keys', () => {
  fund(alice, 12_345n)
  const entries = new Map(
    ctx.branchStore
      .changes()
      .filter(({ store, value }) => store === 'bank' && value)
      .map(({ key, value }) => [formatHex(key), formatHex(value!)]),
  )
  expect(entries.get('0214026408260f38d3c43b26f36952ff38ecbaa88692756e6174697665')).toBe('3132333435')
  expect(entries.get('03756e61746976650014026408260f38d3c43b26f36952ff38ecbaa88692')).toBe('00')
  expect(entries.get('00756e6174697665')).toBe('3132333435')
})

describe('a send', () => {
  test('transfers coins, creates the account, and deletes the key of an empty balance', () => {
    fund(alice, 10n)
    messages.send(ctx, { fromAddress: aliceText, toAddress: bobText, amount: texts(10n) })
    expect(all(alice)).toEqual([])
    expect(all(bob)).toEqual(['10unative'])
    expect(auth.getAccount(ctx, bob)).toMatchObject({ kind: 'eth' })
    expect(queries.denomOwners(ctx, { denom: 'unative' }).denomOwners.map(({ address }) => address)).toEqual([bobText])
    expect(eventTypes()).toEqual(['coin_spent', 'coin_received', 'transfer', 'message'])
    expect(ctx.events[2]!.attributes).toEqual([
      { key: 'recipient', value: bobText },
      { key: 'sender', value: aliceText },
      { key: 'amount', value: '10unative' },
    ])
  })

  test('a send to the sender itself changes nothing', () => {
    fund(alice, 10n)
    messages.send(ctx, { fromAddress: aliceText, toAddress: aliceText, amount: texts(4n) })
    expect(all(alice)).toEqual(['10unative'])
  })

  test('a send of locked coins is refused until they vest', () => {
    fund(alice, 100n)
    const account = auth.getAccount(ctx, alice)!
    const vesting = {
      schedule: { kind: 'delayed' } as const,
      original: coins(60n),
      delegatedFree: [],
      delegatedVesting: [],
      endTime: ctx.block.timeNs / 1_000_000_000n + 1n,
    }
    auth.setAccount(ctx, { ...account, kind: 'vesting', vesting })
    const send = () => messages.send(ctx, { fromAddress: aliceText, toAddress: bobText, amount: texts(41n) })
    expect(queries.spendableBalanceByDenom(ctx, { address: aliceText, denom: 'unative' }).balance!.amount).toBe('40')
    expect(send).toThrow('spendable balance 40unative is smaller than 41unative: insufficient funds')
    ctx.block.timeNs += 1_000_000_000n
    send()
    expect(all(bob)).toEqual(['41unative'])
  })

  test('a send is refused for invalid coins, disabled denoms and blocked recipients', () => {
    fund(alice, 10n)
    const to = (toAddress: string, amount: { denom: string; amount: string }[]) => () =>
      messages.send(ctx, { fromAddress: aliceText, toAddress, amount })
    const failure = (codespace: string, code: number) => expect.objectContaining({ codespace, code })
    expect(to(bobText, [])).toThrow(failure('sdk', 10))
    expect(to(bobText, texts(0n))).toThrow(failure('sdk', 10))
    expect(to(bobText, [...texts(1n), ...texts(1n)])).toThrow(failure('sdk', 10))
    expect(to(bobText, [{ denom: 'unative', amount: '-1' }])).toThrow(failure('sdk', 10))
    expect(to(bobText, texts(1n, 'x'))).toThrow(failure('sdk', 10))
    expect(to('0x00', texts(1n))).toThrow(failure('sdk', 7))
    expect(to(formatBech32('chain', plain.address), texts(1n))).toThrow(failure('sdk', 4))
    messages.setSendEnabled(ctx, { authority: gov, sendEnabled: [{ denom: 'unative', enabled: false }] })
    expect(to(bobText, texts(1n))).toThrow('unative transfers are currently disabled')
    expect(queries.sendEnabled(ctx, {}).sendEnabled).toMatchObject([{ denom: 'unative', enabled: false }])
    messages.setSendEnabled(ctx, { authority: gov, useDefaultFor: ['unative'] })
    to(bobText, texts(1n))()
    expect(all(bob)).toEqual(['1unative'])
  })
})

describe('a send to many', () => {
  const multi = (inputs: [string, bigint][], outputs: [string, bigint][]) => () =>
    messages.multiSend(ctx, {
      inputs: inputs.map(([address, amount]) => ({ address, coins: texts(amount) })),
      outputs: outputs.map(([address, amount]) => ({ address, coins: texts(amount) })),
    })

  test('credits every recipient', () => {
    fund(alice, 10n)
    multi(
      [[aliceText, 10n]],
      [
        [bobText, 7n],
        [aliceText, 3n],
      ],
    )()
    expect(all(alice)).toEqual(['3unative'])
    expect(all(bob)).toEqual(['7unative'])
  })

  test('requires one sender, a recipient, and equal sums', () => {
    fund(alice, 10n)
    const code = (value: number) => expect.objectContaining({ codespace: 'bank', code: value })
    expect(multi([], [[bobText, 1n]])).toThrow(code(2))
    expect(multi([[aliceText, 1n]], [])).toThrow(code(3))
    expect(multi([[aliceText, 2n]], [[bobText, 1n]])).toThrow(code(4))
    expect(
      multi(
        [
          [aliceText, 1n],
          [bobText, 1n],
        ],
        [[bobText, 2n]],
      ),
    ).toThrow(code(9))
  })
})

test('cached keys and attributes of a holder belong to one profile', () => {
  const holder = hex('029fd89ee90c50d2eb01feae57cbabcb97db0d9a')
  const told = (profile: string, denom: string) => {
    const ctx = testContext({ identity: identityOf(profile) })
    bank.mint(ctx, moduleAccount('minter', 'minter'), [{ denom, amount: 3n }])
    bank.send(ctx, moduleAccount('minter').address, holder, [{ denom, amount: 3n }])
    const transfer = ctx.events.find(({ type }) => type === 'transfer')!
    const keys = [...ctx.store.iterate('bank', { start: hex('02'), end: hex('04') })].map(([key]) => formatHex(key))
    return { recipient: transfer.attributes[0], keys }
  }
  const almanac = {
    recipient: { key: 'recipient', value: 'chain1q20a38hfp3gd96cpl6h90jatewtakrv60jhtue' },
    keys: [
      '0214029fd89ee90c50d2eb01feae57cbabcb97db0d9a756e6174697665',
      '03756e61746976650014029fd89ee90c50d2eb01feae57cbabcb97db0d9a',
    ],
  }
  expect(told('almanac', 'unative')).toEqual(almanac)
  expect(told('nibiru', 'unibi')).toEqual({
    recipient: { key: 'recipient', value: formatBech32('nibi', holder) },
    keys: [
      '0214029fd89ee90c50d2eb01feae57cbabcb97db0d9a756e696269',
      '03756e6962690014029fd89ee90c50d2eb01feae57cbabcb97db0d9a',
    ],
  })
  expect(told('almanac', 'unative')).toEqual(almanac)
})

test('the profile of the reference chain emits wei_change for every change of native coins', () => {
  const ctx = testContext({ identity: identityOf('nibiru') })
  const minter = moduleAccount('minter', 'minter', 'burner')
  bank.mint(ctx, minter, [{ denom: 'unibi', amount: 3n }])
  bank.send(ctx, minter.address, new Uint8Array(20), [{ denom: 'unibi', amount: 2n }])
  bank.burn(ctx, minter, [{ denom: 'unibi', amount: 1n }])
  const reasons = ctx.events.flatMap(({ type, attributes }) => (type === 'wei_change' ? [attributes[0]!.value] : []))
  expect(reasons).toEqual(['bank.MintCoins', 'bank.SendCoins', 'bank.BurnCoins'])
})

describe('minting and burning', () => {
  test('change the supply and emit their events', () => {
    bank.mint(ctx, mintery, coins(10n))
    bank.burn(ctx, mintery, coins(4n))
    expect(bank.supply(ctx, 'unative')).toBe(6n)
    expect(eventTypes()).toEqual(['coin_received', 'coinbase', 'coin_spent', 'burn'])
    bank.burn(ctx, mintery, coins(6n))
    expect(ctx.store.has('bank', hex('00756e6174697665'))).toBe(false)
  })

  test('a module without the permission gets an ordinary error, not a ChainError', () => {
    expect(() => bank.mint(ctx, plain, coins(1n))).toThrow('does not have permissions to act as minter')
    expect(() => bank.burn(ctx, plain, coins(1n))).toThrow('does not have permissions to act as burner')
  })
})

describe('wei', () => {
  const wei = 10n ** 12n

  test('carry into base units and borrow from them, with the remainder under its key', () => {
    const holder = hex('029fd89ee90c50d2eb01feae57cbabcb97db0d9a')
    fund(holder, 1_234_567n)
    bank.addWei(ctx, holder, wei - 1n)
    expect(bank.balanceWei(ctx, holder)).toBe(1_234_567_999_999_999_999n)
    const key = hex('0f636861696e31713230613338686670336764393663706c366839306a6174657774616b727636306a6874756500')
    expect(formatHex(ctx.store.get('bank', key)!)).toBe(
      '000000000000000000000000000000000000000000000000000000e8d4a50fff',
    )
    bank.addWei(ctx, holder, 1n)
    expect(bank.balance(ctx, holder, 'unative')).toBe(1_234_568n)
    expect(ctx.store.has('bank', key)).toBe(false)
    bank.subWei(ctx, holder, 1n)
    expect(bank.balance(ctx, holder, 'unative')).toBe(1_234_567n)
    expect(bank.weiDelta(ctx)).toBe(wei - 1n)
    expect(() => bank.subWei(ctx, holder, 10n ** 30n)).toThrow('insufficient funds')
  })

  test('a discarded branch discards its delta', () => {
    fund(alice, 5n)
    const branch = ctx.branch()
    bank.subWei(branch, alice, 3n)
    expect(bank.weiDelta(branch)).toBe(-3n)
    expect(bank.weiDelta(ctx)).toBe(0n)
    branch.merge()
    expect(bank.weiDelta(ctx)).toBe(-3n)
  })
})

describe('metadata', () => {
  const valid = create(MetadataSchema, {
    name: 'Native',
    symbol: 'NATIVE',
    base: 'unative',
    display: 'native',
    denomUnits: [{ denom: 'unative' }, { denom: 'native', exponent: 6, aliases: ['nat'] }],
  })
  const faults: [string, object][] = [
    ['name field cannot be blank', { name: ' ' }],
    ['symbol field cannot be blank', { symbol: '' }],
    ['invalid metadata base denom: invalid denom: 1', { base: '1' }],
    ['invalid metadata display denom: invalid denom: 1', { display: '1' }],
    ["metadata's first denomination unit must be the one with base denom 'ufoo'", { base: 'ufoo' }],
    ["metadata must contain a denomination unit with display denom 'ufoo'", { display: 'ufoo' }],
    [
      'the exponent for base denomination unit unative must be 0',
      { denomUnits: [{ denom: 'unative', exponent: 1, aliases: [] }] },
    ],
  ]
  test.each(faults)('%s', (text, part) => {
    expect(bank.metadataFault(valid)).toBeUndefined()
    expect(bank.metadataFault({ ...valid, ...part })).toBe(text)
  })

  test('metadata is found by denom, and missing metadata is reported', () => {
    bank.setMetadata(ctx, valid)
    expect(queries.denomMetadata(ctx, { denom: 'unative' }).metadata!.symbol).toBe('NATIVE')
    expect(queries.denomMetadataByQueryString(ctx, { denom: 'unative' }).metadata!.display).toBe('native')
    expect(queries.denomsMetadata(ctx, {}).metadatas).toHaveLength(1)
    expect(() => queries.denomMetadata(ctx, { denom: 'ufoo' })).toThrow('client metadata for denom ufoo')
  })
})

test('lists are paged forwards and backwards', () => {
  for (const denom of ['uaaa', 'ubbb', 'uccc', 'unative']) fund(alice, 1n, denom)
  const denoms = (page: { balances: { denom: string }[] }) => page.balances.map(({ denom }) => denom)
  const ask = (pagination: object) => queries.allBalances(ctx, { address: aliceText, pagination })
  const first = ask({ limit: 3n, countTotal: true })
  expect(denoms(first)).toEqual(['uaaa', 'ubbb', 'uccc'])
  expect(first.pagination!.total).toBe(4n)
  expect(denoms(ask({ key: first.pagination!.nextKey }))).toEqual(['unative'])
  expect(denoms(ask({ reverse: true, limit: 2n }))).toEqual(['unative', 'uccc'])
  expect(denoms(ask({ offset: 2n, limit: 1n }))).toEqual(['uccc'])
  expect(() => ask({ key: hex('00'), offset: 1n })).toThrow('either offset or key')
  expect(queries.totalSupply(ctx, {}).supply).toHaveLength(4)
  expect(queries.supplyOf(ctx, { denom: 'none' }).amount).toMatchObject({ denom: 'none', amount: '0' })
  expect(() => queries.balance(ctx, { address: 'x', denom: 'unative' })).toThrow('invalid address: ')
  expect(() => queries.balance(ctx, { address: aliceText, denom: '1' })).toThrow(
    expect.objectContaining({ status: 'invalidArgument', details: [expect.objectContaining({ field: 'denom' })] }),
  )
  expect(() => queries.denomMetadata(ctx, { denom: 'a'.repeat(5000) })).toThrow('invalid denom')
  expect(() => queries.sendEnabled(ctx, { denoms: ['!'] })).toThrow('invalid denom: !')
  expect(() => ask({ limit: 1001n })).toThrow(
    expect.objectContaining({ details: [expect.objectContaining({ field: 'pagination.limit' })] }),
  )
})

test('genesis sums remainders into whole units and refuses a supply that differs', () => {
  const holder = (address: string, amount: string) => ({ address, coins: [{ denom: 'unative', amount }] })
  const state = {
    balances: [holder(aliceText, '5'), holder(bobText, '2')],
    supply: [{ denom: 'unative', amount: '8' }],
    wei_balances: [
      { addr_bech32: aliceText, wei_store_bal: '400000000000' },
      { addr_bech32: bobText, wei_store_bal: '600000000000' },
    ],
  }
  genesis.init(ctx, state)
  expect(bank.supply(ctx, 'unative')).toBe(8n)
  expect(genesis.export(ctx)).toMatchObject(state)
  const again = testContext()
  expect(() => genesis.init(again, { ...state, supply: [{ denom: 'unative', amount: '7' }] })).toThrow(
    'expected 8unative, got 7unative',
  )
  expect(() => genesis.init(testContext(), { balances: [holder(aliceText, '1'), holder(aliceText, '1')] })).toThrow(
    'duplicate balance',
  )
  const twice = [aliceText, aliceText.toUpperCase()].map((text) => ({
    addr_bech32: text,
    wei_store_bal: '400000000000',
  }))
  expect(() => genesis.init(testContext(), { wei_balances: twice })).toThrow('duplicate wei balance')
})

test('a metered transfer checks the index of owners, and an unmetered one skips the check', () => {
  fund(alice, 1000n)
  fund(bob, 1000n)
  const looked: string[] = []
  const noting = (store: Context['store']): Context['store'] => ({
    ...store,
    has(name, key) {
      looked.push(formatHex(key.slice(0, 1)))
      return store.has(name, key)
    },
  })
  bank.send({ ...ctx, store: noting(ctx.store) }, alice, bob, [{ denom: 'unative', amount: 1n }])
  // The presence check of the recipient's account.
  expect(looked.splice(0)).toEqual(['01'])
  const gas = createGasMeter(1_000_000n)
  const paying = ctx.withGas(gas)
  bank.send({ ...paying, store: noting(paying.store) }, alice, bob, [{ denom: 'unative', amount: 1n }])
  expect(looked.splice(0)).toEqual(['03', '03', '01'])
  // A read costs 1000 and 3 per byte, a write 2000 and 30 per byte, a presence check 1000 (docs/transactions.md#gas).
  const account = BigInt(ctx.store.get('acc', concat(hex('01'), alice))!.length)
  const key = 1n + 1n + 20n + 7n
  const before = BigInt('999'.length + '1001'.length)
  const behind = BigInt('998'.length + '1002'.length)
  const reads = 3000n + 3n * (2n * key + before + 21n + account)
  expect(gas.used).toBe(reads + 4000n + 30n * (2n * key + behind) + 3000n)
})

test('the index of owners follows every change of a balance', () => {
  const wei = 10n ** 12n
  const owners = () => [...ctx.store.iterate('bank', { start: hex('03'), end: hex('04') })].length
  bank.addWei(ctx, alice, wei - 1n)
  expect(owners()).toBe(0)
  bank.addWei(ctx, alice, 1n)
  expect(owners()).toBe(1)
  bank.addWei(ctx, alice, 5n * wei)
  bank.send(ctx, alice, bob, [{ denom: 'unative', amount: 6n }])
  expect(owners()).toBe(1)
  bank.send(ctx, bob, bob, [{ denom: 'unative', amount: 6n }])
  expect(owners()).toBe(1)
  bank.subWei(ctx, bob, wei)
  bank.send(ctx, bob, alice, [{ denom: 'unative', amount: 2n }])
  expect(owners()).toBe(2)
  bank.subWei(ctx, bob, 3n * wei)
  bank.setBalanceWei(ctx, alice, 1n)
  expect(owners()).toBe(0)
})
