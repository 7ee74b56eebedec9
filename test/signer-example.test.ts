/** The example of a program that signs, asked as the command line asks it. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { publicKeyOfSigner, signExternally } from '../src/cli/keys/external-signer.ts'
import { addressOfKey, type KeyRecord } from '../src/cli/keys/record.ts'

const program = resolve(import.meta.dirname, '../examples/signer.mjs')
const PATH = "m/44'/118'/0'/0/0"
let folder: string
let child: ChildProcess | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'almanac-example-signer-'))
})
afterEach(async () => {
  await stop()
  rmSync(folder, { recursive: true })
})

async function stop(): Promise<void> {
  if (child?.exitCode === null && child.signalCode === null) {
    child.kill()
    await once(child, 'close')
  }
}

/** Starts the example. Resolves with its key once it listens. */
async function start(...flags: readonly string[]): Promise<KeyRecord> {
  const socket = join(folder, 'socket')
  child = spawn(process.execPath, [program, socket, join(folder, 'key.pem'), ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout! })
  for await (const line of lines) if (line.includes(' at unix://')) break
  child.stdout!.resume()
  const signer = `unix://${socket}`
  const { algorithm, publicKey } = await publicKeyOfSigner(signer, 'secp256k1', PATH)
  const address = addressOfKey(algorithm, publicKey)
  return { place: 'external', name: 'cold', algorithm, publicKey, address, signer }
}

test.each([
  ['no arguments', [], /^usage: node examples\/signer\.mjs SOCKET KEY\.pem \[--yes\]\n$/],
  ['an unknown flag', ['socket', 'key.pem', '--no'], /^--no: not known; usage: .*\n$/],
  ['a file that is no key', ['socket', '/etc/hostname'], /^\/etc\/hostname: .*\n$/],
  ['a device', ['socket', '/dev/zero'], /^\/dev\/zero: must be a file\n$/],
  ['a file in the place of the socket', [program, 'key.pem'], /signer\.mjs: is there, and is no socket\n$/],
])('the example ends with one line for %s', (_what, args, line) => {
  const { status, stderr } = spawnSync(process.execPath, [program, ...args], { cwd: folder, encoding: 'utf8' })
  expect(status).toBe(2)
  expect(stderr).toMatch(line)
})

test('the example signs by the rules of the chain, with the same key after a restart, for its owner alone', async () => {
  const key = await start('--yes')
  expect(statSync(join(folder, 'key.pem')).mode & 0o777).toBe(0o600)
  expect(statSync(join(folder, 'socket')).mode & 0o777).toBe(0o600)
  // Half of all signatures have the larger s, which the chain refuses; sixteen without one are no chance.
  for (let i = 0; i < 16; i++) {
    const signature = await signExternally(key, 'SIGN_MODE_DIRECT', Uint8Array.of(i))
    expect(signature[32]! < 0x80, `signature ${i}`).toBe(true)
  }
  await expect(publicKeyOfSigner(key.signer!, 'eth_secp256k1', PATH)).rejects.toThrow('has a key of secp256k1, not of')
  await stop()
  expect((await start('--yes')).publicKey).toEqual(key.publicKey)
}, 60_000)

test('without a terminal that confirms, and without --yes, the example signs nothing', async () => {
  const key = await start()
  const signed = signExternally(key, 'SIGN_MODE_LEGACY_AMINO_JSON', new TextEncoder().encode('{}'))
  await expect(signed).rejects.toThrow('the signer refused: not confirmed')
}, 60_000)
