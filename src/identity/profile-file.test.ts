import { expect, test } from 'vitest'
import { formatProfile, parseProfile } from './profile-file.ts'
import { nibiru } from './profiles/nibiru.ts'
import { PROFILES } from './profiles.ts'

const parse = (json: string) => parseProfile(json, 'my.json')

/** Returns the file of the reference chain with one entry changed or removed. */
function changed(way: readonly string[], value?: unknown): string {
  const profile = JSON.parse(formatProfile(nibiru)) as Record<string, unknown>
  const place = way.slice(0, -1).reduce((part, name) => part[name] as Record<string, unknown>, profile)
  place[way.at(-1)!] = value
  return JSON.stringify(profile)
}

test.each(PROFILES.filter(({ name }) => name !== 'almanac'))(
  'the profile $name can be written to a file',
  (profile) => {
    expect(parse(formatProfile(profile))).toEqual(profile)
  },
)

test('packages of the SDK have the names of the family unless a file renames them', () => {
  expect(parse(changed(['names', 'packages'], { chain: 'mine' })).names.packages).toEqual({
    sdk: 'cosmos',
    chain: 'mine',
  })
  expect(parse(changed(['names', 'packages'], { sdk: 'own' })).names.packages).toEqual({ sdk: 'own' })
})

test.each([
  ['a missing name', changed(['baseDenom']), 'profile my.json: baseDenom: is missing'],
  ['a missing part', changed(['bech32', 'validator']), 'bech32.validator: is missing'],
  ['a missing map', changed(['names', 'fields']), 'names.fields: is missing'],
  ['an unknown entry', changed(['home'], 'x'), 'home: unknown entry of a profile'],
  ['a name twice', '{"name":"a",\n"name":"b"}', 'profile my.json: line 2, column 1: the name "name" occurs twice'],
  [
    'one name for two things',
    changed(['names', 'packages', 'chain'], 'cosmos'),
    'names.packages: "cosmos" is used for both sdk and chain',
  ],
  [
    'one prefix for two kinds of address',
    changed(['bech32', 'consensus'], 'nibi'),
    'bech32: "nibi" is used for both account and consensus',
  ],
  [
    'an entry that renames nothing',
    changed(['names', 'packages', 'chain.emv'], 'eth.evm'),
    'names.packages.chain.emv: is not a neutral name of this API',
  ],
  [
    'an unknown field',
    changed(['names', 'fields', 'base_fee_native'], 'x'),
    'names.fields.base_fee_native: is not a neutral name of this API',
  ],
  ['an unknown behaviour', changed(['behaviours'], ['fly']), 'behaviours: unknown behaviour "fly"'],
  [
    'a behaviour twice',
    changed(['behaviours'], ['exposeEthAccount', 'exposeEthAccount']),
    'behaviours: exposeEthAccount occurs twice',
  ],
  ['a bad denom', changed(['baseDenom'], '1x'), 'baseDenom: "1x" is not a denom'],
  ['a bad prefix', changed(['bech32', 'account'], 'Nibi'), 'bech32.account: expected a prefix of'],
  ['a bad EVM chain id', changed(['evmChainIds', 'a'], 0), 'evmChainIds.a: expected a whole number'],
  ['a truncated file', formatProfile(nibiru).slice(0, 200), 'it is cut off'],
])('a file with %s is refused, and the error names the position', (_, json, message) => {
  expect(() => parse(json)).toThrow(message)
})
