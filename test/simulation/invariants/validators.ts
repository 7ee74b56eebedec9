/** The set of the engine and the records of staking and slashing. */
import * as slashingState from '../../../src/modules/slashing/state.ts'
import * as staking from '../../../src/modules/staking/keeper.ts'
import * as stakingState from '../../../src/modules/staking/state.ts'
import { formatHex, toKey } from '../../../src/primitives/bytes.ts'
import type { Invariant } from './invariant.ts'

export const validatorInvariants: readonly Invariant[] = [
  {
    name: 'the engine has the validators and powers that staking reported',
    broken({ ctx, tip }) {
      const engine = new Map(tip.nextValidators.map(({ address, power }) => [toKey(address), power]))
      let total = 0n
      for (const [operator, power] of stakingState.lastPowers.iterate(ctx)) {
        total += power
        const found = stakingState.validators.get(ctx, operator)
        if (!found) return 'a validator with power has no record'
        const address = staking.consensusAddress(ctx.identity, found)
        if (engine.get(toKey(address)) !== power) {
          return `${formatHex(address)} has power ${power}, the engine has ${engine.get(toKey(address))}`
        }
        engine.delete(toKey(address))
      }
      // Without any power in staking the engine keeps its last validators (D25).
      if (total > 0n && engine.size > 0) return `the engine has ${engine.size} validators too many`
      const stored = stakingState.lastTotalPower.get(ctx) ?? 0n
      return stored === total ? undefined : `the total power is ${stored}, the sum is ${total}`
    },
  },
  {
    name: 'no tombstoned key validates',
    broken({ ctx }) {
      for (const [operator] of stakingState.lastPowers.iterate(ctx)) {
        const found = stakingState.validators.get(ctx, operator)!
        const address = staking.consensusAddress(ctx.identity, found)
        if (slashingState.signingInfos.get(ctx, address)?.tombstoned)
          return `${formatHex(address)} is tombstoned and has power`
      }
      return undefined
    },
  },
  {
    name: 'each consensus key has one operator',
    every: 5,
    broken({ ctx }) {
      for (const [operator, found] of stakingState.validators.iterate(ctx)) {
        const owner = stakingState.operators.get(ctx, staking.consensusAddress(ctx.identity, found))
        if (!owner || toKey(owner) !== toKey(operator)) return `the key of ${formatHex(operator)} is another operator's`
      }
      return undefined
    },
  },
]
