import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { storesOf } from '../app/stores.ts'
import { createIdentity } from '../identity/identity.ts'
import { findProfile } from '../identity/profiles.ts'
import { openBlockIndex } from '../indexer/block-index.ts'
import { openBackend } from '../node/backend.ts'
import { makeSnapshot } from '../node/snapshots/home-snapshots.ts'
import { restoreFolder } from '../node/snapshots/restore-run.ts'
import { type Node, testNode } from '../node/start.ts'
import { formatHex } from '../primitives/bytes.ts'
import { formatRfc3339Nano } from '../primitives/time.ts'
import { snapshot } from './snapshot.ts'
import type { Terminal } from './terminal.ts'

const scratch = mkdtempSync(join(tmpdir(), 'almanac-snapshots-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))
const homeOf = (name: string) => join(scratch, name)

/** Runs `almanac snapshot`. Returns what it prints. */
async function run(...args: string[]): Promise<string> {
  const lines: string[] = []
  const print = (text: string) => void lines.push(text)
  const terminal = { print, note: print } as unknown as Terminal
  await snapshot(args, undefined, terminal)
  return lines.join('\n')
}

async function rpc<T>(node: Node, method: string, ...params: readonly unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const answer = await (await fetch(node.urls.jsonrpc, { method: 'POST', headers, body })).json()
  const { result, error } = answer as { result: T; error?: { message: string } }
  if (error) throw new Error(error.message)
  return result
}

let appHash = ''
let balance = ''
let blockHash = ''
let to = ''

beforeAll(async () => {
  const node = await testNode({ home: homeOf('origin'), ports: true, chain: { accounts: 3 } })
  const [from, recipient] = node.accounts.map(({ address }) => address)
  to = recipient!
  while (node.height < 12n) {
    await rpc(node, 'eth_sendTransaction', { from, to, value: '0x38d7ea4c68000', gas: '0x5208' })
    await node.nextBlock()
  }
  balance = await rpc(node, 'eth_getBalance', to, '0xa')
  blockHash = (await rpc<{ hash: string }>(node, 'eth_getBlockByNumber', '0xa', false)).hash
  const header = await node.query('/sdk/base/tendermint/v1beta1/blocks/11')
  appHash = Buffer.from(
    (header as { block: { header: { app_hash: string } } }).block.header.app_hash,
    'base64',
  ).toString('hex')
  await node.stop()
})

const genesis = () => ['--genesis', join(homeOf('origin'), 'genesis.json')]
const made = () => join(homeOf('origin'), 'snapshots/10')

test('the progress of a snapshot ends with all keys', async () => {
  const counts: (readonly [number, number])[] = []
  const stores = storesOf(createIdentity(findProfile('almanac')!))
  await makeSnapshot({
    data: join(homeOf('origin'), 'data'),
    snapshots: join(scratch, 'with-progress'),
    stores,
    height: 10n,
    onProgress: (done, total) => counts.push([done, total]),
  })
  const [done, total] = counts.at(-1)!
  expect(done).toBe(total)
  expect(total).toBeGreaterThan(100)
})

test('a snapshot restores to the app hash of its height, and its home makes the same snapshot', async () => {
  const created = await run('create', '--home', homeOf('origin'), '--height', '10')
  expect(created).toContain(`app hash ${appHash.toUpperCase()}`)
  await expect(run('create', '--home', homeOf('origin'), '--height', '10')).rejects.toThrow(
    'a snapshot of height 10 already',
  )
  expect(await run('restore', made(), '--home', homeOf('copy'), ...genesis(), '--app-hash', appHash)).toContain(
    `restored height 10 into ${homeOf('copy')}`,
  )
  await run('create', '--home', homeOf('copy'))
  expect(await run('list', '--home', homeOf('copy'))).toBe(await run('list', '--home', homeOf('origin')))
  expect(await run('delete', '10', '--home', homeOf('copy'))).toBe('deleted the snapshot of height 10')
  expect(await run('list', '--home', homeOf('copy'))).toBe('')
  await expect(run('delete', '10', '--home', homeOf('copy'))).rejects.toThrow('there is no snapshot of height 10')
})

test('an archive of a snapshot is a tar file for others, and loads into another home', async () => {
  const archive = homeOf('10-3.tar.gz')
  const dump = () => run('dump', '10', '--home', homeOf('origin'), '--output-file', archive)
  expect(await dump()).toBe(`wrote the snapshot of height 10 to ${archive}: 1 chunks`)
  await expect(dump()).rejects.toThrow(`${archive} exists`)
  expect(execFileSync('tar', ['-tzf', archive], { encoding: 'utf8' })).toBe('_snapshot\n0\n')
  const chunk = execFileSync('tar', ['-xzOf', archive, '0'], { maxBuffer: 2 ** 30 })
  expect(chunk.equals(readFileSync(join(made(), '3/0')))).toBe(true)
  const load = (path = archive) => run('load', path, '--home', homeOf('loaded'))
  expect(await load()).toContain('loaded the snapshot of height 10 into ')
  expect(await run('list', '--home', homeOf('loaded'))).toBe(await run('list', '--home', homeOf('origin')))
  await expect(load()).rejects.toThrow('there is a snapshot of height 10 in')
  await expect(run('dump', '11', '--home', homeOf('origin'))).rejects.toThrow('there is no snapshot of height 11')

  await run('delete', '10', '--home', homeOf('loaded'))
  const bytes = gunzipSync(readFileSync(archive))
  const at = bytes.indexOf(chunk.subarray(0, 64))
  bytes[at + 5]! ^= 1
  writeFileSync(archive, gzipSync(bytes))
  await expect(load()).rejects.toThrow(`${archive} is no archive of a snapshot: chunk 0 does not have its hash`)
  expect(readdirSync(join(homeOf('loaded'), 'snapshots'))).toEqual([])
})

test('what a killed process left of a snapshot is no snapshot, and is deleted', async () => {
  const left = join(homeOf('origin'), 'snapshots/new.8.4194305')
  mkdirSync(join(left, '3'), { recursive: true })
  writeFileSync(join(left, '3/0'), 'chunk')
  mkdirSync(join(homeOf('origin'), 'snapshots/7/3'), { recursive: true })
  expect(await run('list', '--home', homeOf('origin'))).not.toContain('height: 7')
  await run('create', '--home', homeOf('origin'), '--height', '9')
  expect(existsSync(left)).toBe(false)
  expect(await run('list', '--home', homeOf('origin'))).toContain('height: 9')
})

test('a node continues a restored chain, and says where its history begins', async () => {
  mkdirSync(homeOf('next'))
  cpSync(join(homeOf('origin'), 'priv_validator_key.json'), join(homeOf('next'), 'priv_validator_key.json'))
  await run('restore', made(), '--home', homeOf('next'), ...genesis())
  const node = await testNode({ home: homeOf('next'), ports: true })
  try {
    expect(node.height).toBe(11n)
    expect(await rpc(node, 'eth_getBalance', to, '0xa')).toBe(balance)
    await expect(rpc(node, 'eth_getBalance', to, '0x9')).rejects.toThrow(
      'height 9 is before the history of this node, which was restored from a snapshot of height 10',
    )
    const { parentHash } = await rpc<{ parentHash: string }>(node, 'eth_getBlockByNumber', '0xb', false)
    expect(parentHash).toBe(blockHash)
    expect(await rpc(node, 'eth_getBlockByNumber', '0xa', false)).toBeNull()
    await node.nextBlock()
    expect(node.height).toBe(12n)
  } finally {
    await node.stop()
  }
  await expect(run('restore', made(), '--home', homeOf('next'))).rejects.toThrow('has blocks')
})

test('a snapshot that is wrong leaves nothing', async () => {
  const restore = (...more: string[]) => run('restore', ...more, '--home', homeOf('wrong'), ...genesis())
  await expect(restore(made(), '--app-hash', 'ab'.repeat(32))).rejects.toThrow(`instead of ${'ab'.repeat(32)}`)
  const damaged = homeOf('damaged')
  cpSync(made(), damaged, { recursive: true })
  appendFileSync(join(damaged, '3/0'), 'more')
  await expect(restore(damaged)).rejects.toThrow('its chunks do not have its hash')
  rmSync(join(damaged, '3/record'))
  writeFileSync(join(damaged, '3/0'), 'no zlib')
  await expect(restore(damaged)).rejects.toThrow('does not say the height')
  await expect(restore(damaged, '--height', '10')).rejects.toThrow('the snapshot is damaged: incorrect header check')
  writeFileSync(join(damaged, '3/2'), '')
  await expect(restore(damaged, '--height', '10')).rejects.toThrow(`${join(damaged, '3/1')} is missing`)
  await expect(restore(homeOf('none'))).rejects.toThrow('is no folder')
  await expect(restore(homeOf('origin'))).rejects.toThrow('contains no snapshot')
  await expect(restore(made(), '--height', '9')).rejects.toThrow('is of height 10')
  await expect(restore(made(), '--app-hash', 'xyz')).rejects.toThrow('must be 64 hexadecimal digits')
  await expect(run('restore', made(), '--home', homeOf('empty'))).rejects.toThrow('--genesis')
  const left = readdirSync(homeOf('wrong'))
  expect(left).not.toContain('data')
  expect(existsSync(restoreFolder(join(homeOf('wrong'), 'data')))).toBe(false)
})

const recording = resolve('../shared/recordings/reference-1')

test.skipIf(!existsSync(recording))(
  'a snapshot of the reference restores with the hash and time of its block',
  async () => {
    const read = (name: string) => gunzipSync(readFileSync(join(recording, name))).toString()
    const blocks = read('blocks.jsonl.gz').split('\n')
    const [block, next] = [199, 200].map(
      (line) => JSON.parse(blocks[line]!) as { hash: string; time: string; appHash: string },
    )
    const document = homeOf('reference.json')
    writeFileSync(document, read('genesis.json.gz'))
    const flags = ['--home', homeOf('reference'), '--genesis', document, '--profile', 'nibiru']
    await run('restore', join(recording, 'snapshot/200'), ...flags, '--app-hash', next!.appHash)

    const backend = await openBackend({ path: join(homeOf('reference'), 'data'), readOnly: true })
    const blocksHere = openBlockIndex(backend)
    const { hash, header } = blocksHere.header(200n)!
    expect(formatHex(hash).toUpperCase()).toBe(block!.hash)
    expect(formatRfc3339Nano(header.timeNs)).toBe(block!.time)
    const validators = read('validators.jsonl.gz').split('\n')
    for (const height of [200, 201, 202]) {
      const recorded = JSON.parse(validators[height - 1]!) as { validators: { address: string; votingPower: string }[] }
      expect(
        blocksHere
          .validators(BigInt(height))!
          .map(({ address, power }) => [formatHex(address).toUpperCase(), `${power}`]),
      ).toEqual(recorded.validators.map(({ address, votingPower }) => [address, votingPower]))
    }
    await backend.close()
  },
)
