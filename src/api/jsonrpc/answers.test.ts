import { expect, test } from 'vitest'
import type { GatewayNode } from '../gateway.ts'
import { createAnswerCache } from './answers.ts'

function open() {
  const chain = { height: 5n, rollbacks: 0 }
  const node = { blocks: { latestHeight: () => chain.height }, driver: { status: () => chain } }
  const cache = createAnswerCache(node as unknown as GatewayNode)
  const ask = (params: unknown): string | undefined => {
    const place = cache.placeOf('eth_call', params)
    return place && cache.get(place.key)
  }
  return { chain, cache, ask }
}

const TO = `0x${'11'.repeat(20)}`

test('an answer is kept for the same question until the chain moves', () => {
  const { chain, cache, ask } = open()
  const question = [{ to: TO, data: '0x01' }, 'latest']
  cache.set(cache.placeOf('eth_call', question)!, '"0x2a"')
  expect(ask([{ to: TO, data: '0x01' }, 'latest'])).toBe('"0x2a"')
  expect(ask([{ to: TO, data: '0x01' }, 'pending'])).toBeUndefined()
  expect(ask([{ to: TO, data: '0x02' }, 'latest'])).toBeUndefined()
  chain.rollbacks++
  expect(ask(question)).toBeUndefined()
  const late = cache.placeOf('eth_call', question)!
  chain.height++
  cache.set(late, '"0x2b"')
  expect(ask(question)).toBeUndefined()
})

test('no two questions share a place', () => {
  const { cache } = open()
  const questions = [
    [{ to: TO, data: '0x' }],
    [{ to: TO, input: '0x' }],
    [{ to: `${TO} 4:data2:0x` }],
    [{ to42: `${TO} 4:data2:0x` }],
    [{}, `6:latest 2:to42:${TO}`],
    [{}, `latest 2:to42:${TO}`],
    [{ to: TO }, 'latest'],
    [{}, 'latest'],
  ]
  const keys = questions.map((question) => cache.placeOf('eth_call', question)?.key)
  expect(new Set(keys).size).toBe(questions.length)
})

test('what is no plain question has no place', () => {
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
    expect(cache.placeOf('eth_call', params)).toBeUndefined()
  }
  expect(cache.placeOf('eth_call', [{ to: TO }, { blockNumber: '0x1' }])).toBeUndefined()
  expect(cache.placeOf('eth_call', [{ data: `0x${'00'.repeat(4096)}` }])).toBeUndefined()
  expect(cache.placeOf('eth_getBalance', [{ to: TO }, 'latest'])).toBeUndefined()
})
