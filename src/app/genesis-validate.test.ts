import { expect, test } from 'vitest'
import { almanac, profile } from '../identity/profiles/almanac.ts'
import { ChainError } from '../primitives/errors.ts'
import { sha256 } from '../primitives/hash.ts'
import { parseGenesis } from './genesis-document.ts'
import { validateGenesis } from './genesis-validate.ts'
import { localnetGenesis } from './localnet.ts'

type Json = { [key: string]: unknown }
type Way = readonly (string | number)[]

const addressOf = (n: number) => sha256(Uint8Array.of(n)).slice(0, 20)
const DOCUMENT = JSON.stringify(
  localnetGenesis({
    identity: almanac,
    chainId: 'almanac-localnet-1',
    genesisTime: '2024-01-01T00:00:00Z',
    accounts: [
      { address: addressOf(1), balanceUnative: 10n ** 12n },
      { address: addressOf(2), balanceUnative: 5n },
    ],
    validators: [{ publicKey: sha256(Uint8Array.of(3)) }],
    feeders: [addressOf(4)],
  }),
)

/** Returns the paths of all values in a value; of lists only the first two entries. */
function waysIn(value: unknown, way: Way = []): Way[] {
  if (Array.isArray(value)) return [way, ...value.slice(0, 2).flatMap((part, i) => waysIn(part, [...way, i]))]
  if (typeof value !== 'object' || value === null) return [way]
  return [way, ...Object.entries(value).flatMap(([key, part]) => waysIn(part, [...way, key]))]
}

/** Returns the document with another value at a path; undefined removes the entry. */
function replaced(way: Way, by: unknown): string {
  const document = JSON.parse(DOCUMENT) as Json
  let place = document
  for (const key of way.slice(0, -1)) place = place[key] as Json
  if (by === undefined) delete place[way.at(-1)!]
  else place[way.at(-1)!] = by
  return JSON.stringify(document)
}

const ODD = [
  ...[undefined, null, true, -1, 0, 1.5, 1e300, '', '-1', 'x', '\0', 'a'.repeat(2000), '9'.repeat(77)],
  ...['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999999999Z', '315576000001s', '-5s', [], [null], [[]], {}, { x: 1 }],
]

/** Returns a number that can be out of range in place of a number, and an unexpected value in place of any other. */
const oddFor = (value: unknown, i: number): readonly unknown[] =>
  /^\d+$/.test(String(value)) ? [-1, '9'.repeat(19)] : [ODD[i % ODD.length]]

test('a chain starts from any changed document, or refuses it with the reason', () => {
  const document: unknown = JSON.parse(DOCUMENT)
  let accepted = 0
  let refused = 0
  for (const [i, way] of waysIn(document).entries()) {
    if (way.length === 0) continue
    const value = way.reduce((part, key) => (part as Json)[key], document)
    for (const by of oddFor(value, i)) {
      try {
        validateGenesis(parseGenesis(replaced(way, by), 'genesis.json'), profile)
        accepted++
      } catch (error) {
        expect(error, `${way.join('.')} = ${JSON.stringify(by)}`).toBeInstanceOf(ChainError)
        refused++
      }
    }
  }
  expect(accepted).toBeGreaterThan(20)
  expect(refused).toBeGreaterThan(200)
})

test('a validator cannot start with more commission than there is to distribute, at which its first block would fail', () => {
  const rates = (...texts: readonly string[]) => {
    const [rate, max_rate, max_change_rate] = texts
    const way = ['app_state', 'staking', 'validators', 0, 'commission', 'commission_rates']
    const text = replaced(way, { rate, max_rate, max_change_rate })
    return () => validateGenesis(parseGenesis(text, 'genesis.json'), profile)
  }
  expect(rates('1.5', '1', '0')).toThrow(
    'genesis of module staking: validators[0]: commission cannot be more than the max',
  )
  expect(rates('1.5', '2', '0')).toThrow('validators[0]: commission cannot be more than 100%')
  expect(rates('-0.1', '1', '0')).toThrow('validators[0]: commission must be positive')
  expect(rates('1', '1', '1')).not.toThrow()
})

test('a document without a validator is refused before a home folder is created', () => {
  const text = replaced(['app_state', 'staking'], { params: {} })
  expect(() => validateGenesis(parseGenesis(text, 'genesis.json'), profile)).toThrow(ChainError)
})
