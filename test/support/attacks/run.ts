/**
 * The process of attackers, apart from the node and its honest clients. Reads the names of attacks from its arguments and the
 * URLs and accounts of the node from the first line of standard input. Each attack has an address of its own, so that none
 * uses up the shares of another. Prints `ready`, then the counts of every attack as JSON each half second, and last once the input
 * ends: at the stop, or because the test has ended.
 */
import { once, setMaxListeners } from 'node:events'
import { setPriority } from 'node:os'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { ATTACKS, type AttackName } from './all.ts'
import { loopback, type Target, untilStopped } from './target.ts'

/** The attackers of a node have computers of their own, so that those of a test leave the processor to the node. */
const LOWEST_PRIORITY = 19
/** Time for answers in transit at the stop. */
const LONGEST_ANSWER_MS = 10_000
const COUNTS_MS = 500

const input = createInterface({ input: process.stdin })
const stop = new AbortController()
setMaxListeners(0, stop.signal)
input.once('close', () => stop.abort())
const [line] = (await once(input, 'line')) as [string]
const config = JSON.parse(line) as Target['config']
const names = process.argv.slice(2) as AttackName[]
const addressOf = (name: AttackName): string => loopback(2 + Object.keys(ATTACKS).indexOf(name))
const running = await Promise.all(
  names.map(async (name) => ({ name, run: await ATTACKS[name]({ config, from: addressOf(name) }) })),
)
setPriority(LOWEST_PRIORITY)
process.stdout.write('ready\n')
const counts: Record<string, Record<string, number>> = {}
const ends = running.map(({ name, run }) => {
  const own: Record<string, number> = {}
  counts[name] = own
  return run(stop.signal, (kind, number = 1) => {
    own[kind] = (own[kind] ?? 0) + number
  })
})
const tell = setInterval(() => process.stdout.write(`${JSON.stringify(counts)}\n`), COUNTS_MS)
await untilStopped(stop.signal)
clearInterval(tell)
await Promise.race([Promise.all(ends), wait(LONGEST_ANSWER_MS)])
process.stdout.write(`${JSON.stringify(counts)}\n`, () => process.exit())
