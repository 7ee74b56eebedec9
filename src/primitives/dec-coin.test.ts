import { expect, test } from 'vitest'
import * as coins from './dec-coin.ts'
import * as decimal from './decimal.ts'

const dec = (text: string) => decimal.parse(text)!
const list = (...entries: readonly [string, string][]): coins.DecCoins =>
  entries.map(([denom, amount]) => ({ denom, amount: dec(amount) }))

test('sums and differences stay sorted and drop zeros; a difference below zero is an error', () => {
  const a = list(['ua', '1.5'], ['uc', '2'])
  const b = list(['ub', '0.25'], ['uc', '2'])
  expect(coins.add(a, b)).toEqual(list(['ua', '1.5'], ['ub', '0.25'], ['uc', '4']))
  expect(coins.sub(coins.add(a, b), a)).toEqual(b)
  expect(coins.sub(a, list(['uc', '2']))).toEqual(list(['ua', '1.5']))
  expect(() => coins.sub(a, b)).toThrow(RangeError)
})

test('a sum or difference with nothing is the list itself, put in order if it was not', () => {
  const ordered = list(['ua', '1.5'], ['uc', '2'])
  expect(coins.add(ordered, coins.NONE)).toBe(ordered)
  expect(coins.sub(ordered, coins.NONE)).toBe(ordered)
  expect(coins.add(list(['uc', '2'], ['ua', '1.5']), coins.NONE)).toEqual(ordered)
  expect(coins.add(list(['ua', '1.5'], ['ub', '0'], ['uc', '2']), coins.NONE)).toEqual(ordered)
  const negative = [{ denom: 'ua', amount: decimal.fromRaw(-1n) }]
  expect(() => coins.sub(negative, coins.NONE)).toThrow(RangeError)
})

test('truncating products and quotients omit zeros', () => {
  const third = list(['ua', '0.000000000000000003'])
  expect(coins.mulTruncate(third, dec('0.5'))).toEqual(list(['ua', '0.000000000000000001']))
  expect(coins.mul(third, dec('0.5'))).toEqual(list(['ua', '0.000000000000000002']))
  expect(coins.quoTruncate(list(['ua', '1']), dec('3'))).toEqual(list(['ua', '0.333333333333333333']))
  expect(coins.quoTruncate(third, dec('4'))).toEqual([])
})

test('whole coins and fractions add up, and an intersection has the smaller amounts', () => {
  const held = list(['ua', '2.75'], ['ub', '0.5'])
  const { coins: whole, rest } = coins.truncate(held)
  expect(whole).toEqual([{ denom: 'ua', amount: 2n }])
  expect(coins.add(coins.fromCoins(whole), rest)).toEqual(held)
  expect(coins.intersect(held, list(['ub', '0.75'], ['uc', '1']))).toEqual(list(['ub', '0.5']))
})

test('messages contain only digits, events eighteen places', () => {
  const held = list(['ua', '2.75'])
  expect(coins.encode(held)).toEqual([{ denom: 'ua', amount: '2750000000000000000' }])
  expect(coins.decode(coins.encode(held))).toEqual(held)
  expect(coins.format(held)).toBe('2.750000000000000000ua')
})
