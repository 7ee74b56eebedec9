/** A whole recording replayed: every block on its recorded parent, and the app hash of every height. */
import { REFERENCE_STORES } from '../src/app/stores.ts'
import { createExecutor, type ExecutedBlock } from '../src/consensus/executor.ts'
import type { Identity } from '../src/identity/types.ts'
import { formatHex } from '../src/primitives/bytes.ts'
import { openMemory } from '../src/store/backend/memory.ts'
import { openVersionedStore } from '../src/store/versioned.ts'
import { REPLAY_DIFFERENCES } from './differences.ts'
import { changesOf, factsBefore, recordOf } from './recorded-block.ts'
import type { RecordedValidators, Recording } from './recording.ts'
import { type PlayedBlock, playBlock, type ResultDifference, type ResultTally } from './replay-block.ts'
import type { KeyDifference, StoreTally } from './replay-compare.ts'
import type { Player } from './stand-ins.ts'

export interface PlacedKeyDifference extends KeyDifference {
  readonly height: number
  /** The row of the list that explains it. */
  readonly listed: string | undefined
}

export interface PlacedResultDifference extends ResultDifference {
  readonly height: number
  readonly listed: string | undefined
}

/** `listed`: blocks that the list or the recording answers for, by the reason; `different`: all others that do not come out. */
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
  /** App hashes computed from the recorded changes, and how many came out as the next header has them. */
  readonly recordedHashes: { readonly computed: number; readonly equal: number; readonly different: readonly number[] }
  /** App hashes computed from our own changes, on the recorded state before. */
  readonly ownHashes: OwnHashes
  /** Failures that no transaction may have. */
  readonly bugs: readonly string[]
  /** Differences in values or results that no row explains, wrong hashes, and bugs. */
  readonly unlisted: number
}

export interface ReplayOptions {
  readonly identity: Identity
  readonly makePlayer: (chainId: string, onBug: (error: unknown) => void) => Player
  /** Only this block; the state before it is loaded all the same. */
  readonly only?: number | undefined
}

/** An executed block if its own changes must give the app hash; else the reason why not. */
interface PlayedOwn {
  readonly executed?: ExecutedBlock
  /** The rows of the list, or the modules of the recording, that explain the differences. */
  readonly listed?: string
}

function ownOf({ leftTo, executed }: PlayedBlock, differences: readonly PlacedKeyDifference[]): PlayedOwn {
  if (differences.some(({ listed }) => listed === undefined)) return {}
  const reasons = [...leftTo, ...new Set(differences.map(({ listed }) => listed!))]
  return reasons.length > 0 ? { listed: reasons.join(', ') } : { executed }
}

function countOwn(tally: OwnHashes, height: number, { executed, listed }: PlayedOwn, isEqual: boolean): void {
  tally.computed++
  if (executed && isEqual) tally.equal++
  else if (listed === undefined) tally.different.push(height)
  else tally.listed.set(listed, [...(tally.listed.get(listed) ?? []), height])
}

/** Replays what a recording holds. Throws for a damaged recording, naming the place. */
export async function replay(
  recording: Recording,
  { identity, makePlayer, only }: ReplayOptions,
): Promise<ReplayReport> {
  const started = performance.now()
  const stores = new Map<string, StoreTally>()
  const keys: PlacedKeyDifference[] = []
  const resultDifferences: PlacedResultDifference[] = []
  const results: ResultTally = { sdk: 0, sdkOtherGas: 0, evm: 0, evmLeftOut: 0 }
  const recordedHashes = { computed: 0, equal: 0, different: [] as number[] }
  const ownHashes: OwnHashes = { computed: 0, equal: 0, different: [], listed: new Map() }
  const bugs: string[] = []
  let height = 0
  const onBug = (error: unknown): void => {
    bugs.push(`block ${height}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  }
  let blocks = 0
  const store = openVersionedStore(openMemory(), REFERENCE_STORES)
  const player = makePlayer(recording.genesis().chain_id, onBug)
  const executor = createExecutor({
    app: player.app,
    store,
    elapsed: () => performance.now(),
    onHalt: ({ reason }) => bugs.push(`block ${height}: ${reason}`),
    onListenerFailure: onBug,
  })
  let signers: RecordedValidators | undefined
  const changes = recording.changes()
  const validators = recording.validators()
  let appHash: Uint8Array | undefined
  let own: PlayedOwn | undefined
  for await (const block of recording.blocks()) {
    height = block.height
    const line = (await changes.next()).value
    const signersOfNext = (await validators.next()).value ?? undefined
    if (!line || line.height !== height) {
      throw new Error(
        `${recording.folder}: blocks.jsonl.gz has height ${height}, changes.jsonl.gz ${line?.height ?? 'none'}`,
      )
    }
    if (appHash) {
      const isEqual = formatHex(appHash) === block.appHash.toLowerCase()
      recordedHashes.computed++
      if (isEqual) recordedHashes.equal++
      else recordedHashes.different.push(height - 1)
      if (own) countOwn(ownHashes, height - 1, own, isEqual)
    }
    const recorded = changesOf(line)
    own = undefined
    if (only === undefined || only === height) {
      blocks++
      const played = playBlock(executor, player, block, recorded, signers, recording.genesis)
      addStores(stores, played.comparison.stores)
      const found = played.comparison.differences.map((one) => ({
        ...one,
        height,
        listed: REPLAY_DIFFERENCES.find(({ key }) => key?.(one))?.id,
      }))
      keys.push(...found)
      for (const one of played.resultDifferences) {
        resultDifferences.push({ ...one, height, listed: REPLAY_DIFFERENCES.find(({ result }) => result?.(one))?.id })
      }
      for (const field of Object.keys(results) as (keyof ResultTally)[]) results[field] += played.results[field]
      own = ownOf(played, found)
    }
    const facts = factsBefore(player.app, store, block, recorded)
    const record = (hash: Uint8Array) => recordOf(identity, block, undefined, facts, hash)
    // Equal changes are committed as executed: they must give the app hash by themselves.
    const stored = own?.executed
      ? executor.prepare(own.executed, record).commit()
      : executor.commitForeign({ height: BigInt(height), record }, recorded)
    appHash = stored.nextAppHash
    signers = signersOfNext
  }
  await store.close()
  const unlisted =
    keys.filter(({ kind, listed }) => kind !== 'noOp' && listed === undefined).length +
    resultDifferences.filter(({ listed }) => listed === undefined).length +
    recordedHashes.different.length +
    ownHashes.different.length +
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
    bugs,
    unlisted,
  }
}

function addStores(into: Map<string, StoreTally>, from: ReadonlyMap<string, StoreTally>): void {
  for (const [store, { compared, equal, leftOut }] of from) {
    const tally = into.get(store) ?? { compared: 0, equal: 0, leftOut: new Map<string, number>() }
    into.set(store, tally)
    tally.compared += compared
    tally.equal += equal
    for (const [module, count] of leftOut) tally.leftOut.set(module, (tally.leftOut.get(module) ?? 0) + count)
  }
}
