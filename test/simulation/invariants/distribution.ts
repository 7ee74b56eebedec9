/** The books of distribution. */
import * as bank from '../../../src/modules/bank/keeper.ts'
import { queries } from '../../../src/modules/distribution/queries.ts'
import * as state from '../../../src/modules/distribution/state.ts'
import * as stakingState from '../../../src/modules/staking/state.ts'
import { accountText, operatorText } from '../world.ts'
import { addTo, type Invariant } from './invariant.ts'

type Coins = readonly { readonly denom: string; readonly amount: string | bigint }[]

const ONE = 10n ** 18n

export const distributionInvariants: readonly Invariant[] = [
  {
    name: 'the account of distribution holds exactly the outstanding rewards and the community pool',
    broken({ ctx }) {
      const sums = new Map<string, bigint>()
      const add = (list: Coins): string | undefined => {
        for (const { denom, amount } of list) {
          if (BigInt(amount) <= 0n) return `a stored amount of ${denom} is ${amount}`
          addTo(sums, denom, BigInt(amount))
        }
        return undefined
      }
      let fault = add(state.feePool.get(ctx) ?? [])
      for (const [, rewards] of state.outstanding.iterate(ctx)) fault ??= add(rewards)
      if (fault) return fault
      for (const { denom, amount } of bank.balances(ctx, state.distributionAccount.address)) {
        const owed = sums.get(denom) ?? 0n
        if (owed / ONE !== amount) return `distribution holds ${amount}${denom} and owes ${owed} / 10^18`
        sums.delete(denom)
      }
      for (const [denom, owed] of sums)
        if (owed >= ONE) return `distribution owes ${owed} / 10^18 ${denom} and holds none`
      return undefined
    },
  },
  {
    name: 'commissions and current rewards are part of the outstanding rewards',
    broken({ ctx }) {
      for (const [operator, rewards] of state.outstanding.iterate(ctx)) {
        const left = new Map<string, bigint>(rewards.map(({ denom, amount }) => [denom, amount]))
        const parts = [state.commissions.get(ctx, operator) ?? [], state.current.get(ctx, operator)?.rewards ?? []]
        for (const { denom, amount } of parts.flat()) addTo(left, denom, -amount)
        for (const [denom, amount] of left)
          if (amount < 0n) return `outstanding ${denom} is ${-amount} / 10^18 too little`
      }
      return undefined
    },
  },
  {
    name: 'every delegator and operator can withdraw: rewards and commissions together are outstanding',
    every: 20,
    broken({ ctx }) {
      const owed = new Map<string, bigint>()
      const add = (operator: string, coins: Coins): void => {
        for (const { denom, amount } of coins) addTo(owed, `${operator} ${denom}`, BigInt(amount))
      }
      for (const [delegator, operator] of stakingState.delegations.keys(ctx)) {
        const [delegatorAddress, validatorAddress] = [accountText(delegator), operatorText(operator)]
        add(validatorAddress, queries.delegationRewards(ctx, { delegatorAddress, validatorAddress }).rewards)
      }
      for (const [operator, coins] of state.commissions.iterate(ctx)) add(operatorText(operator), coins)
      for (const [operator, rewards] of state.outstanding.iterate(ctx)) {
        for (const { denom, amount } of rewards) addTo(owed, `${operatorText(operator)} ${denom}`, -amount)
      }
      for (const [place, amount] of owed) if (amount > 0n) return `${place}: ${amount} / 10^18 more than outstanding`
      return undefined
    },
  },
]
