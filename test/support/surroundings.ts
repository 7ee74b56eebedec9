/** What a run of the tests has from the machine that it runs on, made the same on all. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const FOLDER = 'almanac-tests-'
/** Settings of nodes are those of each test, and nobody stands between a client and a node of the same machine. */
const FOREIGN = /^(ALMANAC_.*|XDG_.*|(https?|all|grpc)_proxy)$/i

/**
 * Once, though each project of a run asks for it. The folder for temporary files goes with the run: with it what failed tests
 * and killed processes leave behind. It is the home of the run too: that of who runs it is left alone, if there is one.
 */
export function setup(): (() => void) | undefined {
  if (tmpdir().includes(FOLDER)) return undefined
  for (const name of Object.keys(process.env)) if (FOREIGN.test(name)) delete process.env[name]
  const folder = mkdtempSync(join(tmpdir(), FOLDER))
  process.env['TMPDIR'] = folder
  process.env['HOME'] = folder
  return () => {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    } catch (error) {
      console.warn(`left behind: ${error}`)
    }
  }
}
