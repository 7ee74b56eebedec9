// Runs the steps of the gate one after the other and counts every test of every step. Prints the minutes of each step,
// the failures and the counts at the end.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'

/** Limits that only end hanging steps. */
const LONGEST_STEP_MS = 45 * 60_000
const LONGEST_START_MS = 15 * 60_000
const LONGEST_STOP_MS = 2 * 60_000
/** Numbers of lines shown: the output of a failed step, and the message of a failed test. */
const KEPT_LINES = 30
const MESSAGE_LINES = 12

const scratch = mkdtempSync(join(tmpdir(), 'almanac-gate-'))
process.once('exit', () => {
  try {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 })
  } catch (error) {
    console.warn(`left behind: ${error}`)
  }
})
// The same environment on every machine: temporary files of steps are removed with the gate's, every package is installed and
// every script runs, nodes only have settings from their steps, and no proxy intercepts requests to a node on the same machine.
process.env.TMPDIR = scratch
for (const name of Object.keys(process.env)) {
  if (/^(NODE_ENV|NODE_OPTIONS|ALMANAC_.*|npm_config_(ignore_scripts|omit|include|only|production))$/i.test(name)) {
    delete process.env[name]
  }
}
process.env.no_grpc_proxy = '127.0.0.1'
process.env.BUF_CACHE_DIR = scratch
// `npm run test:long` runs for hours by default. Here it runs a part of each kind, and no attacks through a proxy.
const PARTS = {
  TEST_SIMULATION_TXS: 10_000,
  TEST_NESTING_BLOCKS: 50,
  TEST_ATTACKS_SECONDS: 60,
  TEST_KILL_CYCLES: 60,
  TEST_FOLLOW_KILLS: 100,
  TEST_NETWORK_SEEDS: 1_000,
  TEST_DIFFERENTIAL_PROGRAMS: 40_000,
  TEST_FUZZ_REQUESTS: 40_000,
  TEST_PROXIED_SECONDS: 0,
}
for (const [name, count] of Object.entries(PARTS)) process.env[name] = String(count)
/** The most time that the gate takes, and that of `npm run test:long` with these parts on a usual machine of two cores. Unit: minutes. */
const LONGEST_GATE = 33
const USUAL_LONG = 11
/** Parts that stay whole: fewer worlds do not contain every kind of action, and the seeds of the network run here. */
const WHOLE_PARTS = ['TEST_SIMULATION_TXS', 'TEST_NETWORK_SEEDS']
/** The least part of each that runs, however slow the machine is. */
const LEAST_SHARE = 0.2
const started = performance.now()
const minutes = []
const faults = []
const notes = []
let passed = 0
let failed = 0

/** Runs one step. `work` resolves with the numbers of passed and failed tests, and lines that describe the failures. */
async function step(name, work) {
  console.log(`\n=== ${name}`)
  const started = performance.now()
  const result = await work().catch((error) => ({ passed: 0, failed: 1, why: [String(error?.stack ?? error)] }))
  minutes.push([name, (performance.now() - started) / 60_000])
  passed += result.passed
  failed += result.failed
  if (result.failed === 0) return
  console.log(`FAILED ${name}`)
  faults.push(`=== ${name}`, ...result.why)
}

/** Ends a program and every process it started. */
function end(child, signal) {
  try {
    process.kill(-child.pid, signal)
  } catch {
    // It has already exited.
  }
}

/** Starts a program that is ended together with this one. */
function start(program, args, stdio) {
  const child = spawn(program, args, { stdio, detached: true })
  const stop = (signal) => {
    end(child, signal)
    process.exit(1)
  }
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, stop)
    child.once('close', () => process.off(signal, stop))
  }
  return child
}

/** Runs a program to its end and prints its output. Resolves with its exit status, or null, and its last lines. */
function run(program, args) {
  const child = start(program, args, ['ignore', 'pipe', 'pipe'])
  let text = ''
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ]) {
    from.setEncoding('utf8')
    from.on('data', (part) => {
      to.write(part)
      text = (text + part).slice(-100_000)
    })
  }
  const timer = setTimeout(() => {
    text += `\nended after ${LONGEST_STEP_MS / 60_000} minutes\n`
    end(child, 'SIGKILL')
  }, LONGEST_STEP_MS)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    // Processes that it left running would keep its output open.
    child.once('exit', () => end(child, 'SIGKILL'))
    child.once('close', (status, signal) => {
      clearTimeout(timer)
      const lines = stripVTControlCharacters(text).trimEnd().split('\n').slice(-KEPT_LINES)
      resolve({ status, lines: [...lines, `it ended with ${status ?? signal}`], text })
    })
  })
}

/** Runs a step that passes or fails as a whole. */
const command = (name, program, args) =>
  step(name, async () => {
    const { status, lines } = await run(program, args)
    return status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1, why: lines }
  })

/** Returns the failures in a report of Vitest: tests, and files that failed to load. */
function failuresOf(report) {
  return report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const wrong = assertionResults.filter((test) => test.status === 'failed')
    const file = name.slice(process.cwd().length + 1)
    if (wrong.length === 0) return status === 'failed' ? [`✗ ${file}`, ...short(message)] : []
    return wrong.flatMap(({ fullName, failureMessages }) => [
      `✗ ${file}: ${fullName}`,
      ...failureMessages.flatMap((text) => short(text)),
    ])
  })
}

const short = (text) =>
  text
    .split('\n')
    .filter((line) => !line.includes('node_modules'))
    .slice(0, MESSAGE_LINES)
    .map((line) => `    ${line}`)

/** Runs Vitest with a report. Resolves with the report too, if there is one. */
async function vitest(name, program, args) {
  const file = join(scratch, `${name.replaceAll(/\W/g, '-')}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const { status, lines } = await run(program, [...args, '--allowOnly=false', ...reporters])
  return { status, lines, report: existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined }
}

/**
 * Runs a step of Vitest and counts its tests. Any failure without a failed test counts as one failed test: a status
 * other than 0, a file that did not load, a run without a passing test.
 */
const tests = (name, script) =>
  step(name, async () => {
    const { status, lines, report } = await vitest(name, 'npm', [...script, '--'])
    if (!report) return { passed: 0, failed: 1, why: lines }
    const { numTotalTests, numPassedTests, numFailedTests } = report
    const left = numTotalTests - numPassedTests - numFailedTests
    const why = failuresOf(report)
    if (left > 0) notes.push(`${left} tests of ${name} were left out`)
    if (status === 0 && why.length === 0 && numPassedTests > 0) return { passed: numPassedTests, failed: 0 }
    if (numFailedTests > 0 && (await passAgain(name, report))) return { passed: numTotalTests - left, failed: 0 }
    if (why.length === 0) why.push(...lines)
    return { passed: numPassedTests, failed: Math.max(1, numFailedTests), why }
  })

/** Failed files that run again. More of them are not an accident of the machine. */
const MOST_REPEATED = 2

/**
 * Runs the files of the failed tests again, one after the other, with nothing beside them. A test that fails once, beside
 * others on a busy machine, is an accident of ports, time or memory; what is wrong fails again. Both are named at the end.
 */
async function passAgain(name, report) {
  const failures = report.testResults.filter((result) => result.status === 'failed')
  const loaded = failures.every(({ assertionResults }) => assertionResults.some((test) => test.status === 'failed'))
  if (!loaded || failures.length > MOST_REPEATED) return false
  const files = failures.map((result) => result.name)
  console.log(`\n=== ${name}: the failed files again`)
  const again = await vitest(`${name} again`, 'npx', ['vitest', 'run', '--no-file-parallelism', ...files])
  const passes = again.status === 0 && (again.report?.numPassedTests ?? 0) > 0
  if (passes) notes.push(`failed once and passed alone, in ${name}:`, ...failuresOf(report))
  return passes
}

/** Exit status of a shell whose command was ended by an interrupt. */
const ENDED_BY_INTERRUPT = 130

async function until(isTrue, mostMs) {
  for (const end = performance.now() + mostMs; !isTrue() && performance.now() < end; ) await wait(100)
}

/** Starts the program as the README says, queries it over every protocol from a child process, and interrupts it. */
async function questions() {
  const configOut = join(scratch, 'config.json')
  // The system chooses every port, so that no port is in use.
  const ports = ['rest', 'grpc', 'jsonrpc', 'jsonrpc-ws', 'comet'].flatMap((port) => [`--${port}-port`, '0'])
  const args = ['start', '--', '--ephemeral', '--silent', '--config-out', configOut, ...ports]
  const node = start('npm', args, 'inherit')
  let ended = false
  node.once('close', () => {
    ended = true
  })
  await until(() => existsSync(configOut) || ended, LONGEST_START_MS)
  const asked = await run('node', ['.ci/questions.mjs', configOut])
  const [, yes = '0', no = '0'] = /(\d+) answered, (\d+) wrong/.exec(asked.text) ?? []
  const why = asked.status === 0 && Number(yes) > 0 ? [] : asked.lines
  if (ended) why.push(`the node ended by itself with ${node.exitCode ?? node.signalCode}`)
  else {
    end(node, 'SIGINT')
    await until(() => ended, LONGEST_STOP_MS)
    // npm receives the interrupt too, and may exit because of it once the program has stopped.
    if (!ended) {
      why.push('the node did not stop when it was interrupted')
      end(node, 'SIGKILL')
    } else if (![0, ENDED_BY_INTERRUPT].includes(node.exitCode) && node.signalCode !== 'SIGINT') {
      why.push(`the node did not stop cleanly: ${node.exitCode ?? node.signalCode}`)
    }
  }
  return { passed: Number(yes), failed: Math.max(Number(no), why.length === 0 ? 0 : 1), why }
}

/** The engines of the tests that need one, and the variables that name them. */
const ENGINES = [
  ['ALMANAC_ENGINE', 'github.com/cometbft/cometbft/cmd/cometbft@v0.38.25'],
  ['ALMANAC_ENGINE_037', 'github.com/cometbft/cometbft/cmd/cometbft@v0.37.18'],
]

/** Runs the tests with the real engines, one file after the other: each starts several nodes. */
async function engineTests() {
  for (const [variable, source] of ENGINES) {
    const folder = join(scratch, variable)
    console.log(`\n=== go install ${source}`)
    process.env.GOBIN = folder
    await run('go', ['install', source]).catch(() => undefined)
    const program = join(folder, 'cometbft')
    if (existsSync(program)) process.env[variable] = program
    else notes.push(`there is no Go that builds ${source}: the tests with it were left out`)
  }
  if (process.env.ALMANAC_ENGINE) {
    await tests('npm run test:engine', ['run', 'test:engine'])
    await tests('npm run test:clients-network', ['run', 'test:clients-network'])
  }
  for (const [variable] of ENGINES) delete process.env[variable]
}

/** The programs of Foundry that its recipe names. */
const FOUNDRY = ['@foundry-rs/cast@1.7.1', '@foundry-rs/forge@1.7.1']

/** Runs the recipe of Foundry with its own programs. Their packages hold them: no script of an installation runs. */
async function foundryTests() {
  const folder = join(scratch, 'foundry')
  console.log(`\n=== npm install ${FOUNDRY.join(' ')}`)
  await run('npm', ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', ...FOUNDRY])
  const programs = join(folder, 'node_modules', '.bin')
  if (!existsSync(join(programs, 'forge'))) {
    notes.push('npm does not reach the packages of Foundry: the tests with it were left out')
    return
  }
  process.env.PATH = `${programs}${delimiter}${process.env.PATH}`
  await tests('npm run test:foundry', ['run', 'test:foundry'])
}

/** Shortens the long runs on a machine on which the other steps took so long that the gate would exceed its time. */
function shortenParts() {
  const left = LONGEST_GATE - (performance.now() - started) / 60_000
  const share = Math.max(LEAST_SHARE, left / USUAL_LONG)
  if (share >= 1) return
  for (const [name, count] of Object.entries(PARTS)) {
    if (!WHOLE_PARTS.includes(name)) process.env[name] = String(Math.ceil(count * share))
  }
  notes.push(`the machine is slow: ${(share * 100).toFixed(0)} % of each long run that can be shorter`)
}

await tests('npm test', ['test'])
await step('npm start', questions)
await command('npm run check', 'npm', ['run', 'check', '--', '--quick'])
await engineTests()
await foundryTests()
if (existsSync('../shared/conformance')) await tests('conformance', ['run', 'test:conformance'])
else console.log('\n../shared/conformance does not exist: the public conformance sets are skipped')
const recordings = '../shared/recordings'
if (existsSync(recordings)) {
  for (const { name } of readdirSync(recordings, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    const folder = `${recordings}/${name}`
    if (existsSync(`${folder}/changes.jsonl.gz`)) {
      await command(`replay ${name}`, 'npm', ['run', 'replay', '--', folder])
    }
    if (existsSync(`${folder}/frames.jsonl.gz`)) {
      await command(`frames ${name}`, 'npm', ['run', 'frames', '--', folder])
    }
    const hasAnswers = ['blocks.jsonl.gz', 'answers.jsonl.gz'].some((file) => existsSync(`${folder}/${file}`))
    if (hasAnswers) await command(`answers ${name}`, 'npm', ['run', 'answers', '--', folder])
    else console.log(`\n${folder} has neither blocks nor answers: nothing is compared`)
  }
} else console.log(`\n${recordings} does not exist: the replays are skipped`)
shortenParts()
await tests('npm run test:long', ['run', 'test:long'])

console.log('\nminutes by step')
const all = minutes.reduce((sum, [, spent]) => sum + spent, 0)
for (const [name, spent] of [...minutes, ['all', all]]) console.log(`${spent.toFixed(1).padStart(6)}  ${name}`)
for (const note of notes) console.log(note)
if (faults.length > 0) console.log(`\nfailures\n${faults.join('\n')}`)
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
