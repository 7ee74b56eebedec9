import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { formatHex } from '../primitives/bytes.ts'
import { publicKeyOf } from '../sdk/crypto.ts'
import { keyOfMnemonic } from './keys/mnemonic.ts'
import { seal } from './keys/sealed.ts'
import { keysCommand } from './keys.ts'
import type { Terminal } from './terminal.ts'

const WORDS = 'test test test test test test test test test test test junk'
const vectors = JSON.parse(readFileSync(join(import.meta.dirname, 'keys/armor.vectors.json'), 'utf8'))
let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'almanac-keys-'))
})
afterEach(() => rmSync(home, { recursive: true }))

const silent: Terminal = {
  print: () => {},
  note: () => {},
  interactive: false,
  ask: async () => undefined,
  askSecret: async () => undefined,
}

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
  const made = parse(await keys('add alice --unsafe', ['correct horse']))
  expect(made.mnemonic.split(' ')).toHaveLength(24)
  const path = join(home, 'keyring-file', 'alice.json')
  const secret = formatHex(keyOfMnemonic(made.mnemonic, "m/44'/118'/0'/0/0"))
  expect(readFileSync(path, 'utf8')).not.toContain(secret)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(await keys('export alice --unarmored-hex --unsafe', ['correct horse'])).toBe(secret)
  await expect(keys('export alice --unarmored-hex --unsafe', ['wrong horse!'])).rejects.toThrow(
    'incorrect passphrase of the keyring',
  )
  await expect(keys('add bob', ['other horse'])).rejects.toThrow('incorrect passphrase of the keyring')
  await expect(keys('add short', [''])).rejects.toThrow('incorrect passphrase')
})

test('a modified key file does not open', async () => {
  await keys('add alice', ['correct horse'])
  await keys('add bob', ['correct horse'])
  const path = (name: string) => join(home, 'keyring-file', `${name}.json`)
  const [alice, bob] = ['alice', 'bob'].map((name) => JSON.parse(readFileSync(path(name), 'utf8')))
  writeFileSync(path('alice'), JSON.stringify({ ...alice, sealed: bob.sealed }))
  await expect(keys('export alice --unarmored-hex --unsafe', ['correct horse'])).rejects.toThrow('incorrect passphrase')
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
    await expect(keys('export alice --unarmored-hex --unsafe --keyring-backend test')).rejects.toThrow(
      `${path} is not a key file (`,
    )
  }
})

test('an Ethereum key is exported to Web3 secret storage and back, and the armor of the family is the default', async () => {
  await keys('import eve --hex --algo eth_secp256k1 --keyring-backend test', ['07'.repeat(32)])
  const file = join(home, 'eve.key')
  for (const format of ['web3', 'armor']) {
    writeFileSync(file, await keys(`export eve --format ${format} --keyring-backend test`, ['for the journey']))
    expect(readFileSync(file, 'utf8')).toContain(format === 'web3' ? '"version": 3' : 'TENDERMINT PRIVATE KEY')
    await keys(`import ${format} ${file} --keyring-backend test`, ['for the journey'])
    expect(await keys(`export ${format} --unarmored-hex --unsafe --keyring-backend test`)).toBe('07'.repeat(32))
  }
  await keys('add alice --keyring-backend test')
  await expect(keys('export alice --format web3 --keyring-backend test')).rejects.toThrow('is a secp256k1 key')
})

/** A key as earlier builds exported it, under the passphrase `for the journey`. */
function earlierExport() {
  const privateKey = new Uint8Array(32).fill(7)
  const publicKey = publicKeyOf(privateKey)
  const sealed = seal('for the journey', privateKey, publicKey)
  return { format: 'almanac-key-1', algorithm: 'secp256k1', public_key: formatHex(publicKey), sealed }
}

test('the export of an earlier build is imported, and an invalid one refused before the passphrase is asked for', async () => {
  const exported = earlierExport()
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
  writeFileSync(file, JSON.stringify(exported))
  await keys(`import again ${file} --keyring-backend test`, ['for the journey'])
  expect(await keys('export again --unarmored-hex --unsafe --keyring-backend test')).toBe('07'.repeat(32))
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
  await expect(keys(`import alice3 ${file}`, ['wrong passphrase'])).rejects.toThrow(
    'incorrect passphrase of the exported key',
  )
  const hex = await keys('export alice --unarmored-hex --unsafe', ['correct horse'])
  await keys('import alice4 --hex --keyring-backend test', [hex])
  expect(await keys('show alice4 -a --keyring-backend test')).toBe(await keys('show alice -a'))
  await expect(keys('import bad --hex --keyring-backend test', ['00'.repeat(32)])).rejects.toThrow('private key')
  await expect(keys(`import bad ${home}/nowhere`)).rejects.toThrow(`${home}/nowhere: cannot be read: ENOENT`)
})

test('key names are unique, must be file names, and deletion asks for confirmation', async () => {
  await keys('add alice --keyring-backend test')
  await expect(keys('add alice --keyring-backend test')).rejects.toThrow('already exists')
  await expect(keys('add ../alice --keyring-backend test')).rejects.toThrow('name of a key')
  await expect(keys('delete alice --keyring-backend test', ['n'])).rejects.toThrow('nothing deleted')
  await expect(keys('delete alice --keyring-backend test')).rejects.toThrow('nothing deleted: confirm with y, or --yes')
  await keys('delete alice --keyring-backend test -y')
  expect(readdirSync(join(home, 'keyring-test'))).toEqual([])
  await expect(keys('show alice --keyring-backend test')).rejects.toThrow('no key named alice')
})

test('no secret is printed unless it is asked for, and the mnemonic of a new key is kept with it', async () => {
  const shown = await keys('add alice --keyring-backend test')
  expect(Object.keys(parse(shown))).toEqual(['name', 'type', 'address', 'pubkey'])
  for (const secret of ['export alice --unarmored-hex', 'export alice --mnemonic']) {
    await expect(keys(`${secret} --keyring-backend test`)).rejects.toThrow('--unsafe')
  }
  await expect(keysCommand(silent).parseAsync(['mnemonic'], { from: 'user' })).rejects.toThrow('--unsafe')
  const mnemonic = await keys('export alice --mnemonic --unsafe --keyring-backend test')
  await keys('add again --recover --keyring-backend test', [mnemonic])
  expect(await keys('show again -a --keyring-backend test')).toBe(parse(shown).address)
  await keys('add forgetful --no-backup --keyring-backend test')
  await expect(keys('export forgetful --mnemonic --unsafe --keyring-backend test')).rejects.toThrow('no mnemonic of')
})

test('the mnemonic of a new key is written to a new file for its owner, and recovers the key from there', async () => {
  const path = join(home, 'words')
  const made = parse(await keys(`add alice --mnemonic-file ${path}`, ['correct horse']))
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readFileSync(path, 'utf8').trim().split(' ')).toHaveLength(24)
  await expect(keys(`add bob --mnemonic-file ${path}`, ['correct horse'])).rejects.toThrow('name a new file')
  const other = join(home, 'other-words')
  await expect(keys(`add alice --mnemonic-file ${other}`, ['correct horse'])).rejects.toThrow('already exists')
  expect(existsSync(other)).toBe(false)
  const again = parse(await keys(`add again --recover --mnemonic-file ${path} --keyring-backend test`))
  expect(again.address).toBe(made.address)
})

test('a multisig has the address of the family, in either order of its members', async () => {
  for (const i of [1, 2, 3]) await keys(`import k${i} --hex --keyring-backend test`, [`${i}`.padStart(64, '0')])
  const made = parse(await keys('add team --multisig k1,k2,k3 --multisig-threshold 2 --no-sort --keyring-backend test'))
  expect(parse(await keys(`parse ${made.address}`)).bytes).toBe(vectors.multisig_address.toUpperCase())
  expect(made).toMatchObject({ type: 'multi', pubkey: { threshold: 2, public_keys: { length: 3 } } })
  const sorted = await keys('add sorted --multisig k3,k1,k2 --multisig-threshold 2 --keyring-backend test')
  const other = await keys('add other --multisig k1,k2,k3 --multisig-threshold 2 --keyring-backend test')
  expect(parse(sorted).address).toBe(parse(other).address)
  await expect(keys('add bad --multisig k1,k2 --multisig-threshold 3 --keyring-backend test')).rejects.toThrow(
    '--multisig-threshold 3: must be a number from 1 to 2',
  )
  await expect(keys('add bad --multisig k1,k2 --signer unix:///nowhere --keyring-backend test')).rejects.toThrow(
    '--multisig and --signer exclude each other',
  )
  await expect(keys('export team --keyring-backend test', ['12345678'])).rejects.toThrow('team is a multisig')
})

test('the public key of another person is stored without a secret', async () => {
  await keys('add alice --keyring-backend test --algo eth_secp256k1')
  const pubkey = await keys('show alice -p --keyring-backend test')
  const other = mkdtempSync(join(tmpdir(), 'almanac-keys-'))
  const command = ['add', 'alice', '--pubkey', pubkey, '--home', other, '--keyring-backend', 'test']
  await keysCommand(silent).parseAsync(command, { from: 'user' })
  const file = JSON.parse(readFileSync(join(other, 'keyring-test', 'alice.json'), 'utf8'))
  expect(file).toMatchObject({ offline: true, algorithm: 'eth_secp256k1' })
  const exporting = ['export', 'alice', '--unarmored-hex', '--unsafe', '--home', other, '--keyring-backend', 'test']
  await expect(keysCommand(silent).parseAsync(exporting, { from: 'user' })).rejects.toThrow('which is offline')
  rmSync(other, { recursive: true })
  await expect(keys('add bad --pubkey {}')).rejects.toThrow('--pubkey: must be JSON such as')
})

test('a key is renamed, and opens under its new name', async () => {
  await keys('add alice', ['correct horse'])
  const address = await keys('show alice -a')
  await keys('rename alice carol')
  expect(await keys('show carol -a')).toBe(address)
  expect(await keys('list -n')).toBe('carol')
  expect(await keys('export carol --unarmored-hex --unsafe', ['correct horse'])).toMatch(/^[0-9a-f]{64}$/)
  await expect(keys('rename nobody carol')).rejects.toThrow('no key named nobody')
})

test('an address is shown in all its forms', async () => {
  const shown = parse(await keys('parse F39FD6E51AAD88F6F4CE6AB8827279CFFFB92266'))
  expect(shown).toMatchObject({
    address_evm: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    formats: [/^chain1/, /^chainvaloper1/, /^chainvalcons1/].map((start) => expect.stringMatching(start)),
  })
  expect(parse(await keys(`parse ${shown.formats[1]}`))).toMatchObject({ human: 'chainvaloper', bytes: shown.bytes })
  await expect(keys('parse nothing')).rejects.toThrow('must be an address in Bech32 or hexadecimal digits')
})

test('a secret is not read from a file that other users can read', async () => {
  await keys('add alice --keyring-backend test')
  const path = join(home, 'keyring-test', 'alice.json')
  chmodSync(path, 0o644)
  const exporting = keys('export alice --unarmored-hex --unsafe --keyring-backend test')
  await expect(exporting).rejects.toThrow(`other users can read ${path}: chmod 600 ${path}`)
})
