/** Coins that modules hold for others: exactly what they recorded. */
import * as auth from '../../../src/modules/auth/keeper.ts'
import * as bank from '../../../src/modules/bank/keeper.ts'
import * as govState from '../../../src/modules/gov/state.ts'
import * as inflationState from '../../../src/modules/inflation/state.ts'
import * as oracleState from '../../../src/modules/oracle/state.ts'
import * as tokenfactoryState from '../../../src/modules/tokenfactory/state.ts'
import type { ReadContext } from '../../../src/sdk/context.ts'
import { addTo, type Invariant } from './invariant.ts'

/** Returns how the balances of an account differ from the recorded coins. An account that users can pay can hold more. */
function unlike(
  ctx: ReadContext,
  name: string,
  holder: Uint8Array,
  recorded: ReadonlyMap<string, bigint>,
): string | undefined {
  const left = new Map(recorded)
  for (const { denom, amount } of bank.balances(ctx, holder)) addTo(left, denom, -amount)
  const isBlocked = ctx.app.isBlocked(holder)
  for (const [denom, amount] of left) {
    if (isBlocked ? amount !== 0n : amount > 0n) return `${name} holds ${-amount}${denom} more than it recorded`
  }
  return undefined
}

export const escrowInvariants: readonly Invariant[] = [
  {
    name: 'the account of gov holds the deposits of open proposals',
    broken({ ctx }) {
      const sums = new Map<string, bigint>()
      for (const [[id], { amount }] of govState.deposits.iterate(ctx)) {
        if (!govState.proposals.has(ctx, id)) return `a deposit on proposal ${id}, which does not exist`
        for (const coin of amount) addTo(sums, coin.denom, BigInt(coin.amount))
      }
      return unlike(ctx, 'gov', govState.account.address, sums)
    },
  },
  {
    name: 'the account of the oracle holds exactly the rewards that are left',
    broken({ ctx }) {
      const sums = new Map<string, bigint>()
      for (const [, { votePeriods, coins }] of oracleState.rewards.iterate(ctx)) {
        for (const { denom, amount } of coins) addTo(sums, denom, BigInt(amount) * votePeriods)
      }
      return unlike(ctx, 'oracle', oracleState.account.address, sums)
    },
  },
  {
    name: 'accounts that coins only pass through are empty',
    broken: ({ ctx }) =>
      unlike(ctx, 'inflation', inflationState.account.address, new Map()) ??
      unlike(ctx, 'tokenfactory', tokenfactoryState.account.address, new Map()),
  },
  {
    name: 'no account of a module became one of another kind',
    every: 5,
    broken({ ctx }) {
      for (const address of ctx.app.moduleAccounts.map((one) => one.address)) {
        const found = auth.getAccount(ctx, address)
        if (found && found.kind !== 'module') return `the account of a module is of kind ${found.kind}`
      }
      return undefined
    },
  },
]
