/** State files of `almanac dev`: loaded at the start, written at the stop and at intervals. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { dumpState } from '../../api/jsonrpc/development/state/dump-state.ts'
import { loadState } from '../../api/jsonrpc/development/state/load-state.ts'
import { MAX_STATE_BYTES } from '../../api/jsonrpc/development/state/read-state.ts'
import type { AssembledNode } from '../../node/assembly.ts'
import { configError } from '../../node/config.ts'
import { diskFiles, type Files } from '../../node/files.ts'
import { readInputBytes } from '../../node/input-file.ts'
import { ChainError } from '../../primitives/errors.ts'
import { requireWritable, writeOutputFile } from '../output-file.ts'

/** Name of the file in a folder that is given in place of a file, as in anvil. */
const NAME_IN_FOLDER = 'state.json'
const DEFAULT_INTERVAL_SECONDS = 60
/** Longest interval of a timer. */
const MAX_INTERVAL_SECONDS = 2_147_483

/** The files of a chain's state. */
export interface StateFiles {
  /** The file that is loaded, and its content. */
  readonly loads: { readonly path: string; readonly bytes: Uint8Array } | undefined
  /** The file that is written, and the flag that names it. */
  readonly dumps: { readonly path: string; readonly flag: string } | undefined
  readonly intervalMs: number
  /** Whether the file has the states of older blocks. */
  readonly keepsStates: boolean
}

/** Flags of which a command line has at most one. */
export const EXCLUSIVE_STATE_FLAGS = [
  ['state', 'load-state'],
  ['state', 'dump-state'],
  ['init', 'state'],
  ['init', 'load-state'],
] as const

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory()

const fileOf = (path: string): string => (isFolder(path) ? join(path, NAME_IN_FOLDER) : path)

/** Reads a state file; undefined if the path does not exist. Throws `invalidArgument` for what could be read without end. */
function readBytes(path: string): Uint8Array | undefined {
  return existsSync(path) ? readInputBytes(path, { maxBytes: MAX_STATE_BYTES }) : undefined
}

function intervalOf(flags: ReadonlyMap<string, string>, dumps: StateFiles['dumps']): number {
  const given = flags.get('state-interval')
  if (given === undefined) return DEFAULT_INTERVAL_SECONDS * 1000
  if (dumps === undefined) throw configError('--state-interval needs --state or --dump-state')
  const seconds = /^\d{1,7}$/.test(given) ? Number(given) : 0
  if (seconds < 1 || seconds > MAX_INTERVAL_SECONDS) {
    throw configError(`--state-interval ${given}: must be 1 to ${MAX_INTERVAL_SECONDS} seconds`)
  }
  return seconds * 1000
}

/**
 * Reads the flags `state`, `load-state`, `dump-state` and `state-interval`, and the file that is loaded: that of `--state` can
 * be absent. Throws `invalidArgument` with the flag, and `failedPrecondition` if the file cannot be written later.
 */
export function stateFilesOf(flags: ReadonlyMap<string, string>): StateFiles {
  const both = flags.get('state')
  const load = both ?? flags.get('load-state')
  const dump = both ?? flags.get('dump-state')
  const flag = both === undefined ? '--dump-state' : '--state'
  const dumps = dump === undefined ? undefined : { path: fileOf(dump), flag }
  const path = load === undefined ? undefined : fileOf(load)
  const bytes = path === undefined ? undefined : readBytes(path)
  if (path !== undefined && bytes === undefined && both === undefined) {
    throw configError(`--load-state ${load}: ${path === load ? 'the file' : path} does not exist`)
  }
  if (dumps) requireWritable(dumps.flag, dumps.path)
  return {
    loads: path !== undefined && bytes !== undefined ? { path, bytes } : undefined,
    dumps,
    intervalMs: intervalOf(flags, dumps),
    keepsStates: flags.has('preserve-historical-states'),
  }
}

/** Loads the state of a new chain. Rejects with `invalidArgument` with file and field. */
export async function loadStateFile({ gateway }: Pick<AssembledNode, 'gateway'>, { loads }: StateFiles): Promise<void> {
  if (!loads) return
  try {
    await loadState(gateway, loads.bytes)
  } catch (error) {
    throw configError(`${loads.path}: ${(error as Error).message}`)
  }
}

/** The file that follows a chain. */
export interface KeptState {
  /** Writes the file a last time, and ends the intervals. Rejects with `failedPrecondition` with flag and reason if it cannot. */
  end(): Promise<void>
}

/**
 * Writes the state of a chain at intervals, as far as it has changed. The file is replaced by a rename: a crash leaves the whole
 * file of the last write. A failure is logged.
 */
export function keepStateFile(
  { gateway, log }: Pick<AssembledNode, 'gateway' | 'log'>,
  { dumps, intervalMs, keepsStates }: Omit<StateFiles, 'loads'>,
  files: Files = diskFiles,
): KeptState | undefined {
  if (dumps === undefined) return undefined
  let written = ''
  let writing: Promise<void> = Promise.resolve()
  const version = (): string => {
    const { latestHeight, rollbacks = 0 } = gateway.driver.status()
    return `${latestHeight} ${rollbacks}`
  }
  async function write(): Promise<void> {
    const wanted = version()
    if (wanted === written) return
    const text = `${JSON.stringify(await dumpState(gateway, keepsStates))}\n`
    writeOutputFile(dumps!.flag, dumps!.path, text, { files })
    written = wanted
  }
  /** Writes after the write in progress. */
  function save(): Promise<void> {
    const next = writing.then(write)
    writing = next.catch(() => undefined)
    return next
  }
  const timer = setInterval(() => {
    save().catch((error: unknown) => {
      const reason = error instanceof ChainError ? { reason: error.message } : { file: dumps.path, error }
      log('error', 'the state file cannot be written', reason)
    })
  }, intervalMs)
  timer.unref()
  return {
    end() {
      clearInterval(timer)
      return save()
    },
  }
}
