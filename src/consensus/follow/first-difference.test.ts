import { expect, test } from 'vitest'
import { utf8 } from '../../primitives/bytes.ts'
import type { Change } from '../../store/types.ts'
import { type Differing, firstDifference } from './first-difference.ts'

const set = (store: string, key: string, value = 'v'): Change => ({ store, key: utf8(key), value: utf8(value) })
const removed = (store: string, key: string): Change => ({ store, key: utf8(key), value: undefined })
const root = (fill: number): Uint8Array => new Uint8Array(32).fill(fill)

const find = (parts: Partial<Differing>) =>
  firstDifference({
    written: [set('bank', 'a'), set('evm', 'b')],
    roots: new Map([
      ['acc', root(1)],
      ['bank', root(2)],
      ['evm', root(3)],
    ]),
    executed: () => undefined,
    rootAt: async () => undefined,
    ...parts,
  })

test('a block that can be executed here names the first key, by store and key', async () => {
  const of = (...right: Change[]) => find({ executed: () => right })
  expect(await of(set('bank', 'a', 'w'), set('evm', 'b', 'w'))).toBe(
    'the first difference is in store bank, key 0x61: the stream has another value',
  )
  expect(await of(set('bank', 'a'), removed('evm', 'b'))).toMatch(/store evm, key 0x62: the stream has another value/)
  expect(await of(set('bank', 'a'))).toMatch(
    /store evm, key 0x62: the stream has a change that the block does not make/,
  )
  expect(await of(set('acc', 'z'), set('bank', 'a'), set('evm', 'b'))).toMatch(
    /store acc, key 0x7a: the stream lacks a change of the block/,
  )
  expect(await of(set('bank', 'a'), set('evm', 'b'), set('evm', 'c'))).toMatch(/store evm, key 0x63: the stream lacks/)
})

test('without execution, the roots that the node proves name the first store', async () => {
  const theirs = new Map([
    ['acc', root(1)],
    ['bank', root(2)],
    ['evm', root(9)],
  ])
  expect(await find({ rootAt: async (store) => theirs.get(store) })).toBe('the first store that differs is evm')
  const equal = new Map([...theirs, ['evm', root(3)]])
  expect(await find({ rootAt: async (store) => equal.get(store) })).toMatch(/all stores are equal/)
})

test('without both, the stores that the block wrote are named', async () => {
  expect(await find({})).toBe('the block wrote to bank, evm, and the node does not tell which differs')
})

test('a long key is cut', async () => {
  const long = { store: 'evm', key: new Uint8Array(60), value: root(0) }
  expect(await find({ written: [long], executed: () => [] })).toMatch(
    /key 0x(00){48}… of 60 bytes: the stream has a change/,
  )
})
