import { decryptKeystoreJsonSync, encryptKeystoreJsonSync } from 'ethers'
import { expect, test } from 'vitest'
import { formatHex, hex } from '../../primitives/bytes.ts'
import { formatKeystore, openKeystore } from './keystore.ts'

const KEY = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const ADDRESS = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const open = (file: unknown, passphrase = 'for the journey') => openKeystore(file, async () => passphrase)

/** The test vector with PBKDF2 of the specification of Web3 secret storage. */
const SPECIFIED = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
    ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
    kdf: 'pbkdf2',
    kdfparams: {
      c: 262144,
      dklen: 32,
      prf: 'hmac-sha256',
      salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
    },
    mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
}

test('what this writes ethers reads, and what ethers writes this reads', async () => {
  const written = decryptKeystoreJsonSync(formatKeystore(hex(KEY), 'for the journey'), 'for the journey')
  expect(written).toEqual({ address: ADDRESS, privateKey: `0x${KEY}` })
  const account = { address: ADDRESS, privateKey: `0x${KEY}` }
  const text = encryptKeystoreJsonSync(account, 'for the journey', { scrypt: { N: 1024, r: 8, p: 1 } })
  expect(formatHex(await open(JSON.parse(text)))).toBe(KEY)
  await expect(open(JSON.parse(text), 'something else')).rejects.toThrow('incorrect passphrase')
})

test('the file of the specification with PBKDF2 is read', async () => {
  const key = await open(SPECIFIED, 'testpassword')
  expect(formatHex(key)).toBe('7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d')
})

test('a file that asks for too much, or is of another kind, is refused before the passphrase is asked for', async () => {
  const asked = () => Promise.reject(new Error('the passphrase was asked for'))
  const { crypto } = SPECIFIED
  const scrypt = { dklen: 32, n: 2 ** 20, r: 8, p: 1, salt: '00' }
  for (const [file, reason] of [
    [{ ...SPECIFIED, version: 1 }, 'has version 1: must be 3'],
    [{ ...SPECIFIED, crypto: { ...crypto, cipher: 'aes-128-cbc' } }, 'has cipher aes-128-cbc'],
    [{ ...SPECIFIED, crypto: { ...crypto, kdf: 'argon2' } }, 'has kdf argon2: must be scrypt or pbkdf2'],
    [{ ...SPECIFIED, crypto: { ...crypto, mac: 'zz' } }, 'has no valid mac'],
    [{ ...SPECIFIED, crypto: { ...crypto, ciphertext: '00' } }, 'has no valid ciphertext'],
    [{ ...SPECIFIED, crypto: { ...crypto, kdfparams: { ...crypto.kdfparams, c: 1e9 } } }, 'has no c from 1 to'],
    [
      { ...SPECIFIED, crypto: { ...crypto, kdf: 'scrypt', kdfparams: { ...scrypt, n: 2 ** 21 } } },
      'has no n from 1 to',
    ],
    [{ ...SPECIFIED, crypto: { ...crypto, kdf: 'scrypt', kdfparams: { ...scrypt, n: 1000 } } }, 'not a power of two'],
  ] as const) {
    await expect(openKeystore(file, asked)).rejects.toThrow(reason)
  }
})
