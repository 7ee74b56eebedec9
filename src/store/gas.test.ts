import { expect, test } from 'vitest'
import { ChainError } from '../primitives/errors.ts'
import { createEmptyBranch } from './branch.ts'
import { createGasMeter, createInfiniteGasMeter, metered, TRANSIENT_PRICES } from './gas.ts'

const key = new Uint8Array(29).fill(1)
const value = new Uint8Array(5)

test('a write of 34 bytes costs 3020 gas and reading it costs 1102', () => {
  const meter = createInfiniteGasMeter()
  const store = metered(createEmptyBranch(), meter)
  store.set('bank', key, value)
  expect(meter.used).toBe(3020n)
  store.get('bank', key)
  expect(meter.used).toBe(3020n + 1102n)
  store.has('bank', key)
  store.delete('bank', key)
  expect(meter.used).toBe(3020n + 1102n + 2000n)
  expect(store.get('bank', key)).toBeUndefined()
  expect(meter.used).toBe(3020n + 1102n + 2000n + 1000n + 87n)
})

test('a transient store has its own prices', () => {
  const meter = createInfiniteGasMeter()
  const store = metered(createEmptyBranch(), meter, TRANSIENT_PRICES)
  store.set('evm', key, value)
  expect(meter.used).toBe(200n + 3n * 34n)
  store.get('evm', key)
  store.has('evm', key)
  store.delete('evm', key)
  expect(meter.used).toBe(302n + 300n)
})

test('an iteration pays for its first entry twice, for every other entry once, and for one more flat step', () => {
  const branch = createEmptyBranch()
  for (const first of [1, 2, 3]) branch.set('s', Uint8Array.of(first, 0), new Uint8Array(first))
  const meter = createInfiniteGasMeter()
  const store = metered(branch, meter)
  expect([...store.iterate('s')]).toHaveLength(3)
  // Entries of 3, 4 and 5 bytes.
  expect(meter.used).toBe(4n * 30n + 3n * (3n + 3n + 4n + 5n))
})

test('an iteration that stops early does not pay for leaving its last entry', () => {
  const branch = createEmptyBranch()
  for (const first of [1, 2, 3]) branch.set('s', Uint8Array.of(first, 0), new Uint8Array(first))
  const meter = createInfiniteGasMeter()
  for (const _ of metered(branch, meter).iterate('s')) break
  expect(meter.used).toBe(30n + 9n)
  for (const _ of metered(branch, meter).iterate('none')) break
  expect(meter.used).toBe(30n + 9n + 30n)
})

test('passing the limit throws sdk 11 with the location and both amounts, and keeps the charge', () => {
  const meter = createGasMeter(88_000n)
  meter.consume(88_000n, 'txSize')
  const failure = (() => {
    try {
      meter.consume(1759n, 'WriteFlat')
    } catch (error) {
      return error
    }
  })()
  expect(failure).toBeInstanceOf(ChainError)
  expect(failure).toMatchObject({ codespace: 'sdk', code: 11 })
  expect((failure as ChainError).message).toBe(
    'out of gas in location: WriteFlat; gasWanted: 88000, gasUsed: 89759: out of gas',
  )
  expect(meter.used).toBe(89_759n)
})
