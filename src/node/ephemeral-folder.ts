/** Temporary folders of ephemeral chains. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from './lock.ts'

/** Contains the host name, since containers can share a temporary folder and number their processes independently. */
const prefix = `almanac-${hostname()}-`

/** Creates a folder of this process below `parent`. Deletes the folders that ended processes of this machine left there. */
export function createEphemeralFolder(parent: string = tmpdir()): string {
  for (const name of readdirSync(parent)) {
    const owner = name.startsWith(prefix) ? /^(\d+)-/.exec(name.slice(prefix.length))?.[1] : undefined
    if (owner === undefined || isAlive(Number(owner))) continue
    try {
      rmSync(join(parent, name), { recursive: true, force: true })
    } catch {
      // It belongs to another user.
    }
  }
  return mkdtempSync(join(parent, `${prefix}${process.pid}-`))
}
