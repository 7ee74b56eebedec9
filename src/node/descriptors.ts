/** The file descriptors of a process: how many connections they leave room for, beside the store and the log. */
import { readFileSync } from 'node:fs'
import type { Log } from './log.ts'
import type { Config } from './settings.ts'

/** Descriptors of the database, the log, the ports and the event loop, with a reserve. */
const RESERVED = 128
/** Descriptors of a worker: its channel, its event loop and its view of the database. */
const PER_WORKER = 12
/** Connections that a process accepts in any case. */
const MIN_CONNECTIONS = 16

/** Reads the number of files that this process can open from Linux's `/proc/self/limits`; undefined on other systems. */
export function openFilesLimit(): number | undefined {
  let limits: string
  try {
    limits = readFileSync('/proc/self/limits', 'latin1')
  } catch {
    return undefined
  }
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
  return soft === undefined ? undefined : Number(soft)
}

/** Returns the descriptors that a process needs beside those of its connections. */
function reservedDescriptors({ api, compute }: Config): number {
  return RESERVED + PER_WORKER * (api.workers + compute.workers)
}

/** Returns the number of connections that a process accepts: `api.connections`, or fewer if it can open fewer files. */
export function connectionLimit(config: Config, files: number | undefined = openFilesLimit()): number {
  const { connections } = config.api
  if (files === undefined) return connections
  return Math.min(connections, Math.max(MIN_CONNECTIONS, files - reservedDescriptors(config)))
}

/** Logs a warning if this process can open fewer files than its settings can use. */
export function warnOfFewDescriptors(config: Config, log: Log, files: number | undefined = openFilesLimit()): void {
  const accepted = connectionLimit(config, files)
  if (files === undefined || accepted >= config.api.connections) return
  log('warn', 'the limit of open files is too low for api.connections: raise it (ulimit -n), or lower the setting', {
    limit: files,
    needed: config.api.connections + reservedDescriptors(config),
    accepted_connections: accepted,
  })
}
