import { expect, test } from 'vitest'
import { utf8 } from '../../primitives/bytes.ts'
import { readJsonParams, readUriParams } from './params.ts'

const KINDS = { height: 'int', prove: 'bool', query: 'text', data: 'hexBytes', tx: 'base64Bytes' } as const

test('arguments by name have integers and bytes as strings, and omitted ones are absent', () => {
  expect(readJsonParams(KINDS, { height: '5', prove: true, query: 'a', data: '0a0b', tx: 'AQI=', other: 1 })).toEqual({
    height: 5n,
    prove: true,
    query: 'a',
    data: new Uint8Array([10, 11]),
    tx: new Uint8Array([1, 2]),
  })
  expect(readJsonParams(KINDS, undefined)).toEqual({})
  expect(readJsonParams(KINDS, { height: null })).toEqual({})
})

test('arguments by position must be complete', () => {
  expect(readJsonParams({ height: 'int' }, ['7'])).toEqual({ height: 7n })
  expect(() => readJsonParams({ height: 'int', prove: 'bool' }, ['7'])).toThrow('expected 2 parameters')
})

test('bytes of the length of a whole body are read', () => {
  expect(readJsonParams(KINDS, { tx: 'A'.repeat(5_000_000) }).tx?.length).toBe(3_750_000)
})

test.each([
  [{ height: 3 }, 'height'],
  [{ height: '3.5' }, 'height'],
  [{ height: '9223372036854775808' }, 'height'],
  [{ prove: 'true' }, 'prove'],
  [{ data: 'zz' }, 'data'],
  [{ tx: '0x0' }, 'tx'],
  [{ tx: 'AQI' }, 'tx'],
  [{ tx: '-_8=' }, 'tx'],
  [{ query: 5 }, 'query'],
])('%j is refused, and the error names the argument', (params, name) => {
  expect(() => readJsonParams(KINDS, params)).toThrow(`argument ${name}`)
})

test('in a URI strings are quoted, bytes are 0x or quoted, integers either', () => {
  const search = new URLSearchParams(`height="5"&prove=false&query="tx.height=5"&data=0x0a0b&tx="ab"`)
  expect(readUriParams(KINDS, search)).toEqual({
    height: 5n,
    prove: false,
    query: 'tx.height=5',
    data: new Uint8Array([10, 11]),
    tx: utf8('ab'),
  })
  expect(readUriParams(KINDS, new URLSearchParams('height=5'))).toEqual({ height: 5n })
  for (const bad of ['query=bare', 'data=0a0b', 'height=0x5', 'prove=1', 'query="a\\"']) {
    expect(() => readUriParams(KINDS, new URLSearchParams(bad))).toThrow('error converting argument')
  }
})
