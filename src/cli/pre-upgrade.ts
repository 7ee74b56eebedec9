/**
 * `almanac pre-upgrade`: a supervisor asks the next build, before it starts it, whether it is ready (upgrade.md §10.3). No network,
 * no block, nothing written: as often as one likes.
 */
import { Command } from 'commander'
import { upgrades as builtUpgrades } from '../app/upgrades/table.ts'
import type { Build } from '../node/build.ts'
import { diskFiles } from '../node/files.ts'
import { type HomePaths, homePaths, profileOfHome } from '../node/home.ts'
import { lockHolder } from '../node/lock.ts'
import { readUpgradeInfo, upgradeInfoPath } from '../node/upgrade-info.ts'
import { ChainError } from '../primitives/errors.ts'
import { homeOf, resolveSettings } from './settings.ts'

/** What supervisors take the exit codes for: 1 would be "has no such command". */
const READY = 0
const FAILED = 30
const RETRY = 31
/** Supervisors by default ask only once. */
const PATIENCE_MS = 5000

export async function preUpgrade(args: readonly string[], build?: Build): Promise<number> {
  const command = new Command('almanac pre-upgrade').exitOverride()
  command.description('Says by its exit code whether this build can take over: 0 ready, 30 it cannot, 31 ask again.')
  command.option('--home <dir>', 'folder of the chain (default: ~/.almanac)')
  command.parse([...args], { from: 'user' })
  const paths = homePaths(homeOf(command.opts()['home']))
  const holder = await holderAfterAll(paths.lock)
  if (holder !== undefined) return say(RETRY, `not yet: process ${holder} still runs in ${paths.root}`)
  try {
    const fault = faultOf(
      paths,
      (build?.upgrades ?? builtUpgrades).map(({ name }) => name),
    )
    return fault === undefined ? say(READY, 'ready') : say(FAILED, fault)
  } catch (error) {
    if (error instanceof ChainError) return say(FAILED, error.message)
    throw error
  }
}

/** Waits for the build of before to end, which the supervisor has told to. Its process if it does not. */
async function holderAfterAll(lock: string): Promise<number | undefined> {
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    const holder = lockHolder(lock, diskFiles)
    if (holder === undefined || performance.now() > until) return holder
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

function say(code: number, text: string): number {
  process.stderr.write(`pre-upgrade: ${text}\n`)
  return code
}

/** Why this build cannot go on with the chain of the home; undefined if it can, as far as its files say. */
function faultOf(paths: HomePaths, handlers: readonly string[]): string | undefined {
  resolveSettings({}, paths.root)
  profileOfHome(paths, diskFiles)
  const found = readUpgradeInfo(paths.data, diskFiles)
  if (found.kind === 'missing') return undefined
  if (found.kind === 'damaged') return `failed to read upgrade info from disk: ${found.reason}`
  const { name, height } = found.upgrade
  if (handlers.includes(name)) return undefined
  const has = handlers.length === 0 ? 'none' : handlers.join(', ')
  return `${upgradeInfoPath(paths.data)} names ${JSON.stringify(name)} at height ${height}, and this build has no handler for it; it has ${has}`
}
