import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { expect, test } from 'vitest'
import { formatHex0x } from '../primitives/bytes.ts'
import { deriveAccounts, seedOf } from './accounts.ts'

const junk = 'test test test test test test test test test test test junk'
const identity = { bech32: { account: 'chain', validator: 'chainvaloper', consensus: 'chainvalcons' } }

test('the test mnemonic has the accounts that every Ethereum tool derives', () => {
  const accounts = deriveAccounts(junk, 2, identity)
  expect(accounts.map(({ path, address }) => [path, address])).toMatchObject([
    ["m/44'/60'/0'/0/0", '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'],
    ["m/44'/60'/0'/0/1", '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'],
    ["m/44'/118'/0'/0/0", expect.any(String)],
    ["m/44'/118'/0'/0/1", expect.any(String)],
  ])
  expect(accounts[0]!.privateKey).toBe('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
})

test('keys are equal to those of an independent BIP-32 implementation', () => {
  const mnemonic = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
  expect(seedOf(mnemonic)).toEqual(mnemonicToSeedSync(mnemonic))
  const root = HDKey.fromMasterSeed(mnemonicToSeedSync(mnemonic))
  for (const { path, privateKey } of deriveAccounts(mnemonic, 5, identity)) {
    expect(privateKey).toBe(formatHex0x(root.derive(path).privateKey!))
  }
})
