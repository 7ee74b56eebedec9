/** Published attacks on stakes and their punishment: see docs/security-findings.md#cosmos-sdk. */
import { create } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { beforeEach, expect, test } from 'vitest'
import * as address from '../../identity/address.ts'
import { hex } from '../../primitives/bytes.ts'
import * as decimal from '../../primitives/decimal.ts'
import { sha256 } from '../../primitives/hash.ts'
import { NS_PER_SECOND } from '../../primitives/time.ts'
import type { BranchedContext } from '../../sdk/context.ts'
import { defineModule } from '../../sdk/module.ts'
import { moduleAccount } from '../../sdk/module-account.ts'
import { encodePublicKey } from '../../sdk/public-key.ts'
import { testContext } from '../../sdk/testing.ts'
import * as bank from '../bank/keeper.ts'
import { staking as stakingModule } from './index.ts'
import * as staking from './keeper.ts'
import { messages } from './messages.ts'
import * as state from './state.ts'

const mintery = moduleAccount('mintery', 'minter')
const [alice, bob, dora, carol] = ['0a', '0b', '0c', '0d'].map((byte) => hex(byte.repeat(20))) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
]
const MILLION = 1_000_000n
const UNBONDING_NS = 1_814_400n * NS_PER_SECOND

let ctx: BranchedContext
beforeEach(() => {
  ctx = testContext({ modules: [stakingModule, defineModule({ name: 'mintery', accounts: [mintery] })] })
  for (const holder of [alice, bob, dora, carol]) {
    bank.mint(ctx, mintery, [{ denom: 'unative', amount: 1000n * MILLION }])
    bank.send(ctx, mintery.address, holder, [{ denom: 'unative', amount: 1000n * MILLION }])
  }
  for (const operator of [alice, bob, dora]) createValidator(operator)
  endBlock()
})

const text = (holder: Uint8Array) => address.format(ctx, holder)
const operatorText = (operator: Uint8Array) => address.formatValidator(ctx, operator)
const coin = (amount: bigint) => ({ denom: 'unative', amount: amount.toString() })
const held = (who: Uint8Array) => bank.balance(ctx, who, 'unative')
const consensusOf = (operator: Uint8Array) =>
  staking.consensusAddress(ctx.identity, staking.getValidator(ctx, operator)!)
const tokens = (operator: Uint8Array) => BigInt(staking.getValidator(ctx, operator)!.tokens)

function createValidator(operator: Uint8Array): void {
  messages.createValidator(ctx, {
    description: { moniker: 'm' },
    commission: { rate: (5n * 10n ** 16n).toString(), maxRate: (2n * 10n ** 17n).toString(), maxChangeRate: '0' },
    minSelfDelegation: '1',
    delegatorAddress: text(operator),
    validatorAddress: operatorText(operator),
    pubkey: create(AnySchema, encodePublicKey(ctx.identity, { kind: 'ed25519', key: sha256(operator) })),
    value: coin(100n * MILLION),
  })
}

function endBlock(laterNs = NS_PER_SECOND): void {
  ctx.block.height += 1n
  ctx.block.timeNs += laterNs
  ctx.branchStore.events.length = 0
  stakingModule.endBlock!(ctx)
}

const delegate = (to: Uint8Array, amount: bigint) =>
  messages.delegate(ctx, { delegatorAddress: text(carol), validatorAddress: operatorText(to), amount: coin(amount) })
const undelegate = (from: Uint8Array, amount: bigint, who = carol) =>
  messages.undelegate(ctx, { delegatorAddress: text(who), validatorAddress: operatorText(from), amount: coin(amount) })
const redelegate = (from: Uint8Array, to: Uint8Array, amount: bigint, who = carol) =>
  messages.beginRedelegate(ctx, {
    delegatorAddress: text(who),
    validatorSrcAddress: operatorText(from),
    validatorDstAddress: operatorText(to),
    amount: coin(amount),
  })
const stakeOf = () => held(carol) + [alice, bob, dora].reduce((sum, operator) => sum + delegated(operator), 0n)

/** Returns the tokens of Carol's delegation and of her unbondings at a validator. */
function delegated(operator: Uint8Array): bigint {
  const delegation = state.delegations.get(ctx, [carol, operator])
  const unbonding = state.unbondings.get(ctx, [carol, operator])
  const validator = staking.getValidator(ctx, operator)
  const open = (unbonding?.entries ?? []).reduce((sum, { balance }) => sum + BigInt(balance), 0n)
  if (!delegation || !validator) return open
  const share = decimal.decode(delegation.shares)!
  return open + (share * BigInt(validator.tokens)) / decimal.decode(validator.delegatorShares)!
}

test.each([
  ['stays', () => {}],
  ['undelegates', () => undelegate(alice, 50n * MILLION)],
  ['redelegates', () => redelegate(alice, bob, 50n * MILLION)],
  [
    'redelegates and undelegates',
    () => {
      redelegate(alice, bob, 50n * MILLION)
      undelegate(bob, 50n * MILLION)
    },
  ],
  [
    'redelegates, undelegates a part and redelegates to a third',
    () => {
      redelegate(alice, bob, 30n * MILLION)
      undelegate(bob, 10n * MILLION)
      redelegate(alice, dora, 20n * MILLION)
    },
  ],
])('a delegator who %s after the misbehaviour loses the same part', (_way, move) => {
  delegate(alice, 50n * MILLION)
  endBlock()
  const height = ctx.block.height
  endBlock()
  move()
  endBlock()
  const before = stakeOf()
  expect(before).toBe(1000n * MILLION)
  const consensus = consensusOf(alice)
  staking.slash(ctx, { consensus, height, power: 150n, fraction: decimal.parse('0.1')! })
  const lost = before - stakeOf()
  // A tenth of 50 million. A validator's part is cut from all its delegators, so that the moved tokens can lose more, never less.
  expect(lost).toBeGreaterThanOrEqual(5n * MILLION)
})

test('a redelegation whose source is removed completes, and can neither be slashed with it nor stop a block', () => {
  delegate(dora, 50n * MILLION)
  undelegate(dora, 100n * MILLION, dora)
  endBlock()
  endBlock(UNBONDING_NS)
  // Jailed below its minimum, the source is unbonded now, and its last shares leave.
  const consensus = consensusOf(dora)
  redelegate(dora, bob, 50n * MILLION)
  endBlock()
  expect(staking.getValidator(ctx, dora)).toBeUndefined()
  expect(tokens(bob)).toBe(150n * MILLION)
  expect(staking.slash(ctx, { consensus, height: 2n, power: 150n, fraction: decimal.one })).toBe(0n)
  endBlock(UNBONDING_NS)
  endBlock(UNBONDING_NS)
  expect([...state.redelegations.iterate(ctx)]).toEqual([])
  undelegate(bob, 50n * MILLION)
  endBlock()
  endBlock(UNBONDING_NS)
  expect(held(carol)).toBe(1000n * MILLION)
})

test('stake that moves from a bonded to an unbonded validator is not liquid before the unbonding time', () => {
  delegate(alice, 50n * MILLION)
  delegate(dora, MILLION)
  undelegate(dora, 100n * MILLION, dora)
  endBlock()
  endBlock(UNBONDING_NS)
  redelegate(alice, dora, 50n * MILLION)
  undelegate(dora, 50n * MILLION)
  endBlock()
  endBlock(UNBONDING_NS - 10n * NS_PER_SECOND)
  expect(held(carol)).toBe(949n * MILLION)
  endBlock(20n * NS_PER_SECOND)
  expect(held(carol)).toBe(999n * MILLION)
})
