import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { freePort } from '../support/ports.ts'
import { startProcess } from '../support/process.ts'
import { rpc } from '../support/rpc.ts'
import { bundle } from '../support/upgrade/bundle.ts'
import { appliedAt, endVoting, heightOf, mineTo, proposePlan, VOTING_SECONDS } from '../support/upgrade/governance.ts'

const home = mkdtempSync(join(tmpdir(), 'almanac-swap-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const EVERY_MS = 5

interface Read {
  readonly startedMs: number
  readonly endedMs: number
  readonly ok: boolean
}

/** Reads over REST, one request after another, until stopped. `reads` counts them. */
function keepReading(url: string) {
  const reads: Read[] = []
  let running = true
  const done = (async () => {
    while (running) {
      const startedMs = performance.now()
      const ok = await fetch(url).then(
        async (response) => response.status === 200 && (await response.text()) !== '',
        () => false,
      )
      reads.push({ startedMs, endedMs: performance.now(), ok })
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
    }
    return reads
  })()
  return {
    reads: reads as readonly Read[],
    stop() {
      running = false
      return done
    },
  }
}

test('with --halt=serve, reads fail only between the exit of the old process and the first answer of the new one', async () => {
  const [path, port] = [await bundle('swap'), await freePort()]
  const flags = [
    ...[
      '--home',
      home,
      '--voting-period',
      `${VOTING_SECONDS}s`,
      '--compute-workers',
      '0',
      '--api-workers',
      '0',
      '--halt',
      'serve',
    ],
    ...['--rest-port', String(port)],
  ]
  const old = await startProcess(flags, { path })
  const { config } = old
  const { reads, stop } = keepReading(`http://127.0.0.1:${port}/chain/evm/v1/balances/${config.accounts[0]!.address}`)
  const height = (await heightOf(config)) + 10
  await proposePlan(config, 'v2', height)
  await endVoting(config)
  await mineTo(config, height - 1)
  await expect(rpc(config, 'evm_mine')).rejects.toThrow('upgrade "v2" is needed')
  const halted = reads.length
  await expect.poll(() => reads.length).toBeGreaterThan(halted + 10)

  const signalledMs = performance.now()
  old.child.kill('SIGTERM')
  await old.ended
  const endedMs = performance.now()
  await expect.poll(() => reads.at(-1)!.ok).toBe(false)
  await using next = await startProcess(flags, { path, environment: { TEST_BUILD: 'v2' } })
  await rpc(next.config, 'evm_mine')
  expect(await appliedAt(next.config, 'v2')).toBe(String(height))
  await expect.poll(() => reads.slice(-10).every(({ ok }) => ok)).toBe(true)
  await stop()

  const failed = reads.filter(({ ok }) => !ok)
  const firstAnswer = reads.find(({ ok, startedMs }) => ok && startedMs > endedMs)!
  expect(failed.length).toBeGreaterThan(0)
  expect(failed.filter(({ endedMs: at }) => at < signalledMs)).toEqual([])
  expect(failed.filter(({ startedMs }) => startedMs > firstAnswer.endedMs)).toEqual([])
  expect(reads.filter(({ ok, endedMs: at }) => ok && at < signalledMs).length).toBeGreaterThan(10)
  const lastBefore = reads.findLast(({ ok, startedMs }) => ok && startedMs < firstAnswer.startedMs)!
  console.log(
    `swap of processes: ${failed.length} of ${reads.length} reads failed, ` +
      `no read for ${Math.round(firstAnswer.endedMs - lastBefore.endedMs)} ms ` +
      `(the old process took ${Math.round(endedMs - signalledMs)} ms to end)`,
  )
})
