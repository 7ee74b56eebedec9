/** Takes a node's block over: its changes from the stream, or by its execution here, against the app hash that the node states. */
import type { StoredBlock, Validator } from '../../app/records.ts'
import type { Application, GenesisDocument } from '../../app/types.ts'
import type { Identity } from '../../identity/types.ts'
import { equal, formatHex } from '../../primitives/bytes.ts'
import { type ChainError, queryError } from '../../primitives/errors.ts'
import type { Change } from '../../store/types.ts'
import type { VersionedStore } from '../../store/versioned.ts'
import type { Executor, ForeignBlock, PreparedBlock } from '../execution.ts'
import { createExecution, type ExecutedHere } from './execute.ts'
import { firstDifference } from './first-difference.ts'
import { factsBefore, type NodeBlock, recordOf } from './node-block.ts'
import type { BlockSource, Gap } from './source.ts'
import { canChangeStores, otherStores } from './store-sets.ts'
import { difference, requireResults } from './verify.ts'

/** The outcome of a block as the node states it. */
export interface Stated {
  readonly appHash: Uint8Array
  /** Absent before there is a next header. */
  readonly resultsHash?: Uint8Array
}

export interface TakingOptions {
  readonly executor: Executor
  readonly app: Pick<Application, 'readContext' | 'haltBefore'>
  readonly store: Pick<VersionedStore, 'latestHeight' | 'atTip'>
  /** Names of the stores before the first block. */
  readonly firstStores: readonly string[]
  readonly identity: Identity
  readonly genesis: GenesisDocument
  readonly blocks: Pick<BlockSource, 'storeRoot'>
  /** Whether blocks are verified before they are served. */
  readonly verifies: boolean
  readonly log: (level: 'info' | 'warn', message: string, facts: Readonly<Record<string, unknown>>) => void
  readonly stated: (height: bigint, block: NodeBlock) => Promise<Stated>
  /** Makes a block durable, or holds it with those that follow at once. */
  readonly write: (height: bigint, prepared: Pick<PreparedBlock, 'commit' | 'hold'>) => void
  readonly signal: AbortSignal
}

export interface Taking {
  /**
   * Commits the changes of the stream. Rejects with `dataLoss` if they do not give the app hash, and names the first
   * difference. `validators` is the set of the height if it is not the previous one, rotated.
   */
  take(block: NodeBlock, written: readonly Change[], validators: readonly Validator[] | undefined): Promise<void>
  /** Executes a block whose changes are missing or wrong, and commits it. Rejects with `dataLoss` if that does not give the app hash. */
  fill(block: NodeBlock, gap: Gap): Promise<void>
}

export function createTaking(options: TakingOptions): Taking {
  const { executor, app, store, firstStores, identity, genesis, blocks, verifies, log, signal } = options
  const executeHere = createExecution({ executor, app, genesis, recordWith })
  /** The latest difference that was looked for. */
  let found: { readonly hashes: string; readonly clause: string } | undefined

  /** Resolves with the app hash after a block. Rejects with `dataLoss` if the next header has other results. */
  async function statedHash(block: NodeBlock): Promise<Uint8Array> {
    const { height } = block.header
    const { appHash, resultsHash } = await options.stated(height, block)
    if (resultsHash) requireResults(height, block.results, resultsHash)
    return appHash
  }

  function recordWith(block: NodeBlock, written: readonly Change[]): (appHash: Uint8Array) => StoredBlock {
    const facts = factsBefore(app, store, block, written)
    return (appHash) => recordOf(identity, block, facts, appHash)
  }

  /** Returns the names of the stores that an upgrade adds with this block. */
  function addedStores(written: readonly Change[]): string[] {
    const state = executor.isEmpty() ? undefined : executor.state()
    const known = new Set(state?.stores ?? firstStores)
    state?.close()
    return [...new Set(written.map(({ store: name }) => name))].filter((name) => !known.has(name))
  }

  /** Commits the changes of the stream. */
  async function take(block: NodeBlock, written: readonly Change[], validators: readonly Validator[] | undefined) {
    const { height } = block.header
    const added = addedStores(written)
    const record = recordWith(block, written)
    const stated = verifies ? await statedHash(block) : undefined
    const stores = added.length > 0 ? { added } : undefined
    const prepared = executor.prepareForeign({ height, record, validators, stores }, written)
    if (!stated || equal(prepared.appHash, stated)) {
      options.write(height, prepared)
      return
    }
    const ours = prepared.appHash
    const roots = prepared.storeRoots()
    prepared.abort()
    if (commitWithOtherStores({ height, record, validators }, written, stated, { roots, added })) return
    const where = await whereDifferent(block, stated, ours, written, roots)
    throw difference(
      height,
      `the app hash after it is ${hashText(stated)}, and the changes of the stream give ${hashText(ours)}; ${where}`,
    )
  }

  /**
   * Commits the changes over other stores than those here, if those of an upgrade or of a first block give the app hash. Returns
   * whether it did.
   */
  function commitWithOtherStores(
    block: ForeignBlock,
    written: readonly Change[],
    stated: Uint8Array,
    { roots, added }: { roots: ReadonlyMap<string, Uint8Array>; added: readonly string[] },
  ): boolean {
    if (!canChangeStores(written, executor.isEmpty())) return false
    for (const stores of otherStores({ roots, appHash: stated, written, added, known: firstStores })) {
      const prepared = executor.prepareForeign({ ...block, stores }, written)
      if (equal(prepared.appHash, stated)) {
        prepared.commit()
        log('info', 'the stores of the chain are others from this block on', { height: block.height, ...stores })
        return true
      }
      prepared.abort()
    }
    return false
  }

  /** Resolves with the clause about the first difference. It is looked for once for each pair of hashes. */
  async function whereDifferent(
    block: NodeBlock,
    stated: Uint8Array,
    ours: Uint8Array,
    written: readonly Change[],
    roots: ReadonlyMap<string, Uint8Array>,
  ): Promise<string> {
    const { height } = block.header
    const hashes = `${hashText(stated)} ${hashText(ours)}`
    if (found?.hashes === hashes) return found.clause
    try {
      const clause = await firstDifference({
        written,
        roots,
        executed: () => (executor.isEmpty() ? undefined : changesByExecution(block, stated)),
        rootAt: (name) => blocks.storeRoot(height, name, signal),
      })
      found = { hashes, clause }
      return clause
    } catch (error) {
      signal.throwIfAborted()
      return `the first store that differs is not known (${(error as Error).message})`
    }
  }

  /** Returns the changes that a block makes here, if they give the app hash that the node states. */
  function changesByExecution(block: NodeBlock, stated: Uint8Array): readonly Change[] | undefined {
    try {
      const executed = executeHere(block)
      const isRight = equal(executed.appHash, stated)
      executed.abort()
      return isRight ? executed.changes : undefined
    } catch {
      return undefined
    }
  }

  /** Executes a block instead of taking its changes. */
  async function fill(block: NodeBlock, gap: Gap): Promise<void> {
    const { height } = block.header
    const stated = await statedHash(block)
    let executed: ExecutedHere
    try {
      executed = executeHere(block)
    } catch (error) {
      throw unfilled(height, gap, `fails (${(error as Error).message})`)
    }
    if (!equal(executed.appHash, stated)) {
      executed.abort()
      throw unfilled(height, gap, 'does not give its app hash')
    }
    executed.commit()
    log('warn', 'executed a block whose changes are missing or wrong', { height, reason: gap.reason })
  }

  return { take, fill }
}

const hashText = (hash: Uint8Array): string => formatHex(hash).toUpperCase()

/** Returns the error of a gap that execution does not fill. */
function unfilled(height: bigint, { until, reason }: Gap, outcome: string): ChainError {
  const files = until === undefined ? `from height ${height} on` : `of heights ${height} to ${until - 1n}`
  const remedy = `copy the files ${files} from another node with the same settings into the stream, or begin again from a newer snapshot`
  return queryError('dataLoss', `${reason}, and executing block ${height} here ${outcome}: ${remedy}`)
}
