import { expect, test } from 'vitest'
import * as coin from './coin.ts'

test('a list of coins is valid when it is sorted, without duplicates, and every amount is positive', () => {
  const list = (...pairs: [string, string][]) => pairs.map(([denom, amount]) => ({ denom, amount }))
  expect(coin.tryParseList(list(['ubtc', '1'], ['unative', '2']))).toHaveLength(2)
  expect(coin.tryParseList(list(['unative', '2'], ['ubtc', '1']))).toBeUndefined()
  expect(coin.tryParseList(list(['unative', '2'], ['unative', '1']))).toBeUndefined()
  expect(coin.tryParseList(list(['unative', '0']))).toBeUndefined()
})

test('amounts are plain decimal integers of at most 256 bits', () => {
  expect(coin.tryParse({ denom: 'unative', amount: '12345' })).toEqual({ denom: 'unative', amount: 12345n })
  for (const amount of ['', '-1', '01', '1.0', '1e3', (1n << 256n).toString()]) {
    expect(coin.tryParse({ denom: 'unative', amount }), amount).toBeUndefined()
  }
  expect(coin.tryParse({ denom: '1x', amount: '1' })).toBeUndefined()
})

test('the text of coins parses to sorted coins', () => {
  expect(coin.tryParseText('5unative,7ubtc')).toEqual([
    { denom: 'ubtc', amount: 7n },
    { denom: 'unative', amount: 5n },
  ])
  expect(coin.tryParseText('5unative,7unative')).toBeUndefined()
  expect(coin.format([{ denom: 'unative', amount: 5n }])).toBe('5unative')
})

test('sums omit zeros', () => {
  expect(coin.add([{ denom: 'unative', amount: 5n }], [{ denom: 'unative', amount: -5n }])).toEqual([])
})

test('a difference omits zeros, and is undefined if an amount is insufficient', () => {
  const have = [
    { denom: 'ubtc', amount: 2n },
    { denom: 'unative', amount: 5n },
  ]
  expect(coin.subtract(have, [{ denom: 'ubtc', amount: 2n }])).toEqual([{ denom: 'unative', amount: 5n }])
  expect(coin.subtract(have, have)).toEqual([])
  expect(coin.subtract(have, [{ denom: 'unative', amount: 6n }])).toBeUndefined()
  expect(coin.subtract(have, [{ denom: 'ufoo', amount: 1n }])).toBeUndefined()
})
