/** The replay of a recording: executes every block on its recorded parent state, and checks the app hash of every height. */
import { REFERENCE_STORES } from '../src/app/stores.ts'
import { hashResults } from '../src/consensus/comet/hashes.ts'
import type { ExecutedBlock } from '../src/consensus/execution.ts'
import { createExecutor } from '../src/consensus/executor.ts'
import { factsBefore, recordOf } from '../src/consensus/follow/node-block.ts'
import type { Identity } from '../src/identity/types.ts'
import { formatHex } from '../src/primitives/bytes.ts'
import { openMemory } from '../src/store/backend/memory.ts'
import { openVersionedStore } from '../src/store/versioned.ts'
import { REPLAY_DIFFERENCES } from './differences.ts'
import { changesOf, nodeBlockOf } from './recorded-block.ts'
import type { RecordedValidators, Recording } from './recording.ts'
import { type ReplayedBlock, type ResultDifference, type ResultTally, replayBlock } from './replay-block.ts'
import type { KeyDifference, StoreTally } from './replay-compare.ts'
import type { ReplayApplication } from './substitutes.ts'

export interface PlacedKeyDifference extends KeyDifference {
  readonly height: number
  /** Id of the `REPLAY_DIFFERENCES` entry that explains it. */
  readonly listed: string | undefined
}

export interface PlacedResultDifference extends ResultDifference {
  readonly height: number
  readonly listed: string | undefined
}

/**
 * Hashes computed from our own execution. `listed`: heights that differ for a known reason (a listed difference, or an
 * unbuilt module), by reason. `different`: all other heights that differ.
 */
interface OwnHashes {
  computed: number
  equal: number
  readonly different: number[]
  readonly listed: Map<string, number[]>
}

export interface ReplayReport {
  readonly recording: string
  readonly profile: string
  readonly blocks: number
  readonly seconds: number
  readonly stores: ReadonlyMap<string, StoreTally>
  readonly keys: readonly PlacedKeyDifference[]
  readonly results: ResultTally
  readonly resultDifferences: readonly PlacedResultDifference[]
  /** App hashes computed from the recorded changes. `equal`: the number that equal the app hash of the next header. */
  readonly recordedHashes: { readonly computed: number; readonly equal: number; readonly different: readonly number[] }
  /** App hashes computed from our own changes on the recorded parent state. */
  readonly ownHashes: OwnHashes
  /** Hashes of our own results, compared with `last_results_hash` of the next header. */
  readonly resultsHashes: OwnHashes
  /** Unexpected failures: no transaction may cause them. */
  readonly bugs: readonly string[]
  /** Number of differences in values or results that are not listed, of wrong hashes, and of bugs. */
  readonly unlisted: number
}

export interface ReplayOptions {
  readonly identity: Identity
  readonly createApp: (chainId: string, onBug: (error: unknown) => void) => ReplayApplication
  /** Executes only the block of this height. The state before it is loaded in any case. */
  readonly only?: number | undefined
  /** Called after each block. */
  readonly onHeight?: (height: number) => void
}

/**
 * A block whose own changes must give the app hash, or the reason why they need not. Empty if there are unlisted
 * differences.
 */
interface OwnResult {
  readonly executed?: ExecutedBlock
  /** The entries of the list, or the unbuilt modules, that explain the differences. */
  readonly listed?: string
}

function ownResult({ excludedFor, executed }: ReplayedBlock, differences: readonly PlacedKeyDifference[]): OwnResult {
  if (differences.some(({ listed }) => listed === undefined)) return {}
  const reasons = [...excludedFor, ...new Set(differences.map(({ listed }) => listed!))]
  return reasons.length > 0 ? { listed: reasons.join(', ') } : { executed }
}

/** The hash of a block's own results. `listed`: the entries of the list, or the unbuilt modules, that explain a difference. */
interface OwnResults {
  readonly hash: Uint8Array
  readonly listed: string | undefined
}

function hashOwnResults(
  { executed, excludedFor }: ReplayedBlock,
  differences: readonly PlacedResultDifference[],
): OwnResults {
  // Logs and events are not hashed.
  const hashed = differences.filter(({ field }) => field === 'code' || field === 'gas' || field === 'data')
  const reasons = new Set([...excludedFor, ...hashed.flatMap(({ listed }) => listed ?? [])])
  return {
    hash: hashResults(executed.output.results),
    listed: reasons.size > 0 ? [...reasons].join(', ') : undefined,
  }
}

function countOwn(tally: OwnHashes, height: number, listed: string | undefined, isEqual: boolean): void {
  tally.computed++
  if (isEqual) tally.equal++
  else if (listed === undefined) tally.different.push(height)
  else tally.listed.set(listed, [...(tally.listed.get(listed) ?? []), height])
}

/** Replays the blocks of a recording. Throws for a damaged recording, with file and line. */
export async function replay(
  recording: Recording,
  { identity, createApp, only, onHeight }: ReplayOptions,
): Promise<ReplayReport> {
  const started = performance.now()
  const stores = new Map<string, StoreTally>()
  const keys: PlacedKeyDifference[] = []
  const resultDifferences: PlacedResultDifference[] = []
  const results: ResultTally = { sdk: 0, evm: 0, evmExcluded: 0 }
  const recordedHashes = { computed: 0, equal: 0, different: [] as number[] }
  const ownHashes: OwnHashes = { computed: 0, equal: 0, different: [], listed: new Map() }
  const resultsHashes: OwnHashes = { computed: 0, equal: 0, different: [], listed: new Map() }
  const bugs: string[] = []
  let height = 0
  const onBug = (error: unknown): void => {
    bugs.push(`block ${height}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  }
  let blocks = 0
  const store = openVersionedStore(openMemory(), REFERENCE_STORES)
  const application = createApp(recording.genesis().chain_id, onBug)
  const executor = createExecutor({
    app: application.app,
    store,
    elapsed: () => performance.now(),
    onHalt: ({ reason }) => bugs.push(`block ${height}: ${reason}`),
    onListenerFailure: onBug,
  })
  let signers: RecordedValidators | undefined
  const changes = recording.changes()
  const validators = recording.validators()
  let appHash: Uint8Array | undefined
  let own: OwnResult | undefined
  let ownResults: OwnResults | undefined
  for await (const block of recording.blocks()) {
    height = block.height
    const line = (await changes.next()).value
    const signersOfNext = (await validators.next()).value ?? undefined
    if (!line || line.height !== height) {
      throw new Error(
        `${recording.folder}: blocks.jsonl.gz has height ${height}, changes.jsonl.gz has ${line ? `height ${line.height}` : 'ended'}`,
      )
    }
    if (appHash) {
      const isEqual = formatHex(appHash) === block.appHash.toLowerCase()
      recordedHashes.computed++
      if (isEqual) recordedHashes.equal++
      else recordedHashes.different.push(height - 1)
      if (own) countOwn(ownHashes, height - 1, own.listed, isEqual && own.executed !== undefined)
    }
    if (ownResults) {
      const isEqual = formatHex(ownResults.hash) === String(block.header['last_results_hash']).toLowerCase()
      countOwn(resultsHashes, height - 1, ownResults.listed, isEqual)
    }
    const recorded = changesOf(line)
    own = undefined
    ownResults = undefined
    if (only === undefined || only === height) {
      blocks++
      const replayed = replayBlock(executor, application, block, recorded, signers, recording.genesis)
      addStores(stores, replayed.comparison.stores)
      const found = replayed.comparison.differences.map((one) => ({
        ...one,
        height,
        listed: REPLAY_DIFFERENCES.find(({ key }) => key?.(one))?.id,
      }))
      keys.push(...found)
      const foundInResults = replayed.resultDifferences.map((one) => ({
        ...one,
        height,
        listed: REPLAY_DIFFERENCES.find(({ result }) => result?.(one))?.id,
      }))
      resultDifferences.push(...foundInResults)
      for (const field of Object.keys(results) as (keyof ResultTally)[]) results[field] += replayed.results[field]
      own = ownResult(replayed, found)
      ownResults = hashOwnResults(replayed, foundInResults)
    }
    const found = nodeBlockOf(block)
    const facts = factsBefore(application.app, store, found, recorded)
    const record = (hash: Uint8Array) => recordOf(identity, found, facts, hash)
    // Without differences, our own changes are committed, so that the next header checks the app hash that they give.
    const stored = own?.executed
      ? executor.prepare(own.executed, record).commit()
      : executor.commitForeign({ height: BigInt(height), record }, recorded)
    appHash = stored.nextAppHash
    signers = signersOfNext
    onHeight?.(height)
  }
  await store.close()
  const unlisted =
    keys.filter(({ kind, listed }) => kind !== 'noOp' && listed === undefined).length +
    resultDifferences.filter(({ listed }) => listed === undefined).length +
    recordedHashes.different.length +
    ownHashes.different.length +
    resultsHashes.different.length +
    bugs.length
  return {
    recording: recording.name,
    profile: recording.profile,
    blocks,
    seconds: (performance.now() - started) / 1000,
    stores,
    keys,
    results,
    resultDifferences,
    recordedHashes,
    ownHashes,
    resultsHashes,
    bugs,
    unlisted,
  }
}

function addStores(into: Map<string, StoreTally>, from: ReadonlyMap<string, StoreTally>): void {
  for (const [store, { compared, equal, excluded }] of from) {
    const tally = into.get(store) ?? { compared: 0, equal: 0, excluded: new Map<string, number>() }
    into.set(store, tally)
    tally.compared += compared
    tally.equal += equal
    for (const [module, count] of excluded) tally.excluded.set(module, (tally.excluded.get(module) ?? 0) + count)
  }
}
