/** The books of staking: pools, shares, unbondings and their indexes. */
import { BondStatus } from '../../../src/gen/sdk/staking/v1beta1/staking_pb.ts'
import * as bank from '../../../src/modules/bank/keeper.ts'
import * as state from '../../../src/modules/staking/state.ts'
import { toKey } from '../../../src/primitives/bytes.ts'
import { NATIVE } from '../messages.ts'
import { operatorText } from '../world.ts'
import { addTo, differ, type Invariant } from './invariant.ts'

const hasSame = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && [...a].every((one) => b.has(one))

export const stakingInvariants: readonly Invariant[] = [
  {
    name: 'the pools of staking hold exactly the recorded tokens',
    broken({ ctx }) {
      let [bonded, notBonded] = [0n, 0n]
      for (const [, { status, tokens }] of state.validators.iterate(ctx)) {
        if (BigInt(tokens) < 0n) return `a validator has ${tokens} tokens`
        if (status === BondStatus.BONDED) bonded += BigInt(tokens)
        else notBonded += BigInt(tokens)
      }
      for (const [, { entries }] of state.unbondings.iterate(ctx)) {
        if (entries.length === 0) return 'an unbonding has no entries'
        for (const { balance } of entries) notBonded += BigInt(balance)
      }
      return (
        differ('bonded pool', bank.balance(ctx, state.bondedPool.address, NATIVE), bonded) ??
        differ('pool of what is not bonded', bank.balance(ctx, state.notBondedPool.address, NATIVE), notBonded)
      )
    },
  },
  {
    name: 'the shares of each validator are those of its delegations',
    broken({ ctx }) {
      const sums = new Map<string, bigint>()
      for (const [[, operator], { shares }] of state.delegations.iterate(ctx)) {
        if (BigInt(shares) <= 0n) return `a delegation has ${shares} shares`
        addTo(sums, toKey(operator), BigInt(shares))
      }
      for (const [operator, { delegatorShares }] of state.validators.iterate(ctx)) {
        const fault = differ(
          `shares of ${operatorText(operator)}`,
          BigInt(delegatorShares),
          sums.get(toKey(operator)) ?? 0n,
        )
        if (fault) return fault
        sums.delete(toKey(operator))
      }
      return sums.size > 0 ? 'a delegation has no validator' : undefined
    },
  },
  {
    name: 'unbondings and redelegations have their index entries',
    every: 10,
    broken({ ctx }) {
      const [byDelegator, byValidator] = [new Set<string>(), new Set<string>()]
      for (const [delegator, operator] of state.unbondings.keys(ctx))
        byDelegator.add(toKey(operator) + toKey(delegator))
      for (const [operator, delegator] of state.unbondingsByValidator.iterate(ctx)) {
        byValidator.add(toKey(operator) + toKey(delegator))
      }
      if (!hasSame(byDelegator, byValidator)) return 'unbondings differ from their index'
      const [forward, bySource, byTarget] = [new Set<string>(), new Set<string>(), new Set<string>()]
      for (const [who, from, to] of state.redelegations.keys(ctx)) forward.add(toKey(who) + toKey(from) + toKey(to))
      for (const [from, who, to] of state.redelegationsBySource.iterate(ctx)) {
        bySource.add(toKey(who) + toKey(from) + toKey(to))
      }
      for (const [to, who, from] of state.redelegationsByDestination.iterate(ctx)) {
        byTarget.add(toKey(who) + toKey(from) + toKey(to))
      }
      if (!hasSame(forward, bySource)) return 'redelegations differ from their index by source'
      if (!hasSame(forward, byTarget)) return 'redelegations differ from their index by destination'
      return undefined
    },
  },
]
