/**
 * The process of attackers, apart from the node and its honest clients. Reads the names of attacks from its arguments and the
 * target from standard input. Prints `ready`, then at SIGTERM the counts of every attack as JSON.
 */
import { setMaxListeners } from 'node:events'
import { setPriority } from 'node:os'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { ATTACKS, type AttackName } from './all.ts'
import { type Target, untilStopped } from './target.ts'

/** The attackers of a node have computers of their own, so that those of a test leave the processor to the node. */
const LOWEST_PRIORITY = 19
/** Time for answers in transit at the stop. */
const LONGEST_ANSWER_MS = 10_000
setPriority(LOWEST_PRIORITY)

const target = JSON.parse(await text(process.stdin)) as Target
const stop = new AbortController()
setMaxListeners(0, stop.signal)
process.once('SIGTERM', () => stop.abort())
const names = process.argv.slice(2) as AttackName[]
const running = await Promise.all(names.map(async (name) => ({ name, run: await ATTACKS[name](target) })))
process.stdout.write('ready\n')
// Connections that do not read keep no process running.
setInterval(() => {}, 60_000)
const counts: Record<string, Record<string, number>> = {}
const ends = running.map(({ name, run }) => {
  const own: Record<string, number> = {}
  counts[name] = own
  return run(stop.signal, (kind, number = 1) => {
    own[kind] = (own[kind] ?? 0) + number
  })
})
await untilStopped(stop.signal)
await Promise.race([Promise.all(ends), wait(LONGEST_ANSWER_MS)])
process.stdout.write(`${JSON.stringify(counts)}\n`, () => process.exit())
