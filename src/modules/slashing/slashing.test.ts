import { create } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { beforeEach, describe, expect, test } from 'vitest'
import * as address from '../../identity/address.ts'
import { hex } from '../../primitives/bytes.ts'
import * as decimal from '../../primitives/decimal.ts'
import { NS_PER_SECOND } from '../../primitives/time.ts'
import type { BranchedContext } from '../../sdk/context.ts'
import { defineModule } from '../../sdk/module.ts'
import { moduleAccount } from '../../sdk/module-account.ts'
import { encodePublicKey } from '../../sdk/public-key.ts'
import { testContext } from '../../sdk/testing.ts'
import * as bank from '../bank/keeper.ts'
import { staking as stakingModule } from '../staking/index.ts'
import * as staking from '../staking/keeper.ts'
import { messages as stakingMessages } from '../staking/messages.ts'
import { queries as stakingQueries } from '../staking/queries.ts'
import { genesis } from './genesis.ts'
import { slashing } from './index.ts'
import { messages } from './messages.ts'
import { defaultParams, maxMissed } from './params.ts'
import { queries } from './queries.ts'
import { countVotes } from './signing.ts'
import * as state from './state.ts'

const mintery = moduleAccount('mintery', 'minter')
const alice = hex('026408260f38d3c43b26f36952ff38ecbaa88692')
const bob = hex('1dcfcd015f33402c43aef6a57ba6977df044f83a')
const carol = hex('9e3e8a872b4705af94e18838beea4c2a8b6a9a45')
const WINDOW = 10n

let ctx: BranchedContext
beforeEach(() => {
  ctx = testContext({ modules: [stakingModule, slashing, defineModule({ name: 'mintery', accounts: [mintery] })] })
  for (const holder of [alice, bob, carol]) {
    bank.mint(ctx, mintery, [{ denom: 'unative', amount: 1_000_000_000n }])
    bank.send(ctx, mintery.address, holder, [{ denom: 'unative', amount: 1_000_000_000n }])
  }
  state.params.set(ctx, { ...defaultParams(), signedBlocksWindow: WINDOW })
  for (const operator of [alice, bob]) createValidator(operator)
  endBlock()
})

const endBlock = () => stakingModule.endBlock!(ctx)
const operatorText = (operator: Uint8Array) => address.formatValidator(ctx, operator)
const text = (holder: Uint8Array) => address.format(ctx, holder)
const consensusOf = (operator: Uint8Array) =>
  staking.consensusAddress(ctx.identity, staking.getValidator(ctx, operator)!)
const tokens = (operator: Uint8Array) => staking.getValidator(ctx, operator)!.tokens
const info = (operator: Uint8Array) => state.signingInfos.get(ctx, consensusOf(operator))!

function createValidator(operator: Uint8Array): void {
  const rates = { rate: (5n * 10n ** 16n).toString(), maxRate: (2n * 10n ** 17n).toString(), maxChangeRate: '0' }
  stakingMessages.createValidator(ctx, {
    description: { moniker: 'm' },
    commission: rates,
    minSelfDelegation: '1',
    delegatorAddress: text(operator),
    validatorAddress: operatorText(operator),
    pubkey: create(
      AnySchema,
      encodePublicKey(ctx.identity, { kind: 'ed25519', key: new Uint8Array(32).fill(operator[0]!) }),
    ),
    value: { denom: 'unative', amount: '100000000' },
  })
}

/** Starts the next block with these votes in its commit. */
function nextBlock(...votes: readonly (readonly [Uint8Array, boolean])[]): void {
  ctx.block.height += 1n
  ctx.block.timeNs += NS_PER_SECOND
  const list = votes.map(([operator, signed]) => ({ validator: consensusOf(operator), power: 100n, signed }))
  Object.assign(ctx.block, { votes: list })
  ctx.branchStore.events.length = 0
  countVotes(ctx)
}

describe('a validator that does not sign', () => {
  test('misses are counted in a ring of the window’s size', () => {
    for (let i = 0; i < 4; i++) nextBlock([alice, false], [bob, true])
    expect(info(alice)).toMatchObject({ startHeight: 1n, indexOffset: 4n, missedBlocksCounter: 4n })
    expect(info(bob)).toMatchObject({ indexOffset: 4n, missedBlocksCounter: 0n })
    expect(ctx.events).toEqual([
      {
        type: 'liveness',
        attributes: [
          { key: 'address', value: address.formatConsensus(ctx, consensusOf(alice)) },
          { key: 'missed_blocks', value: '4' },
          { key: 'height', value: '5' },
        ],
      },
    ])
    for (let i = 0; i < 10; i++) nextBlock([alice, true], [bob, true])
    expect(info(alice).missedBlocksCounter).toBe(0n)
  })

  test('a validator that missed more than half of a full window is slashed by a hundredth and jailed', () => {
    for (let i = 0; i < 5; i++) nextBlock([alice, true], [bob, true])
    for (let i = 0; i < 5; i++) nextBlock([alice, false], [bob, true])
    expect(staking.getValidator(ctx, alice)!.jailed).toBe(false)
    nextBlock([alice, false], [bob, true])
    expect([tokens(alice), tokens(bob)]).toEqual(['99000000', '100000000'])
    expect(staking.getValidator(ctx, alice)!.jailed).toBe(true)
    const until = (ctx.block.timeNs + 600n * NS_PER_SECOND) / NS_PER_SECOND
    expect(info(alice)).toMatchObject({ indexOffset: 0n, missedBlocksCounter: 0n, jailedUntil: { seconds: until } })
    expect([...state.missed.keys(ctx, { prefix: consensusOf(alice) })]).toEqual([])
    expect(ctx.events.find(({ type }) => type === 'slash')!.attributes.map(({ key, value }) => [key, value])).toEqual([
      ['address', address.formatConsensus(ctx, consensusOf(alice))],
      ['power', '100'],
      ['reason', 'missing_signature'],
      ['jailed', address.formatConsensus(ctx, consensusOf(alice))],
      ['burned_coins', '1000000'],
    ])
    endBlock()
    expect(staking.updatesOfBlock(ctx).map(({ power }) => power)).toEqual([0n])
    expect(bank.supply(ctx, 'unative')).toBe(2_999_000_000n)
  })

  test('a validator is released after the jail time with enough self-delegation, and is counted from then on', () => {
    for (let i = 0; i < 11; i++) nextBlock([alice, false], [bob, true])
    endBlock()
    const unjail = () => messages.unjail(ctx, { validatorAddr: operatorText(alice) })
    const code = (value: number) => expect.objectContaining({ codespace: 'slashing', code: value })
    expect(unjail).toThrow(code(4))
    ctx.block.timeNs += 600n * NS_PER_SECOND
    ctx.block.height = 50n
    unjail()
    expect(unjail).toThrow(code(5))
    endBlock()
    expect(info(alice).startHeight).toBe(50n)
    expect(() => messages.unjail(ctx, { validatorAddr: operatorText(carol) })).toThrow(code(2))
  })
})

describe('a slash of the past', () => {
  const punish = (height: bigint) =>
    staking.slash(ctx, { consensus: consensusOf(alice), height, power: 100n, fraction: decimal.parse('0.1')! })

  test('includes tokens that began to unbond since, and excludes earlier ones', () => {
    const undelegate = (amount: string) =>
      stakingMessages.undelegate(ctx, {
        delegatorAddress: text(alice),
        validatorAddress: operatorText(alice),
        amount: { denom: 'unative', amount },
      })
    undelegate('10000000')
    ctx.block.height = 5n
    undelegate('20000000')
    ctx.block.height = 9n
    expect(punish(5n)).toBe(8_000_000n)
    const { unbond } = stakingQueries.unbondingDelegation(ctx, {
      validatorAddr: operatorText(alice),
      delegatorAddr: text(alice),
    })
    expect(unbond!.entries.map(({ balance }) => balance)).toEqual(['10000000', '18000000'])
    expect(tokens(alice)).toBe('62000000')
    expect(bank.supply(ctx, 'unative')).toBe(2_990_000_000n)
  })

  test('includes tokens that were redelegated since, at their present validator', () => {
    ctx.block.height = 5n
    stakingMessages.delegate(ctx, {
      delegatorAddress: text(carol),
      validatorAddress: operatorText(alice),
      amount: { denom: 'unative', amount: '50000000' },
    })
    stakingMessages.beginRedelegate(ctx, {
      delegatorAddress: text(carol),
      validatorSrcAddress: operatorText(alice),
      validatorDstAddress: operatorText(bob),
      amount: { denom: 'unative', amount: '40000000' },
    })
    ctx.block.height = 9n
    // A tenth of power 100: 4 from the redelegated tokens, 6 from the validator.
    expect(punish(4n)).toBe(6_000_000n)
    expect([tokens(alice), tokens(bob)]).toEqual(['104000000', '136000000'])
    // Redelegated tokens that unbond from the destination are slashed first.
    stakingMessages.undelegate(ctx, {
      delegatorAddress: text(carol),
      validatorAddress: operatorText(bob),
      amount: { denom: 'unative', amount: '36000000' },
    })
    expect(punish(4n)).toBe(6_000_000n)
    expect(tokens(bob)).toBe('100000000')
    const { unbond } = stakingQueries.unbondingDelegation(ctx, {
      validatorAddr: operatorText(bob),
      delegatorAddr: text(carol),
    })
    expect(unbond!.entries.map(({ balance }) => balance)).toEqual(['32000000'])
  })

  test('burns at most the available tokens, and nothing of a removed validator', () => {
    expect(staking.slash(ctx, { consensus: consensusOf(alice), height: 1n, power: 500n, fraction: decimal.one })).toBe(
      100_000_000n,
    )
    expect(staking.slash(ctx, { consensus: new Uint8Array(20), height: 1n, power: 5n, fraction: decimal.one })).toBe(0n)
  })
})

test('the minimum signed part of a window is rounded half to even', () => {
  const wire = (raw: string) => new TextEncoder().encode(raw)
  const params = (window: bigint, part: string) => ({
    ...defaultParams(),
    signedBlocksWindow: window,
    minSignedPerWindow: wire(part),
  })
  expect(maxMissed(params(100n, '300000000000000000'))).toBe(70n)
  expect(maxMissed(params(5n, '500000000000000000'))).toBe(3n)
  expect(maxMissed(params(7n, '500000000000000000'))).toBe(3n)
})

test('queries return signing infos, and a chain that starts from an export exports the same', () => {
  for (let i = 0; i < 3; i++) nextBlock([alice, i === 1], [bob, true])
  expect(queries.signingInfos(ctx, {}).info.map(({ indexOffset }) => indexOffset)).toEqual([3n, 3n])
  const consAddress = address.formatConsensus(ctx, consensusOf(alice))
  expect(queries.signingInfo(ctx, { consAddress }).valSigningInfo).toMatchObject({ missedBlocksCounter: 2n })
  expect(() => queries.signingInfo(ctx, { consAddress: 'x' })).toThrow(
    expect.objectContaining({ status: 'invalidArgument' }),
  )
  const exported = genesis.export(ctx)
  const other = testContext({ modules: [stakingModule, slashing] })
  genesis.init(other, exported)
  expect(genesis.export(other)).toEqual(exported)
  const empty = { signing_infos: [{ address: consAddress }] }
  expect(() => genesis.init(testContext({ modules: [stakingModule, slashing] }), empty)).toThrow(
    'signing_infos[0]: validator_signing_info is missing',
  )
})
