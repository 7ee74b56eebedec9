/** Sixteen concurrent endless calls, against the time they are allowed. `npm run bench -- endless`. */
import { ENDLESS_LOOP, ENDLESS_PAIRINGS, sixteenCalls, transferDuring } from '../test/support/endless-calls.ts'
import { startProcess } from '../test/support/process.ts'

await using node = await startProcess(['--ephemeral'])
await sixteenCalls(node, '0x00')

function show(what: string, seconds: number, allowed: number): void {
  console.log(`${what}: ${seconds.toFixed(2)} s, ${(seconds / allowed).toFixed(2)} of the ${allowed} s allowed`)
  if (seconds > allowed) process.exitCode = 1
}

const loops = await sixteenCalls(node, ENDLESS_LOOP)
show('sixteen endless loops at the gas cap, all answered', loops.seconds, 1)
const load = sixteenCalls(node, ENDLESS_PAIRINGS)
show('a transfer meanwhile is in a block', await transferDuring(node, load), 1)
// The time budget of a call is 5 s; terminating a worker is allowed two more.
show('sixteen calls of the dearest precompile, all answered', (await load).seconds, 7)
