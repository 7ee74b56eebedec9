/** The block that is not made yet: its execution without a commit, and reads of the state within it. */

import * as evm from '../modules/evm/keeper.ts'
import { toKey } from '../primitives/bytes.ts'
import { cachePerObject } from '../primitives/cache.ts'
import { queryError } from '../primitives/errors.ts'
import type { ReadContext } from '../sdk/context.ts'
import { createReadContext } from '../sdk/create-context.ts'
import type { DecodedTx } from '../sdk/tx.ts'
import { createBranch } from '../store/branch.ts'
import type { Change, Reader } from '../store/types.ts'
import { beginBlock, type Opening } from './block.ts'
import { deliver } from './deliver.ts'
import type { Machine } from './machine.ts'
import type { EvmTx } from './records.ts'
import type { BlockInput, PendingOutcome, PendingState } from './types.ts'

/** Returns the facts of a block that its transactions do not change. */
function factsOf(ctx: ReadContext) {
  const { height, timeNs, proposer, hash, lastCommitHash, gasLimit } = ctx.block
  const { baseFee, coinbase } = evm.blockEnv(ctx)
  return {
    facts: { height, timeNs, proposer, hash, lastCommitHash, gasLimit },
    baseFeeWei: baseFee,
    coinbase,
    prevRandao: evm.prevRandaoOverride(ctx),
  }
}

/**
 * Executes an opened block up to its last transaction; what follows the transactions does not run. Throws 4
 * `deadlineExceeded` when stopped.
 */
export function executePending(
  machine: Machine,
  opening: Opening,
  input: BlockInput,
  decode: (bytes: Uint8Array) => DecodedTx,
  shouldStop: () => boolean,
): PendingOutcome {
  const { ctx, gas } = beginBlock(machine, opening, input)
  const before = factsOf(ctx)
  const evmTxs: EvmTx[] = []
  for (const [index, bytes] of input.txs.entries()) {
    const { evmTx } = deliver(machine, ctx, gas, () => decode(bytes), index, { tracer: undefined, shouldStop })
    if (shouldStop()) throw queryError('deadlineExceeded', 'execution timeout')
    if (evmTx) evmTxs.push(evmTx)
  }
  const evmGasUsed = evmTxs.reduce((sum, { gasUsed }) => sum + gasUsed, 0n)
  return { ...before, changes: ctx.branchStore.changes(), evmTxs, evmGasUsed }
}

/** Returns a pending block without transactions, on the state of the block before. Nothing is executed. */
export function emptyPending(before: ReadContext, input: Omit<BlockInput, 'txs'>): PendingOutcome {
  const { height, timeNs, proposer, hash, lastCommitHash } = input
  const facts = { height, timeNs, proposer, hash, lastCommitHash, gasLimit: before.block.gasLimit }
  return { ...factsOf(withinPending(before, { facts, changes: [] })), changes: [], evmTxs: [], evmGasUsed: 0n }
}

/** Returns the changes by store, then by key. */
const indexed = cachePerObject((changes: readonly Change[]) => {
  const stores = new Map<string, Map<string, Change>>()
  for (const change of changes) {
    const known = stores.get(change.store) ?? new Map<string, Change>()
    known.set(toKey(change.key), change)
    stores.set(change.store, known)
  }
  return stores
})

/** Returns a reader of a state with changes over it. */
function changedReader(base: Reader, changes: readonly Change[]): Reader {
  const stores = indexed(changes)
  const find = (store: string, key: Uint8Array): Change | undefined => stores.get(store)?.get(toKey(key))
  let branch: Reader | undefined
  const iterable = (): Reader => {
    const made = createBranch(base)
    for (const { store, key, value } of changes) {
      if (value) made.set(store, key, value)
      else made.delete(store, key)
    }
    return made
  }
  return {
    get(store, key) {
      const change = find(store, key)
      return change ? change.value : base.get(store, key)
    },
    has(store, key) {
      const change = find(store, key)
      return change ? change.value !== undefined : base.has(store, key)
    },
    iterate(store, range) {
      if (!stores.has(store)) return base.iterate(store, range)
      branch ??= iterable()
      return branch.iterate(store, range)
    },
  }
}

/** Returns the context of the state within a pending block, from that of the block before. */
export function withinPending(before: ReadContext, { facts, changes }: PendingState): ReadContext {
  const { identity, app, store, block } = before
  return createReadContext({
    store: changedReader(store, changes),
    block: { ...block, ...facts },
    identity,
    app,
  })
}
