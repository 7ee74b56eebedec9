import { expect, test } from 'vitest'
import { formatProfile } from '../identity/profile-file.ts'
import { nibiru } from '../identity/profiles/nibiru.ts'
import { formatHex, utf8 } from '../primitives/bytes.ts'
import { sha256 } from '../primitives/hash.ts'
import { resolveConfig } from './config.ts'
import { parseConfigFile } from './config-file.ts'
import type { Files } from './files.ts'
import { type HomeOptions, openHome } from './home.ts'
import { homePaths } from './home-paths.ts'
import { secretFiles } from './home-record.ts'
import { chooseProfile } from './profile.ts'
import { derivedValidatorKey } from './validator-key.ts'

function memoryFiles(): Files & { readonly all: Map<string, string> } {
  const all = new Map<string, string>()
  return {
    all,
    read: (path) => all.get(path),
    write: (path, text) => void all.set(path, text),
    create: (path, text) => !all.has(path) && all.set(path, text).has(path),
    exists: (path) => all.has(path),
    isPrivate: () => true,
    list: (path) => [...all.keys()].filter((name) => name.startsWith(`${path}/`)),
    remove: (path) => void all.delete(path),
  }
}

function open(files: Files, flags: Record<string, unknown> = {}, stores = ['acc', 'evm']) {
  const text = files.read('/h/config.toml')
  const resolved = resolveConfig({ flags, ...(text !== undefined && { file: parseConfigFile(text) }) })
  const options: HomeOptions = {
    root: '/h',
    files,
    resolved,
    stores,
    createValidatorKey: () => derivedValidatorKey('some words', 'chain-1'),
    createChain: () => ({
      config: resolved.config,
      profile: chooseProfile(resolved.config.chain.profile, files),
      genesis: {
        chain_id: resolved.config.chain.id,
        genesis_time: '2024-01-01T00:00:00Z',
        initial_height: '1',
        consensus_params: {},
        app_state: {},
      },
    }),
  }
  return openHome(options)
}

test('a genesis document without a record is not overwritten, unless it is the one that is asked for', () => {
  const files = memoryFiles()
  files.write('/h/genesis.json', '{"chain_id":"theirs-1"}')
  expect(() => open(files)).toThrow(
    /^\/h\/genesis\.json exists, but the record of its chain, \/h\/home\.json, is missing[\s\S]*--genesis FILE/,
  )
  expect([...files.all]).toEqual([['/h/genesis.json', '{"chain_id":"theirs-1"}']])
  expect(open(files, { genesis: '/h/genesis.json' }).isNew).toBe(true)
  // A first start that was killed before it wrote the record is repeated.
  files.remove('/h/home.json')
  expect(open(files).isNew).toBe(true)
})

test('a second start uses the choices of the first', () => {
  const files = memoryFiles()
  const first = open(files, { 'chain-id': 'mine-1', accounts: '3', 'rest-port': '99' })
  const again = open(files)
  expect([first.isNew, again.isNew]).toEqual([true, false])
  expect([again.config.chain.id, again.config.chain.accounts, again.genesis.chain_id]).toEqual(['mine-1', 3, 'mine-1'])
  expect(again.validatorKey.publicKey).toEqual(first.validatorKey.publicKey)
  expect(again.config.rest.port).toBe(1317)
  expect(open(files, { accounts: '3' }).isNew).toBe(false)
})

test('another genesis choice is refused with the remedies, and the home stays unchanged', () => {
  const files = memoryFiles()
  open(files, { accounts: '3' })
  const before = new Map(files.all)
  const attempt = () => open(files, { accounts: '4' })
  expect(attempt).toThrow('began with chain.accounts = 3, but --accounts is 4')
  expect(attempt).toThrow(/--home DIR[\s\S]*almanac reset --home \/h[\s\S]*almanac export/)
  expect(files.all).toEqual(before)
})

test('a home with another format, unknown stores, or edited choices is refused', () => {
  const files = memoryFiles()
  open(files)
  const record = files.all.get('/h/home.json')!
  expect(() => open(files, {}, ['acc'])).toThrow('stores that this build does not know: evm')
  files.all.set('/h/home.json', record.replace('"format": 1', '"format": 2'))
  expect(() => open(files)).toThrow('has format 2, and this build reads format 1')
  files.all.set('/h/home.json', record.replace('"1000000"', '"1000001"'))
  expect(() => open(files)).toThrow('no longer match their digest')
  files.all.set('/h/home.json', '{}')
  expect(() => open(files)).toThrow('/h/home.json is damaged (no format)')
  files.all.set('/h/home.json', '{"format":1}')
  expect(() => open(files)).toThrow('/h/home.json is damaged')
  files.all.set('/h/home.json', record)
  const genesis = files.all.get('/h/genesis.json')!
  files.all.set('/h/genesis.json', genesis.replace('almanac-localnet-1', 'almanac-localnet-2'))
  expect(() => open(files)).toThrow('/h/genesis.json was edited')
  files.all.set('/h/genesis.json', genesis)
  expect(open(files).isNew).toBe(false)
  files.all.delete('/h/home.json')
  files.all.set('/h/data/data.mdb', '')
  expect(() => open(files)).toThrow('/h/data contains a chain, but its record /h/home.json is missing')
})

test('a validator key survives its file, and its signatures verify under its public key', async () => {
  const { createPublicKey, verify } = await import('node:crypto')
  const key = derivedValidatorKey('some words', 'chain-1')
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key.publicKey).toString('base64url') }
  const message = new Uint8Array([1, 2, 3])
  expect(verify(null, message, createPublicKey({ key: jwk, format: 'jwk' }), key.sign(message))).toBe(true)
})

test('a profile from a file is stored with the chain, and another one, or an edited copy, is refused', () => {
  const files = memoryFiles()
  const mine = formatProfile({ ...nibiru, name: 'mine' })
  files.write('/p.json', mine)
  const { profile } = open(files, { profile: '/p.json' })
  expect(profile.name).toBe('mine')
  files.remove('/p.json')
  const again = open(files)
  expect([again.isNew, again.profile]).toEqual([false, { ...nibiru, name: 'mine' }])
  files.write('/other.json', mine.replace('"unibi"', '"uother"'))
  expect(() => open(files, { profile: '/other.json' })).toThrow(
    /began with chain.profile = mine sha256:\w+, but --profile/,
  )
  expect(() => open(files, { profile: 'nibiru' })).toThrow('but --profile is nibiru')
  files.write('/h/profile.json', mine.replace('"unibi"', '"uother"'))
  expect(() => open(files)).toThrow('/h/profile.json was edited')
  files.remove('/h/profile.json')
  expect(() => open(files)).toThrow('/h/profile.json is missing')
})

test('a genesis document is recognized by its content, not by its path', () => {
  const files = memoryFiles()
  files.write('/g.json', '{"a":1}')
  open(files, { genesis: '/g.json' })
  files.write('/copy.json', '{"a":1}')
  expect(open(files, { genesis: '/copy.json' }).isNew).toBe(false)
  files.write('/g.json', '{"a":2}')
  expect(open(files).isNew).toBe(false)
  expect(() => open(files, { genesis: '/g.json' })).toThrow(/began with chain.genesis = sha256:\w+, but --genesis is/)
  expect(() => open(files, { genesis: '/none.json' })).toThrow('--genesis /none.json: no such file')
})

test('a home of a build without profiles has the default profile', () => {
  const files = memoryFiles()
  open(files)
  const record = JSON.parse(files.read('/h/home.json')!) as { choices: Record<string, string>; choices_sha256: string }
  const { 'chain.profile': _profile, 'chain.genesis': _genesis, ...choices } = record.choices
  const sorted = Object.entries(choices).sort(([a], [b]) => (a < b ? -1 : 1))
  const choices_sha256 = formatHex(sha256(utf8(JSON.stringify(sorted))))
  files.write('/h/home.json', JSON.stringify({ ...record, choices, choices_sha256 }))
  expect(open(files).profile.name).toBe('almanac')
  expect(() => open(files, { profile: 'nibiru' })).toThrow('began with chain.profile = almanac')
})

test('a home of an earlier build, which recorded its mnemonic, opens with it and counts its files as secret', () => {
  const files = memoryFiles()
  const words = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
  open(files, { mnemonic: words })
  const record = JSON.parse(files.read('/h/home.json')!)
  expect(record.choices['chain.mnemonic']).toMatch(/^sha256:[0-9a-f]{64}$/)
  record.choices['chain.mnemonic'] = words
  const sorted = Object.entries(record.choices as Record<string, string>).sort(([a], [b]) => (a < b ? -1 : 1))
  record.choices_sha256 = formatHex(sha256(utf8(JSON.stringify(sorted))))
  files.write('/h/home.json', JSON.stringify(record))
  files.remove('/h/mnemonic')
  expect(open(files).config.chain.mnemonic).toBe(words)
  expect(open(files, { mnemonic: words }).config.chain.mnemonic).toBe(words)
  expect(secretFiles(homePaths('/h'), files)).toContain('/h/home.json')
  expect(() => open(files, { mnemonic: words.replace('yellow', 'you') })).toThrow(/began with chain.mnemonic = sha256:/)
})

test('a missing or edited mnemonic file is named', () => {
  const files = memoryFiles()
  open(files, { mnemonic: 'legal winner thank year wave sausage worth useful legal winner thank yellow' })
  files.write('/h/mnemonic', 'other words')
  expect(() => open(files)).toThrow(/\/h\/mnemonic was edited/)
  files.remove('/h/mnemonic')
  expect(() => open(files)).toThrow(/\/h\/mnemonic is missing/)
})

const OWN = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

test('a chain that began without development methods keeps it at later starts, and refuses to become another', () => {
  const files = memoryFiles()
  expect(open(files, { dev: 'false', mnemonic: OWN }).config.node.dev).toBe(false)
  files.remove('/h/config.toml')
  expect(open(files).config.node.dev).toBe(false)
  expect(() => open(files, { dev: 'true' })).toThrow('began with node.dev = false, but --dev is true')
})

test('a start can turn the development methods of a chain off, and the next start has them again', () => {
  const files = memoryFiles()
  expect(open(files, { mnemonic: OWN }).config.node.dev).toBe(true)
  expect(open(files, { dev: 'false' }).config.node.dev).toBe(false)
  expect(open(files).config.node.dev).toBe(true)
})

test('a home without a record of development is a development chain with the default mnemonic, else only if asked', () => {
  for (const [mnemonic, isDev] of [
    [undefined, true],
    [OWN, false],
  ] as const) {
    const files = memoryFiles()
    open(files, mnemonic === undefined ? {} : { mnemonic })
    const record = JSON.parse(files.read('/h/home.json')!) as { choices: Record<string, string> }
    const { 'node.dev': recorded, ...choices } = record.choices
    expect(recorded).toBe('true')
    const sorted = Object.entries(choices).sort(([a], [b]) => (a < b ? -1 : 1))
    const choices_sha256 = formatHex(sha256(utf8(JSON.stringify(sorted))))
    files.write('/h/home.json', JSON.stringify({ ...record, choices, choices_sha256 }))
    expect(open(files).config.node.dev).toBe(isDev)
    expect(open(files, { dev: 'true' }).config.node.dev).toBe(true)
    expect(open(files, { dev: 'false' }).config.node.dev).toBe(false)
  }
})
