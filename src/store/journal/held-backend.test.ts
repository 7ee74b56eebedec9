import { expect, test } from 'vitest'
import { utf8 } from '../../primitives/bytes.ts'
import { openMemory } from '../backend/memory.ts'
import type { TableWrite } from '../types.ts'
import { withHeldWrites } from './held-backend.ts'

const SECRET = [1, 2] as const
const row = (key: string, value?: string): TableWrite => ({
  table: 't',
  key: utf8(key),
  value: value?.length ? utf8(value) : undefined,
})
const text = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString()

function setUp() {
  const memory = openMemory()
  const state = { isFull: false, writes: 0 }
  const base = {
    ...memory,
    write(rows: Iterable<TableWrite>) {
      state.writes++
      memory.write(rows)
      if (state.isFull) throw new Error('no space left')
    },
  }
  const backend = withHeldWrites(base, SECRET)
  const rowsOf = ({ iterate }: Pick<typeof memory, 'iterate'>) =>
    Array.from(iterate('t'), ([key, value]) => `${text(key)}${text(value)}`)
  return { memory, backend, state, own: () => rowsOf(backend), durable: () => rowsOf(memory) }
}

test('held writes are read here, and reach the base together with the next durable write', () => {
  const { backend, state, own, durable } = setUp()
  backend.write([row('a', '1'), row('b', '1')])
  backend.write([row('a', '2'), row('c', '1')], true)
  backend.write([row('b'), row('c', '2')], true)
  expect([own(), durable(), state.writes]).toEqual([['a2', 'c2'], ['a1', 'b1'], 1])
  expect([text(backend.get('t', utf8('a'))), backend.get('t', utf8('b'))]).toEqual(['2', undefined])
  backend.write([row('d', '1')])
  expect([own(), durable(), state.writes]).toEqual([['a2', 'c2', 'd1'], ['a2', 'c2', 'd1'], 2])
  backend.flush()
  expect(state.writes).toBe(2)
})

test('the source of a write reads its own rows over held ones, in a held write as in a durable one', () => {
  for (const isHeld of [true, false]) {
    const { backend, own } = setUp()
    backend.write([row('a', '1')], true)
    const seen: (string | undefined)[] = []
    function* rows(): IterableIterator<TableWrite> {
      seen.push(text(backend.get('t', utf8('a'))))
      yield row('a', '2')
      seen.push(text(backend.get('t', utf8('a'))))
      yield row('a', '3')
      seen.push(...own())
    }
    backend.write(rows(), isHeld)
    expect([seen, own()]).toEqual([['1', '2', 'a3'], ['a3']])
  }
})

test('a held write that fails leaves those before it', () => {
  const { backend, own, durable } = setUp()
  backend.write([row('a', '1')], true)
  function* rows(): IterableIterator<TableWrite> {
    yield row('a', '2')
    yield row('b', '1')
    throw new Error('no rows')
  }
  expect(() => backend.write(rows(), true)).toThrow('no rows')
  expect(own()).toEqual(['a1'])
  backend.flush()
  expect(durable()).toEqual(['a1'])
})

test('writes that the base refuses stay held', () => {
  const { backend, state, own, durable } = setUp()
  backend.write([row('a', '1')], true)
  state.isFull = true
  expect(() => backend.flush()).toThrow('no space left')
  expect(own()).toEqual(['a1'])
  state.isFull = false
  backend.flush()
  expect(durable()).toEqual(['a1'])
})
