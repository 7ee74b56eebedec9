import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { localnetGenesis } from '../app/localnet.ts'
import { almanac } from '../identity/profiles/almanac.ts'
import { assembleNode } from './assembly.ts'
import { resolveConfig } from './config.ts'
import { logProgress } from './log-progress.ts'

test('the log of long work has a record every ten seconds, with rate and remaining time', () => {
  let now = 5_000
  const records: unknown[] = []
  const progress = logProgress(
    (level, message, fields) => records.push([level, message, fields]),
    () => now,
  )
  now = 20_000
  const report = progress('entries imported')
  for (const [at, done] of [
    [29_000, 90],
    [30_000, 100],
    [39_000, 300],
    [40_000, 400],
  ] as const) {
    now = at
    report(done, 1000)
  }
  expect(records).toEqual([
    ['info', 'entries imported', { done: 100, of: 1000, per_second: 10, seconds_left: 90 }],
    ['info', 'entries imported', { done: 400, of: 1000, per_second: 20, seconds_left: 30 }],
  ])
})

test('a record before anything is done has the rate of what else was counted, and no remaining time', () => {
  let now = 0
  const records: unknown[] = []
  const report = logProgress(
    (_level, _message, fields) => records.push(fields),
    () => now,
  )('steps migrated')
  now = 10_000
  report(0, 2, { keys: 7000 })
  expect(records).toEqual([{ done: 0, of: 2, keys: 7000, per_second: 700 }])
})

test('the start of a new chain from a document shows its check, its import and its first block, and the next start nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-progress-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const genesis = join(folder, 'genesis.json')
  const document = localnetGenesis({
    identity: almanac,
    chainId: 'almanac-localnet-1',
    genesisTime: '2024-01-01T00:00:00Z',
    accounts: [{ address: new Uint8Array(20).fill(7), balanceUnative: 1_000_000n }],
    validators: [{ publicKey: new Uint8Array(32).fill(1) }],
  })
  writeFileSync(genesis, JSON.stringify(document))
  const start = async (): Promise<readonly (readonly [string, number | undefined])[]> => {
    const shown: { what: string; share?: number }[] = []
    const node = await assembleNode({
      resolved: resolveConfig({
        caller: { chain: { genesis }, api: { workers: 0 }, compute: { workers: 0 }, feeder: { enabled: false } },
      }),
      home: join(folder, 'home'),
      freePorts: true,
      openPorts: false,
      log: () => undefined,
      progress(what) {
        const entry: (typeof shown)[number] = { what }
        shown.push(entry)
        return (done, total) => {
          entry.share = done / total
        }
      },
    })
    await node.stop()
    return shown.map(({ what, share }) => [what, share] as const)
  }
  expect(await start()).toEqual([
    ['entries checked', 1],
    ['keys written', 1],
  ])
  expect(await start()).toEqual([])
})
