import { createCipheriv, pbkdf2Sync, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { formatHex } from '../../primitives/bytes.ts'
import { createKeyring } from '../keyring.ts'
import { keysCommand } from '../keys.ts'
import { keyOfMnemonic } from './mnemonic.ts'

/** Files that the keyring of Cosmos SDK 0.47.11 has written. */
const vectors = JSON.parse(readFileSync(join(import.meta.dirname, 'family-keyring.vectors.json'), 'utf8'))
const WORDS = 'test test test test test test test test test test test junk'
/** The addresses that the Cosmos SDK gives the keys, as 20 bytes. */
const ALICE = 'a12daaf3c2c1505b288353b62cb3b4021c60c344'
const TEAM = '4b47a4c2e5747d85bc99e11c1b45759153640023'
let home: string
let family: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'almanac-migrate-'))
  family = join(home, 'family')
})
afterEach(() => rmSync(home, { recursive: true }))

function writeFiles(backend: 'file' | 'test', files: Readonly<Record<string, string>>): void {
  mkdirSync(join(family, `keyring-${backend}`), { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(family, `keyring-${backend}`, name), text)
}

const notes: string[] = []

/** Runs `keys migrate` into the keyring `test`. Resolves with the names of the copied keys. */
async function migrate(...words: readonly string[]): Promise<readonly string[]> {
  const printed: string[] = []
  notes.length = 0
  const answers = words.includes('test') ? [] : ['correct horse']
  const answer = async () => answers.shift()
  const command = keysCommand({
    print: (text) => printed.push(text),
    note: (text) => notes.push(text),
    interactive: false,
    ask: answer,
    askSecret: answer,
  })
  const flags = ['--home', home, '--keyring-backend', 'test', '--output', 'json']
  await command.parseAsync(['migrate', family, ...words, ...flags], { from: 'user' })
  return JSON.parse(printed.join('')).map(({ name }: { name: string }) => name)
}

const keyring = () => createKeyring({ home, backend: 'test', askPassphrase: async () => '' })

test.each(['file', 'test'] as const)(
  'the keys of a keyring %s of the family are copied with their secrets',
  async (backend) => {
    writeFiles(backend, vectors[backend])
    expect(await migrate('--from-backend', backend)).toEqual(['alice', 'bob', 'team', 'watched'])
    const own = keyring()
    const keyAt = (index: number) => formatHex(keyOfMnemonic(WORDS, `m/44'/118'/0'/0/${index}`))
    expect(formatHex(await own.privateKey('alice'))).toBe(keyAt(0))
    expect(formatHex(await own.privateKey('bob'))).toBe(keyAt(1))
    expect(formatHex(own.find('alice').address)).toBe(ALICE)
    expect(own.find('team')).toMatchObject({ place: 'multi', key: { threshold: 2 } })
    expect(formatHex(own.find('team').address)).toBe(TEAM)
    expect(own.find('watched').place).toBe('offline')
    // A repetition copies nothing, and a key that only has the name of another replaces none.
    expect(await migrate('--from-backend', backend)).toEqual([])
    expect(notes).toContain('alice is there already.')
    own.delete('alice')
    own.rename('bob', 'alice')
    await expect(migrate('--from-backend', backend)).rejects.toThrow('another key named alice exists')
  },
)

test('a keyring that does not open copies nothing, and says why', async () => {
  writeFiles('file', vectors.file)
  await expect(migrate('--from-backend', 'test')).rejects.toThrow('keyring-test has no keys of the family')
  await expect(migrate('--from-backend', 'kwallet')).rejects.toThrow('--from-backend kwallet: must be file or test')
  const whole = vectors.file['bob.info'] as string
  writeFiles('file', { 'bob.info': `${whole.slice(0, -3)}AAA` })
  await expect(migrate()).rejects.toThrow('bob.info does not open')
  writeFiles('file', { 'bob.info': 'a.b' })
  await expect(migrate()).rejects.toThrow("bob.info is no key of the family's tool: it is no JWE of five parts")
  const [, ...rest] = whole.split('.')
  const withHeader = (header: object) => [Buffer.from(JSON.stringify(header)).toString('base64url'), ...rest].join('.')
  const header = { alg: 'PBES2-HS256+A128KW', enc: 'A256GCM', p2c: 8192, p2s: 'AAAAAAAAAAAAAAAA' }
  const refused = async (change: object) => {
    writeFiles('file', { 'bob.info': withHeader({ ...header, ...change }) })
    await expect(migrate(), JSON.stringify(change)).rejects.toThrow(
      "bob.info is no key of the family's tool: it must be a JWE with PBES2-HS256+A128KW and A256GCM: ",
    )
  }
  await refused({ alg: 'dir' })
  await refused({ enc: 'A128GCM' })
  await refused({ p2c: 2 ** 40 })
  await refused({ p2c: 'many' })
  await refused({ p2s: undefined })
  expect(keyring().list()).toEqual([])
})

test('an Ethereum key is known by its type, a device by its place, and an older record is refused', async () => {
  const secret = Buffer.from('ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80', 'hex')
  // The public key of a local record is not read: the private key gives it.
  const publicKey = packed('/eth.crypto.v1.ethsecp256k1.PubKey', Buffer.alloc(33))
  const local = field(1, packed('/eth.crypto.v1.ethsecp256k1.PrivKey', secret))
  writeFiles('test', { 'eth.info': seal(Buffer.concat([field(1, 'eth'), field(2, publicKey), field(3, local)])) })
  expect(await migrate('--from-backend', 'test')).toEqual(['eth'])
  expect(formatHex(keyring().find('eth').address)).toBe('f39fd6e51aad88f6f4ce6ab8827279cfffb92266')
  const generator = Buffer.from('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798', 'hex')
  const device = [field(1, 'device'), field(2, packed('/cosmos.crypto.secp256k1.PubKey', generator)), field(4, '')]
  writeFiles('test', { 'device.info': seal(Buffer.concat(device)) })
  expect(await migrate('--from-backend', 'test')).toEqual(['device'])
  expect(notes.join()).toContain('device is on a device: only its public key was copied')
  writeFiles('test', { 'old.info': seal(Buffer.from('amino')) })
  await expect(migrate('--from-backend', 'test')).rejects.toThrow('its record is of a release before 0.46')
})

/** A field of protobuf that is shorter than 128 bytes. */
function field(number: number, content: string | Buffer): Buffer {
  const bytes = Buffer.from(content)
  return Buffer.concat([Buffer.of((number << 3) | 2, bytes.length), bytes])
}
const packed = (type: string, key: Buffer) => Buffer.concat([field(1, type), field(2, field(1, key))])

/** Encrypts a record as the keyring `test` of the family does, by RFC 7518. */
function seal(record: Buffer): string {
  const [salt, key, iv] = [randomBytes(12), randomBytes(32), randomBytes(12)]
  const text = (bytes: Buffer | string) => Buffer.from(bytes).toString('base64url')
  const head = { alg: 'PBES2-HS256+A128KW', enc: 'A256GCM', p2c: 8192, p2s: text(salt) }
  const header = text(JSON.stringify(head))
  const secret = pbkdf2Sync('test', Buffer.concat([Buffer.from('PBES2-HS256+A128KW\0'), salt]), 8192, 16, 'sha256')
  const wrap = createCipheriv('id-aes128-wrap', secret, Buffer.alloc(8, 0xa6))
  const wrapped = Buffer.concat([wrap.update(key), wrap.final()])
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(header))
  const item = JSON.stringify({ Key: 'name.info', Data: record.toString('base64') })
  const sealed = Buffer.concat([cipher.update(item), cipher.final()])
  return [header, ...[wrapped, iv, sealed, cipher.getAuthTag()].map(text)].join('.')
}

test('a link to a device in the place of a key is refused by its name', async () => {
  writeFiles('test', {})
  symlinkSync('/dev/zero', join(family, 'keyring-test', 'endless.info'))
  await expect(migrate('--from-backend', 'test')).rejects.toThrow(
    /endless\.info: must be a file or a pipe, and is a device$/,
  )
})
