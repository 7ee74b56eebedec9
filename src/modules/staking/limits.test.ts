import { beforeEach, describe, expect, test } from 'vitest'
import { formatBech32 } from '../../primitives/address.ts'
import { hex } from '../../primitives/bytes.ts'
import { sha256 } from '../../primitives/hash.ts'
import { governance } from '../../sdk/authority.ts'
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
const mintery = moduleAccount('mintery', 'minter')
const text = (bytes: Uint8Array) => formatBech32('chain', bytes)
const operator = (bytes: Uint8Array) => formatBech32('chainvaloper', bytes)
const UNIT = 1_000_000n
/** (2^63 - 1) / 8, the maximum total power of a set in CometBFT. */
const MAX_POWER = 1_152_921_504_606_846_975n
const refused = expect.objectContaining({ codespace: 'sdk', code: 18 })

let ctx: BranchedContext
beforeEach(() => {
  ctx = testContext({ modules: [module, defineModule({ name: 'mintery', accounts: [mintery] })] })
  genesis.init(ctx, genesis.defaults(ctx))
  for (const holder of [alice, bob]) {
    const coins = [{ denom: 'unative', amount: 10n ** 36n }]
    bank.mint(ctx, mintery, coins)
    bank.send(ctx, mintery.address, holder, coins)
  }
})

const coin = (amount: bigint) => ({ denom: 'unative', amount: amount.toString() })

function createValidator(who: Uint8Array, amount: bigint, part: object = {}): void {
  messages.createValidator(ctx, {
    description: { moniker: 'one' },
    commission: { rate: '50000000000000000', maxRate: '200000000000000000', maxChangeRate: '10000000000000000' },
    minSelfDelegation: '1',
    delegatorAddress: text(who),
    validatorAddress: operator(who),
    pubkey: encodePublicKey(ctx.identity, { kind: 'ed25519', key: sha256(who) }),
    value: coin(amount),
    ...part,
  })
}

/** Runs on a branch that is discarded on failure, as in a transaction. */
function attempt(run: () => unknown): () => void {
  return () => {
    const outside = ctx
    ctx = outside.branch()
    try {
      run()
      ctx.merge()
    } finally {
      ctx = outside
    }
  }
}

const delegate = (amount: bigint) =>
  messages.delegate(ctx, { delegatorAddress: text(bob), validatorAddress: operator(alice), amount: coin(amount) })
const endBlock = () => module.endBlock!(ctx)

describe('the power of a validator', () => {
  test('power is limited by the engine: a larger stake is refused, and the block ends', () => {
    createValidator(alice, MAX_POWER * UNIT)
    expect(attempt(() => delegate(UNIT))).toThrow(refused)
    attempt(() => delegate(UNIT - 1n))()
    endBlock()
    expect(staking.updatesOfBlock(ctx)).toMatchObject([{ power: MAX_POWER }])
  })

  test('power that exceeds a key of the index by power is refused', () => {
    expect(attempt(() => createValidator(alice, (1n << 64n) * UNIT))).toThrow(refused)
    expect(attempt(() => createValidator(alice, (1n << 63n) * UNIT))).toThrow(refused)
    endBlock()
  })

  test('a validator is in the set while the total power is within the limit of the engine', () => {
    createValidator(alice, (MAX_POWER - 5n) * UNIT)
    createValidator(bob, 6n * UNIT)
    endBlock()
    expect(staking.updatesOfBlock(ctx)).toMatchObject([{ power: MAX_POWER - 5n }])
    expect(queries.validator(ctx, { validatorAddr: operator(bob) }).validator).toMatchObject({ status: 1 })
  })
})

test('a validator is stored in the shortest form, since each block stores a copy of it', () => {
  const zeros = '0'.repeat(100_000)
  const key = encodePublicKey(ctx.identity, { kind: 'ed25519', key: sha256(alice) })
  createValidator(alice, UNIT, {
    commission: { rate: `${zeros}50000000000000000`, maxRate: `${zeros}200000000000000000`, maxChangeRate: zeros },
    pubkey: { ...key, typeUrl: `${zeros}${key.typeUrl}` },
  })
  const validator = queries.validator(ctx, { validatorAddr: operator(alice) }).validator!
  expect(validator.commission?.commissionRates).toMatchObject({
    rate: '50000000000000000',
    maxRate: '200000000000000000',
    maxChangeRate: '0',
  })
  expect(validator.consensusPubkey).toMatchObject(key)
})

describe('a delegation', () => {
  test('a delegation whose tokens are worth no share is refused, since it would outlive the validator', () => {
    createValidator(alice, 3n)
    const validator = queries.validator(ctx, { validatorAddr: operator(alice) }).validator!
    // Two 10^-18 shares remain for three tokens: the shares of one token truncate to 0.
    state.validators.set(ctx, alice, { ...validator, delegatorShares: '2' })
    expect(attempt(() => delegate(1n))).toThrow(refused)
    attempt(() => delegate(2n))()
    expect(queries.validator(ctx, { validatorAddr: operator(alice) }).validator).toMatchObject({
      tokens: '5',
      delegatorShares: '3',
    })
  })
})

describe('the bond denom', () => {
  const change = () => {
    const { params } = queries.params(ctx, {})
    return messages.updateParams(ctx, { authority: text(governance), params: { ...params!, bondDenom: 'uother' } })
  }

  test('cannot change while coins of it are staked, since the end of a block pays them out', () => {
    createValidator(alice, UNIT)
    endBlock()
    expect(attempt(change)).toThrow(refused)
    messages.undelegate(ctx, { delegatorAddress: text(alice), validatorAddress: operator(alice), amount: coin(1n) })
    ctx.block.timeNs += 1_814_400n * 10n ** 9n
    endBlock()
    expect(bank.balance(ctx, alice, 'unative')).toBe(10n ** 36n - UNIT + 1n)
  })

  test('can change while nothing is staked', () => {
    change()
    expect(queries.params(ctx, {}).params).toMatchObject({ bondDenom: 'uother' })
  })
})
