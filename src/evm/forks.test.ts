import { expect, test } from 'vitest'
import { parseFork, rulesOf } from './forks.ts'

test('a fork has the rules of earlier forks and not those of later ones', () => {
  expect([2929, 3855, 1153, 7702, 7939].map((eip) => rulesOf('Cancun').eips.has(eip))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ])
  expect(rulesOf('Constantinople').eips.has(1283)).toBe(true)
  expect(rulesOf('Petersburg').eips.has(1283)).toBe(false)
})

test('extra EIPs are added, and an unknown one is refused', () => {
  expect(rulesOf('London', [3855]).eips.has(3855)).toBe(true)
  expect(() => rulesOf('London', [1])).toThrow('EIP-1 cannot be activated: must be one of 1153,')
})

test('forks are found by all their names in any letter case', () => {
  expect([parseFork('eip158'), parseFork('MERGE'), parseFork('osaka'), parseFork('ConstantinopleFix')]).toEqual([
    'SpuriousDragon',
    'Paris',
    'Osaka',
    'Petersburg',
  ])
  expect(parseFork('Amsterdam')).toBeUndefined()
})
