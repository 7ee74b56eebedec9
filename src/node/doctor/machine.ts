/** Checks of the machine: program, memory, files, disk, ports. */
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { createServer } from 'node:net'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { parseMemory } from '../config.ts'
import { connectionLimit, openFilesLimit } from '../descriptors.ts'
import { requireSafeVersion, versionOf } from '../engine/engine-version.ts'
import { freeBytes } from '../files.ts'
import type { Config } from '../settings.ts'
import { VERSION } from '../version.ts'
import { endingBytes } from '../workers/thread-memory.ts'
import { type CheckResult, fail, ok, textOf, warn } from './check.ts'

const GB = 1e9
/** Free bytes below which no command that writes can be relied on. */
const NO_ROOM = 0.1 * GB
/** Writes that are timed, and the time from which blocks feel each of them. */
const WRITES = 20
const SLOW_WRITE_MS = 20
const PAGE_BYTES = 4096
/** Memory of the main process beside its workers. */
const OWN_BYTES = 0.5 * GB

/** Names the versions. No check is left: the program does not load on a version of Node.js that is too old. */
export const checkProgram = (): CheckResult => ok('version', `almanac ${VERSION} on Node.js ${process.versions.node}`)

export function checkMemory({ api, compute }: Config): CheckResult {
  const ofThread = endingBytes(parseMemory(compute.memory) ?? 0)
  const ofWorker = (parseMemory(api.memory) ?? 0) + compute.workers * ofThread
  const need = OWN_BYTES + api.workers * ofWorker + compute.workers * ofThread
  const found = `${(totalmem() / GB).toFixed(1)} GB; the settings allow up to ${(need / GB).toFixed(1)} GB`
  return totalmem() >= need
    ? ok('memory', found)
    : warn('memory', found, 'lower --api-memory or --compute-memory, or take a machine with more')
}

export function checkDescriptors(config: Config): CheckResult {
  const limit = openFilesLimit()
  if (limit === undefined) return ok('open files', 'the system does not say its limit')
  const accepted = connectionLimit(config)
  const found = `at most ${limit}, which is enough for ${accepted} of ${config.api.connections} connections`
  return accepted >= config.api.connections
    ? ok('open files', found)
    : warn('open files', found, 'ulimit -n 8192 before the start, or LimitNOFILE=8192 of systemd')
}

/** Checks that the folder can be written, how much room its disk has, and how long a durable write takes. */
export function checkDisk(folder: string, free = freeBytes(folder) ?? Number.POSITIVE_INFINITY): CheckResult[] {
  const found = `${(free / GB).toFixed(1)} GB are free on the disk of ${folder}`
  // Both write: prune into the database, compact a copy of it.
  const fix =
    free < NO_ROOM
      ? 'free space on the disk or enlarge it; only then can almanac prune and almanac compact run, which write themselves'
      : 'almanac prune and almanac compact, or a larger disk'
  const room =
    free < GB
      ? fail('disk space', found, fix)
      : free < 5 * GB
        ? warn('disk space', found, fix)
        : ok('disk space', found)
  return [room, checkSpeed(folder)]
}

function checkSpeed(folder: string): CheckResult {
  const path = join(folder, `doctor.${process.pid}.new`)
  try {
    const ms = medianWriteMs(path)
    const found = `a durable write takes ${ms.toFixed(1)} ms`
    return ms < SLOW_WRITE_MS
      ? ok('disk speed', found)
      : warn('disk speed', found, 'a block needs one such write or two: use a local disk, best an SSD')
  } catch (error) {
    const isFull = ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')
    const remedy = isFull ? 'free space on its disk' : `chown -R ${process.getuid?.() ?? ''} ${folder}, or another home`
    return fail('disk speed', `${folder} cannot be written: ${textOf(error)}`, remedy)
  } finally {
    rmSync(path, { force: true })
  }
}

function medianWriteMs(path: string): number {
  const file = openSync(path, 'wx')
  try {
    const times = Array.from({ length: WRITES }, () => {
      const begin = performance.now()
      writeSync(file, new Uint8Array(PAGE_BYTES))
      fsyncSync(file)
      return performance.now() - begin
    })
    return times.sort((a, b) => a - b)[WRITES / 2]!
  } finally {
    closeSync(file)
  }
}

/** Checks that the ports of a node that does not run are free. */
export async function checkPorts(config: Config): Promise<CheckResult> {
  const { rest, grpc, jsonrpc, comet, metrics, node } = config
  const asked = [rest, grpc, jsonrpc, comet, metrics]
    .flatMap(({ enabled, host, port }) => (enabled ? [{ host, port }] : []))
    .concat(jsonrpc.enabled && jsonrpc.wsEnabled ? [{ host: jsonrpc.host, port: jsonrpc.wsPort }] : [])
    .filter(({ port }) => port !== 0)
    .map(({ host, port }) => ({ host, port: port + node.portOffset }))
  const taken: string[] = []
  for (const { host, port } of asked) {
    const code = await tryPort(host, port)
    if (code !== undefined) taken.push(`${host}:${port} (${code})`)
  }
  if (taken.length === 0) return ok('ports', asked.map(({ port }) => port).join(', '))
  return fail(
    'ports',
    `cannot listen on ${taken.join(', ')}`,
    'stop the program that listens there, or set --port-offset N',
  )
}

/** Opens and closes a port. Resolves with the code of the failure. */
function tryPort(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'error'))
    server.listen(port, host, () => server.close(() => resolve(undefined)))
  })
}

export function checkEngine({ consensus }: Config): CheckResult[] {
  if (consensus.engine !== 'cometbft' || consensus.program === 'none') return []
  try {
    const version = versionOf(consensus.program || 'cometbft')
    requireSafeVersion(version)
    return [ok('engine', `CometBFT ${version}`)]
  } catch (error) {
    return [fail('engine', textOf(error), 'install a supported CometBFT, and name it with --engine')]
  }
}
