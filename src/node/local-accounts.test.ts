import { expect, test } from 'vitest'
import { almanac } from '../identity/profiles/almanac.ts'
import { formatBech32 } from '../primitives/address.ts'
import { toKey } from '../primitives/bytes.ts'
import { deriveAccounts } from './accounts.ts'
import { resolveConfig } from './config.ts'
import { localAccounts } from './local-accounts.ts'

const identity = almanac
const stranger = new Uint8Array(20).fill(9)
const configOf = (given: Record<string, unknown>) => resolveConfig({ caller: given }).config

test('accounts are local by name in either form, and by a key that the node signs with', () => {
  const [first] = deriveAccounts(configOf({}).chain.mnemonic, 1, identity)
  const own = toKey(first!.addressBytes)
  expect(localAccounts(configOf({}), identity)(own)).toBe(true)
  expect(localAccounts(configOf({}), identity)(toKey(stranger))).toBe(false)
  const withoutKeys = localAccounts(configOf({ node: { dev: false } }), identity)
  expect(withoutKeys(own)).toBe(false)
  for (const text of [`0x${'09'.repeat(20)}`, formatBech32('chain', stranger)]) {
    const isLocal = localAccounts(configOf({ node: { dev: false }, mempool: { locals: [text] } }), identity)
    expect([isLocal(toKey(stranger)), isLocal(own)]).toEqual([true, false])
  }
  expect(() => localAccounts(configOf({ mempool: { locals: ['0x12'] } }), identity)).toThrow(
    'mempool.locals: "0x12" is not an address',
  )
})
