/** Checks of a home: its files, its keys, its database. */

import { storesOf } from '../../app/stores.ts'
import { createIdentity } from '../../identity/identity.ts'
import { openBlockIndex } from '../../indexer/block-index.ts'
import { equal } from '../../primitives/bytes.ts'
import { NS_PER_MS } from '../../primitives/time.ts'
import { readTip } from '../../store/history/heights.ts'
import { recomputeAppHash } from '../../store/sync/app-hash.ts'
import { openVersionedStore } from '../../store/versioned.ts'
import { openBackend } from '../backend.ts'
import { diskFiles } from '../files.ts'
import type { HomePaths } from '../home-paths.ts'
import { hadBlocks, profileOfHome, secretFiles } from '../home-record.ts'
import { hasDatabase, LOST_CHAIN_REMEDY, lostChainText } from '../lost-chain.ts'
import { type CheckResult, fail, ok, textOf, warn } from './check.ts'

/** Checks the record of the chain, and the files that a start needs. */
export function checkHome(paths: HomePaths): CheckResult {
  const { root, record, genesis, validatorKey } = paths
  if (!diskFiles.exists(record))
    return fail('home', `no chain in ${root}`, 'almanac start makes one; --home DIR names another')
  const missing = [genesis, validatorKey].filter((path) => !diskFiles.exists(path))
  if (missing.length > 0)
    return fail('home', `${missing.join(' and ')} missing`, 'copy it back, or almanac restore DIR --home NEW')
  try {
    return ok('home', `${root}, profile ${profileOfHome(paths, diskFiles).name}`)
  } catch (error) {
    return fail('home', textOf(error), 'copy the file back, or almanac restore DIR --home NEW')
  }
}

/** Advice for a database that is not whole. */
export const RESTORE = 'almanac restore DIR --home NEW from a backup, or almanac reset and start again'

export function checkKeys(paths: HomePaths): CheckResult {
  const open = secretFiles(paths, diskFiles).filter((path) => diskFiles.exists(path) && !diskFiles.isPrivate(path))
  return open.length === 0
    ? ok('keys', 'only their owner can read them')
    : fail('keys', `other users can read ${open.join(', ')}`, `chmod 600 ${open.join(' ')}`)
}

function noBlock(paths: HomePaths, refills: boolean): CheckResult {
  if (!hadBlocks(paths, diskFiles)) return ok('store', 'no block yet')
  return refills
    ? warn('store', lostChainText(paths), 'mount the disk with its data; else the start takes them again')
    : fail('store', lostChainText(paths), LOST_CHAIN_REMEDY)
}

/** How the store of a home is checked. */
export interface StoreScope {
  /** Whether the app hash is computed from all keys, which reads the whole state. */
  readonly isDeep: boolean
  /** Whether a start takes blocks that the database lacks from an engine, or a replica from its node. */
  readonly refills?: boolean
}

/** Runs a step of a check and notes what it reads, for the text of a fault. */
type Read = <T>(what: string, step: () => T) => T

/**
 * Checks that the trees of the latest height give its app hash, that the clock is after its block, and with `isDeep` that the
 * values give that hash too. `onKeys` receives the number of keys that were read.
 */
export async function checkStore(
  paths: HomePaths,
  { isDeep, refills = false }: StoreScope,
  nowMs: number,
  onKeys: (count: number) => void = () => undefined,
): Promise<CheckResult[]> {
  if (!hasDatabase(paths)) return [noBlock(paths, refills)]
  let reading: string | undefined
  const read: Read = (what, step) => {
    reading = what
    return step()
  }
  try {
    const backend = await openBackend({ path: paths.data, readOnly: true })
    try {
      const tip = read('the record of the latest height', () => readTip(backend))
      if (tip.height === 0) return [noBlock(paths, refills)]
      const stores = storesOf(createIdentity(profileOfHome(paths, diskFiles)))
      const state = read(`the trees of height ${tip.height}`, () =>
        openVersionedStore(backend, stores).exportAt(BigInt(tip.height)),
      )
      try {
        const computed = isDeep
          ? read(`the keys of height ${tip.height}`, () => recomputeAppHash(state, onKeys))
          : undefined
        if (!equal(computed?.appHash ?? state.appHash, tip.appHash))
          return [
            fail(
              'store',
              `the database is damaged: the state of height ${tip.height} does not give its app hash`,
              RESTORE,
            ),
          ]
        const blocks = openBlockIndex(backend, () => BigInt(tip.height))
        const block = read(`the header of height ${tip.height}`, () => blocks.header(BigInt(tip.height)))
        const checked = computed ? `all ${computed.keys} keys give its app hash` : 'its trees give its app hash'
        return [
          ok('store', `heights ${tip.earliest} to ${tip.height}; ${checked}`),
          checkClock(block?.header.timeNs, nowMs),
        ]
      } finally {
        state.close()
      }
    } finally {
      await backend.close()
    }
  } catch (error) {
    return [fail('store', damageOf(reading, error), RESTORE)]
  }
}

/** Whether an error says something to an operator. One of JavaScript itself, such as that of a value that is not there, does not. */
export const isInWords = (error: unknown): boolean =>
  !(error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError)

/** Returns the text of a fault; `reading` is undefined while the database is opened. */
function damageOf(reading: string | undefined, error: unknown): string {
  const isOwn = isInWords(error)
  if (reading === undefined && isOwn) return textOf(error)
  return `the database is damaged: ${reading ?? 'its file'} cannot be read${isOwn ? ` (${textOf(error)})` : ''}`
}

/** Time that clocks of a network can differ. */
const SKEW_MS = 10_000

function checkClock(blockNs: bigint | undefined, nowMs: number): CheckResult {
  const aheadMs = blockNs === undefined ? 0 : Number(blockNs / NS_PER_MS) - nowMs
  const now = new Date(nowMs).toISOString()
  return aheadMs > SKEW_MS
    ? warn(
        'clock',
        `${now} is ${Math.round(aheadMs / 1000)} s before the latest block`,
        'timedatectl set-ntp true, or another time service',
      )
    : ok('clock', `${now} is not before the latest block`)
}
