import { beforeEach, describe, expect, test } from 'vitest'
import { formatBech32 } from '../../primitives/address.ts'
import { formatHex, hex } from '../../primitives/bytes.ts'
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
const mintery = moduleAccount('mintery', 'minter')
const text = (bytes: Uint8Array) => formatBech32('chain', bytes)
const operator = (bytes: Uint8Array) => formatBech32('chainvaloper', bytes)
const coin = (amount: bigint) => ({ denom: 'unative', amount: amount.toString() })
const percent = (value: bigint) => (value * 10n ** 16n).toString()
const UNBONDING_NS = 1_814_400n * 10n ** 9n
const START = 1_000_000_000n

let ctx: BranchedContext

function createValidator(who: Uint8Array, amount: bigint): void {
  messages.createValidator(ctx, {
    description: { moniker: 'one', details: 'first' },
    commission: { rate: percent(5n), maxRate: percent(20n), maxChangeRate: percent(1n) },
    minSelfDelegation: '1000000',
    delegatorAddress: text(who),
    validatorAddress: operator(who),
    pubkey: encodePublicKey(ctx.identity, { kind: 'ed25519', key: sha256(who) }),
    value: coin(amount),
  })
}

function endBlock(laterNs = 0n): void {
  ctx.block.timeNs += laterNs
  ctx.block.height += 1n
  ctx.branchStore.events.length = 0
  module.endBlock!(ctx)
}

const pair = { delegatorAddress: text(carol), validatorAddress: operator(alice) }
const undelegate = (amount: bigint) => messages.undelegate(ctx, { ...pair, amount: coin(amount) })
const redelegate = (from: Uint8Array, to: Uint8Array, amount: bigint) =>
  messages.beginRedelegate(ctx, {
    delegatorAddress: text(carol),
    validatorSrcAddress: operator(from),
    validatorDstAddress: operator(to),
    amount: coin(amount),
  })
const held = (who: Uint8Array) => bank.balance(ctx, who, 'unative')
const entries = () =>
  queries
    .delegatorUnbondingDelegations(ctx, { delegatorAddr: text(carol) })
    .unbondingResponses.flatMap((one) => one.entries)
const failure = (codespace: string, code: number) => expect.objectContaining({ codespace, code })

beforeEach(() => {
  ctx = testContext({ modules: [module, defineModule({ name: 'mintery', accounts: [mintery] })] })
  genesis.init(ctx, genesis.defaults(ctx))
  for (const holder of [alice, bob, carol]) {
    bank.mint(ctx, mintery, [{ denom: 'unative', amount: START }])
    bank.send(ctx, mintery.address, holder, [{ denom: 'unative', amount: START }])
  }
  createValidator(alice, 10_000_000n)
  createValidator(bob, 20_000_000n)
  messages.delegate(ctx, { ...pair, amount: coin(5_000_000n) })
  endBlock()
})

describe('undelegated tokens', () => {
  test('lose their power immediately and are paid out after the unbonding time', () => {
    const { completionTime } = undelegate(2_000_000n)
    expect(completionTime!.seconds * 10n ** 9n).toBe(ctx.block.timeNs + UNBONDING_NS)
    expect(ctx.events.at(-1)).toMatchObject({ type: 'unbond', attributes: [{}, {}, {}, { key: 'completion_time' }] })
    endBlock()
    expect(staking.updatesOfBlock(ctx).map(({ power }) => power)).toEqual([13n])
    expect(queries.pool(ctx, {}).pool).toMatchObject({ bondedTokens: '33000000', notBondedTokens: '2000000' })
    expect(held(carol)).toBe(START - 5_000_000n)
    endBlock(UNBONDING_NS - 1n)
    expect(held(carol)).toBe(START - 5_000_000n)
    endBlock(1n)
    expect(held(carol)).toBe(START - 3_000_000n)
    expect(ctx.events.map(({ type }) => type)).toEqual(['coin_spent', 'coin_received', 'complete_unbonding'])
    expect(entries()).toEqual([])
  })

  test('share an entry within a block, and at most seven entries are open', () => {
    undelegate(1n)
    undelegate(2n)
    expect(entries()).toMatchObject([{ balance: '3', initialBalance: '3', unbondingId: 1n }])
    for (let i = 0; i < 6; i++) {
      endBlock(1n)
      undelegate(1n)
    }
    expect(() => undelegate(1n)).toThrow(failure('staking', 27))
  })

  test('cannot exceed the delegation, and need a delegation', () => {
    expect(() => undelegate(5_000_001n)).toThrow('invalid shares amount')
    expect(() => undelegate(0n)).toThrow(failure('sdk', 18))
    undelegate(5_000_000n)
    expect(staking.getDelegation(ctx, carol, alice)).toBeUndefined()
    expect(() => undelegate(1n)).toThrow(failure('staking', 19))
  })

  test('return to their validator when the undelegation is cancelled', () => {
    undelegate(2_000_000n)
    const creationHeight = ctx.block.height
    const cancel =
      (amount: bigint, height = creationHeight) =>
      () =>
        messages.cancelUnbondingDelegation(ctx, { ...pair, amount: coin(amount), creationHeight: height })
    expect(cancel(2_000_001n)).toThrow('amount is greater than the unbonding delegation entry balance')
    expect(cancel(1n, 77n)).toThrow('unbonding delegation entry is not found at block height 77')
    cancel(500_000n)()
    expect(entries()).toMatchObject([{ balance: '1500000', initialBalance: '1500000' }])
    cancel(1_500_000n)()
    expect(entries()).toEqual([])
    expect(staking.getValidator(ctx, alice)!.tokens).toBe('15000000')
    expect(cancel(1n)).toThrow(failure('sdk', 38))
    endBlock(UNBONDING_NS)
    expect(held(carol)).toBe(START - 5_000_000n)
  })

  test('an operator that undelegates below its minimum is jailed', () => {
    messages.undelegate(ctx, {
      delegatorAddress: text(alice),
      validatorAddress: operator(alice),
      amount: coin(9_500_000n),
    })
    expect(staking.getValidator(ctx, alice)!.jailed).toBe(true)
    endBlock()
    expect(staking.updatesOfBlock(ctx)).toMatchObject([{ power: 0n }])
    expect(staking.getValidator(ctx, alice)!.status).toBe(2)
  })
})

test('ten of 110 shares of a validator with 99 tokens are worth 9 tokens', () => {
  const validator = staking.getValidator(ctx, bob)!
  state.validators.set(ctx, bob, { ...validator, tokens: '90', delegatorShares: `100${'0'.repeat(18)}` })
  const to = { delegatorAddress: text(carol), validatorAddress: operator(bob) }
  messages.delegate(ctx, { ...to, amount: coin(9n) })
  expect(staking.getValidator(ctx, bob)!.delegatorShares).toBe(`110${'0'.repeat(18)}`)
  messages.undelegate(ctx, { ...to, amount: coin(9n) })
  expect(staking.getDelegation(ctx, carol, bob)).toBeUndefined()
  expect(entries()).toMatchObject([{ balance: '9' }])
})

describe('redelegated tokens', () => {
  test('count for the destination immediately, and cannot move again until completion', () => {
    redelegate(alice, bob, 2_000_000n)
    endBlock()
    const powers = new Map(staking.updatesOfBlock(ctx).map(({ publicKey, power }) => [formatHex(publicKey), power]))
    expect(powers).toEqual(
      new Map([
        [formatHex(sha256(alice)), 13n],
        [formatHex(sha256(bob)), 22n],
      ]),
    )
    const asked = { delegatorAddr: text(carol) }
    expect(queries.redelegations(ctx, asked).redelegationResponses).toMatchObject([
      { redelegation: { validatorDstAddress: operator(bob) }, entries: [{ balance: '2000000' }] },
    ])
    // As the Cosmos SDK answers over gRPC: a source without a delegator asks for all moves away from it.
    const from = (source: Uint8Array, destination?: Uint8Array) =>
      queries.redelegations(ctx, {
        srcValidatorAddr: operator(source),
        ...(destination && { dstValidatorAddr: operator(destination) }),
      }).redelegationResponses
    expect(from(alice)).toEqual(queries.redelegations(ctx, asked).redelegationResponses)
    expect([from(alice, bob).length, from(alice, carol).length, from(bob).length]).toEqual([1, 0, 0])
    expect(() => queries.redelegations(ctx, { dstValidatorAddr: operator(bob) })).toThrow(
      'delegator address cannot be empty',
    )
    expect(() => redelegate(bob, alice, 1n)).toThrow(failure('staking', 32))
    endBlock(UNBONDING_NS)
    expect(ctx.events.map(({ type }) => type)).toEqual(['complete_redelegation'])
    expect(queries.redelegations(ctx, asked).redelegationResponses).toEqual([])
    redelegate(bob, alice, 1n)
  })

  test('need an existing other validator', () => {
    expect(() => redelegate(alice, alice, 1n)).toThrow(failure('staking', 29))
    expect(() => redelegate(alice, carol, 1n)).toThrow(failure('staking', 31))
    expect(() => redelegate(carol, alice, 1n)).toThrow(failure('staking', 3))
  })
})

describe('an edit', () => {
  const edit = (part: object) => () =>
    messages.editValidator(ctx, {
      description: {
        moniker: '[do-not-modify]',
        identity: '[do-not-modify]',
        website: 'https://example.org',
        securityContact: '[do-not-modify]',
        details: '',
      },
      validatorAddress: operator(alice),
      ...part,
    })

  test('leaves fields marked as unmodified', () => {
    edit({})()
    expect(staking.getValidator(ctx, alice)!.description).toMatchObject({
      moniker: 'one',
      website: 'https://example.org',
      details: '',
    })
  })

  test('changes the commission once a day, within the validator’s own limits', () => {
    expect(edit({ commissionRate: percent(6n) })).toThrow(failure('staking', 12))
    ctx.block.timeNs += 86_400n * 10n ** 9n
    expect(edit({ commissionRate: percent(21n) })).toThrow(failure('staking', 11))
    expect(edit({ commissionRate: percent(7n) })).toThrow(failure('staking', 15))
    expect(edit({ commissionRate: percent(4n) })).toThrow(failure('staking', 40))
    expect(edit({ commissionRate: percent(101n) })).toThrow(failure('sdk', 18))
    edit({ commissionRate: percent(6n) })()
    expect(ctx.events.at(-1)!.attributes[0]).toEqual({ key: 'commission_rate', value: '0.060000000000000000' })
  })

  test('only raises the minimum self-delegation', () => {
    expect(edit({ minSelfDelegation: '1000000' })).toThrow(failure('staking', 17))
    expect(edit({ minSelfDelegation: '999000000' })).toThrow(failure('staking', 16))
    edit({ minSelfDelegation: '2000000' })()
    expect(staking.getValidator(ctx, alice)!.minSelfDelegation).toBe('2000000')
  })
})

test('an export restores unbondings and redelegations, key for key', () => {
  undelegate(1_000_000n)
  redelegate(alice, bob, 1_000_000n)
  endBlock()
  const again = testContext({ modules: [module, defineModule({ name: 'mintery', accounts: [mintery] })] })
  for (const pool of [state.bondedPool, state.notBondedPool]) {
    const amount = bank.balance(ctx, pool.address, 'unative')
    bank.mint(again, mintery, [{ denom: 'unative', amount }])
    bank.send(again, mintery.address, pool.address, [{ denom: 'unative', amount }])
  }
  genesis.init(again, genesis.export(ctx))
  const carried = (context: BranchedContext) =>
    context.branchStore
      .changes()
      .filter(({ store, key, value }) => store === 'staking' && value && key[0] !== 0x61)
      .map(({ key, value }) => `${formatHex(key)} ${formatHex(value!)}`)
  expect(carried(again)).toEqual(carried(ctx))
})
