import { expect, test } from 'vitest'
import type { GatewayNode } from '../gateway.ts'
import { createResultCache } from './result-cache.ts'

function open() {
  const chain = { height: 5n, rollbacks: 0 }
  const node = { blocks: { latestHeight: () => chain.height }, driver: { status: () => chain } }
  const cache = createResultCache(node as unknown as GatewayNode)
  const ask = (params: unknown): string | undefined => {
    const key = cache.keyOf('eth_call', params)
    return key && cache.get(key)
  }
  return { chain, cache, ask }
}

const TO = `0x${'11'.repeat(20)}`

test('a result is cached for the same request until the chain changes', () => {
  const { chain, cache, ask } = open()
  const request = [{ to: TO, data: '0x01' }, 'latest']
  cache.set(cache.keyOf('eth_call', request)!, '"0x2a"')
  expect(ask([{ to: TO, data: '0x01' }, 'latest'])).toBe('"0x2a"')
  expect(ask([{ to: TO, data: '0x01' }, 'pending'])).toBeUndefined()
  expect(ask([{ to: TO, data: '0x02' }, 'latest'])).toBeUndefined()
  chain.rollbacks++
  expect(ask(request)).toBeUndefined()
  const late = cache.keyOf('eth_call', request)!
  chain.height++
  cache.set(late, '"0x2b"')
  expect(ask(request)).toBeUndefined()
})

test('different requests have different keys', () => {
  const { cache } = open()
  const requests = [
    [{ to: TO, data: '0x' }],
    [{ to: TO, input: '0x' }],
    [{ to: `${TO} 4:data2:0x` }],
    [{ to42: `${TO} 4:data2:0x` }],
    [{}, `6:latest 2:to42:${TO}`],
    [{}, `latest 2:to42:${TO}`],
    [{ to: TO }, 'latest'],
    [{}, 'latest'],
  ]
  const keys = requests.map((request) => cache.keyOf('eth_call', request)?.text)
  expect(new Set(keys).size).toBe(requests.length)
})

test('a request with other than plain parameters is not cached', () => {
  const { cache } = open()
  const deep = JSON.parse('['.repeat(900) + ']'.repeat(900)) as unknown
  for (const params of [
    undefined,
    null,
    {},
    'x',
    [],
    [null],
    [{ to: TO }, 'latest', {}],
    [{ accessList: [] }],
    [deep],
  ]) {
    expect(cache.keyOf('eth_call', params)).toBeUndefined()
  }
  expect(cache.keyOf('eth_call', [{ to: TO }, { blockNumber: '0x1' }])).toBeUndefined()
  expect(cache.keyOf('eth_call', [{ data: `0x${'00'.repeat(4096)}` }])).toBeUndefined()
  expect(cache.keyOf('eth_getBalance', [{ to: TO }, 'latest'])).toBeUndefined()
})
