import { expect, test } from 'vitest'
import { findProfile } from '../../identity/profiles.ts'
import { requireProfileOf } from './replica-profile.ts'

const NIBI = 'nibi1qfjqsfs08rfugwex7d549lecaja23p5j67zpkc'
const almanac = findProfile('almanac')!
const nibiru = findProfile('nibiru')!
const documentWith = (state: unknown): string => JSON.stringify({ chain_id: 'test-1', app_state: state })

test('a profile of another prefix is refused with the ones that fit', () => {
  const document = documentWith({ bank: { balances: [{ address: NIBI, coins: [] }] } })
  expect(() => requireProfileOf(document, almanac)).toThrow(
    'chain.profile (--profile) is almanac, whose accounts begin with chain1, and those of chain test-1 begin with nibi1: set it to nibiru or nibiru@2.17',
  )
  expect(() => requireProfileOf(document, nibiru)).not.toThrow()
})

test('accounts tell the prefix if there are no balances', () => {
  const document = documentWith({
    bank: { balances: [] },
    auth: { accounts: [{ '@type': '/x.ModuleAccount', base_account: { address: `osmo${NIBI.slice(4)}` } }] },
  })
  expect(() => requireProfileOf(document, nibiru)).toThrow(
    'those of chain test-1 begin with osmo1: set it to a file with the profile of the chain',
  )
})

test('a document without accounts fits every profile, and a text that cannot be parsed has its error elsewhere', () => {
  expect(() => requireProfileOf(documentWith({}), nibiru)).not.toThrow()
  expect(() => requireProfileOf('{', nibiru)).not.toThrow()
})
