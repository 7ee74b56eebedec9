/** Consensus keys that come back after their validator is gone, seen by staking, slashing and evidence together. */
import { create } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { expect, test } from 'vitest'
import * as address from '../../identity/address.ts'
import { behavioursOf } from '../../identity/behaviours.ts'
import { almanac } from '../../identity/profiles/almanac.ts'
import { messageType } from '../../identity/registry.ts'
import { ofEd25519, ofModule } from '../../primitives/address.ts'
import { NS_PER_SECOND } from '../../primitives/time.ts'
import type { BranchedContext } from '../../sdk/context.ts'
import { defineModule } from '../../sdk/module.ts'
import { moduleAccount } from '../../sdk/module-account.ts'
import { encodePublicKey } from '../../sdk/public-key.ts'
import { testContext } from '../../sdk/testing.ts'
import { createGasMeter } from '../../store/gas.ts'
import * as bank from '../bank/keeper.ts'
import { evidence } from '../evidence/index.ts'
import { genesis as stakingGenesis } from '../staking/genesis.ts'
import { staking as stakingModule } from '../staking/index.ts'
import * as staking from '../staking/keeper.ts'
import { messages } from '../staking/messages.ts'
import { genesis } from './genesis.ts'
import { slashing } from './index.ts'
import * as slashingKeeper from './keeper.ts'
import * as state from './state.ts'

const mintery = moduleAccount('mintery', 'minter')
const [alice, bob, carol] = [1, 2, 3].map((byte) => new Uint8Array(20).fill(byte)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
]
const keyA = new Uint8Array(32).fill(7)
const consensusA = ofEd25519(keyA)
const UNBONDING_NS = 21n * 86_400n * NS_PER_SECOND
const keyTaken = expect.objectContaining({ codespace: 'staking', code: 5 })

/** Returns a chain whose set is alice with key A, and carol. */
function start(identity = almanac): BranchedContext {
  const ctx = testContext({
    identity,
    app: { message: messageType },
    modules: [stakingModule, slashing, evidence, defineModule({ name: 'mintery', accounts: [mintery] })],
  })
  for (const holder of [alice, bob, carol]) {
    bank.mint(ctx, mintery, [{ denom: 'unative', amount: 1_000_000_000n }])
    bank.send(ctx, mintery.address, holder, [{ denom: 'unative', amount: 1_000_000_000n }])
  }
  createValidator(ctx, alice, keyA)
  createValidator(ctx, carol, new Uint8Array(32).fill(9))
  stakingModule.endBlock!(ctx)
  ctx.block.height = 10n
  return ctx
}

function createValidator(ctx: BranchedContext, operator: Uint8Array, key: Uint8Array): void {
  messages.createValidator(ctx, {
    description: { moniker: 'm' },
    commission: { rate: (5n * 10n ** 16n).toString(), maxRate: (10n ** 17n).toString(), maxChangeRate: '0' },
    minSelfDelegation: '1',
    delegatorAddress: address.format(ctx, operator),
    validatorAddress: address.formatValidator(ctx, operator),
    pubkey: create(AnySchema, encodePublicKey(ctx.identity, { kind: 'ed25519', key })),
    value: { denom: 'unative', amount: '40000000' },
  })
}

function doubleSign(ctx: BranchedContext, height: bigint): void {
  const timeNs = ctx.block.timeNs - NS_PER_SECOND
  const found = { kind: 'duplicateVote' as const, validator: consensusA, height, timeNs, power: 40n }
  Object.assign(ctx.block, { misbehaviour: [found] })
  evidence.beginBlock!(ctx)
  Object.assign(ctx.block, { misbehaviour: [] })
}

/** Undelegates everything from alice's validator and waits until it is removed. */
function removeAlice(ctx: BranchedContext): void {
  messages.undelegate(ctx, {
    delegatorAddress: address.format(ctx, alice),
    validatorAddress: address.formatValidator(ctx, alice),
    amount: { denom: 'unative', amount: staking.getValidator(ctx, alice)!.tokens },
  })
  stakingModule.endBlock!(ctx)
  ctx.block.height += 10n
  ctx.block.timeNs += UNBONDING_NS + NS_PER_SECOND
  stakingModule.endBlock!(ctx)
  ctx.block.height += 1n
  expect(staking.getValidator(ctx, alice)).toBeUndefined()
}

test('a key that double signed never validates again, for nobody, after its validator is gone', () => {
  const ctx = start()
  doubleSign(ctx, 8n)
  removeAlice(ctx)
  const text = address.formatConsensus(ctx, consensusA)
  for (const operator of [alice, bob]) {
    expect(() => createValidator(ctx, operator, keyA)).toThrow(
      `${text} is tombstoned: validator already exist for this pubkey; must use new validator pubkey`,
    )
    expect(() => createValidator(ctx, operator, keyA)).toThrow(keyTaken)
  }
  createValidator(ctx, bob, new Uint8Array(32).fill(8))
  // The tombstone survives an export.
  const other = testContext({ modules: [stakingModule, slashing] })
  genesis.init(other, genesis.export(ctx))
  expect(slashingKeeper.isTombstoned(other, consensusA)).toBe(true)
})

test('evidence of a former power cannot reach another operator: a key that signed stays with its operator', () => {
  const ctx = start()
  expect(() => createValidator(ctx, bob, keyA)).toThrow(keyTaken)
  removeAlice(ctx)
  expect(() => createValidator(ctx, bob, keyA)).toThrow(
    `${address.formatConsensus(ctx, consensusA)} is a former key of ${address.formatValidator(ctx, alice)}: validator`,
  )
  createValidator(ctx, alice, keyA)
  stakingModule.endBlock!(ctx)
  doubleSign(ctx, 8n)
  expect(staking.getValidator(ctx, alice)).toMatchObject({ tokens: '38000000', jailed: true })
})

test('a key that never signed is free once its validator is removed', () => {
  const ctx = start()
  const key = new Uint8Array(32).fill(5)
  createValidator(ctx, bob, key)
  messages.undelegate(ctx, {
    delegatorAddress: address.format(ctx, bob),
    validatorAddress: address.formatValidator(ctx, bob),
    amount: { denom: 'unative', amount: '40000000' },
  })
  expect([staking.getValidator(ctx, bob), state.retiredKeys.has(ctx, ofEd25519(key))]).toEqual([undefined, false])
  const fresh = new Uint8Array(20).fill(4)
  bank.send(ctx, bob, fresh, [{ denom: 'unative', amount: 50_000_000n }])
  createValidator(ctx, fresh, key)
})

test('under the behaviour tombstonedKeysReturn a tombstoned key returns, and double signs unpunished', () => {
  const ctx = start({ ...almanac, behaviours: behavioursOf(['tombstonedKeysReturn']) })
  doubleSign(ctx, 8n)
  removeAlice(ctx)
  createValidator(ctx, bob, keyA)
  stakingModule.endBlock!(ctx)
  doubleSign(ctx, ctx.block.height)
  expect(staking.getValidator(ctx, bob)).toMatchObject({ tokens: '40000000', jailed: false })
})

test('a tombstoned key that came back in an earlier state is punished again, and its genesis is invalid', () => {
  const lenient = { ...almanac, behaviours: behavioursOf(['tombstonedKeysReturn']) }
  const before = start(lenient)
  doubleSign(before, 8n)
  removeAlice(before)
  createValidator(before, bob, keyA)
  stakingModule.endBlock!(before)
  const documents = [stakingGenesis.export(before), genesis.export(before)] as const
  const ctx = testContext({ app: { message: messageType }, modules: [stakingModule, slashing, evidence] })
  for (const { store, key, value } of before.branchStore.changes()) {
    if (value) ctx.branchStore.set(store, key, value)
  }
  ctx.block.height = before.block.height + 1n
  ctx.block.timeNs = before.block.timeNs
  doubleSign(ctx, before.block.height)
  expect(staking.getValidator(ctx, bob)).toMatchObject({ tokens: '38000000', jailed: true })
  const again = testContext({
    modules: [stakingModule, slashing, defineModule({ name: 'mintery', accounts: [mintery] })],
  })
  bank.mint(again, mintery, [{ denom: 'unative', amount: 80_000_000n }])
  bank.send(again, mintery.address, ofModule('bonded_tokens_pool'), [{ denom: 'unative', amount: 80_000_000n }])
  stakingGenesis.init(again, documents[0])
  expect(() => genesis.init(again, documents[1])).toThrow('is tombstoned, but its validator')
})

test('the rules of keys cost no gas', () => {
  const gasOf = (identity = almanac) => {
    const ctx = start(identity)
    const gas = createGasMeter(10n ** 9n)
    createValidator(ctx.branch({ gas }), bob, new Uint8Array(32).fill(8))
    return gas.used
  }
  expect(gasOf()).toBe(gasOf({ ...almanac, behaviours: behavioursOf(['tombstonedKeysReturn']) }))
})
