import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { storesOf } from '../src/app/stores.ts'
import { createIdentity } from '../src/identity/identity.ts'
import { openBackend } from '../src/node/backend.ts'
import { diskFiles } from '../src/node/files.ts'
import { homePaths } from '../src/node/home-paths.ts'
import { profileOfHome } from '../src/node/home-record.ts'
import { formatHex } from '../src/primitives/bytes.ts'
import { openVersionedStore } from '../src/store/versioned.ts'
import { type NodeProcess, startProcess } from './support/process.ts'
import { rpc } from './support/rpc.ts'

const scratch = mkdtempSync(join(tmpdir(), 'almanac-backup-'))
const home = join(scratch, 'home')
const folder = join(scratch, 'backups')
const program = resolve(import.meta.dirname, '../bin/almanac')
const execute = promisify(execFile)
const almanac = async (...args: readonly string[]) => (await execute(process.execPath, [program, ...args])).stdout
const START = ['--block-time', '100ms', '--api-workers', '0', '--compute-workers', '0']
const RECEIVER = `0x${'77'.repeat(20)}`

let node: NodeProcess
beforeAll(async () => {
  node = await startProcess(['--home', home, ...START])
}, 120_000)
afterAll(async () => {
  await node?.[Symbol.asyncDispose]()
  rmSync(scratch, { recursive: true, force: true })
})

const send = (to: string) =>
  rpc(node.config, 'eth_sendTransaction', [{ from: node.config.accounts[0]!.address, to, value: '0x1', gas: '0x5208' }])

/** Sends transfers to new accounts until the returned function is called. */
function sendTransfers(): () => Promise<void> {
  let isEnded = false
  const sending = (async () => {
    for (let i = 1; !isEnded; i++) await send(`0x${i.toString(16).padStart(40, '5')}`)
  })()
  return async () => {
    isEnded = true
    await sending
  }
}

const heightOf = (printed: string) => Number(/height (\d+)/.exec(printed)![1])
const chunkFiles = () => readdirSync(join(folder, 'chunks'), { recursive: true, encoding: 'utf8' })

test('a backup during transfers restores to a chain with the same blocks and accounts, which goes on', async () => {
  const stop = sendTransfers()
  await send(RECEIVER)
  const first = await almanac('backup', folder, '--home', home)
  const chunks = new Set(chunkFiles())
  const second = await almanac('backup', folder, '--home', home, '--keep', '1')
  await stop()
  expect(heightOf(second)).toBeGreaterThanOrEqual(heightOf(first))
  // The pieces that did not change are shared by both.
  expect(chunkFiles().some((name) => chunks.has(name) && name.includes('/'))).toBe(true)
  expect(readdirSync(join(folder, 'backups'))).toHaveLength(1)

  const copy = join(scratch, 'copy')
  const height = heightOf(second)
  expect(await almanac('restore', folder, '--home', copy)).toContain(`restored height ${height} `)
  const [own, copied] = [await stateOf(home, height), await stateOf(copy, height)]
  expect(own.size).toBeGreaterThan(100)
  expect([...copied.keys()].filter((key) => own.get(key) !== copied.get(key))).toEqual([])
  expect(copied.size).toBe(own.size)
  await using restored = await startProcess(['--home', copy, ...START])
  const at = `0x${height.toString(16)}`
  for (let block = 1; block <= height; block++) {
    const number = `0x${block.toString(16)}`
    for (const [method, params] of [
      ['eth_getBlockByNumber', [number, true]],
      ['eth_getBlockReceipts', [number]],
    ] as const)
      expect(await rpc(restored.config, method, params), number).toEqual(await rpc(node.config, method, params))
  }
  for (const [method, params] of [
    ['eth_getBalance', [node.config.accounts[0]!.address, at]],
    ['eth_getBalance', [RECEIVER, at]],
    ['eth_getTransactionCount', [node.config.accounts[0]!.address, at]],
  ] as const)
    expect(await rpc(restored.config, method, params)).toEqual(await rpc(node.config, method, params))
  await expect
    .poll(async () => Number(await rpc(restored.config, 'eth_blockNumber')), { timeout: 60_000 })
    .toBeGreaterThan(height)
}, 180_000)

/** Returns every key of every store at a height, with its value and the height that wrote it. */
async function stateOf(root: string, height: number): Promise<ReadonlyMap<string, string>> {
  const paths = homePaths(root)
  const backend = await openBackend({ path: paths.data, readOnly: true })
  const stores = storesOf(createIdentity(profileOfHome(paths, diskFiles)))
  const state = openVersionedStore(backend, stores).exportAt(BigInt(height))
  const keys = new Map<string, string>()
  let store = ''
  for (const item of state.items()) {
    if (item.kind === 'store') store = item.name
    if (item.kind === 'node' && item.height === 0)
      keys.set(`${store} ${formatHex(item.key)}`, `${formatHex(item.value)} of height ${item.version}`)
  }
  state.close()
  await backend.close()
  return keys
}

test('a backup that was killed is no backup, and the next one goes on from its pieces', async () => {
  const at = join(scratch, 'killed')
  // A backup of some hundred pieces does not end before it is killed.
  const large = join(home, 'large')
  writeFileSync(large, randomBytes(64 * 1024 * 1024))
  const pieces = () =>
    existsSync(at)
      ? readdirSync(at, { recursive: true, encoding: 'utf8' }).filter((name) => /[0-9a-f]{64}$/.test(name))
      : []
  const child = spawn(process.execPath, [program, 'backup', at, '--home', home], { stdio: 'ignore' })
  // The database comes first, and its pieces change while the node makes blocks.
  while (pieces().length < 80) await new Promise((done) => setTimeout(done, 5))
  child.kill('SIGKILL')
  expect((await once(child, 'exit'))[1]).toBe('SIGKILL')
  const left = pieces().length
  expect(left).toBeLessThan(500)
  const copy = join(scratch, 'after-kill')
  await expect(almanac('restore', at, '--home', copy)).rejects.toThrow('contains no complete backup')
  const [, whole, written] = /: ([\d.]+) MB, of which ([\d.]+) MB/.exec(await almanac('backup', at, '--home', home))!
  expect(Number(written)).toBeLessThan(Number(whole))
  expect(
    readdirSync(join(at, 'chunks'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.new')),
  ).toEqual([])
  expect(await almanac('restore', at, '--home', copy)).toContain('restored height')
  expect(readFileSync(join(copy, 'large')).equals(readFileSync(large))).toBe(true)
  rmSync(large)
  // A home with a node, or with anything else, is not replaced.
  const before = await rpc(node.config, 'eth_blockNumber')
  await expect(almanac('restore', at, '--home', home)).rejects.toThrow(`${home} is not empty`)
  expect(Number(await rpc(node.config, 'eth_blockNumber'))).toBeGreaterThanOrEqual(Number(before))
}, 180_000)

test('a damaged piece is named, nothing is restored, and a backup with --verify replaces it', async () => {
  await almanac('backup', folder, '--home', home)
  const { path, chunks } = listOf('data/data.mdb')
  const damaged = chunks.at(-1)!
  const file = join(folder, 'chunks', damaged.slice(0, 2), damaged)
  const whole = readFileSync(file)
  writeFileSync(file, Buffer.concat([whole.subarray(1), Buffer.of(whole[0]! ^ 1)]))
  const copy = join(scratch, 'damaged')
  await expect(almanac('restore', folder, '--home', copy)).rejects.toThrow(damaged)
  expect(readdirSync(scratch).filter((name) => name.startsWith('damaged'))).toEqual([])
  writeFileSync(path, readFileSync(path, 'utf8').replace('"height": ', '"height": 1'))
  await expect(almanac('restore', folder, '--home', copy)).rejects.toThrow(path)
  rmSync(path)
  await node.kill('SIGTERM')
  await almanac('backup', folder, '--home', home, '--verify')
  expect(await almanac('restore', folder, '--home', copy)).toContain('restored height')
  await expect(almanac('restore', folder, '--home', copy)).rejects.toThrow('is not empty')
  await expect(almanac('backup', join(home, 'b'), '--home', home)).rejects.toThrow('is in the home')
}, 180_000)

/** Returns a file of the newest backup, with the path of its list. */
function listOf(name: string): { readonly path: string; readonly chunks: readonly string[] } {
  const path = join(folder, 'backups', readdirSync(join(folder, 'backups')).sort().at(-1)!)
  const { manifest } = JSON.parse(readFileSync(path, 'utf8'))
  const found = manifest.files.find((file: { path: string }) => file.path === name)
  return { path, chunks: found.chunks }
}

test('a stopped home with the blocks of an engine is copied with them', async () => {
  // The settings of the home do not name the engine, as after a start with the flag.
  const other = join(scratch, 'engine-home')
  const at = join(scratch, 'engine-backups')
  const block = join('engine', 'data', 'blockstore.db', '000001.log')
  {
    await using _ = await startProcess(['--home', other, ...START])
  }
  mkdirSync(join(other, 'engine', 'data', 'blockstore.db'), { recursive: true })
  writeFileSync(join(other, block), 'a block')
  await almanac('backup', at, '--home', other)
  await almanac('restore', at, '--home', join(scratch, 'engine-copy'))
  expect(readFileSync(join(scratch, 'engine-copy', block), 'utf8')).toBe('a block')
}, 120_000)
