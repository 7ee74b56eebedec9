// Runs the steps of the gate one after the other, prints the minutes of each, and counts every test of every step.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const scratch = mkdtempSync(join(tmpdir(), 'almanac-gate-'))
const minutes = []
let passed = 0
let failed = 0

const record = (name, started, ok, detail = '') => {
  minutes.push([name, (performance.now() - started) / 60_000])
  if (!ok) console.log(`FAILED ${name} ${detail}`)
}

/** A step that passes or fails as a whole. */
function command(name, program, args) {
  console.log(`\n=== ${name}`)
  const started = performance.now()
  const { status } = spawnSync(program, args, { stdio: 'inherit' })
  if (status === 0) passed++
  else failed++
  record(name, started, status === 0, `exit ${status}`)
  return status === 0
}

/** A step of Vitest, whose tests are counted one by one. A run that counted no test has failed. */
function tests(name, args) {
  console.log(`\n=== ${name}`)
  const started = performance.now()
  const report = join(scratch, `${name.replaceAll(/\W/g, '-')}.json`)
  const extra = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { status } = spawnSync('npm', [...args, '--', ...extra], { stdio: 'inherit' })
  let counted = { numPassedTests: 0, numFailedTests: 0 }
  if (existsSync(report)) counted = JSON.parse(readFileSync(report, 'utf8'))
  passed += counted.numPassedTests
  failed += counted.numFailedTests
  const ok = status === 0 && counted.numFailedTests === 0 && counted.numPassedTests > 0
  if (!ok && counted.numFailedTests === 0) failed++
  record(name, started, ok, `exit ${status}`)
}

/** The program as a newcomer starts it, asked over every protocol by its own child process. */
async function questions(name) {
  console.log(`\n=== ${name}`)
  const started = performance.now()
  const configOut = join(scratch, 'config.json')
  // Below the ports that the system hands out by itself.
  const offset = String(500 + Math.floor(Math.random() * 5_000))
  const args = ['start', '--', '--ephemeral', '--silent', '--port-offset', offset, '--config-out', configOut]
  const node = spawn('npm', args, { stdio: 'inherit', detached: true })
  let exited = false
  node.on('exit', () => {
    exited = true
  })
  for (let i = 0; i < 600 && !existsSync(configOut) && !exited; i++) await new Promise((done) => setTimeout(done, 100))
  const asked = spawnSync('node', ['.ci/questions.mjs', configOut], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  })
  process.stdout.write(asked.stdout ?? '')
  const [, yes = '0', no = '0'] = /(\d+) answered, (\d+) wrong/.exec(asked.stdout ?? '') ?? []
  passed += Number(yes)
  failed += Number(no)
  const died = exited
  if (!exited) process.kill(-node.pid, 'SIGINT')
  for (let i = 0; i < 100 && !exited; i++) await new Promise((done) => setTimeout(done, 100))
  // npm hears the interrupt too, and may end by it once the program has stopped.
  const stopped = exited && (node.exitCode === 0 || node.signalCode === 'SIGINT')
  if (!exited) process.kill(-node.pid, 'SIGKILL')
  const ok = asked.status === 0 && !died && stopped && Number(yes) > 0
  if (!ok && Number(no) === 0) failed++
  record(
    name,
    started,
    ok,
    died ? 'the node ended by itself' : stopped ? '' : `it did not stop cleanly (${node.exitCode})`,
  )
}

tests('npm test', ['test'])
await questions('npm start')
command('npm run check', 'npm', ['run', 'check', '--', '--quick'])
if (existsSync('../shared/conformance')) tests('conformance', ['run', 'test:conformance'])
else console.log('\n../shared/conformance is not there: the public sets are not run')
const recordings = '../shared/recordings'
if (existsSync(recordings)) {
  for (const { name } of readdirSync(recordings, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    const folder = `${recordings}/${name}`
    if (existsSync(`${folder}/changes.jsonl.gz`)) command(`replay ${name}`, 'npm', ['run', 'replay', '--', folder])
    command(`answers ${name}`, 'npm', ['run', 'answers', '--', folder])
  }
} else console.log(`\n${recordings} is not there: nothing is replayed`)
tests('npm run test:long', ['run', 'test:long'])

rmSync(scratch, { recursive: true, force: true })
console.log('\nminutes by step')
for (const [name, spent] of minutes) console.log(`${spent.toFixed(1).padStart(6)}  ${name}`)
console.log(
  `${minutes
    .reduce((sum, [, spent]) => sum + spent, 0)
    .toFixed(1)
    .padStart(6)}  all`,
)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
