/** Sequences, which make each signature valid once. */
import * as auth from '../../../src/modules/auth/keeper.ts'
import { actors } from '../actors.ts'
import type { Invariant } from './invariant.ts'

export const sequenceInvariants: readonly Invariant[] = [
  {
    name: 'no sequence goes back',
    broken({ ctx, memory }) {
      for (const { name, address } of actors) {
        const account = auth.getAccount(ctx, address)
        const before = memory.get(`sequence of ${name}`) as bigint | undefined
        if (before !== undefined && (account?.sequence ?? -1n) < before) {
          return `the sequence of ${name} went from ${before} to ${account?.sequence}`
        }
        if (account) memory.set(`sequence of ${name}`, account.sequence)
      }
      return undefined
    },
  },
]
