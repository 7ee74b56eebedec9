import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { formatHex } from '../primitives/bytes.ts'
import { keyOfMnemonic, keysCommand } from './keys.ts'
import type { Terminal } from './terminal.ts'

const WORDS = 'test test test test test test test test test test test junk'
let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'almanac-keys-'))
})
afterEach(() => rmSync(home, { recursive: true }))

/** Runs `almanac keys …` with answers to its questions in order. Returns what it prints. */
async function keys(args: string, answers: string[] = []): Promise<string> {
  const printed: string[] = []
  const answer = async () => answers.shift()
  const terminal: Terminal = {
    print: (text) => printed.push(text),
    note: () => {},
    interactive: false,
    ask: answer,
    askSecret: answer,
  }
  await keysCommand(terminal).parseAsync([...args.split(' '), '--home', home], { from: 'user' })
  return printed.join('\n')
}

test('both algorithms derive the accounts that wallets derive from the same mnemonic', () => {
  // The first accounts of the well-known development mnemonic.
  expect(formatHex(keyOfMnemonic(WORDS, "m/44'/60'/0'/0/0"))).toBe(
    'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  )
  expect(() => keyOfMnemonic('test test', "m/44'/60'/0'/0/0")).toThrow('mnemonic')
  expect(() => keyOfMnemonic(WORDS, 'm/x')).toThrow('--hd-path')
})

test('a recovered key shows its address in both forms, and nothing of its secret', async () => {
  const shown = await keys('add dev --recover --algo eth_secp256k1 --keyring-backend test', [WORDS])
  expect(parse(shown)).toMatchObject({
    name: 'dev',
    type: 'eth_secp256k1',
    address_evm: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    pubkey: { '@type': '/cosmos.evm.crypto.v1.ethsecp256k1.PubKey' },
  })
  expect(shown).not.toContain('junk')
  const address = await keys('show dev -a --keyring-backend test')
  expect(address).toMatch(/^chain1/)
  expect(await keys(`show ${address} -a --bech val --keyring-backend test`)).toMatch(/^chainvaloper1/)
  expect(JSON.parse(await keys('list --keyring-backend test --output json'))).toHaveLength(1)
})

test('the file keyring is encrypted, and opens with its passphrase only', async () => {
  const made = parse(await keys('add alice', ['correct horse']))
  expect(made.mnemonic.split(' ')).toHaveLength(24)
  const path = join(home, 'keyring-file', 'alice.json')
  const secret = formatHex(keyOfMnemonic(made.mnemonic, "m/44'/118'/0'/0/0"))
  expect(readFileSync(path, 'utf8')).not.toContain(secret)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(await keys('export alice --unarmored-hex', ['correct horse'])).toBe(secret)
  await expect(keys('export alice --unarmored-hex', ['wrong horse!'])).rejects.toThrow('incorrect passphrase')
  await expect(keys('add bob', ['other horse'])).rejects.toThrow('incorrect passphrase')
  await expect(keys('add short', [''])).rejects.toThrow('incorrect passphrase')
})

test('a modified key file does not open', async () => {
  await keys('add alice', ['correct horse'])
  await keys('add bob', ['correct horse'])
  const path = (name: string) => join(home, 'keyring-file', `${name}.json`)
  const [alice, bob] = ['alice', 'bob'].map((name) => JSON.parse(readFileSync(path(name), 'utf8')))
  writeFileSync(path('alice'), JSON.stringify({ ...alice, sealed: bob.sealed }))
  await expect(keys('export alice --unarmored-hex', ['correct horse'])).rejects.toThrow('incorrect passphrase')
})

test('a damaged key file is an error that names the file', async () => {
  await keys('add alice --keyring-backend test')
  const path = join(home, 'keyring-test', 'alice.json')
  const good = JSON.parse(readFileSync(path, 'utf8')) as object
  const sealed = { kdf: 'scrypt', n: 3, r: 8, p: 1, salt: '', cipher: 'aes-256-gcm', iv: '', tag: '', ciphertext: '' }
  for (const text of [
    '',
    '{',
    'null',
    '[]',
    JSON.stringify({ ...good, public_key: '02' }),
    JSON.stringify({ ...good, algorithm: 'rsa' }),
    JSON.stringify({ ...good, private_key: 'secret' }),
    JSON.stringify({ ...good, sealed }),
  ]) {
    writeFileSync(path, text)
    await expect(keys('list --keyring-backend test')).rejects.toThrow(`${path} is not a key file (`)
    await expect(keys('export alice --unarmored-hex --keyring-backend test')).rejects.toThrow(
      `${path} is not a key file (`,
    )
  }
})

test('an invalid exported key is refused before the passphrase is asked for', async () => {
  await keys('add alice', ['correct horse'])
  const exported = JSON.parse(await keys('export alice', ['correct horse', 'for the journey']))
  const file = join(home, 'alice.key')
  for (const [wrong, reason] of [
    [null, 'not an exported key'],
    [{ ...exported, public_key: 7.5 }, 'not an exported key'],
    [{ ...exported, algorithm: 'rsa' }, 'unknown key algorithm rsa'],
    [{ ...exported, sealed: undefined }, 'uses an encryption that this build does not support'],
    [{ ...exported, sealed: { ...exported.sealed, n: 3 } }, 'uses an encryption that this build does not support'],
    [{ ...exported, sealed: { ...exported.sealed, tag: '00' } }, 'uses an encryption that this build does not support'],
  ]) {
    writeFileSync(file, JSON.stringify(wrong))
    await expect(keys(`import again ${file}`)).rejects.toThrow(reason)
  }
})

test('no key is created if its mnemonic cannot be shown', async () => {
  await expect(keys('add alice --keyring-backend test --output xml')).rejects.toThrow('--output xml')
  await expect(keys('add alice --keyring-backend test --profile none')).rejects.toThrow('no profile of that name')
  expect(parse(await keys('list --keyring-backend test'))).toEqual([])
})

test('an exported key is imported under another name, and an unencrypted one from hexadecimal text', async () => {
  await keys('add alice', ['correct horse'])
  const file = join(home, 'alice.key')
  writeFileSync(file, await keys('export alice', ['correct horse', 'for the journey']))
  await keys(`import alice2 ${file}`, ['for the journey', 'correct horse'])
  expect(await keys('show alice2 -a')).toBe(await keys('show alice -a'))
  await expect(keys(`import alice3 ${file}`, ['wrong passphrase'])).rejects.toThrow('incorrect passphrase')
  const hex = await keys('export alice --unarmored-hex', ['correct horse'])
  await keys('import alice4 --hex --keyring-backend test', [hex])
  expect(await keys('show alice4 -a --keyring-backend test')).toBe(await keys('show alice -a'))
  await expect(keys('import bad --hex --keyring-backend test', ['00'.repeat(32)])).rejects.toThrow('private key')
  await expect(keys(`import bad ${home}/nowhere`)).rejects.toThrow(`cannot read ${home}/nowhere: ENOENT`)
})

test('key names are unique, must be file names, and deletion asks for confirmation', async () => {
  await keys('add alice --keyring-backend test')
  await expect(keys('add alice --keyring-backend test')).rejects.toThrow('already exists')
  await expect(keys('add ../alice --keyring-backend test')).rejects.toThrow('name of a key')
  await expect(keys('delete alice --keyring-backend test', ['n'])).rejects.toThrow('nothing deleted')
  await keys('delete alice --keyring-backend test -y')
  expect(readdirSync(join(home, 'keyring-test'))).toEqual([])
  await expect(keys('show alice --keyring-backend test')).rejects.toThrow('no key named alice')
})
