/** The environment of a test run, made the same on every machine. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const FOLDER = 'almanac-tests-'
/** Variables that are removed: settings of nodes, which each test sets, and proxies between a client and a local node. */
const FOREIGN = /^(ALMANAC_.*|XDG_.*|(https?|all|grpc)_proxy)$/i

/**
 * Runs once, although every project of a run calls it. The temporary folder is removed with the run, including files of failed
 * tests and killed processes. It is also the home folder of the run, so that the user's home is not touched.
 */
export function setup(): (() => void) | undefined {
  if (tmpdir().includes(FOLDER)) return undefined
  // The engines of the network tests; nodes refuse variables of their prefix that are no settings.
  const { ALMANAC_ENGINE: engine, ALMANAC_ENGINE_037: older } = process.env
  if (engine) process.env['COMETBFT'] = engine
  if (older) process.env['COMETBFT_037'] = older
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
