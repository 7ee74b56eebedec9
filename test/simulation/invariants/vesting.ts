/** Locked coins. */
import * as auth from '../../../src/modules/auth/keeper.ts'
import * as bank from '../../../src/modules/bank/keeper.ts'
import { actors, scheduleOf } from '../actors.ts'
import { NATIVE } from '../messages.ts'
import type { Invariant } from './invariant.ts'

const holders = actors.filter((actor) => scheduleOf(actor))

export const vestingInvariants: readonly Invariant[] = [
  {
    name: 'no locked coin leaves its account, except to be delegated',
    broken({ ctx }) {
      for (const { address, name } of holders) {
        const locked = auth.lockedAmount(ctx, address, NATIVE)
        const balance = bank.balance(ctx, address, NATIVE)
        if (balance < locked) return `${name} has ${balance}, of which ${locked} are locked`
      }
      return undefined
    },
  },
  {
    name: 'vesting accounts stay vesting accounts',
    every: 10,
    broken({ ctx }) {
      for (const { address, name } of holders) {
        if (!auth.getAccount(ctx, address)?.vesting) return `${name} lost its schedule`
      }
      return undefined
    },
  },
]
