/** Every attack at once against the built program, with honest clients beside them. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ATTACKS, GROUPS } from '../support/attacks/all.ts'
import { type Report, startHonest, type Waits } from '../support/attacks/honest.ts'
import { startAttacks } from '../support/attacks/start.ts'
import { expectCleanStop, GROWTH_LIMIT_BYTES, MB } from '../support/attacks/survive.ts'
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
/** Limit of the growth of one process under all attacks together. */
const LONGEST_GROWTH_BYTES = 2 * GROWTH_LIMIT_BYTES

const show = ({ requests, p50, p99, longest }: Waits): string =>
  `${requests} requests, p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, longest ${longest.toFixed(0)} ms`

function tell(when: string, { rest, jsonrpc, grpc, transfers, heads, longestHeadGapMs, peakBytes }: Report): void {
  console.info(
    [
      `${when}: ${heads} heads, ${longestHeadGapMs.toFixed(0)} ms apart at most, ${(peakBytes / MB).toFixed(0)} MB above idle`,
      `  REST      ${show(rest)}`,
      `  JSON-RPC  ${show(jsonrpc)}`,
      `  gRPC      ${show(grpc)}`,
      `  transfers ${show(transfers)}`,
    ].join('\n'),
  )
}

test('the groups contain every attack once', () => {
  expect(GROUPS.flat().sort()).toEqual(Object.keys(ATTACKS).sort())
})

/** Time for starting, measuring idle waits and preparing attacks; ends a run whose node answers nobody. */
const AROUND_MS = 240_000

test('all attacks at once leave honest clients, blocks and memory unharmed', {
  timeout: SECONDS * 1000 + AROUND_MS,
}, async () => {
  const home = mkdtempSync(join(tmpdir(), 'almanac-attacked-'))
  await using node = await startProcess(['--home', home, '--feeder', 'true'])
  const warm = await startHonest(node)
  await wait(WARM_MS)
  await warm.stop()
  const quiet = await startHonest(node)
  await wait(IDLE_MS)
  const idle = await quiet.stop()
  tell('idle', idle)

  const idleBytes = node.memoryByProcess()
  const [first, ...others] = GROUPS
  const attacks = [await startAttacks(node, first!)]
  attacks.push(...(await Promise.all(others.map((names) => startAttacks(node, names)))))
  const honest = await startHonest(node, idleBytes)
  await wait(SECONDS * 1000)
  const attacked = await honest.stop()
  const counts = await Promise.all(attacks.map((group) => group.stop()))
  tell(`attacked for ${SECONDS} s`, attacked)
  console.info(JSON.stringify(Object.assign({}, ...counts)))

  expect(attacked.failures).toEqual([])
  console.info(
    `99 of 100 reads wait ${(attacked.reads.p99 / idle.reads.p99).toFixed(0)} times as long as on an idle node`,
  )
  expect(attacked.reads.p99).toBeLessThan(LONGEST_P99_MS)
  expect(attacked.transfers.requests).toBeGreaterThan(0)
  expect(attacked.longestHeadGapMs).toBeLessThan(LONGEST_HEAD_GAP_MS)
  expect(attacked.peakBytes).toBeLessThan(LONGEST_GROWTH_BYTES)
  await expectCleanStop(node)
})
