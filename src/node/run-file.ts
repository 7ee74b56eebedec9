/** `run.json` in a home: the URLs of the node that runs there, by which commands find it. */
import { join } from 'node:path'
import type { Files } from './files.ts'
import type { GatewayUrls } from './gateways.ts'
import { homePaths } from './home-paths.ts'
import { lockHolder } from './lock.ts'

const pathOf = (home: string): string => join(home, 'run.json')

/** Writes the URLs of this process's node. Returns the function that removes them. */
export function writeRunFile(home: string, urls: GatewayUrls, files: Pick<Files, 'write' | 'remove'>): () => void {
  files.write(pathOf(home), `${JSON.stringify({ pid: process.pid, urls }, null, 2)}\n`)
  return () => files.remove(pathOf(home))
}

/** Returns the URLs of the node that runs in a home; undefined if no node does. A killed node leaves its file behind. */
export function readRunFile(home: string, files: Pick<Files, 'read'>): GatewayUrls | undefined {
  const text = files.read(pathOf(home))
  if (text === undefined) return undefined
  try {
    const { pid, urls } = JSON.parse(text) as { readonly pid?: unknown; readonly urls?: GatewayUrls }
    return pid === lockHolder(homePaths(home).lock, files) ? urls : undefined
  } catch {
    // Damaged: the settings still name the ports.
    return undefined
  }
}
