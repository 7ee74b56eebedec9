/** The books of bank: supplies, balances, remainders below one unit, and their index. */
import * as state from '../../../src/modules/bank/state.ts'
import { toKey } from '../../../src/primitives/bytes.ts'
import { NATIVE } from '../messages.ts'
import { addTo, differ, type Invariant } from './invariant.ts'

const WEI_PER_UNIT = 10n ** 12n

export const supplyInvariants: readonly Invariant[] = [
  {
    name: 'each supply is the sum of the balances, with the remainders of the native coin',
    broken({ ctx }) {
      const sums = new Map<string, bigint>()
      for (const [[, denom], amount] of state.balances.iterate(ctx)) {
        if (amount <= 0n) return `a stored balance of ${denom} is ${amount}`
        addTo(sums, denom, amount)
      }
      let wei = 0n
      for (const [holder, remainder] of state.remainders.iterate(ctx)) {
        if (remainder <= 0n || remainder >= WEI_PER_UNIT) return `the remainder of ${holder} is ${remainder} wei`
        wei += remainder
      }
      if (wei % WEI_PER_UNIT !== 0n) return `the remainders sum up to ${wei} wei`
      addTo(sums, NATIVE, wei / WEI_PER_UNIT)
      for (const [denom, supply] of state.supplies.iterate(ctx)) {
        if (supply <= 0n) return `a stored supply of ${denom} is ${supply}`
        const fault = differ(`supply of ${denom}`, supply, sums.get(denom) ?? 0n)
        if (fault) return fault
        sums.delete(denom)
      }
      for (const [denom, sum] of sums) if (sum !== 0n) return `${sum}${denom} are held without a supply`
      return undefined
    },
  },
  {
    name: 'the index of owners lists exactly the balances',
    every: 10,
    broken({ ctx }) {
      const held = new Set<string>()
      for (const [holder, denom] of state.balances.keys(ctx)) held.add(`${denom} ${toKey(holder)}`)
      for (const [denom, holder] of state.owners.keys(ctx)) {
        if (!held.delete(`${denom} ${toKey(holder)}`)) return `an owner of ${denom} without a balance`
      }
      return held.size > 0 ? `${held.size} balances without an owner` : undefined
    },
  },
]
