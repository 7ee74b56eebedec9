import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { almanac } from '../../identity/profiles/almanac.ts'
import { formatHex, hex } from '../../primitives/bytes.ts'
import { armorKey, openArmoredKey } from './armored-key.ts'

/** Made by crypto.EncryptArmorPrivKey of Cosmos SDK v0.47.11 and, for argon2, v0.50.11, under the passphrase `correct horse`. */
const vectors = JSON.parse(readFileSync(join(import.meta.dirname, 'armor.vectors.json'), 'utf8')) as Record<
  'bcrypt' | 'argon2' | 'umlauts' | 'private_key',
  string
>
const open = (text: string, passphrase = 'correct horse') => openArmoredKey(text, async () => passphrase)

test('the exports of both releases of the family are read', async () => {
  for (const text of [vectors.bcrypt, vectors.argon2, vectors.bcrypt.replaceAll('\n', '\r\n')]) {
    const { algorithm, privateKey } = await open(text)
    expect([algorithm, formatHex(privateKey)]).toEqual(['secp256k1', vectors.private_key])
  }
  expect(formatHex((await open(vectors.umlauts, 'grüße')).privateKey)).toBe(vectors.private_key)
})

test('an exported key of either algorithm is read again, with its passphrase only', async () => {
  for (const algorithm of ['secp256k1', 'eth_secp256k1'] as const) {
    const text = await armorKey(almanac, { algorithm, privateKey: hex(vectors.private_key) }, 'for the journey')
    expect(text).toMatch(/^-----BEGIN TENDERMINT PRIVATE KEY-----\nkdf: bcrypt\nsalt: [0-9A-F]{32}\n/)
    expect(await open(text, 'for the journey')).toEqual({ algorithm, privateKey: hex(vectors.private_key) })
    await expect(open(text, 'for the journeys')).rejects.toThrow('incorrect passphrase')
    const long = armorKey(almanac, { algorithm, privateKey: hex(vectors.private_key) }, 'x'.repeat(73))
    await expect(long).rejects.toThrow('at most 72 bytes')
  }
})

test('a damaged export is refused with what is wrong, before the passphrase is asked for', async () => {
  const lines = vectors.bcrypt.split('\n')
  const middle = lines.indexOf('') + 1
  const flipped = lines.map((line, i) => (i === middle ? line.replace(/^./, (c) => (c === 'A' ? 'B' : 'A')) : line))
  for (const [text, reason] of [
    ['', 'the first line is not -----BEGIN'],
    [lines.slice(0, -1).join('\n'), 'the last line is not -----END TENDERMINT PRIVATE KEY-----'],
    [flipped.join('\n'), 'the checksum does not match'],
    [vectors.bcrypt.replace('kdf: bcrypt', 'kdf: scrypt'), "the armor's kdf is scrypt: must be bcrypt or argon2"],
    [vectors.bcrypt.replace(/salt: ../, 'salt: '), 'the salt of the armor is not 16 bytes'],
    [vectors.bcrypt.replace('type: secp256k1', 'type: sr25519'), 'unknown key algorithm sr25519'],
    [vectors.bcrypt.replaceAll('PRIVATE KEY', 'PUBLIC KEY'), 'the armor holds a TENDERMINT PUBLIC KEY'],
  ] as const) {
    const asked = () => Promise.reject(new Error('the passphrase was asked for'))
    await expect(openArmoredKey(text, asked)).rejects.toThrow(reason)
  }
})
