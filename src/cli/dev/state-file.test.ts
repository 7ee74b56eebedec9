import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { MAX_STATE_BYTES } from '../../api/jsonrpc/development/state/read-state.ts'
import { assembleNode } from '../../node/assembly.ts'
import { resolveConfig } from '../../node/config.ts'
import { diskFiles } from '../../node/files.ts'
import { keepStateFile, loadStateFile, stateFilesOf } from './state-file.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'almanac-state-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const flags = (given: Readonly<Record<string, string>>) => stateFilesOf(new Map(Object.entries(given)))

async function open() {
  const resolved = resolveConfig({
    caller: { api: { workers: 0 }, compute: { workers: 0 }, feeder: { enabled: false } },
  })
  const lines: string[] = []
  const log = (level: string, message: string) => void lines.push(`${level} ${message}`)
  const node = await assembleNode({ resolved, home: undefined, freePorts: true, openPorts: false, log })
  return { node, lines, [Symbol.asyncDispose]: () => node.stop() }
}

test('a state that is kept at the stop is loaded by the next chain', async () => {
  const path = join(folder, 'kept.json')
  {
    await using first = await open()
    await first.node.production!.nextBlock()
    const kept = keepStateFile(first.node, {
      dumps: { path, flag: '--dump-state' },
      intervalMs: 60_000,
      keepsStates: false,
    })!
    await first.node.production!.nextBlock()
    await kept.end()
  }
  const files = flags({ state: path })
  await using second = await open()
  await loadStateFile(second.node, files)
  expect(second.node.height).toBe(3n)
  const { blocks } = JSON.parse(readFileSync(path, 'utf8')) as { blocks: { header: { hash: string } }[] }
  const hash = second.node.gateway.blocks.block(2n)!.hash
  expect(blocks[2]!.header.hash).toBe(`0x${Buffer.from(hash).toString('hex')}`)
})

test('the file is written at each interval with changes, as a whole', async () => {
  const path = join(folder, 'interval.json')
  await using chain = await open()
  const { production } = chain.node
  const write = vi.fn(diskFiles.write)
  const kept = keepStateFile(
    chain.node,
    { dumps: { path, flag: '--dump-state' }, intervalMs: 20, keepsStates: false },
    { ...diskFiles, write },
  )!
  const best = () => (JSON.parse(readFileSync(path, 'utf8')) as { best_block_number: number }).best_block_number
  await expect.poll(() => write.mock.calls.length).toBe(1)
  await production!.nextBlock()
  await expect.poll(() => write.mock.calls.length).toBe(2)
  expect(best()).toBe(2)
  await kept.end()
  expect(write).toHaveBeenCalledTimes(2)
  expect(readdirSync(folder).filter((name) => name.startsWith('interval'))).toEqual(['interval.json'])
})

test('a file that cannot be written is in the log, and at the stop it is an error', async () => {
  await using chain = await open()
  const write = () => {
    throw new Error('ENOSPC')
  }
  const kept = keepStateFile(
    chain.node,
    { dumps: { path: join(folder, 'full.json'), flag: '--state' }, intervalMs: 5, keepsStates: false },
    { ...diskFiles, write },
  )!
  await expect.poll(() => chain.lines).toContain('error the state file cannot be written')
  await expect(kept.end()).rejects.toThrow('ENOSPC')
})

test('flags choose files: one for both, a folder, a file that need not exist', () => {
  expect(flags({})).toEqual({ loads: undefined, dumps: undefined, intervalMs: 60_000, keepsStates: false })
  const missing = join(folder, 'missing.json')
  expect(flags({ state: missing, 'state-interval': '5' })).toEqual({
    loads: undefined,
    dumps: { path: missing, flag: '--state' },
    intervalMs: 5000,
    keepsStates: false,
  })
  const path = join(folder, 'state.json')
  writeFileSync(path, '{}')
  const wanted = (flag: string) => ({
    loads: { path, bytes: Buffer.from('{}') },
    dumps: { path, flag },
    intervalMs: 60_000,
    keepsStates: false,
  })
  expect(flags({ state: folder })).toEqual(wanted('--state'))
  expect(flags({ 'load-state': path, 'dump-state': path })).toEqual(wanted('--dump-state'))
})

test('a place that cannot be written is refused at the start, and named at the stop', async () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  expect(() => flags({ 'dump-state': join(file, 'x/y.json') })).toThrow(
    `--dump-state ${join(file, 'x/y.json')}: cannot be written: `,
  )
  expect(() => flags({ state: join(file, 'y.json') })).toThrow(`--state ${join(file, 'y.json')}: cannot be written: `)
  expect(() => flags({ 'dump-state': '/dev/null' })).toThrow('--dump-state /dev/null: cannot be written: it is no file')
  const place = join(folder, 'new', 'deep')
  const { dumps } = flags({ 'dump-state': join(place, 'z.json') })
  expect(readdirSync(folder)).not.toContain('new')
  writeFileSync(join(folder, 'new'), '')
  await using chain = await open()
  const kept = keepStateFile(chain.node, { dumps, intervalMs: 60_000, keepsStates: false })!
  await expect(kept.end()).rejects.toThrow(`--dump-state ${join(place, 'z.json')}: cannot be written: not a directory`)
})

test.each([
  [{ 'load-state': '/no/file' }, '--load-state /no/file: the file does not exist'],
  [{ 'load-state': '/dev/zero' }, '/dev/zero: must be a file'],
  [{ 'state-interval': '5' }, '--state-interval needs --state or --dump-state'],
  [{ state: 'x', 'state-interval': '0' }, '--state-interval 0: must be 1 to 2147483 seconds'],
])('%o is refused', (given, message) => {
  expect(() => flags(given)).toThrow(message)
})

test('a damaged file is an error that names it and what is wrong, and the chain stays as it is', async () => {
  const path = join(folder, 'damaged.json')
  const packed = gzipSync('{"accounts": {}}')
  await using chain = await open()
  const damaged: readonly (readonly [string | Uint8Array, string])[] = [
    ['{"accounts": {"0x12": {}}}', 'accounts.0x12 is "0x12": it must be an address of 20 bytes'],
    ['', 'state is not an output of dumpState: 0 bytes: Unexpected end of JSON input'],
    [
      '{"accounts": {"0x12',
      'state is not an output of dumpState: 19 bytes from 0x7b226163636f756e: Unterminated string',
    ],
    [`{"a":${'['.repeat(1000)}`, 'nested deeper than'],
    [packed.subarray(0, -9), `${packed.length - 9} bytes from 0x1f8b08`],
    [gzipSync(Buffer.alloc(MAX_STATE_BYTES + 1, ' ')), 'larger than'],
  ]
  for (const [content, message] of damaged) {
    writeFileSync(path, content)
    const loaded = loadStateFile(chain.node, flags({ 'load-state': path }))
    await expect(loaded).rejects.toThrow(`${path}: `)
    await expect(loaded).rejects.toThrow(message)
  }
  expect(chain.node.height).toBe(1n)
  writeFileSync(path, packed)
  await loadStateFile(chain.node, flags({ 'load-state': path }))
})
