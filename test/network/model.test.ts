/**
 * Seeded schedules of the model of the engine: applications of both versions of ABCI, faults at calls and writes, proposals that
 * must be rejected (CONTRIBUTING.md#model-of-the-engine).
 */
import { afterAll, expect, test } from 'vitest'
import { type Counts, noCounts } from './run.ts'
import { runSeeds } from './seeds.ts'

const SEEDS_OF_TEST = 100
const SEEDS_OVER_SOCKETS = 20

const firsts = Array.from({ length: 10 }, (_, i) => 1 + i * SEEDS_OF_TEST)
const total = noCounts()

test.each(firsts)(
  `applications agree and keep what they committed in ${SEEDS_OF_TEST} schedules from %i on`,
  async (first) => {
    const counts = await runSeeds(first, SEEDS_OF_TEST)
    for (const name of Object.keys(total) as (keyof Counts)[]) total[name] += counts[name]
    expect(counts.blocks).toBeGreaterThan(SEEDS_OF_TEST)
  },
)

test(`and in ${SEEDS_OVER_SOCKETS} schedules over sockets`, async () => {
  const { blocks, succeeded } = await runSeeds(5000, SEEDS_OVER_SOCKETS, { sockets: true })
  expect(blocks).toBeGreaterThan(SEEDS_OVER_SOCKETS)
  expect(succeeded).toBeGreaterThan(0)
})

test('one seed gives one schedule', async () => {
  const lines: string[][] = [[], []]
  for (const list of lines) await runSeeds(77, 3, { onLine: (line) => list.push(line) })
  expect(lines[0]).toEqual(lines[1])
  expect(lines[0]!.length).toBeGreaterThan(10)
})

afterAll(() => console.info(JSON.stringify(total)))
