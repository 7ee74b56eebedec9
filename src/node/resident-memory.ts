/** The resident memory of this process. */
import { readFileSync } from 'node:fs'

export interface ResidentMemory {
  /** Bytes that only the process can free. */
  readonly ownBytes: number
  /** Bytes of mapped files, which the system can reclaim at any time. */
  readonly mappedBytes: number
}

/** Reads it from Linux's `/proc/self/status`; undefined on other systems. */
export function residentMemory(): ResidentMemory | undefined {
  let status: string
  try {
    status = readFileSync('/proc/self/status', 'latin1')
  } catch {
    return undefined
  }
  const bytesOf = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024
  return { ownBytes: bytesOf('RssAnon'), mappedBytes: bytesOf('RssFile') }
}
