/**
 * `npx tsx test/network/model.ts --seed N [--seeds COUNT] [--sockets] [--verbose]`: runs seeds of the model of the engine, one with
 * its schedule. Exits with 1 if any fails, after the command that repeats it.
 */
import { parseArgs } from 'node:util'
import { commandOf, runSeeds } from './seeds.ts'

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      seeds: { type: 'string', default: '1' },
      sockets: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
    },
  })
  const { sockets } = values
  const [first, count] = [Number(values.seed), Number(values.seeds)]
  const isShown = values.verbose || count === 1
  let blocks = 0
  for (let seed = first; seed < first + count; seed++) {
    try {
      const counts = await runSeeds(seed, 1, { sockets, ...(isShown && { onLine: (line) => console.log(line) }) })
      if (isShown) console.log(JSON.stringify(counts))
      blocks += counts.blocks
    } catch (error) {
      process.exitCode = 1
      console.error(
        `FAILED ${commandOf(seed, sockets)}\n${error instanceof Error ? (error.cause as Error).stack : error}`,
      )
    }
  }
  console.log(`${count} seeds, ${blocks} blocks`)
}

await main()
