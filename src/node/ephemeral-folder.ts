/** Folders of chains that leave nothing behind, and what killed processes left of theirs. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from './lock.ts'

/** Containers may share a folder for temporary files, and number their processes each for itself. */
const prefix = `almanac-${hostname()}-`

/** A folder of this process below `parent`. What processes of this machine that are no more left there is removed. */
export function createEphemeralFolder(parent: string = tmpdir()): string {
  for (const name of readdirSync(parent)) {
    const owner = name.startsWith(prefix) ? /^(\d+)-/.exec(name.slice(prefix.length))?.[1] : undefined
    if (owner === undefined || isAlive(Number(owner))) continue
    try {
      rmSync(join(parent, name), { recursive: true, force: true })
    } catch {
      // Of another user: theirs to remove.
    }
  }
  return mkdtempSync(join(parent, `${prefix}${process.pid}-`))
}
