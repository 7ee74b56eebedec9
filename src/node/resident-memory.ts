/** The memory of this process that is not elsewhere. */
import { readFileSync } from 'node:fs'

export interface ResidentMemory {
  /** Bytes that only the process can give back. */
  readonly ownBytes: number
  /** Bytes of mapped files, which the system takes back when it needs them. */
  readonly mappedBytes: number
}

/** As Linux counts it; undefined elsewhere. */
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
