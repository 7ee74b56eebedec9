import { expect, test } from 'vitest'
import { almanac } from '../identity/profiles/almanac.ts'
import { deriveAccounts } from '../node/accounts.ts'
import { TEST_MNEMONIC } from '../node/settings.ts'
import { renderBanner } from './banner.ts'

const OWN = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

function bannerOf(mnemonic: string, publicMnemonic: string | undefined) {
  const accounts = deriveAccounts(mnemonic, 2, almanac)
  const text = renderBanner({
    version: '1',
    chainId: 'a-1',
    evmChainId: 1n,
    height: 1n,
    home: undefined,
    keys: { publicMnemonic, accounts, balance: 5n },
    displayDenom: 'coin',
    urls: {},
    blocks: 'by hand',
    startedInMs: 1,
  } as never)
  return { accounts, text }
}

test('the banner prints the keys of the default mnemonic, and says that they are public', () => {
  const { accounts, text } = bannerOf(TEST_MNEMONIC, TEST_MNEMONIC)
  expect(text).toContain(TEST_MNEMONIC)
  expect(text).toContain('These keys are public')
  for (const { privateKey } of accounts) expect(text).toContain(privateKey)
})

test('the banner of a chain with a mnemonic of its own has addresses, and neither a key nor the word public', () => {
  const { accounts, text } = bannerOf(OWN, undefined)
  for (const { address, bech32, privateKey } of accounts) {
    expect(text).toContain(address)
    expect(text).toContain(bech32)
    expect(text).not.toContain(privateKey.slice(2))
  }
  expect(text).not.toMatch(/private key|public|sausage/)
})
