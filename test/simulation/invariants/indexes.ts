/** Indexes and queues of the smaller modules. */
import * as authz from '../../../src/modules/authz/state.ts'
import { parseShare } from '../../../src/modules/devgas/keeper.ts'
import * as devgas from '../../../src/modules/devgas/state.ts'
import * as feegrant from '../../../src/modules/feegrant/state.ts'
import * as gov from '../../../src/modules/gov/state.ts'
import { formatHex } from '../../../src/primitives/bytes.ts'
import type { Invariant } from './invariant.ts'

const count = (entries: Iterable<unknown>): number => {
  let total = 0
  for (const _ of entries) total++
  return total
}

export const indexInvariants: readonly Invariant[] = [
  {
    name: 'each devgas share has its two index entries',
    every: 10,
    broken({ ctx }) {
      let shares = 0
      for (const [, share] of devgas.feeShares.iterate(ctx)) {
        shares++
        const { contract, deployer, withdrawer } = parseShare(ctx, share)
        const text = formatHex(contract)
        if (!devgas.byDeployer.has(ctx, [deployer, contract])) return `${text} is not found by its deployer`
        if (!devgas.byWithdrawer.has(ctx, [withdrawer, contract])) return `${text} is not found by its withdrawer`
      }
      const entries = [count(devgas.byDeployer.iterate(ctx)), count(devgas.byWithdrawer.iterate(ctx))]
      return entries.every((one) => one === shares) ? undefined : `${shares} shares have ${entries} index entries`
    },
  },
  {
    name: 'votes and queues belong to open proposals',
    every: 5,
    broken({ ctx }) {
      for (const [, id] of gov.activeQueue.iterate(ctx))
        if (!gov.proposals.has(ctx, id)) return `proposal ${id} is queued`
      for (const [, id] of gov.inactiveQueue.iterate(ctx))
        if (!gov.proposals.has(ctx, id)) return `proposal ${id} is queued`
      for (const [id] of gov.votes.keys(ctx))
        if (gov.proposals.get(ctx, id)?.status !== 2) return `votes on ${id} are left`
      return undefined
    },
  },
  {
    name: 'grants that have expired are gone',
    every: 5,
    broken({ ctx }) {
      const { timeNs } = ctx.block
      for (const [time] of authz.queue.keys(ctx)) if (time < timeNs) return 'an expired authorization is left'
      for (const [time] of feegrant.queue.keys(ctx)) if (time < timeNs) return 'an expired allowance is left'
      return undefined
    },
  },
]
