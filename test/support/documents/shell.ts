/** A shell in a home of its own, in which the commands of one document run in order. */
import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { ENGINE } from '../../network/processes.ts'
import { isFree, isRefusedByFetch } from '../ports.ts'
import { root } from '../prose.ts'
import { type Command, difference, type Replacement, replaced } from './sessions.ts'

export interface Shell extends AsyncDisposable {
  /** Runs a command as a reader types it. Returns what is wrong if it fails, or prints something else than the page shows. */
  run(command: Command, how: Manner): Promise<string | undefined>
}

/** How the commands of a block run. */
interface Manner {
  readonly where: readonly Replacement[]
  readonly varies: readonly RegExp[]
}

/** Ports of the documents: those of the gateways, and of an engine. */
const PORTS = [1317, 8545, 8546, 9090, 26656, 26657, 26667] as const
/** Ports of the documents for a network: ten for each node. */
const NETWORK = { first: 20_000, count: 60 } as const
/** Commands that go on until they are stopped. */
const SERVES = /^(?:(?:bin\/)?almanac (?:start|dev|feeder|follow|testnet start)\b|npm start\b|node examples\/signer\b)/
/** Commands that can be repeated until the block is there whose state they show. */
const READS = /^(?:(?:bin\/)?almanac (?:query|status)|curl |rpc (?:eth_get|debug_)|hash=)/
/** Commands for nodes of a network, whose homes have their ports. */
const IS_OF_NETWORK = /\balmanac testnet start\b|--home net\/node\d/
/** Time until the output must be that of the page. A node that starts on a busy machine takes seconds. */
const LONGEST_MS = 180_000
const LONGEST_READ_MS = 60_000

/** Opens a shell whose node has free ports; the commands still have those of the documents. */
export async function openShell(): Promise<Shell> {
  const scratch = mkdtempSync(join(tmpdir(), 'almanac-documents-'))
  const [home, programs, work] = ['home', 'programs', 'work'].map((name) => join(scratch, name)) as [
    string,
    string,
    string,
  ]
  for (const folder of [home, programs, work]) mkdirSync(folder)
  for (const name of ['bin', 'examples', 'docs', 'deploy']) symlinkSync(join(root, name), join(work, name))
  symlinkSync(join(root, 'bin/almanac'), join(programs, 'almanac'))
  if (ENGINE) symlinkSync(ENGINE, join(programs, 'cometbft'))
  // `npm start` builds, and then runs the same program.
  writeFileSync(join(programs, 'npm'), '#!/bin/sh\nshift; [ "$1" = -- ] && shift\nexec almanac start "$@"\n')
  chmodSync(join(programs, 'npm'), 0o755)
  const offset = await freeOffset()
  const networkPort = await freeNetworkPort()
  // A node writes this file when it has started.
  const started = join(scratch, 'config.json')
  const shell = spawn('bash', ['--noprofile', '--norc'], {
    cwd: work,
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...process.env,
      HOME: home,
      PATH: `${programs}${delimiter}${process.env['PATH']}`,
      ALMANAC_NODE_CONFIG_OUT: started,
      CHECKOUT: root,
    },
  })
  let echoed = ''
  shell.stdout.on('data', (chunk) => {
    echoed += chunk
  })
  const moved = (text: string): string =>
    PORTS.reduce(
      (rest, port) => rest.replaceAll(new RegExp(`(127\\.0\\.0\\.1|localhost):${port}\\b`, 'g'), `$1:${port + offset}`),
      text,
    )
      .replaceAll(
        /(127\.0\.0\.1):(20\d{3})\b/g,
        (_, host, port) => `${host}:${Number(port) - NETWORK.first + networkPort}`,
      )
      .replace(/\balmanac testnet (?=--)(?!.*--starting-ip)/, `$&--base-port ${networkPort} `)
      // Clients of the repository know the default ports only.
      .replace(/\bnode examples\/(?!signer)\S+( 0x\w+)?/, '$& "$ALMANAC_NODE_CONFIG_OUT"')
  const asShown = (text: string): string =>
    PORTS.reduce((rest, port) => rest.replaceAll(`:${port + offset}`, `:${port}`), text)
      .replaceAll(/(?<=:)\d{5}\b/g, (port) => {
        const index = Number(port) - networkPort
        return index >= 0 && index < NETWORK.count ? String(NETWORK.first + index) : port
      })
      .replaceAll(home, '~')
  let count = 0
  let lastCode = 0

  /** Runs a command. Resolves with its exit code, or at once with 0 if it serves. */
  async function evaluate(text: string, out: string, serves: boolean): Promise<number> {
    const file = join(scratch, `command-${++count}`)
    // A page stops a server by `kill $!`.
    const ports = `export ALMANAC_NODE_PORT_OFFSET=${IS_OF_NETWORK.test(text) ? 0 : offset}`
    writeFileSync(file, `${ports}\n(exit ${lastCode})\n${moved(serves ? `exec ${text}` : text)}`)
    const mark = `${count} is done:`
    const evaluated = `eval "$(cat ${file})" > ${out} 2>&1 < /dev/null`
    shell.stdin.write(serves ? `${evaluated} &\necho "${mark} 0"\n` : `${evaluated}\necho "${mark} $?"\n`)
    const answer = new RegExp(`^${mark} (\\d+)$`, 'm')
    await waitFor(() => answer.test(echoed) || isEnded(shell), 200_000)
    return Number(answer.exec(echoed)?.[1] ?? 1)
  }

  return {
    async run({ text: written, printed, line, showsCode }, { where, varies }) {
      const out = join(scratch, `output-${count + 1}`)
      const text = replaced(written, where)
      const fails = showsCode || printed.some((shown) => shown.startsWith('almanac: '))
      const serves = SERVES.test(text) && !fails
      const end = performance.now() + (serves ? LONGEST_MS : READS.test(text) ? LONGEST_READ_MS : 0)
      const output = () => (existsSync(out) ? asShown(readFileSync(out, 'utf8')) : '')
      const wrong = () => (printed.length === 0 ? undefined : difference(printed, output(), varies))
      if (serves) rmSync(started, { force: true })
      lastCode = await evaluate(text, out, serves)
      if (serves && printed.length === 0) {
        const runs = async () => (await evaluate('kill -0 $!', `${out}-runs`, false)) === 0
        while (await runs()) {
          if (existsSync(started)) return undefined
          if (performance.now() > end) return `line ${line}: ${text}\nhas not started: ${output()}`
          await pause(200)
        }
        return `line ${line}: ${text}\nhas ended: ${output()}`
      }
      while (wrong() !== undefined && performance.now() < end) {
        await pause(200)
        if (!serves) lastCode = await evaluate(text, out, false)
      }
      if (lastCode !== 0 && !fails) return `line ${line}: ${text}\nends with ${lastCode}: ${output()}`
      const found = wrong()
      return found && `line ${line}: ${text}\n${found}`
    },
    async [Symbol.asyncDispose]() {
      await stop(shell)
      rmSync(scratch, { recursive: true, force: true, maxRetries: 20 })
    },
  }
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))
const isEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

async function waitFor(condition: () => boolean | Promise<boolean>, longestMs: number): Promise<void> {
  const end = performance.now() + longestMs
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`not there after ${longestMs} ms`)
    await pause(20)
  }
}

/** Time in which a network stops with its engines. Beyond: what is left is killed. */
const LONGEST_STOP_MS = 30_000

/** Stops the shell and what it has started. */
async function stop(shell: ChildProcess): Promise<void> {
  const group = -shell.pid!
  const signal = (name: NodeJS.Signals | 0): boolean => {
    try {
      return process.kill(group, name)
    } catch {
      return false
    }
  }
  signal('SIGTERM')
  const end = performance.now() + LONGEST_STOP_MS
  while (signal(0) && performance.now() < end) await pause(50)
  signal('SIGKILL')
}

/** The system gives ports from here on to connections, and to servers that leave the choice to it. */
const FIRST_CHOSEN_BY_SYSTEM = 32_768
const LEAST_OFFSET = 2_000
const OFFSETS = FIRST_CHOSEN_BY_SYSTEM - Math.max(...PORTS) - LEAST_OFFSET
/** Ports of the shells of this process. A node listens long after its shell has opened. */
const taken = new Set<number>()

/** Returns a number to add to every port of the documents so that all of them are free, stay so, and can be asked. */
async function freeOffset(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const offset = LEAST_OFFSET + Math.floor(Math.random() * OFFSETS)
    const ports = PORTS.map((port) => port + offset)
    if (ports.some((port) => taken.has(port))) continue
    for (const port of ports) taken.add(port)
    const usable = ports.map(async (port) => (await isFree(port)) && !(await isRefusedByFetch(port)))
    if ((await Promise.all(usable)).every(Boolean)) return offset
  }
  throw new Error('no free ports')
}

/** Networks lie between the gateways that `freeOffset` moves. */
const NETWORK_PORTS = { first: 15_300, end: 20_900 } as const

/** Returns the first of the free ports for a network. */
async function freeNetworkPort(): Promise<number> {
  const places = Math.floor((NETWORK_PORTS.end - NETWORK_PORTS.first) / NETWORK.count)
  for (let tries = 0; tries < 100; tries++) {
    const first = NETWORK_PORTS.first + Math.floor(Math.random() * places) * NETWORK.count
    if (taken.has(first)) continue
    taken.add(first)
    if ((await Promise.all(Array.from({ length: NETWORK.count }, (_, i) => isFree(first + i)))).every(Boolean))
      return first
  }
  throw new Error('no free ports for a network')
}
