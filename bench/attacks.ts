/**
 * The waits of honest clients, and the growth of the memory of each process, while attacks of `test/attacks/` run at once, against the
 * same node idle. `npm run bench -- attacks [SECONDS] [ATTACKS]`; ATTACKS are names with commas, all by default. A bare `node:http`
 * server, asked at the same pace from the same process, shows how long the machine, which the attackers share, makes a request wait.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { ATTACKS, type AttackName } from '../test/support/attacks/all.ts'
import { startHonest } from '../test/support/attacks/honest.ts'
import { type RunningAttacks, startAttacks } from '../test/support/attacks/start.ts'
import { countTable, waitTable } from '../test/support/attacks/table.ts'
import { startProcess } from '../test/support/process.ts'
import { startBare } from './support/bare.ts'

const SECONDS = Number(process.argv[2] ?? 60)
const IDLE_SECONDS = Math.min(20, SECONDS)
const NAMES = (process.argv[3]?.split(',') ?? Object.keys(ATTACKS)) as AttackName[]
/** Attacks share a process of their own by this number: one process alone is busy with its own work. */
const PER_PROCESS = 7
const WARM_MS = 5000
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

const bare = await startBare(JSON.stringify({ balances: [] }))
await using node = await startProcess(['--ephemeral', '--feeder', 'true'])

/** Runs the honest clients for a time. */
async function watch(seconds: number) {
  const honest = await startHonest(node, { barePort: bare.port })
  const peaks = new Map<number, Memory>()
  const memory = setInterval(() => {
    for (const pid of node.memoryByProcess().keys()) {
      const now = memoryOf(pid)
      const peak = peaks.get(pid) ?? now
      peaks.set(pid, { own: Math.max(now.own, peak.own), files: Math.max(now.files, peak.files) })
    }
  }, MEMORY_PAUSE_MS)
  await sleep(seconds * 1000)
  const report = await honest.stop()
  clearInterval(memory)
  return { report, peaks }
}

type Watched = Awaited<ReturnType<typeof watch>>

function tell(when: string, { report }: Watched, { report: idle }: Watched): void {
  const { failures, longestHeadGapMs } = report
  console.log(`${when}: heads at most ${longestHeadGapMs.toFixed(0)} ms apart; ${failures.length} failures`)
  console.log(waitTable(report))
  for (const text of new Set(failures)) console.log(`  ${text.slice(0, 200)}`)
  const ratio = (name: 'reads' | 'bare' | 'worked'): string => (report[name].p99 / idle[name].p99).toFixed(1)
  console.log(`  p99 against idle: node ${ratio('reads')}, its work ${ratio('worked')}, bare ${ratio('bare')}`)
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
const [worker] = [...idle.peaks].flatMap(([pid, memory]) => (pid === node.child.pid ? [] : memory)) as [Memory]
for (const [pid, { own, files }] of attacked.peaks) {
  // The process of noisy clients starts later, and is idle as the API worker is.
  const before = idle.peaks.get(pid) ?? worker
  const grown = (now: number, then: number): string => `${((now - then) / MB).toFixed(0)} MB`
  const isLater = !idle.peaks.has(pid)
  const what = pid === node.child.pid ? 'main process' : isLater ? 'API worker of noisy clients' : 'API worker'
  console.log(
    `  ${what}: own memory ${grown(own, before.own)}, pages of files ${grown(files, before.files)} above idle`,
  )
}
const counts = await Promise.all(attacks.map((group) => group.stop()))
console.log(countTable(Object.assign({}, ...counts), SECONDS))
bare.end()
