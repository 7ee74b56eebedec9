import { expect, test } from 'vitest'
import { identityOf } from '../../identity/profiles.ts'
import { testContext } from '../../sdk/testing.ts'
import { requirePair } from './pair.ts'

const check = (text: string, profile = 'almanac') => requirePair(testContext({ identity: identityOf(profile) }), text)

// Texts of the reference: docs/modules/oracle.md#errors.
test.each([
  ['ubtc', 'ubtc: separator missing: invalid token pair'],
  ['a:b:c', 'must have exactly two assets, not 3: invalid token pair'],
  [':uusd', 'empty token identifiers: invalid token pair'],
  ['1:uusd', 'invalid base asset: invalid token pair'],
  ['ubtc:uu', 'invalid quote asset: invalid token pair'],
])('%s is not a pair', (text, message) => {
  expect(() => check(text)).toThrow(message)
})

test('a pair is two denoms in upper or lower case', () => {
  expect(() => check('uBTC:ibc/ABC')).not.toThrow()
})

test.each([
  ['almanac', 'oracle', 16],
  ['nibiru', 'asset', 1],
  ['nibiru@2.17', 'oracle', 16],
])('under %s the error is of codespace %s', (profile, codespace, code) => {
  expect(() => check('ubtc', profile)).toThrow(expect.objectContaining({ codespace, code }))
})
