/** The plugin that a node of SDK 0.50 starts: its handshake, and files that are durable before the node goes on. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Client, credentials } from '@grpc/grpc-js'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStreamFolder } from '../../src/consensus/follow/files/stream-folder.ts'
import type { Change } from '../../src/store/types.ts'
import { encodePair } from '../support/follow/fake-node.ts'

const program = resolve(import.meta.dirname, '../../dist/almanac.cjs')
const HANDSHAKE = { ABCI_LISTENER_PLUGIN: 'ef78114d-7bdf-411c-868f-347c99a78345' }
const SERVICE = '/cosmos.store.streaming.abci.ABCIListenerService'

let folder: string
let child: ChildProcess | undefined
let client: Client | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'almanac-listener-'))
})

afterEach(() => {
  client?.close()
  child?.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** Starts the plugin as a node does, and returns its first line. */
async function start(environment: Readonly<Record<string, string>> = HANDSHAKE): Promise<string> {
  const started = spawn(process.execPath, [program, 'listen', join(folder, 'changes')], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child = started
  return new Promise((done, fail) => {
    let output = ''
    let errors = ''
    started.stderr.on('data', (text) => {
      errors += text
    })
    started.stdout.on('data', (text) => {
      output += text
      if (output.includes('\n')) done(output.split('\n')[0]!)
    })
    started.once('exit', (code) => fail(new Error(`exit code ${code}: ${errors}`)))
  })
}

async function connect(): Promise<Client> {
  const address = (await start()).split('|')[3]!
  client = new Client(address, credentials.createInsecure())
  return client
}

const whole = (bytes: Buffer): Buffer => bytes

const call = (method: string, request: Uint8Array): Promise<Buffer> =>
  new Promise((done, fail) => {
    client!.makeUnaryRequest(method, whole, whole, Buffer.from(request), (error, answer) =>
      error ? fail(error) : done(answer!),
    )
  })

/** Encodes `ListenCommitRequest`, with an answer of Commit that the plugin does not need. */
function commitOf(height: number, changes: readonly Change[]): Uint8Array {
  // A pair with its length is the content of a field of bytes.
  const pairs = changes.flatMap((change) => [Buffer.from([0x1a]), encodePair(change)])
  return Buffer.concat([Buffer.from([0x08, height]), Buffer.from([0x12, 2, 0x18, 5]), ...pairs])
}

const CHANGES: readonly Change[] = [
  { store: 'bank', key: Buffer.from('046666', 'hex'), value: new Uint8Array(0) },
  { store: 'evm', key: Buffer.from('02aa', 'hex'), value: Buffer.from('0102', 'hex') },
  { store: 'oracle', key: Buffer.from('01bb', 'hex'), value: undefined },
]

async function read(height: bigint): Promise<readonly Change[]> {
  const stream = openStreamFolder({ path: join(folder, 'changes'), deletes: false })
  const found = await stream.next(height, AbortSignal.timeout(5000))
  stream.close()
  if ('reason' in found) throw new Error(found.reason)
  return found.changes.map(({ store, key, value }) => ({
    store,
    key: Buffer.from(key),
    value: value && (value.length === 0 ? new Uint8Array(0) : Buffer.from(value)),
  }))
}

test('the handshake is the line that the plugin library reads', async () => {
  expect(await start()).toMatch(/^1\|1\|tcp\|127\.0\.0\.1:\d+\|grpc$/)
})

test('a block is a file of the stream when the call returns', async () => {
  await connect()
  await call(`${SERVICE}/ListenFinalizeBlock`, Buffer.from([0x0a, 0]))
  expect(await call(`${SERVICE}/ListenCommit`, commitOf(7, CHANGES))).toEqual(Buffer.alloc(0))
  expect(readdirSync(join(folder, 'changes'))).toEqual(['block-7-data'])
  expect(await read(7n)).toEqual(CHANGES)
  await call(`${SERVICE}/ListenCommit`, commitOf(8, []))
  expect(readFileSync(join(folder, 'changes', 'block-8-data'))).toEqual(Buffer.alloc(8))
})

test('a block of genesis with 20 MB of changes is taken', async () => {
  await connect()
  const large = Array.from({ length: 20 }, (_, i) => ({
    store: 'wasm',
    key: Buffer.from([1, i]),
    value: Buffer.alloc(1 << 20, i),
  }))
  await call(`${SERVICE}/ListenCommit`, commitOf(1, large))
  expect((await read(1n)).length).toBe(20)
})

test('the node learns that it serves, and ends it', async () => {
  await connect()
  // HealthCheckRequest{service="plugin"}; the answer has status SERVING.
  expect(await call('/grpc.health.v1.Health/Check', Buffer.from('0a06706c7567696e', 'hex'))).toEqual(
    Buffer.from([8, 1]),
  )
  const ended = new Promise((done) => child!.once('exit', done))
  await call('/plugin.GRPCController/Shutdown', Buffer.alloc(0))
  expect(await ended).toBe(0)
})

test('it ends with the node that started it', async () => {
  const script = `require('node:child_process').spawn(process.execPath, process.argv.slice(1), { stdio: ['ignore', 'inherit', 'ignore'] })`
  const host = spawn(process.execPath, ['-e', script, program, 'listen', join(folder, 'changes')], {
    env: { ...process.env, ...HANDSHAKE },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child = host
  const address = await new Promise<string>((done) => host.stdout.once('data', (text) => done(String(text))))
  host.kill('SIGKILL')
  client = new Client(address.split('|')[3]!, credentials.createInsecure())
  const check = () =>
    call('/grpc.health.v1.Health/Check', Buffer.alloc(0)).then(
      () => 'serves',
      () => 'gone',
    )
  await expect.poll(check).toBe('gone')
})

test('what is no change set is refused, and nothing is written', async () => {
  await connect()
  await expect(call(`${SERVICE}/ListenCommit`, Buffer.from([0x1a, 9, 1]))).rejects.toThrow(
    'ListenCommitRequest: a field is longer than the message',
  )
  await expect(call(`${SERVICE}/ListenCommit`, Buffer.alloc(0))).rejects.toThrow('block_height must be positive')
  expect(readdirSync(join(folder, 'changes'))).toEqual([])
})

test('a folder that cannot be written makes the call fail, so that the node does not go on', async () => {
  await connect()
  rmSync(join(folder, 'changes'), { recursive: true })
  await expect(call(`${SERVICE}/ListenCommit`, commitOf(3, CHANGES))).rejects.toThrow('ENOENT')
})

test('files that a killed plugin has begun are removed at the start', async () => {
  mkdirSync(join(folder, 'changes'))
  writeFileSync(join(folder, 'changes', 'block-9-data.partial'), 'half')
  await start()
  expect(existsSync(join(folder, 'changes', 'block-9-data.partial'))).toBe(false)
})

test('a person who starts it is told who does', async () => {
  await expect(start({ ABCI_LISTENER_PLUGIN: '' })).rejects.toThrow('a node starts this command as its plugin')
})
