import { execFile } from 'node:child_process'
import { appendFileSync, chmodSync, cpSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startNode } from '../src/index.ts'
import { startProcess } from './support/process.ts'
import { rpc } from './support/rpc.ts'

const scratch = mkdtempSync(join(tmpdir(), 'almanac-maintenance-'))
const home = join(scratch, 'home')
const program = resolve(import.meta.dirname, '../bin/almanac')
const execute = promisify(execFile)
const almanac = async (...args: readonly string[]) =>
  (await execute(process.execPath, [program, ...args, '--home', home])).stdout
const HEIGHTS = 40

beforeAll(async () => {
  await using node = await startNode({ home, blocks: { time: 'manual' } })
  const [from, to] = node.accounts
  while (node.height < HEIGHTS) {
    await rpc(node, 'eth_sendTransaction', [{ from: from!.address, to: to!.address, value: '0x1', gas: '0x5208' }])
    await node.nextBlock()
  }
}, 120_000)
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

interface Examined {
  readonly ok: boolean
  readonly checks: readonly {
    readonly name: string
    readonly state: string
    readonly found: string
    readonly fix?: string
  }[]
}

/** Runs the doctor. Resolves with its findings, also if it fails. */
async function examine(...flags: readonly string[]): Promise<Examined> {
  const ports = [
    '--rest-port',
    '0',
    '--grpc-port',
    '0',
    '--jsonrpc-port',
    '0',
    '--jsonrpc-ws-port',
    '0',
    '--comet-port',
    '0',
  ]
  const text = await almanac('doctor', '--json', ...ports, ...flags).catch(({ stdout }) => stdout as string)
  return JSON.parse(text)
}
const checkOf = ({ checks }: Examined, name: string) => checks.find((one) => one.name === name)

test('a running node keeps prune and compact out, and its database can be counted', async () => {
  await using node = await startProcess(['--home', home, '--block-time', 'manual', '--api-workers', '0'])
  await expect(almanac('prune', '--to-height', '10')).rejects.toThrow(
    `needs the node stopped: process ${node.child.pid}`,
  )
  await expect(almanac('compact')).rejects.toThrow('almanac compact needs the node stopped')
  const { height, tables } = JSON.parse(await almanac('db', 'stats', '--json'))
  expect(height).toBeGreaterThanOrEqual(HEIGHTS)
  expect(tables.find(({ name }: { name: string }) => name === 'evm_tx').rows).toBeGreaterThan(HEIGHTS / 2)
  expect(checkOf(await examine(), 'node')?.found).toContain(`process ${node.child.pid}`)
}, 120_000)

test('a pruned and compacted chain answers at kept heights only, has its app hash, and goes on', async () => {
  expect(await almanac('prune', '--to-height', '20')).toContain('the earliest height is 20')
  expect(await almanac('prune', '--to-height', '20')).toContain('nothing to prune')
  expect(await almanac('prune', '--days', '1000')).toContain('nothing to prune')
  const before = statSync(join(home, 'data/data.mdb')).size
  await almanac('compact')
  expect(statSync(join(home, 'data/data.mdb')).size).toBeLessThanOrEqual(before)
  expect(checkOf(await examine('--deep'), 'store')).toMatchObject({
    state: 'ok',
    found: expect.stringContaining('keys give its app hash'),
  })
  await using node = await startNode({ home, blocks: { time: 'manual' } })
  const balanceAt = (height: number) =>
    rpc(node, 'eth_getBalance', [node.accounts[1]!.address, `0x${height.toString(16)}`])
  expect(BigInt((await balanceAt(30)) as string) - BigInt((await balanceAt(20)) as string)).toBe(10n)
  await expect(balanceAt(19)).rejects.toThrow('pruned')
  const { height } = node
  expect(await node.nextBlock()).toBe(height + 1n)
}, 120_000)

test('wrong targets are refused with what would be right', async () => {
  await expect(almanac('prune')).rejects.toThrow('set --to-height HEIGHT or --days N')
  await expect(almanac('prune', '--days', 'x')).rejects.toThrow('--days x: must be a number of days')
  await expect(almanac('prune', '--to-height', '99999999')).rejects.toThrow('height 99999999 is not reached')
}, 60_000)

test('a damaged database does not end the doctor, which says so', async () => {
  const damaged = join(scratch, 'damaged')
  cpSync(home, damaged, { recursive: true })
  // What names the root of the database stays; reading any page beyond the end of the file ends a process.
  truncateSync(join(damaged, 'data/data.mdb'), 8192)
  const failed = await execute(process.execPath, [program, 'doctor', '--json', '--deep', '--home', damaged]).catch(
    (error) => error,
  )
  const examined: Examined = JSON.parse(failed.stdout)
  expect([failed.code, examined.ok]).toEqual([1, false])
  expect(checkOf(examined, 'store')).toMatchObject({
    state: 'fail',
    found: expect.stringContaining('reading it ended the process (SIG'),
    fix: expect.stringContaining('almanac restore'),
  })
  for (const words of [
    ['db', 'stats'],
    ['compact'],
    ['prune', '--days', '1'],
    ['backup', join(scratch, 'of-damaged')],
  ]) {
    const { code, stderr } = await execute(process.execPath, [program, ...words, '--home', damaged]).catch(
      (error) => error,
    )
    expect([words[0], code, stderr]).toEqual([
      words[0],
      1,
      expect.stringMatching(/^almanac: the database is damaged: .*almanac restore .*almanac doctor --deep.*\n$/),
    ])
  }
}, 120_000)

test('a check that does not end is given up after its time', async () => {
  const late = await examine('--deep', '--timeout', '1ms')
  expect(checkOf(late, 'store')).toMatchObject({
    state: 'fail',
    found: expect.stringContaining('not checked within 0.001 s, after 0 keys'),
    fix: expect.stringContaining('--timeout'),
  })
  await expect(almanac('doctor', '--timeout', 'soon')).rejects.toThrow('--timeout soon: must be a duration')
}, 60_000)

test('the doctor names what is wrong and what mends it', async () => {
  expect((await examine()).ok).toBe(true)
  chmodSync(join(home, 'priv_validator_key.json'), 0o644)
  const open = await examine()
  expect(open.ok).toBe(false)
  expect(checkOf(open, 'keys')).toMatchObject({ state: 'fail', fix: expect.stringContaining('chmod 600 ') })
  chmodSync(join(home, 'priv_validator_key.json'), 0o600)
  expect(checkOf(await examine('--api-connections', '1000000'), 'open files')).toMatchObject({ state: 'warn' })
  appendFileSync(join(home, 'config.toml'), '\nrate_limti = 3\n')
  expect(checkOf(await examine(), 'config')).toMatchObject({
    state: 'fail',
    found: expect.stringContaining('rate_limti'),
    fix: expect.stringContaining('config.toml'),
  })
  const other = await execute(process.execPath, [program, 'doctor', '--home', join(scratch, 'none')]).catch(
    (error) => error,
  )
  expect([other.code, other.stdout]).toEqual([1, expect.stringContaining('FAIL  home')])
}, 120_000)
