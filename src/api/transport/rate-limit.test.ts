import { expect, test } from 'vitest'
import { createClientAddress } from './client-address.ts'
import { createRateLimit, retryAfter } from './rate-limit.ts'

test('an address sends its burst at once, then as many a second as the limit, whatever others send', () => {
  let now = 0
  const rates = createRateLimit({ perSecond: 10, burst: 3 }, () => now)
  const take = (address: string) => rates.take(address)
  expect([take('192.0.2.1'), take('192.0.2.1'), take('192.0.2.1')]).toEqual([undefined, undefined, undefined])
  expect(take('192.0.2.1')).toBe(100)
  expect(take('192.0.2.2')).toBeUndefined()
  now = 100
  expect(take('192.0.2.1')).toBeUndefined()
  expect(take('192.0.2.1')).toBe(100)
  now = 60_000
  expect([take('192.0.2.1'), take('192.0.2.1'), take('192.0.2.1'), take('192.0.2.1')].at(-1)).toBe(100)
})

test('the number of remembered addresses is bounded, and the one seen longest ago is forgotten', () => {
  const rates = createRateLimit({ perSecond: 1, burst: 1 }, () => 0, 2)
  rates.take('192.0.2.1')
  rates.take('192.0.2.2')
  expect(rates.take('192.0.2.1')).toBe(1000)
  rates.take('192.0.2.3')
  expect(rates.take('192.0.2.1')).toBe(1000)
  expect(rates.take('192.0.2.2')).toBeUndefined()
})

test('without a limit, and for clients without an address, nothing is refused', () => {
  const none = createRateLimit({ perSecond: 0, burst: 0 }, () => 0)
  const one = createRateLimit({ perSecond: 1, burst: 1 }, () => 0)
  for (let i = 0; i < 5; i++) expect([none.take('192.0.2.1'), one.take('ipc')]).toEqual([undefined, undefined])
  expect([retryAfter(1), retryAfter(2001)]).toEqual(['1', '3'])
})

test('only a trusted proxy names the client, and only by the end of its header', () => {
  const address = createClientAddress(['loopback', '10.0.0.0/8', '2001:db8:ff::/48'])
  for (const [remote, forwarded, client] of [
    ['192.0.2.1', '198.51.100.7', '192.0.2.1'],
    ['127.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['::ffff:127.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['::1', '203.0.113.9, 198.51.100.7, 10.1.2.3', '198.51.100.7'],
    ['10.9.9.9', ['203.0.113.9', '198.51.100.7:4711'], '198.51.100.7'],
    ['2001:db8:ff:1::5', '[2001:db8:1:2:3:4:5:6]:443', '2001:db8:1:2::/64'],
    ['127.0.0.1', '10.0.0.1, 10.0.0.2', '10.0.0.1'],
    ['127.0.0.1', 'unknown', '127.0.0.1'],
    ['127.0.0.1', '198.51.100.7, <script>', '127.0.0.1'],
    ['127.0.0.1', '', '127.0.0.1'],
    ['127.0.0.1', undefined, '127.0.0.1'],
    [undefined, '198.51.100.7', ''],
  ] as const)
    expect(address(remote, forwarded), `${remote} ${forwarded}`).toBe(client)
  expect(createClientAddress([])('127.0.0.1', '198.51.100.7')).toBe('127.0.0.1')
})

test('addresses of one network of 64 bits are one client', () => {
  const address = createClientAddress([])
  const same = ['2001:db8:0:7:1:2:3:4', '2001:DB8:0:7::1', '2001:0db8:0000:0007:ffff::', '2001:db8:0:7::1%eth0']
  expect(new Set(same.map((one) => address(one, undefined)))).toEqual(new Set(['2001:db8:0:7::/64']))
  expect(address('2001:db8:0:8::1', undefined)).toBe('2001:db8:0:8::/64')
  expect(address('::1', undefined)).toBe('0:0:0:0::/64')
  expect(address('64:ff9b::192.0.2.33', undefined)).toBe('64:ff9b:0:0::/64')
})

test('clients that ask in turn keep their addresses, with a proxy and without one', () => {
  const address = createClientAddress(['loopback'])
  const asked = [
    ['192.0.2.1', undefined],
    ['192.0.2.2', undefined],
    ['127.0.0.1', undefined],
    ['127.0.0.1', '198.51.100.7'],
    ['127.0.0.1', undefined],
    ['192.0.2.1', '198.51.100.7'],
  ] as const
  const expected = ['192.0.2.1', '192.0.2.2', '127.0.0.1', '198.51.100.7', '127.0.0.1', '192.0.2.1']
  expect(asked.map(([remote, forwarded]) => address(remote, forwarded))).toEqual(expected)
})

test('a proxy that is no address is refused with the setting and what would be right', () => {
  for (const wrong of ['proxy.example', '10.0.0.0/33', '10.0.0.0/x', '', '::/129'])
    expect(() => createClientAddress([wrong])).toThrow(/api\.trusted_proxies .*must be an address, a range/)
})
