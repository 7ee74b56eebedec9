/**
 * The waits of honest clients, and the growth of the memory of each process, while attacks of `test/attacks/` run at once, against the
 * same node idle. `npm run bench -- attacks [SECONDS] [ATTACKS]`; ATTACKS are names with commas, all by default. A bare `node:http`
 * server, asked at the same pace from the same process, shows how long the machine, which the attackers share, makes a request wait.
 */
import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { ATTACKS, type AttackName } from '../test/support/attacks/all.ts'
import { startHonest } from '../test/support/attacks/honest.ts'
import { type RunningAttacks, startAttacks } from '../test/support/attacks/start.ts'
import { startProcess } from '../test/support/process.ts'
import { startBare } from './support/bare.ts'

const SECONDS = Number(process.argv[2] ?? 60)
const IDLE_SECONDS = Math.min(20, SECONDS)
const NAMES = (process.argv[3]?.split(',') ?? Object.keys(ATTACKS)) as AttackName[]
/** Attacks share a process of their own by this number: one process alone is busy with its own work. */
const PER_PROCESS = 7
const WARM_MS = 5000
/** The pause of the honest clients. */
const PAUSE_MS = 20
const MEMORY_PAUSE_MS = 50
const MB = 1_000_000

/** Memory of a process: its own pages, and pages of files, which the system takes back when it needs them. Unit: bytes. */
interface Memory {
  readonly own: number
  readonly files: number
}

function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const bytes = (name: string): number => 1024 * Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(status)![1])
  return { own: bytes('RssAnon'), files: bytes('RssFile') }
}

const agent = new Agent({ keepAlive: true })
const ask = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, agent }, (answer) => answer.resume().once('end', () => resolve())).once(
      'error',
      reject,
    )
  })

const bare = await startBare(JSON.stringify({ balances: [] }))
await using node = await startProcess(['--ephemeral', '--feeder', 'true'])

/** Runs the honest clients and the requests of the bare server for a time. */
async function watch(seconds: number) {
  const honest = await startHonest(node)
  const end = performance.now() + seconds * 1000
  const times: number[] = []
  const peaks = new Map<number, Memory>()
  const memory = setInterval(() => {
    for (const pid of node.memoryByProcess().keys()) {
      const now = memoryOf(pid)
      const peak = peaks.get(pid) ?? now
      peaks.set(pid, { own: Math.max(now.own, peak.own), files: Math.max(now.files, peak.files) })
    }
  }, MEMORY_PAUSE_MS)
  while (performance.now() < end) {
    const begun = performance.now()
    await ask(bare.port)
    times.push(performance.now() - begun)
    await sleep(PAUSE_MS)
  }
  clearInterval(memory)
  const report = await honest.stop()
  times.sort((a, b) => a - b)
  const at = (share: number): number => times[Math.floor(times.length * share)]!
  return { report, bare: { p50: at(0.5), p99: at(0.99) }, peaks }
}

type Watched = Awaited<ReturnType<typeof watch>>

function tell(when: string, { report, bare: reference }: Watched, idle: Watched): void {
  const { reads, rest, jsonrpc, grpc, transfers, failures, longestHeadGapMs } = report
  const ms = ({ p50, p99 }: { readonly p50: number; readonly p99: number }): string =>
    `${p50.toFixed(1)}/${p99.toFixed(0)}`
  console.log(
    `${when}: p50/p99 in ms: REST ${ms(rest)}, JSON-RPC ${ms(jsonrpc)}, gRPC ${ms(grpc)}, bare ${ms(reference)}; ` +
      `transfers ${ms(transfers)}; heads at most ${longestHeadGapMs.toFixed(0)} ms apart; ${failures.length} failures`,
  )
  for (const text of new Set(failures)) console.log(`  ${text.slice(0, 200)}`)
  const nodeRatio = reads.p99 / idle.report.reads.p99
  const bareRatio = reference.p99 / idle.bare.p99
  console.log(
    `  p99 against idle: node ${nodeRatio.toFixed(1)}, bare ${bareRatio.toFixed(1)}; ` +
      `p99 node / bare: ${(reads.p99 / reference.p99).toFixed(1)}, idle ${(idle.report.reads.p99 / idle.bare.p99).toFixed(1)}`,
  )
}

await (await startHonest(node)).stop()
await sleep(WARM_MS)
const idle = await watch(IDLE_SECONDS)
tell('idle', idle, idle)
const begun = performance.now()
const attacks: RunningAttacks[] = []
for (let i = 0; i < NAMES.length; i += PER_PROCESS) {
  attacks.push(await startAttacks(node, NAMES.slice(i, i + PER_PROCESS)))
}
console.log(
  `the attacks were prepared in ${((performance.now() - begun) / 1000).toFixed(0)} s, the first ones beside the last`,
)
const attacked = await watch(SECONDS)
tell(`attacked for ${SECONDS} s`, attacked, idle)
for (const [pid, { own, files }] of attacked.peaks) {
  const before = idle.peaks.get(pid) ?? { own: 0, files: 0 }
  const grown = (now: number, then: number): string => `${((now - then) / MB).toFixed(0)} MB`
  const what = pid === node.child.pid ? 'main process' : 'API worker'
  console.log(
    `  ${what}: own memory ${grown(own, before.own)}, pages of files ${grown(files, before.files)} above idle`,
  )
}
const counts = await Promise.all(attacks.map((group) => group.stop()))
console.log(JSON.stringify(Object.assign({}, ...counts)))
agent.destroy()
bare.end()
