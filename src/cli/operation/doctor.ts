/** `almanac doctor`: checks a home and its machine. */
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { CheckResult } from '../../node/doctor/check.ts'
import type { StoreCheck } from '../../node/doctor/store-process.ts'
import { diskFiles } from '../../node/files.ts'
import { homePaths } from '../../node/home-paths.ts'
import { lockHolder } from '../../node/lock.ts'
import type { Config } from '../../node/settings.ts'
import { queryError } from '../../primitives/errors.ts'
import { NS_PER_MS, parseDuration } from '../../primitives/time.ts'
import { commandWithSettings, flagsOf, homeOf, resolveSettings } from '../settings.ts'
import { processTerminal, type Terminal } from '../terminal.ts'

const MARKS = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const

/** Resolves with 0 if every check passed or only warns, else 1. */
export async function doctor(
  args: readonly string[],
  _build?: unknown,
  terminal: Terminal = processTerminal(),
): Promise<number> {
  const command = commandWithSettings(
    'doctor',
    'Check a home and its machine: what is wrong, and what mends it. The exit code is 1 if a check fails.',
  )
  command
    .option('--json', 'Print JSON.')
    .option('--deep', 'Compute the app hash from all keys, which reads the whole state.')
    .option('--timeout <duration>', 'Time for the check of the database (default: 1m, with --deep 1h).')
  command.parse([...args], { from: 'user' })
  const { json, deep, timeout, ...flags } = flagsOf(command)
  const isDeep = deep !== undefined
  const limitMs = parseLimit(timeout === undefined ? (isDeep ? '1h' : '1m') : String(timeout))
  const onKeys = json === undefined ? (count: number) => terminal.note(`read: ${count} keys`) : undefined
  const results = await examine(flags, { isDeep, limitMs, ...(onKeys && { onKeys }) })
  const failed = results.filter(({ state }) => state === 'fail').length
  const warned = results.filter(({ state }) => state === 'warn').length
  if (json !== undefined) terminal.print(JSON.stringify({ ok: failed === 0, checks: results }, null, 2))
  else {
    for (const { name, state, found, fix } of results) {
      terminal.print(`${MARKS[state]}  ${name.padEnd(11)} ${found}`)
      if (fix !== undefined) terminal.print(`                  mend: ${fix}`)
    }
    terminal.print(`${results.length} checks, ${failed} failed, ${warned} warnings`)
  }
  return failed === 0 ? 0 : 1
}

/** Longest time that Node.js can wait for. */
const MAX_LIMIT_MS = 2 ** 31 - 1

function parseLimit(text: string): number {
  const duration = parseDuration(text)
  const ms = duration === undefined ? 0 : Number(duration / NS_PER_MS)
  if (ms <= 0 || ms > MAX_LIMIT_MS)
    throw queryError(
      'invalidArgument',
      `--timeout ${text}: must be a duration from 1ms to 24 days, such as 90s, 10m or 2h`,
    )
  return ms
}

async function examine(
  flags: Readonly<Record<string, unknown>>,
  check: Omit<StoreCheck, 'root' | 'refills'>,
): Promise<readonly CheckResult[]> {
  const { fail, ok, textOf } = await import('../../node/doctor/check.ts')
  const machine = await import('../../node/doctor/machine.ts')
  const home = await import('../../node/doctor/home.ts')
  const { checkStoreApart } = await import('../../node/doctor/store-process.ts')
  const { settingsOfPublicNode } = await import('../../node/public-node.ts')
  const paths = homePaths(homeOf(flags['home']))
  const results: CheckResult[] = [machine.checkProgram()]
  let config: Config
  try {
    const { home: _, ...settings } = flags
    config = settingsOfPublicNode(resolveSettings(settings, paths.root)).config
    results.push(ok('config', diskFiles.exists(paths.config) ? paths.config : 'no config.toml: the defaults apply'))
  } catch (error) {
    return [...results, fail('config', textOf(error), `edit ${paths.config}, or the variable or flag that it names`)]
  }
  const holder = lockHolder(paths.lock, diskFiles)
  results.push(ok('node', holder === undefined ? 'does not run' : `runs as process ${holder}`))
  results.push(machine.checkMemory(config), machine.checkDescriptors(config))
  const checked = home.checkHome(paths)
  results.push(checked, ...machine.checkDisk(existing(paths.root)), ...machine.checkEngine(config))
  if (holder === undefined) results.push(await machine.checkPorts(config))
  if (checked.state !== 'ok') return results
  // A flag can have chosen the engine, which the settings of the home then do not say.
  const refills = config.consensus.engine !== 'solo' || existsSync(paths.engine)
  results.push(home.checkKeys(paths), ...(await checkStoreApart({ root: paths.root, refills, ...check })))
  return results
}

/** Returns the nearest folder that exists. */
function existing(path: string): string {
  return existsSync(path) ? path : existing(dirname(path))
}
