/**
 * `almanac pre-upgrade`: checks for a supervisor whether the next build can take over (docs/upgrades.md#under-a-supervisor). It uses
 * no network, makes no block and writes nothing, so it can run any number of times.
 */
import { Command } from 'commander'
import { upgrades as builtUpgrades } from '../app/upgrades/table.ts'
import type { Build } from '../node/build.ts'
import { diskFiles } from '../node/files.ts'
import { type HomePaths, homePaths } from '../node/home-paths.ts'
import { profileOfHome } from '../node/home-record.ts'
import { lockHolder } from '../node/lock.ts'
import { readUpgradeInfo, upgradeInfoPath } from '../node/upgrade-info.ts'
import { ChainError } from '../primitives/errors.ts'
import { homeOf, resolveSettings } from './settings.ts'

/** Exit codes with a meaning for supervisors. They take 1 for a build without this command. */
const READY = 0
const FAILED = 30
const RETRY = 31
/** Maximum wait for the previous process: supervisors do not retry by default. Unit: milliseconds. */
const WAIT_MS = 5000

export async function preUpgrade(args: readonly string[], build?: Build): Promise<number> {
  const command = new Command('almanac pre-upgrade').exitOverride()
  command.description(
    'Tell a supervisor by exit code whether this build can take over: 0 ready, 30 cannot take over, 31 retry.',
  )
  command.option('--home <dir>', 'home of the chain (default: ALMANAC_HOME, or ~/.almanac)')
  command.parse([...args], { from: 'user' })
  const paths = homePaths(homeOf(command.opts()['home']))
  const holder = await waitForLock(paths.lock)
  if (holder !== undefined)
    return exitWith(RETRY, `process ${holder} still runs in ${paths.root}: retry when it has stopped`)
  try {
    const fault = findFault(
      paths,
      (build?.upgrades ?? builtUpgrades).map(({ name }) => name),
    )
    return fault === undefined ? exitWith(READY, 'ready') : exitWith(FAILED, fault)
  } catch (error) {
    if (error instanceof ChainError) return exitWith(FAILED, error.message)
    throw error
  }
}

/** Waits until the previous process, which the supervisor stops, releases the lock. Returns its id if it does not in time. */
async function waitForLock(lock: string): Promise<number | undefined> {
  const until = performance.now() + WAIT_MS
  for (;;) {
    const holder = lockHolder(lock, diskFiles)
    if (holder === undefined || performance.now() > until) return holder
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Prints a result and returns its exit code. */
function exitWith(code: number, text: string): number {
  process.stderr.write(`pre-upgrade: ${text}\n`)
  return code
}

/** Returns the reason why this build cannot continue the chain of a home; undefined if its files show none. */
function findFault(paths: HomePaths, handlers: readonly string[]): string | undefined {
  resolveSettings({}, paths.root)
  profileOfHome(paths, diskFiles)
  const found = readUpgradeInfo(paths.data, diskFiles)
  if (found.kind === 'missing') return undefined
  if (found.kind === 'damaged') return `failed to read upgrade info from disk: ${found.reason}`
  const { name, height } = found.upgrade
  if (handlers.includes(name)) return undefined
  const known = handlers.length === 0 ? 'none' : handlers.join(', ')
  return `${upgradeInfoPath(paths.data)} names ${JSON.stringify(name)} at height ${height}, and this build has no handler for it; its handlers: ${known}`
}
