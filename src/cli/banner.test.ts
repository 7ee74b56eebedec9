import { expect, test } from 'vitest'
import { almanac } from '../identity/profiles/almanac.ts'
import { deriveAccounts } from '../node/accounts.ts'
import { TEST_MNEMONIC } from '../node/settings/chain.ts'
import { renderBanner } from './banner.ts'

const OWN = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

function bannerOf(mnemonic: string, publicMnemonic: string | undefined, all: boolean) {
  const accounts = deriveAccounts(mnemonic, 5, almanac)
  const text = renderBanner({
    version: '0.1.0',
    chainId: 'almanac-localnet-1',
    evmChainId: 6930n,
    height: 1n,
    home: undefined,
    keys: { publicMnemonic, accounts, balance: 1_000_000n, all },
    displayDenom: 'native',
    urls: { rest: 'http://127.0.0.1:1317', jsonrpc: 'http://127.0.0.1:8545' },
    console: 'http://127.0.0.1:1317/',
    blocks: 'every 1 s, and when a transaction arrives',
    startedInMs: 1,
  })
  return { accounts, text }
}

test('the banner opens with the console, fits 80 columns, and prints three accounts of the default mnemonic as public', () => {
  const { accounts, text } = bannerOf(TEST_MNEMONIC, TEST_MNEMONIC, false)
  const lines = text.split('\n')
  expect(lines[3]).toBe('Console            http://127.0.0.1:1317/')
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
  const printed = accounts.filter(({ privateKey }) => text.includes(privateKey))
  expect(printed.map(({ path }) => path)).toEqual([0, 1, 2].map((i) => `m/44'/60'/0'/0/${i}`))
  expect(text).toContain('7 more accounts, and the mnemonic: --show-keys, or --config-out FILE')
  expect(text).toContain('These keys are public')
  expect(text).not.toContain(TEST_MNEMONIC)
})

test('with --show-keys the banner prints all keys of the default mnemonic, and the mnemonic', () => {
  const { accounts, text } = bannerOf(TEST_MNEMONIC, TEST_MNEMONIC, true)
  expect(accounts).toHaveLength(10)
  for (const { address, bech32, privateKey } of accounts) {
    for (const fact of [address, bech32, privateKey]) expect(text).toContain(fact)
  }
  expect(text).toContain(TEST_MNEMONIC)
  expect(text).toContain('These keys are public')
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
})

test('the banner of a chain with a mnemonic of its own has addresses, and neither a key nor the word public', () => {
  const { accounts, text } = bannerOf(OWN, undefined, true)
  for (const { address, bech32, privateKey } of accounts) {
    expect(text).toContain(address)
    expect(text).toContain(bech32)
    expect(text).not.toContain(privateKey.slice(2))
  }
  expect(text).not.toMatch(/private key|public|sausage/)
})
