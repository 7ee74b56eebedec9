import { expect, test } from 'vitest'
import * as decimal from '../../primitives/decimal.ts'
import { parseRates, voteHash } from './vote-text.ts'

// Hashes of the reference.
test('a prevote is the hash of salt, rates and voter', () => {
  const voter = 'chainvaloper1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5sgejnn'
  expect(voteHash('1', '(ubtc:uusd,64250.000000000000000000)', voter)).toBe('cfdbb5ff62fb99254380677c859d26f8ccde6931')
  const three =
    '(ubtc:uusd,64250.123456789000000000)|(ueth:uusd,3100.500000000000000000)|(uatom:uusd,-1.000000000000000000)'
  expect(voteHash('9999', three, voter)).toBe('0ec0b7a01345bbff62113f4a9d57b16b3701dbc3')
  const zeros = 'chainvaloper1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqquf4njj'
  expect(voteHash('0', '(uusdc:uusd,1)|(uusdt:uusd,0.9998)', zeros)).toBe('3b9c9ce4419a4add98dbaa589b93b8b8ce906acc')
  expect(voteHash('1', '(ubtc:uusd,64250.0)', 'chainvaloper1example')).toBe('4529d6820e42558a76a6e95972a2af6880c705c0')
})

test('rates parse tuple by tuple, and a rate of 0 or less abstains', () => {
  expect(parseRates('(ubtc:uusd,1.5)|(ueth:uusd,-1)')).toEqual([
    { pair: 'ubtc:uusd', rate: decimal.parse('1.5') },
    { pair: 'ueth:uusd', rate: decimal.parse('-1') },
  ])
})

test('text that does not parse is refused with the cause', () => {
  const refusals = [
    ['()', 'invalid string length'],
    ['(ubtc:uusd,1', 'invalid ExchangeRateTuple delimiters'],
    ['(ubtc:uusd,1)|', 'invalid string length'],
    ['(ubtc:uusd)', 'invalid ExchangeRateTuple format'],
    ['(ubtc:uusd,1,2)', 'invalid ExchangeRateTuple format'],
    ['(ubtc,1)', 'invalid pair definition'],
    ['(ubtc:uusd,1e5)', 'invalid decimal'],
    ['(ubtc:uusd,.5)', 'invalid decimal'],
    ['(ubtc:uusd,--1)', 'invalid decimal'],
    ['(ubtc:uusd,1)|(ubtc:uusd,2)', 'found duplicate at index 1'],
  ] as const
  for (const [text, reason] of refusals) expect(() => parseRates(text)).toThrow(reason)
  // 10^95 and 10^96 after scaling: 316 bits, and beyond the range of a decimal.
  expect(() => parseRates(`(ubtc:uusd,1${'0'.repeat(77)})`)).toThrow('overflow')
  expect(() => parseRates(`(ubtc:uusd,1${'0'.repeat(78)})`)).toThrow('invalid decimal')
})
