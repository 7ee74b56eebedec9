/** A folder for temporary files that goes with the run: with it what failed tests and killed processes leave behind. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const NAME = 'almanac-tests-'

/** Makes it once, though each project of a run asks for it, and answers with how to remove it. */
export function setup(): (() => void) | undefined {
  if (tmpdir().includes(NAME)) return undefined
  const folder = mkdtempSync(join(tmpdir(), NAME))
  process.env['TMPDIR'] = folder
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
