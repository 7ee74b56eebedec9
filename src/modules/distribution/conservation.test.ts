/** Random delegations, slashes, fees and withdrawals: coins are conserved, and every reward can be paid at any time. */
import { create } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { expect, test } from 'vitest'
import { BondStatus } from '../../gen/sdk/staking/v1beta1/staking_pb.ts'
import * as address from '../../identity/address.ts'
import { add, format, fromCoins, NONE } from '../../primitives/dec-coin.ts'
import * as decimal from '../../primitives/decimal.ts'
import { ChainError } from '../../primitives/errors.ts'
import { defineModule } from '../../sdk/module.ts'
import { moduleAccount } from '../../sdk/module-account.ts'
import { encodePublicKey } from '../../sdk/public-key.ts'
import { testContext } from '../../sdk/testing.ts'
import { seeded } from '../../store/testing/backend-contract.ts'
import * as auth from '../auth/keeper.ts'
import * as bank from '../bank/keeper.ts'
import { slashing } from '../slashing/index.ts'
import * as slashingKeeper from '../slashing/keeper.ts'
import { messages as slashingMessages } from '../slashing/messages.ts'
import { staking as stakingModule } from '../staking/index.ts'
import * as staking from '../staking/keeper.ts'
import { messages as stakingMessages } from '../staking/messages.ts'
import { queries as stakingQueries } from '../staking/queries.ts'
import { beginBlock } from './allocation.ts'
import { distribution } from './index.ts'
import { messages } from './messages.ts'
import { communityPool } from './pool.ts'
import { outstandingRewards } from './rewards.ts'
import { distributionAccount } from './state.ts'

const DENOM = 'unative'
const HOUR_NS = 3_600_000_000_000n
const mintery = moduleAccount('mintery', 'minter')
const person = (i: number) => new Uint8Array(20).fill(i + 1)

function world(seed: number) {
  const below = seeded(seed)
  const minter = defineModule({ name: 'mintery', accounts: [mintery] })
  const ctx = testContext({ modules: [distribution, stakingModule, slashing, minter] })
  const people = Array.from({ length: 6 }, (_, i) => person(i))
  const operators = people.slice(0, 4)
  let minted = 0n
  const mint = (holder: Uint8Array, amount: bigint) => {
    bank.mint(ctx, mintery, [{ denom: DENOM, amount }])
    bank.send(ctx, mintery.address, holder, [{ denom: DENOM, amount }])
    minted += amount
  }
  const text = (holder: Uint8Array) => address.format(ctx, holder)
  const operatorText = (operator: Uint8Array) => address.formatValidator(ctx, operator)
  const pick = <T>(list: readonly T[]): T => list[below(list.length)]!
  const amount = () => ({ denom: DENOM, amount: String(1 + below(90_000_000)) })

  for (const holder of people) mint(holder, 2_000_000_000n)
  for (const operator of operators) {
    stakingMessages.createValidator(ctx, {
      description: { moniker: 'm' },
      commission: { rate: percent(5 + below(15)), maxRate: percent(20), maxChangeRate: percent(1) },
      minSelfDelegation: '1',
      delegatorAddress: text(operator),
      validatorAddress: operatorText(operator),
      pubkey: create(
        AnySchema,
        encodePublicKey(ctx.identity, { kind: 'ed25519', key: new Uint8Array(32).fill(operator[0]!) }),
      ),
      value: { denom: DENOM, amount: String(1_000_000 + below(500_000_000)) },
    })
  }
  stakingModule.endBlock!(ctx)

  const consensusOf = (operator: Uint8Array) => {
    const validator = staking.getValidator(ctx, operator)
    return validator && staking.consensusAddress(ctx.identity, validator)
  }
  const pair = () => ({ delegatorAddress: text(pick(people)), validatorAddress: operatorText(pick(operators)) })
  const actions: readonly (() => void)[] = [
    () => stakingMessages.delegate(ctx, { ...pair(), amount: amount() }),
    () => stakingMessages.undelegate(ctx, { ...pair(), amount: amount() }),
    () =>
      stakingMessages.beginRedelegate(ctx, {
        delegatorAddress: text(pick(people)),
        validatorSrcAddress: operatorText(pick(operators)),
        validatorDstAddress: operatorText(pick(operators)),
        amount: amount(),
      }),
    () => messages.withdrawDelegatorReward(ctx, pair()),
    () => messages.withdrawValidatorCommission(ctx, { validatorAddress: operatorText(pick(operators)) }),
    () =>
      messages.setWithdrawAddress(ctx, { delegatorAddress: text(pick(people)), withdrawAddress: text(pick(people)) }),
    () => messages.fundCommunityPool(ctx, { amount: [amount()], depositor: text(pick(people)) }),
    () => slashingMessages.unjail(ctx, { validatorAddr: operatorText(pick(operators)) }),
  ]

  /** Runs a message on a branch, which is discarded if the message is refused, as in a transaction. */
  function attempt(action: () => void): void {
    const before = ctx.branchStore.changes()
    try {
      action()
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      for (const { store, key } of ctx.branchStore.changes()) ctx.branchStore.delete(store, key)
      for (const { store, key, value } of before) if (value) ctx.branchStore.set(store, key, value)
    }
  }

  function nextBlock(): void {
    ctx.block.height += 1n
    ctx.block.timeNs += BigInt(1 + below(40)) * HOUR_NS
    if (below(3) > 0) mint(auth.feeCollector.address, BigInt(below(100_000)))
    const votes = operators.flatMap((operator) => {
      const validator = staking.getValidator(ctx, operator)
      if (validator?.status !== BondStatus.BONDED) return []
      return [{ validator: consensusOf(operator)!, power: staking.powerOf(validator), signed: true }]
    })
    Object.assign(ctx.block, { votes })
    beginBlock(ctx)
    if (below(4) === 0) {
      const operator = pick(operators)
      const validator = staking.getValidator(ctx, operator)
      const consensus = consensusOf(operator)
      if (validator && consensus) {
        const back = BigInt(below(5))
        slashingKeeper.slash(
          ctx,
          consensus,
          decimal.fromRaw(BigInt(1 + below(300)) * 10n ** 15n),
          staking.powerOf(validator),
          ctx.block.height - back,
        )
        if (below(3) === 0) slashingKeeper.jail(ctx, consensus)
      }
    }
    for (let i = below(5); i > 0; i--) attempt(pick(actions))
    stakingModule.endBlock!(ctx)
    ctx.branchStore.events.length = 0
  }

  function check(): void {
    const all = [...people, auth.feeCollector.address, distributionAccount.address, mintery.address]
    const pools = stakingQueries.pool(ctx, {}).pool!
    const outside = all.reduce((sum, holder) => sum + bank.balance(ctx, holder, DENOM), 0n)
    const supply = outside + BigInt(pools.bondedTokens) + BigInt(pools.notBondedTokens)
    expect(bank.supply(ctx, DENOM)).toBe(supply)
    expect(supply <= minted).toBe(true)
    // The module's balance equals the amount it owes.
    const owed = operators.reduce((sum, operator) => add(sum, outstandingRewards(ctx, operator)), communityPool(ctx))
    const holds = bank.balance(ctx, distributionAccount.address, DENOM)
    expect(format(owed)).toBe(format(holds === 0n ? NONE : fromCoins([{ denom: DENOM, amount: holds }])))
    // The balances of the pools equal the tokens of validators and unbonding entries.
    let bonded = 0n
    let notBonded = 0n
    for (const operator of operators) {
      const validator = staking.getValidator(ctx, operator)
      if (validator?.status === BondStatus.BONDED) bonded += BigInt(validator.tokens)
      else notBonded += BigInt(validator?.tokens ?? 0)
    }
    for (const holder of people) {
      const { unbondingResponses } = stakingQueries.delegatorUnbondingDelegations(ctx, { delegatorAddr: text(holder) })
      for (const { entries } of unbondingResponses) for (const { balance } of entries) notBonded += BigInt(balance)
    }
    expect([pools.bondedTokens, pools.notBondedTokens]).toEqual([bonded.toString(), notBonded.toString()])
  }

  /** Withdraws every reward and commission. Fails if any of them is refused. */
  function withdrawEverything(): void {
    ctx.block.height += 1n
    for (const delegator of people) {
      for (const { validatorAddress } of staking.delegationsOf(ctx, delegator)) {
        messages.withdrawDelegatorReward(ctx, { delegatorAddress: text(delegator), validatorAddress })
      }
    }
  }
  return { nextBlock, check, withdrawEverything }
}

function percent(value: number): string {
  return (BigInt(value) * 10n ** 16n).toString()
}

test.each([1, 2, 3, 4])('coins are conserved, and rewards can be paid (seed %i)', (seed) => {
  const { nextBlock, check, withdrawEverything } = world(seed)
  for (let i = 0; i < 80; i++) {
    nextBlock()
    check()
  }
  withdrawEverything()
  check()
})
