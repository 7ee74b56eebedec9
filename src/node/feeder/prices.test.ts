import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { filePrices, httpPrices, priceText, simulatedPrices } from './prices.ts'

const folder = mkdtempSync(join(tmpdir(), 'almanac-prices-'))
afterAll(() => rmSync(folder, { recursive: true }))

const ANSWER = { data: { rates: { 'ubtc:uusd': '64250.5', 'ueth:uusd': 3100.25, 'uatom:uusd': 'unknown' } } }
const EXPECTED = [
  ['ubtc:uusd', '64250.500000000000000000'],
  ['ueth:uusd', '3100.250000000000000000'],
]
const PAIRS = ['ubtc:uusd', 'ueth:uusd', 'uatom:uusd', 'uusdc:uusd']

test.each([
  ['1', '1.000000000000000000'],
  [' 0.5 ', '0.500000000000000000'],
  // Truncated, not rounded: the chain accepts 18 places.
  ['0.1234567890123456789', '0.123456789012345678'],
  [1e-7, '0.000000100000000000'],
  [123456789, '123456789.000000000000000000'],
  ['-1', undefined],
  ['1e5', undefined],
  ['', undefined],
  [Number.NaN, undefined],
  [null, undefined],
])('the price %j is written %s', (value, text) => {
  expect(priceText(value)).toBe(text)
})

describe('prices', () => {
  test('a file is read at each call, and a pair without a price is omitted', async () => {
    const path = join(folder, 'prices.json')
    writeFileSync(path, JSON.stringify(ANSWER))
    const prices = filePrices(path, 'data.rates')
    expect([...(await prices(PAIRS))]).toEqual(EXPECTED)
    writeFileSync(path, JSON.stringify({ data: { rates: { 'uusdc:uusd': '1' } } }))
    expect([...(await prices(PAIRS))]).toEqual([['uusdc:uusd', '1.000000000000000000']])
  })

  test('a file that is absent, is not JSON or has nothing at the path is an error that names the file', async () => {
    const path = join(folder, 'broken.json')
    writeFileSync(path, '{')
    await expect(filePrices(path)(PAIRS)).rejects.toThrow(`${path} is not JSON`)
    writeFileSync(path, '{"data":1}')
    await expect(filePrices(path, 'data.rates')(PAIRS)).rejects.toThrow(`${path} has no object at data.rates`)
    await expect(filePrices(join(folder, 'absent.json'))(PAIRS)).rejects.toThrow('absent.json')
  })

  test('a URL is read at each call; a failed answer is an error that names the URL', async () => {
    let status = 200
    const server = createServer((_, response) => response.writeHead(status).end(JSON.stringify(ANSWER)))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/prices`
    try {
      const prices = httpPrices(url, 'data.rates')
      expect([...(await prices(PAIRS))]).toEqual(EXPECTED)
      status = 503
      await expect(prices(PAIRS)).rejects.toThrow(`${url} answered 503`)
    } finally {
      server.close()
    }
  })

  test('prices of a walk depend on the seed and change a little at each step', async () => {
    const [one, same, other] = [simulatedPrices(7), simulatedPrices(7), simulatedPrices(8)]
    let last = await one(['ubtc:uusd', 'uother:uusd'])
    expect(await same(['ubtc:uusd', 'uother:uusd'])).toEqual(last)
    expect(await other(['ubtc:uusd', 'uother:uusd'])).not.toEqual(last)
    for (let i = 0; i < 100; i++) {
      const next = await one(['ubtc:uusd', 'uother:uusd'])
      for (const [pair, price] of next) {
        expect(price).not.toBe(last.get(pair))
        expect(Math.abs(Number(price) / Number(last.get(pair)) - 1)).toBeLessThan(0.0021)
      }
      last = next
    }
  })
})
