// Runs the checks of a review one after the other: types, style, layers, dead code, advisories, tests.
// Prints the seconds of each step and exits non-zero if one fails.
import { spawnSync } from 'node:child_process'

const quick = process.argv.includes('--quick')
const steps = [
  ['set-up', 'node', ['scripts/setup.mjs']],
  ['types', 'npx', ['tsc', '-p', '.']],
  ['types of the console', 'npx', ['tsc', '-p', 'web']],
  ['style', 'npx', ['biome', 'check', '--error-on-warnings', '.']],
  ['protobuf', 'npx', ['buf', 'lint']],
  ['contracts', 'node', ['scripts/contracts.mjs', '--check']],
  ['charts', 'node', ['scripts/charts.mjs', '--check']],
  ['dead code', 'npx', ['knip', '--no-progress']],
  ['advisories', 'node', ['scripts/audit.mjs']],
  ['dependencies', 'node', ['scripts/dependencies.mjs', '--check']],
  ...(quick ? [] : [['tests', 'npx', ['vitest', 'run', '--project', 'unit', '--project', 'whole']]]),
]

let failed = 0
for (const [name, command, args] of steps) {
  const started = performance.now()
  const { status } = spawnSync(command, args, { stdio: 'inherit' })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`)
  if (status !== 0) failed++
}
console.log(`${steps.length - failed} of ${steps.length} steps passed`)
process.exit(failed === 0 ? 0 : 1)
