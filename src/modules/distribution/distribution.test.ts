import { create } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { beforeEach, describe, expect, test } from 'vitest'
import * as address from '../../identity/address.ts'
import { equal, formatHex, hex } from '../../primitives/bytes.ts'
import { format } from '../../primitives/dec-coin.ts'
import * as decimal from '../../primitives/decimal.ts'
import { governance } from '../../sdk/authority.ts'
import type { BranchedContext } from '../../sdk/context.ts'
import { defineModule } from '../../sdk/module.ts'
import { moduleAccount } from '../../sdk/module-account.ts'
import { encodePublicKey } from '../../sdk/public-key.ts'
import { testContext } from '../../sdk/testing.ts'
import * as auth from '../auth/keeper.ts'
import * as bank from '../bank/keeper.ts'
import { slashing } from '../slashing/index.ts'
import { staking as stakingModule } from '../staking/index.ts'
import * as staking from '../staking/keeper.ts'
import { messages as stakingMessages } from '../staking/messages.ts'
import { beginBlock } from './allocation.ts'
import { genesis } from './genesis.ts'
import { distribution } from './index.ts'
import { messages } from './messages.ts'
import { communityPool } from './pool.ts'
import { queries } from './queries.ts'
import { commission, endValidator, outstandingRewards, setOutstanding } from './rewards.ts'
import { distributionAccount } from './state.ts'

const mintery = moduleAccount('mintery', 'minter')
const alice = hex('026408260f38d3c43b26f36952ff38ecbaa88692')
const bob = hex('1dcfcd015f33402c43aef6a57ba6977df044f83a')
const carol = hex('9e3e8a872b4705af94e18838beea4c2a8b6a9a45')
const DAY_NS = 86_400_000_000_000n

let ctx: BranchedContext
beforeEach(() => {
  const minter = defineModule({ name: 'mintery', accounts: [mintery] })
  ctx = testContext({ modules: [distribution, stakingModule, slashing, minter] })
  for (const holder of [alice, bob, carol]) fund(holder, 1_000_000_000n)
})

function fund(holder: Uint8Array, amount: bigint, denom = 'unative'): void {
  bank.mint(ctx, mintery, [{ denom, amount }])
  bank.send(ctx, mintery.address, holder, [{ denom, amount }])
}

const key = (fill: number) => new Uint8Array(32).fill(fill)
const operatorText = (operator: Uint8Array) => address.formatValidator(ctx, operator)
const text = (holder: Uint8Array) => address.format(ctx, holder)
const percent = (value: bigint) => (value * 10n ** 16n).toString()

function createValidator(operator: Uint8Array, amount: bigint, rate: bigint): void {
  stakingMessages.createValidator(ctx, {
    description: { moniker: 'm' },
    commission: { rate: percent(rate), maxRate: percent(20n), maxChangeRate: percent(5n) },
    minSelfDelegation: '1',
    delegatorAddress: text(operator),
    validatorAddress: operatorText(operator),
    pubkey: create(AnySchema, encodePublicKey(ctx.identity, { kind: 'ed25519', key: key(operator[0]!) })),
    value: { denom: 'unative', amount: amount.toString() },
  })
}

const consensusOf = (operator: Uint8Array) =>
  staking.consensusAddress(ctx.identity, staking.getValidator(ctx, operator)!)

/** Starts the next block, with the fees and the votes of the previous one. */
function nextBlock(fees: bigint, votes: readonly (readonly [Uint8Array, bigint])[]): void {
  if (fees > 0n) fund(auth.feeCollector.address, fees)
  ctx.block.height += 1n
  Object.assign(ctx.block, {
    votes: votes.map(([operator, power]) => ({ validator: consensusOf(operator), power, signed: true })),
  })
  ctx.branchStore.events.length = 0
  beginBlock(ctx)
}

const held = (holder: Uint8Array) => bank.balance(ctx, holder, 'unative')
const endBlock = () => stakingModule.endBlock!(ctx)

describe('fees of a block', () => {
  test('go to the voters by power after the community tax, with commission deducted', () => {
    createValidator(alice, 60_000_000n, 10n)
    createValidator(bob, 40_000_000n, 10n)
    endBlock()
    nextBlock(1000n, [
      [alice, 60n],
      [bob, 40n],
    ])
    // 2 % of 1000 is 20; 980 × 60 % = 588; 10 % of 588 is 58.8.
    expect(format(communityPool(ctx))).toBe('20.000000000000000000unative')
    expect(format(outstandingRewards(ctx, alice))).toBe('588.000000000000000000unative')
    expect(format(outstandingRewards(ctx, bob))).toBe('392.000000000000000000unative')
    expect(format(commission(ctx, alice))).toBe('58.800000000000000000unative')
    expect(format(commission(ctx, bob))).toBe('39.200000000000000000unative')
    expect(ctx.events.map(({ type }) => type)).toEqual([
      ...['coin_spent', 'coin_received', 'transfer', 'message'],
      ...['commission', 'rewards', 'commission', 'rewards'],
    ])
    expect(held(distributionAccount.address)).toBe(1000n)
  })

  test('go to the community pool without votes, and are not allocated in the first block', () => {
    fund(auth.feeCollector.address, 10n)
    beginBlock(ctx)
    expect([held(auth.feeCollector.address), communityPool(ctx)]).toEqual([10n, []])
    nextBlock(0n, [])
    expect(format(communityPool(ctx))).toBe('10.000000000000000000unative')
  })

  test('fees of a validator that no longer exists go to the community pool', () => {
    createValidator(alice, 60_000_000n, 10n)
    endBlock()
    fund(auth.feeCollector.address, 100n)
    ctx.block.height += 1n
    const votes = [
      { validator: consensusOf(alice), power: 1n, signed: true },
      { validator: new Uint8Array(20).fill(9), power: 1n, signed: true },
    ]
    Object.assign(ctx.block, { votes })
    beginBlock(ctx)
    expect(format(communityPool(ctx))).toBe('51.000000000000000000unative')
  })
})

describe('rewards of a delegation', () => {
  beforeEach(() => {
    createValidator(alice, 30_000_000n, 10n)
    stakingMessages.delegate(ctx, {
      delegatorAddress: text(carol),
      validatorAddress: operatorText(alice),
      amount: { denom: 'unative', amount: '10000000' },
    })
    endBlock()
  })

  test('a delegation receives its share after tax and commission: whole coins are paid, the fraction goes to the community pool', () => {
    nextBlock(1001n, [[alice, 40n]])
    // 1001 × 0.98 × 0.9 / 4 = 220.7205
    expect(
      queries.delegationRewards(ctx, { delegatorAddress: text(carol), validatorAddress: operatorText(alice) }),
    ).toMatchObject({
      rewards: [{ denom: 'unative', amount: '220720500000000000000' }],
    })
    const before = held(carol)
    const { amount } = messages.withdrawDelegatorReward(ctx, {
      delegatorAddress: text(carol),
      validatorAddress: operatorText(alice),
    })
    expect(amount).toMatchObject([{ denom: 'unative', amount: '220' }])
    expect(held(carol) - before).toBe(220n)
    // 2 % of 1001 and the fraction.
    expect(format(communityPool(ctx))).toBe('20.740500000000000000unative')
    expect(queries.delegationTotalRewards(ctx, { delegatorAddress: text(carol) })).toMatchObject({ total: [] })
  })

  test('rewards are paid to the withdraw address that the delegator set', () => {
    messages.setWithdrawAddress(ctx, { delegatorAddress: text(carol), withdrawAddress: text(bob) })
    nextBlock(4000n, [[alice, 40n]])
    const [before, carols] = [held(bob), held(carol)]
    stakingMessages.undelegate(ctx, {
      delegatorAddress: text(carol),
      validatorAddress: operatorText(alice),
      amount: { denom: 'unative', amount: '1000000' },
    })
    expect([held(bob) - before, held(carol) - carols]).toEqual([882n, 0n])
    expect(queries.delegatorWithdrawAddress(ctx, { delegatorAddress: text(carol) }).withdrawAddress).toBe(text(bob))
  })

  test('rewards go to the delegator if the withdraw address has become that of a module', () => {
    const later = moduleAccount('later')
    expect(() =>
      messages.setWithdrawAddress(ctx, { delegatorAddress: text(carol), withdrawAddress: text(mintery.address) }),
    ).toThrow('is not allowed to receive external funds')
    messages.setWithdrawAddress(ctx, { delegatorAddress: text(carol), withdrawAddress: text(later.address) })
    nextBlock(4000n, [[alice, 40n]])
    const upgraded = { ...ctx, app: { ...ctx.app, isBlocked: (one: Uint8Array) => equal(one, later.address) } }
    const before = held(carol)
    messages.withdrawDelegatorReward(upgraded, {
      delegatorAddress: text(carol),
      validatorAddress: operatorText(alice),
    })
    expect([held(carol) - before, held(later.address)]).toEqual([882n, 0n])
  })

  test('rewards shrink with the stake when the validator is slashed in between', () => {
    nextBlock(4000n, [[alice, 40n]])
    const fraction = decimal.parse('0.5')!
    staking.slash(ctx, { consensus: consensusOf(alice), height: ctx.block.height, power: 40n, fraction })
    expect(staking.getValidator(ctx, alice)!.tokens).toBe('20000000')
    nextBlock(4000n, [[alice, 20n]])
    // The stake is half, and so is the total: its share of 3528 is a quarter both times.
    const reward = queries.delegationRewards(ctx, {
      delegatorAddress: text(carol),
      validatorAddress: operatorText(alice),
    }).rewards
    expect(reward).toMatchObject([{ denom: 'unative', amount: '1764000000000000000000' }])
    expect(
      queries.validatorSlashes(ctx, { validatorAddress: operatorText(alice), startingHeight: 0n, endingHeight: 99n })
        .slashes,
    ).toMatchObject([{ fraction: '500000000000000000' }])
  })

  test('rewards and commission of a removed validator are paid, and its records are deleted', () => {
    nextBlock(4000n, [[alice, 40n]])
    const paid = [held(alice), held(carol)]
    for (const [who, amount] of [
      [alice, '30000000'],
      [carol, '10000000'],
    ] as const) {
      stakingMessages.undelegate(ctx, {
        delegatorAddress: text(who),
        validatorAddress: operatorText(alice),
        amount: { denom: 'unative', amount },
      })
    }
    nextBlock(0n, [])
    createValidator(bob, 5_000_000n, 5n)
    endBlock()
    ctx.block.timeNs += 22n * DAY_NS
    endBlock()
    expect(staking.getValidator(ctx, alice)).toBeUndefined()
    // 4000 × 0.98: 392 of commission, 2646 and 882 of rewards.
    expect([held(alice) - paid[0]! - 30_000_000n, held(carol) - paid[1]! - 10_000_000n]).toEqual([3038n, 882n])
    const left = ctx.branchStore
      .changes()
      .filter(
        ({ store, value, key: [prefix] }) =>
          store === 'distribution' && value && prefix !== 0x00 && prefix !== 0x01 && prefix !== 0x09,
      )
    expect(left.every((change) => formatHex(change.key).includes(formatHex(bob)))).toBe(true)
  })
})

describe('messages', () => {
  test('a validator withdraws its commission, and is refused without a commission', () => {
    createValidator(alice, 30_000_000n, 10n)
    endBlock()
    const withdraw = () => messages.withdrawValidatorCommission(ctx, { validatorAddress: operatorText(alice) })
    expect(withdraw).toThrow(expect.objectContaining({ codespace: 'distribution', code: 7 }))
    nextBlock(1000n, [[alice, 30n]])
    expect(withdraw().amount).toMatchObject([{ denom: 'unative', amount: '98' }])
    expect(withdraw).toThrow(expect.objectContaining({ codespace: 'distribution', code: 7 }))
  })

  test('any account funds the community pool, and only governance spends it', () => {
    messages.fundCommunityPool(ctx, { amount: [{ denom: 'unative', amount: '50' }], depositor: text(carol) })
    const spend = (authority: Uint8Array, recipient: Uint8Array, amount: string) => () =>
      messages.communityPoolSpend(ctx, {
        authority: text(authority),
        recipient: text(recipient),
        amount: [{ denom: 'unative', amount }],
      })
    const code = (codespace: string, value: number) => expect.objectContaining({ codespace, code: value })
    expect(spend(alice, bob, '1')).toThrow(code('gov', 13))
    expect(spend(governance, bob, '51')).toThrow(code('distribution', 9))
    expect(spend(governance, distributionAccount.address, '1')).toThrow(code('sdk', 4))
    const before = held(bob)
    spend(governance, bob, '20')()
    expect(held(bob) - before).toBe(20n)
    expect(format(communityPool(ctx))).toBe('30.000000000000000000unative')
    expect(spend(governance, bob, '0')).toThrow(code('sdk', 10))
  })

  test('messages are refused for a missing validator or delegation, and with fixed withdraw addresses', () => {
    createValidator(alice, 30_000_000n, 10n)
    const code = (value: number) => expect.objectContaining({ codespace: 'distribution', code: value })
    const withdraw = (validatorAddress: string) => () =>
      messages.withdrawDelegatorReward(ctx, { delegatorAddress: text(carol), validatorAddress })
    expect(withdraw(operatorText(bob))).toThrow(code(6))
    expect(withdraw(operatorText(alice))).toThrow(code(5))
    messages.updateParams(ctx, {
      authority: text(governance),
      params: { communityTax: '0', baseProposerReward: '0', bonusProposerReward: '0' },
    })
    expect(() =>
      messages.setWithdrawAddress(ctx, { delegatorAddress: text(carol), withdrawAddress: text(bob) }),
    ).toThrow(code(8))
  })
})

test('a chain that starts from an export exports the same', () => {
  createValidator(alice, 30_000_000n, 10n)
  endBlock()
  nextBlock(1001n, [[alice, 30n]])
  messages.setWithdrawAddress(ctx, { delegatorAddress: text(alice), withdrawAddress: text(bob) })
  staking.slash(ctx, {
    consensus: consensusOf(alice),
    height: ctx.block.height,
    power: 30n,
    fraction: decimal.parse('0.1')!,
  })
  const exported = genesis.export(ctx)
  const other = testContext({ modules: [distribution] })
  bank.mint(other, mintery, [{ denom: 'unative', amount: 1001n }])
  bank.send(other, mintery.address, distributionAccount.address, [{ denom: 'unative', amount: 1001n }])
  genesis.init(other, exported)
  expect(genesis.export(other)).toEqual(exported)
  const poor = testContext({ modules: [distribution] })
  expect(() => genesis.init(poor, exported)).toThrow('its records add up to 1001unative')
})

test('a genesis record without its content is refused with its path', () => {
  const start = (part: object) => () => genesis.init(testContext({ modules: [distribution] }), part as never)
  const validator_address = address.formatValidator(ctx, alice)
  for (const [list, entry] of [
    ['validator_accumulated_commissions', 'accumulated'],
    ['validator_historical_rewards', 'rewards'],
    ['validator_current_rewards', 'rewards'],
    ['validator_slash_events', 'validator_slash_event'],
  ] as const) {
    expect(start({ [list]: [{ validator_address }] })).toThrow(`${list}[0]: ${entry} is missing`)
  }
  const delegation = { validator_address, delegator_address: text(bob) }
  expect(start({ delegator_starting_infos: [delegation] })).toThrow('starting_infos[0]: starting_info is missing')
})

test('the removal of a validator pays its commission up to the outstanding rewards, and does not fail', () => {
  createValidator(alice, 60_000_000n, 10n)
  endBlock()
  nextBlock(1000n, [[alice, 60n]])
  expect(format(commission(ctx, alice))).toBe('98.000000000000000000unative')
  setOutstanding(ctx, alice, [{ denom: 'unative', amount: decimal.parse('97.5')! }])
  const before = held(alice)
  endValidator(ctx, alice)
  expect(held(alice) - before).toBe(97n)
  // 20 of tax, and the fraction of half a coin.
  expect(format(communityPool(ctx))).toBe('20.500000000000000000unative')
})
