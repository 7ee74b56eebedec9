import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startNode } from './start.ts'

const DAY_MS = 86_400_000

test('a latest block that is later than the clock is reported, but not on a development chain', async () => {
  const home = mkdtempSync(join(tmpdir(), 'almanac-clock-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const warned: string[] = []
  const start = (dev: boolean, ahead: number) =>
    startNode(
      { home, ports: false, node: { dev, insecureKeys: !dev } },
      {
        clock: () => Date.UTC(2030, 0, 1) + ahead,
        log: (level, message) => void (level === 'warn' && warned.push(message)),
      },
    )
  await (await start(true, 400 * DAY_MS)).stop()
  await (await start(true, 0)).stop()
  expect(warned.filter((message) => message.includes('clock'))).toEqual([])
  await (await start(false, 0)).stop()
  expect(warned.filter((message) => message.includes('clock'))).toEqual([
    expect.stringMatching(/^the latest block is 34560000 s later than the clock of this machine: /),
  ])
})
