import { beforeEach, describe, expect, test } from 'vitest'
import { formatBech32 } from '../../primitives/address.ts'
import { encodeUint, formatHex, hex } from '../../primitives/bytes.ts'
import * as decimal from '../../primitives/decimal.ts'
import { sha256 } from '../../primitives/hash.ts'
import type { BranchedContext } from '../../sdk/context.ts'
import { defineModule } from '../../sdk/module.ts'
import { moduleAccount } from '../../sdk/module-account.ts'
import { encodePublicKey } from '../../sdk/public-key.ts'
import { testContext } from '../../sdk/testing.ts'
import * as bank from '../bank/keeper.ts'
import { genesis } from './genesis.ts'
import { staking as module } from './index.ts'
import * as staking from './keeper.ts'
import { messages } from './messages.ts'
import { queries } from './queries.ts'
import * as state from './state.ts'

const alice = hex('026408260f38d3c43b26f36952ff38ecbaa88692')
const bob = hex('1dcfcd015f33402c43aef6a57ba6977df044f83a')
const carol = hex('9e3d557395a705afa8f30c1dda48fc1a7b1b5b2b')
const key0 = hex('6ec2a51822fba17c23db4abc276ac2fe0a4621323b49d0d82dfbc65b579e2dea')
const key1 = sha256(hex('01'))
const mintery = moduleAccount('mintery', 'minter')
const text = (bytes: Uint8Array) => formatBech32('chain', bytes)
const operator = (bytes: Uint8Array) => formatBech32('chainvaloper', bytes)

let ctx: BranchedContext
beforeEach(() => {
  ctx = testContext({ modules: [module, defineModule({ name: 'mintery', accounts: [mintery] })] })
  genesis.init(ctx, genesis.defaults(ctx))
  for (const holder of [alice, bob, carol]) {
    bank.mint(ctx, mintery, [{ denom: 'unative', amount: 1_000_000_000n }])
    bank.send(ctx, mintery.address, holder, [{ denom: 'unative', amount: 1_000_000_000n }])
  }
  ctx.branchStore.events.length = 0
})

const percent = (value: bigint) => (value * 10n ** 16n).toString()

function createValidator(who: Uint8Array, key: Uint8Array, amount: bigint, part: object = {}): void {
  messages.createValidator(ctx, {
    description: { moniker: 'one' },
    commission: { rate: percent(5n), maxRate: percent(20n), maxChangeRate: percent(1n) },
    minSelfDelegation: '1',
    delegatorAddress: text(who),
    validatorAddress: operator(who),
    pubkey: encodePublicKey(ctx.identity, { kind: 'ed25519', key }),
    value: { denom: 'unative', amount: amount.toString() },
    ...part,
  })
}

function delegate(who: Uint8Array, to: Uint8Array, amount: bigint, denom = 'unative'): void {
  messages.delegate(ctx, {
    delegatorAddress: text(who),
    validatorAddress: operator(to),
    amount: { denom, amount: amount.toString() },
  })
}

const endBlock = () => module.endBlock!(ctx)
const powers = () => staking.updatesOfBlock(ctx).map(({ publicKey, power }) => [formatHex(publicKey), power])
const status = (who: Uint8Array) => queries.validator(ctx, { validatorAddr: operator(who) }).validator!.status
const pools = () => queries.pool(ctx, {}).pool

describe('a new validator', () => {
  test('joins the set at the end of the block, under the expected keys', () => {
    createValidator(alice, key0, 100_000_000n)
    expect(status(alice)).toBe(1)
    endBlock()
    expect(status(alice)).toBe(3)
    expect(powers()).toEqual([[formatHex(key0), 100n]])
    expect(pools()).toMatchObject({ bondedTokens: '100000000', notBondedTokens: '0' })
    const stored = new Map(
      ctx.branchStore
        .changes()
        .flatMap(({ store, key, value }) => (store === 'staking' && value ? [[formatHex(key), formatHex(value)]] : [])),
    )
    const who = '026408260f38d3c43b26f36952ff38ecbaa88692'
    expect(stored.has(`2114${who}`)).toBe(true)
    expect(stored.get('2214121963fc7bc5f94f2978f6b7a082d1263ee7f5e4')).toBe(who)
    expect(stored.get('23000000000000006414fd9bf7d9f0c72c3bc4d90c96ad00c7134557796d')).toBe(who)
    expect(stored.get(`1114${who}`)).toBe('0864')
    expect(stored.get('12')).toBe('0a03313030')
    expect(stored.get('61')).toBe('0a260a220a206ec2a51822fba17c23db4abc276ac2fe0a4621323b49d0d82dfbc65b579e2dea1064')
    endBlock()
    expect(powers()).toEqual([])
  })

  test('emits its events', () => {
    createValidator(alice, key0, 5_000_000n)
    expect(ctx.events.map(({ type }) => type)).toEqual(['coin_spent', 'coin_received', 'create_validator'])
    expect(ctx.events[2]!.attributes).toEqual([
      { key: 'validator', value: operator(alice) },
      { key: 'amount', value: '5000000unative' },
    ])
  })

  test('a new validator is refused for each invalid field', () => {
    createValidator(alice, key0, 1_000_000n)
    const code = (codespace: string, value: number) => expect.objectContaining({ codespace, code: value })
    const rates = (rate: bigint, maxRate: bigint, maxChangeRate: bigint) => ({
      commission: { rate: percent(rate), maxRate: percent(maxRate), maxChangeRate: percent(maxChangeRate) },
    })
    const attempt =
      (part: object, key = key1, who = bob) =>
      () =>
        createValidator(who, key, 1_000_000n, part)
    expect(attempt({}, key1, alice)).toThrow(code('staking', 4))
    expect(attempt({}, key0)).toThrow(code('staking', 5))
    expect(attempt(rates(4n, 20n, 1n))).toThrow(code('staking', 40))
    expect(attempt(rates(26n, 30n, 1n))).toThrow(code('sdk', 18))
    expect(attempt(rates(21n, 20n, 1n))).toThrow(code('staking', 11))
    expect(attempt(rates(10n, 101n, 1n))).toThrow(code('staking', 10))
    expect(attempt(rates(10n, 20n, 21n))).toThrow(code('staking', 14))
    expect(attempt({ minSelfDelegation: '0' })).toThrow(code('sdk', 18))
    expect(attempt({ minSelfDelegation: '2000000' })).toThrow(code('staking', 16))
    expect(attempt({ delegatorAddress: text(alice) })).toThrow(code('sdk', 7))
    expect(attempt({ description: { moniker: 'x'.repeat(71) } })).toThrow('invalid moniker length; got: 71, max: 70')
    expect(attempt({ value: { denom: 'ufoo', amount: '1000000' } })).toThrow(
      'invalid coin denomination: got ufoo, expected unative',
    )
    const secp = encodePublicKey(ctx.identity, { kind: 'secp256k1', key: hex(`02${'11'.repeat(32)}`) })
    expect(attempt({ pubkey: secp })).toThrow(code('staking', 6))
  })
})

describe('delegating', () => {
  test('adds shares and power', () => {
    createValidator(alice, key0, 5_000_000n)
    endBlock()
    delegate(bob, alice, 1_000_000n)
    endBlock()
    expect(powers()).toEqual([[formatHex(key0), 6n]])
    const asked = { validatorAddr: operator(alice), delegatorAddr: text(bob) }
    expect(queries.delegation(ctx, asked).delegationResponse).toMatchObject({
      delegation: { shares: `1000000${'0'.repeat(18)}` },
      balance: { denom: 'unative', amount: '1000000' },
    })
    expect(queries.validatorDelegations(ctx, asked).delegationResponses).toHaveLength(2)
    expect(queries.delegatorDelegations(ctx, asked).delegationResponses).toHaveLength(1)
    expect(queries.delegatorValidators(ctx, asked).validators[0]!.tokens).toBe('6000000')
    expect(queries.delegatorValidator(ctx, asked).validator!.operatorAddress).toBe(operator(alice))
  })

  test('a delegation to a slashed validator yields more shares', () => {
    createValidator(alice, key0, 100n)
    const validator = staking.getValidator(ctx, alice)!
    state.validators.set(ctx, alice, { ...validator, tokens: '90' })
    delegate(bob, alice, 9n)
    const { shares } = staking.getDelegation(ctx, bob, alice)!
    expect(decimal.format(decimal.decode(shares)!)).toBe('10.000000000000000000')
    expect(staking.getValidator(ctx, alice)).toMatchObject({ tokens: '99', delegatorShares: `110${'0'.repeat(18)}` })
  })

  test('a delegation without validator, coins or value is refused', () => {
    const code = (codespace: string, value: number) => expect.objectContaining({ codespace, code: value })
    expect(() => delegate(bob, alice, 1n)).toThrow(code('staking', 3))
    createValidator(alice, key0, 100n)
    expect(() => delegate(bob, alice, 0n)).toThrow(code('sdk', 18))
    expect(() => delegate(bob, alice, 1n, 'ufoo')).toThrow('invalid coin denomination')
    expect(() => delegate(bob, alice, 10n ** 12n)).toThrow(code('sdk', 5))
    state.validators.set(ctx, alice, { ...staking.getValidator(ctx, alice)!, tokens: '0' })
    expect(() => delegate(bob, alice, 1n)).toThrow(code('staking', 34))
  })
})

describe('the set', () => {
  beforeEach(() => {
    const params = staking.params(ctx)
    state.params.set(ctx, { ...params, maxValidators: 1 })
    createValidator(alice, key0, 2_000_000n)
    endBlock()
  })

  test('contains the strongest; a displaced validator unbonds, and is unbonded after the unbonding time', () => {
    createValidator(bob, key1, 3_000_000n)
    endBlock()
    expect(powers()).toEqual([
      [formatHex(key1), 3n],
      [formatHex(key0), 0n],
    ])
    expect([status(alice), status(bob)]).toEqual([2, 3])
    expect(pools()).toMatchObject({ bondedTokens: '3000000', notBondedTokens: '2000000' })
    ctx.block.timeNs += 1_814_400n * 10n ** 9n
    ctx.block.height += 1n
    endBlock()
    expect(status(alice)).toBe(1)
    delegate(alice, alice, 4_000_000n)
    endBlock()
    expect([status(alice), status(bob)]).toEqual([3, 2])
  })

  test('has the tokens that its validators record, with stray coins in the pool and with a validator jailed in this block', () => {
    const recorded = () => [staking.bondedTokens(ctx), staking.bondedPower(ctx)]
    expect(recorded()).toEqual([2_000_000n, 2n])
    bank.mint(ctx, mintery, [{ denom: 'unative', amount: 9_000_000n }])
    bank.send(ctx, mintery.address, state.bondedPool.address, [{ denom: 'unative', amount: 9_000_000n }])
    expect(recorded()).toEqual([2_000_000n, 2n])
    // Until the end of the block a jailed validator is bonded, although the index by power has lost it.
    delegate(carol, alice, 3_000_000n)
    messages.undelegate(ctx, {
      delegatorAddress: text(alice),
      validatorAddress: operator(alice),
      amount: { denom: 'unative', amount: '2000000' },
    })
    expect(staking.getValidator(ctx, alice)).toMatchObject({ jailed: true })
    expect(recorded()).toEqual([3_000_000n, 3n])
    createValidator(bob, key1, 1_000_000n)
    endBlock()
    expect(recorded()).toEqual([1_000_000n, 1n])
    // A chain starts from this state: a pool can contain more than its validators record.
    expect(() => genesis.init(ctx.branch(), genesis.export(ctx))).not.toThrow('balance is different')
  })

  test('prefers the lower operator among equals', () => {
    createValidator(bob, key1, 2_000_000n)
    endBlock()
    expect(powers()).toEqual([])
    expect(status(bob)).toBe(1)
  })

  test('never loses its last validator', () => {
    const validator = staking.getValidator(ctx, alice)!
    state.byPower.delete(ctx, [2n, alice.map((byte) => ~byte & 0xff)])
    state.validators.set(ctx, alice, { ...validator, jailed: true })
    endBlock()
    expect(powers()).toEqual([])
    expect(status(alice)).toBe(3)
  })
})

test('headers are stored with their validators, for the number of blocks in the parameters', () => {
  createValidator(alice, key0, 2_000_000n)
  endBlock()
  state.params.set(ctx, { ...staking.params(ctx), historicalEntries: 2 })
  for (const height of [2n, 3n, 4n]) {
    ctx.block.height = height
    module.beginBlock!(ctx)
  }
  expect(ctx.store.has('staking', hex('5034'))).toBe(true)
  expect(queries.historicalInfo(ctx, { height: 3n }).hist).toMatchObject({
    header: { height: 3n, chainId: 'almanac-localnet-1' },
    valset: [{ operatorAddress: operator(alice) }],
  })
  expect(() => queries.historicalInfo(ctx, { height: 2n })).toThrow('historical info for height 2 not found')
})

test('queries name the missing record', () => {
  expect(() => queries.validators(ctx, { status: 'BONDED' })).toThrow('invalid validator status BONDED')
  expect(() => queries.validator(ctx, { validatorAddr: operator(bob) })).toThrow(`validator ${operator(bob)} not found`)
  createValidator(alice, key0, 2_000_000n)
  const asked = { validatorAddr: operator(alice), delegatorAddr: text(bob) }
  expect(() => queries.delegation(ctx, asked)).toThrow(
    `delegation with delegator ${text(bob)} not found for validator ${operator(alice)}`,
  )
  expect(queries.validators(ctx, { status: 'BOND_STATUS_UNBONDED' }).validators).toHaveLength(1)
  expect(queries.validators(ctx, { status: 'BOND_STATUS_BONDED' }).validators).toHaveLength(0)
})

test('a stored validator has the expected bytes', () => {
  const key = encodeUint(BigInt('0x000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f'), 32)
  ctx.block.timeNs = 1_704_067_200n * 10n ** 9n
  createValidator(alice, key, 5_000_000n, {
    description: { moniker: 'alice' },
    commission: { rate: percent(5n), maxRate: percent(20n), maxChangeRate: percent(1n) },
  })
  endBlock()
  const bytes = formatHex(ctx.store.get('staking', hex('2114026408260f38d3c43b26f36952ff38ecbaa88692'))!)
  // The consensus key follows 0a20; the rates are 5 %, at most 20 %, changed by at most 1 %.
  expect(bytes).toBe(
    '0a33636861696e76616c6f7065723171666a7173667330387266756777657837643534396c6563616a61323370356a7a336e35327912430a1d2f636f736d6f732e63727970746f2e656432353531392e5075624b657912220a20000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20032a07353030303030303219353030303030303030303030303030303030303030303030303a070a05616c6963654a0052440a3a0a11353030303030303030303030303030303012123230303030303030303030303030303030301a1131303030303030303030303030303030301206088081c8ac065a0131',
  )
})
