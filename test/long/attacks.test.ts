/** Every attack at once against the built program, with honest clients beside them. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startBare } from '../../bench/support/bare.ts'
import { ATTACKS, type AttackName, GROUPS } from '../support/attacks/all.ts'
import { type Report, startHonest } from '../support/attacks/honest.ts'
import { type CountsByAttack, type RunningAttacks, startAttacks } from '../support/attacks/start.ts'
import { expectCleanStop, GROWTH_LIMIT_BYTES, MB } from '../support/attacks/survive.ts'
import { countTable, waitTable } from '../support/attacks/table.ts'
import { answersIn } from '../support/attacks/target.ts'
import { startProcess } from '../support/process.ts'

const SECONDS = Number(process.env['TEST_ATTACKS_SECONDS'] ?? 600)
const WARM_MS = 5000
const IDLE_MS = Math.min(60_000, SECONDS * 200)
/**
 * Longest wait that 99 of 100 reads may have. The attackers, the node and the honest clients share one machine of two
 * processors, so this bound only catches a node that stops answering; the run prints how the waits compare with an idle node.
 */
const LONGEST_P99_MS = 5000
/** The chain has a block each second. A full block of the most expensive work takes seven seconds on an idle machine. */
const LONGEST_HEAD_GAP_MS = 30_000

function tell(when: string, report: Report): void {
  const { heads, longestHeadGapMs, peakBytes } = report
  const memory = `${(peakBytes / MB).toFixed(0)} MB above idle`
  console.info(
    `${when}: ${heads} heads, ${longestHeadGapMs.toFixed(0)} ms apart at most, ${memory}\n${waitTable(report)}`,
  )
}

test('the groups contain every attack once', () => {
  expect(GROUPS.flat().sort()).toEqual(Object.keys(ATTACKS).sort())
})

const LONGEST_FIRST_ANSWER_MS = 120_000
/** Time for starting, measuring idle waits and preparing attacks; ends a run whose node answers nobody. */
const AROUND_MS = 360_000

test('all attacks at once leave honest clients, blocks and memory unharmed', {
  timeout: SECONDS * 1000 + AROUND_MS,
}, async () => {
  const home = mkdtempSync(join(tmpdir(), 'almanac-attacked-'))
  await using node = await startProcess(['--home', home, '--feeder', 'true'])
  const bare = await startBare(JSON.stringify({ balances: [] }))
  const barePort = bare.port
  const warm = await startHonest(node)
  await wait(WARM_MS)
  await warm.stop()
  const quiet = await startHonest(node, { barePort })
  await wait(IDLE_MS)
  const idle = await quiet.stop()
  tell('idle', idle)

  const idleBytes = node.memoryByProcess()
  const [first, ...others] = GROUPS
  const attacks = [await startAttacks(node, first!)]
  attacks.push(...(await Promise.all(others.map((names) => startAttacks(node, names)))))
  const honest = await startHonest(node, { idleBytes, barePort })
  await wait(SECONDS * 1000)
  const attacked = await honest.stop()
  // An attack that the node never answered proves nothing. Each process ends once all of its attacks have an answer, so that
  // on a slow machine the others have the processor.
  const untilAnswered = async (group: RunningAttacks): Promise<CountsByAttack> => {
    const unanswered = (): AttackName[] => group.names.filter((name) => answersIn(group.counts()[name] ?? {}) === 0)
    await expect.poll(unanswered, { timeout: LONGEST_FIRST_ANSWER_MS }).toEqual([])
    return group.stop()
  }
  const counts: CountsByAttack = Object.assign({}, ...(await Promise.all(attacks.map(untilAnswered))))
  bare.end()
  tell(`attacked for ${SECONDS} s`, attacked)
  console.info(countTable(counts, SECONDS))

  expect(attacked.failures).toEqual([])
  console.info(
    `99 of 100 reads wait ${(attacked.reads.p99 / idle.reads.p99).toFixed(0)} times as long as on an idle node`,
  )
  expect(attacked.reads.p99).toBeLessThan(LONGEST_P99_MS)
  expect(attacked.transfers.requests).toBeGreaterThan(0)
  expect(attacked.longestHeadGapMs).toBeLessThan(LONGEST_HEAD_GAP_MS)
  expect(attacked.peakBytes).toBeLessThan(GROWTH_LIMIT_BYTES)
  await expectCleanStop(node)
})
