/** A whole recording replayed: every block on its recorded parent, and the app hash of every height. */
import type { Identity } from '../src/identity/types.ts'
import { formatHex } from '../src/primitives/bytes.ts'
import { openMemory } from '../src/store/backend/memory.ts'
import type { Change } from '../src/store/types.ts'
import { CHAIN_STORES, openVersionedStore } from '../src/store/versioned.ts'
import { REPLAY_DIFFERENCES } from './differences.ts'
import type { RecordedValidators, Recording } from './recording.ts'
import {
  changesOf,
  type PlayedBlock,
  playBlock,
  playFirstBlock,
  type ResultDifference,
  type ResultTally,
} from './replay-block.ts'
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

/** A block's own changes, where they are to give the app hash; else why not. */
interface PlayedOwn {
  readonly changes?: readonly Change[]
  /** Why the list or the recording answers for it. */
  readonly listed?: string
}

function ownOf({ leftTo, ours }: PlayedBlock, differences: readonly PlacedKeyDifference[]): PlayedOwn {
  if (differences.some(({ listed }) => listed === undefined)) return {}
  const reasons = [...leftTo, ...new Set(differences.map(({ listed }) => listed!))]
  return reasons.length > 0 ? { listed: reasons.join(', ') } : { changes: ours }
}

function countOwn(tally: OwnHashes, height: number, { changes, listed }: PlayedOwn, isEqual: boolean): void {
  tally.computed++
  if (changes && isEqual) tally.equal++
  else if (listed === undefined) tally.different.push(height)
  else tally.listed.set(listed, [...(tally.listed.get(listed) ?? []), height])
}

/** Replays what a recording holds. Throws for a damaged recording, naming the place. */
export async function replay(recording: Recording, { makePlayer, only }: ReplayOptions): Promise<ReplayReport> {
  const started = performance.now()
  const store = openVersionedStore(openMemory(), { hashedStores: CHAIN_STORES })
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
  let player: Player | undefined
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
      player ??= makePlayer(block.header.chain_id, onBug)
      blocks++
      const parent = store.latestHeight() === 0n ? undefined : store.at()
      const played = parent
        ? playBlock(player, parent, block, recorded, signers)
        : playFirstBlock(player, recording.genesis(), block, recorded)
      parent?.close()
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
    // What is ours and equal is committed as ours: it has to give the hash by itself.
    appHash = store.commit({ height: BigInt(height), changes: own?.changes ?? (recorded as Change[]) }).appHash
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
