import { expect, test } from 'vitest'
import { forkAt } from './chain-config.ts'

/** Mainnet's, as its genesis file has them. */
const MAINNET: Readonly<Record<string, number>> = {
  homesteadBlock: 1_150_000,
  eip150Block: 2_463_000,
  eip155Block: 2_675_000,
  eip158Block: 2_675_000,
  byzantiumBlock: 4_370_000,
  constantinopleBlock: 7_280_000,
  petersburgBlock: 7_280_000,
  istanbulBlock: 9_069_000,
  berlinBlock: 12_244_000,
  londonBlock: 12_965_000,
  shanghaiTime: 1_681_338_455,
  cancunTime: 1_710_338_135,
  pragueTime: 1_746_612_311,
}

const at = (number: number, timestamp = 0, isMerged = false, config = MAINNET): string =>
  forkAt((name) => (config[name] === undefined ? undefined : BigInt(config[name])), {
    number: BigInt(number),
    timestamp: BigInt(timestamp),
    isMerged,
  })

test('forks are active from their block on', () => {
  expect([1_149_999, 1_150_000, 2_463_000, 2_674_999, 2_675_000, 4_370_000].map((number) => at(number))).toEqual([
    'Frontier',
    'Homestead',
    'TangerineWhistle',
    'TangerineWhistle',
    'SpuriousDragon',
    'Byzantium',
  ])
  expect([7_280_000, 9_069_000, 12_244_000, 12_965_000].map((number) => at(number))).toEqual([
    'Petersburg',
    'Istanbul',
    'Berlin',
    'London',
  ])
})

test('forks by time require proof of stake', () => {
  expect(at(20_000_000, 1_746_612_311)).toBe('London')
  expect(at(15_600_000, 1_663_224_179, true)).toBe('Paris')
  expect(at(17_034_870, 1_681_338_455, true)).toBe('Shanghai')
  expect(at(19_426_587, 1_710_338_135, true)).toBe('Cancun')
  expect(at(22_431_084, 1_746_612_311, true)).toBe('Prague')
  expect(at(22_431_084, 1_746_612_310, true)).toBe('Cancun')
})

test('Constantinople without a block for Petersburg means Petersburg, and with a later one Constantinople', () => {
  expect(at(5, 0, false, { homesteadBlock: 0, byzantiumBlock: 0, constantinopleBlock: 3 })).toBe('Petersburg')
  const ropsten = { homesteadBlock: 0, byzantiumBlock: 0, constantinopleBlock: 3, petersburgBlock: 9 }
  expect([5, 9].map((number) => at(number, 0, false, ropsten))).toEqual(['Constantinople', 'Petersburg'])
})
