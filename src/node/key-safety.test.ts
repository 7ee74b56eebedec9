import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { almanac } from '../identity/profiles/almanac.ts'
import { deriveAccounts } from './accounts.ts'
import { resolveConfig } from './config.ts'
import { requireSafeDocument, requireSafeKeys } from './key-safety.ts'
import { startNode } from './start.ts'

const OWN = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
const check = (flags: Record<string, string>) => requireSafeKeys(resolveConfig({ flags }).config)

test('a development chain of this machine is safe with public keys', () => {
  expect(check({})).toBeUndefined()
  expect(check({ 'jsonrpc-host': '::1', 'rest-host': 'localhost' })).toBeUndefined()
})

test('a chain with public keys and no development methods does not start unless its operator accepts it', () => {
  expect(() => check({ dev: 'false' })).toThrow(
    /public keys of the default mnemonic: .*--mnemonic-file.*--insecure-keys/,
  )
  expect(check({ dev: 'false', mnemonic: OWN })).toBeUndefined()
  expect(check({ dev: 'false', 'insecure-keys': 'true' })).toMatch(/^INSECURE: /)
  expect(check({ dev: 'false', genesis: './genesis.json' })).toBeUndefined()
})

test('development methods on an address that other machines reach need the same word', () => {
  for (const section of ['rest', 'grpc', 'jsonrpc', 'comet']) {
    expect(() => check({ [`${section}-host`]: '0.0.0.0', mnemonic: OWN })).toThrow(
      /listens on 0\.0\.0\.0, .*--insecure-keys/,
    )
    expect(check({ [`${section}-host`]: '0.0.0.0', [`${section}-enabled`]: 'false' })).toBeUndefined()
  }
  expect(check({ 'jsonrpc-host': '0.0.0.0', dev: 'false', mnemonic: OWN })).toBeUndefined()
  expect(check({ 'jsonrpc-host': '0.0.0.0', 'insecure-keys': 'true' })).toMatch(/development methods and keys are on/)
})

test('a refused first start leaves no chain behind', async () => {
  const home = mkdtempSync(join(tmpdir(), 'almanac-keys-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  await expect(startNode({ home, node: { dev: false }, ports: false })).rejects.toThrow(/--insecure-keys/)
  await using node = await startNode({ home, node: { dev: false }, chain: { mnemonic: OWN }, ports: false })
  expect(node.mnemonic).toBe(OWN)
})

test('a genesis document with a public validator key warns, and does not start where other machines reach it', async () => {
  const root = mkdtempSync(join(tmpdir(), 'almanac-keys-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  await (await startNode({ home: join(root, 'local'), ports: false })).stop()
  const genesis = join(root, 'local', 'genesis.json')
  const home = join(root, 'copy')
  const open = { home, ports: false, chain: { genesis }, jsonrpc: { host: '0.0.0.0' } }
  await expect(startNode(open)).rejects.toThrow(
    /a validator and 20 funded accounts .*listen on 127\.0\.0\.1.*--insecure-keys/,
  )
  expect(existsSync(join(home, 'genesis.json'))).toBe(false)
  const warned: string[] = []
  const log = (_: string, message: string) => void warned.push(message)
  await (await startNode({ home, ports: false, chain: { genesis } }, { log })).stop()
  await expect(startNode(open)).rejects.toThrow(/--insecure-keys/)
  await (await startNode({ ...open, node: { insecureKeys: true } }, { log })).stop()
  const insecure = expect.stringMatching(/^INSECURE: the genesis document gives a validator and 20 funded accounts/)
  expect(warned.filter((message) => message.startsWith('INSECURE'))).toEqual([insecure, insecure])
})

test('a genesis document that only funds public accounts warns, and starts anywhere', async () => {
  const root = mkdtempSync(join(tmpdir(), 'almanac-keys-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const own = { chain: { mnemonic: OWN } }
  await (await startNode({ home: join(root, 'local'), ports: false, ...own })).stop()
  const document = JSON.parse(readFileSync(join(root, 'local', 'genesis.json'), 'utf8'))
  const { config } = resolveConfig({ flags: { genesis: 'genesis.json', 'rest-host': '0.0.0.0' } })
  expect(requireSafeDocument(config, document, almanac)).toBeUndefined()
  const [first] = deriveAccounts('test test test test test test test test test test test junk', 1, almanac)
  document.app_state.bank.balances[0].address = first!.bech32
  expect(requireSafeDocument(config, document, almanac)).toMatch(
    /^INSECURE: the genesis document gives 1 funded account the/,
  )
})

test('a mnemonic is in a file of its own that only its owner reads, and the chain reopens with it', async () => {
  const home = mkdtempSync(join(tmpdir(), 'almanac-keys-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  await (await startNode({ home, chain: { mnemonic: OWN }, ports: false })).stop()
  for (const name of ['config.toml', 'home.json', 'genesis.json']) {
    expect(readFileSync(join(home, name), 'utf8')).not.toContain('sausage')
  }
  for (const name of ['mnemonic', 'priv_validator_key.json'])
    expect(statSync(join(home, name)).mode & 0o777).toBe(0o600)
  const log: string[] = []
  chmodSync(join(home, 'mnemonic'), 0o644)
  const key = join(home, 'keyring-test', 'alice.json')
  mkdirSync(join(home, 'keyring-test'))
  writeFileSync(key, '{}', { mode: 0o644 })
  {
    await using node = await startNode(
      { home, ports: false },
      { log: (_, message, fields) => void log.push(`${message} ${fields?.['file']}`) },
    )
    expect(node.mnemonic).toBe(OWN)
  }
  for (const path of [join(home, 'mnemonic'), key])
    expect(log).toContain(`other users can read a file with keys: chmod 600 protects it ${path}`)
  await expect(startNode({ home, chain: { mnemonic: OWN.replace('yellow', 'you') }, ports: false })).rejects.toThrow(
    /began with chain\.mnemonic/,
  )
})

test('a chain that began without development methods keeps it so after a restart without the setting', async () => {
  const home = mkdtempSync(join(tmpdir(), 'almanac-keys-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  await (await startNode({ home, node: { dev: false }, chain: { mnemonic: OWN }, ports: false })).stop()
  await expect(startNode({ home, node: { dev: true }, ports: false })).rejects.toThrow('began with node.dev = false')
  await using node = await startNode({ home })
  const { address } = node.accounts[0]!
  for (const [method, ...params] of [
    ['anvil_setBalance', address, '0x1'],
    ['eth_sign', address, '0x00'],
  ]) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const answer = await (await fetch(node.urls.jsonrpc!, { method: 'POST', headers, body })).json()
    expect(answer).toMatchObject({ error: { code: -32601 } })
  }
})
