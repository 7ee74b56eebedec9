import { expect, test } from 'vitest'
import { utf8 } from '../src/primitives/bytes.ts'
import { createEmptyBranch } from '../src/store/branch.ts'
import type { Change } from '../src/store/types.ts'
import { compareChanges } from './replay-compare.ts'

const change = (store: string, key: string, value?: string): Change => ({
  store,
  key: utf8(key),
  value: value === undefined ? undefined : utf8(value),
})

function parent() {
  const state = createEmptyBranch()
  state.set('bank', utf8('kept'), utf8('1'))
  state.set('bank', utf8('other'), utf8('1'))
  return state
}

function compare(ours: readonly Change[], recorded: readonly Change[]) {
  const { stores, differences } = compareChanges(ours, recorded, parent(), (store, key) =>
    store === 'gov' || key[0] === 0x6d ? 'gov' : undefined,
  )
  return {
    stores: Object.fromEntries(
      [...stores].map(([name, { compared, equal, excluded }]) => [
        name,
        [compared, equal, Object.fromEntries(excluded)],
      ]),
    ),
    differences: differences.map(({ key, kind }) => `${new TextDecoder().decode(key)}: ${kind}`),
  }
}

test('equal writes are equal, and a delete differs from an empty value', () => {
  const writes = [change('bank', 'a', '2'), change('bank', 'b', ''), change('bank', 'kept')]
  expect(compare(writes, writes)).toEqual({ stores: { bank: [3, 3, {}] }, differences: [] })
  expect(compare([change('bank', 'b', '')], [change('bank', 'b')]).differences).toEqual(['b: value'])
})

test('another value, and a write of only one side, are differences', () => {
  const found = compare(
    [change('bank', 'a', '2'), change('bank', 'mine', '1')],
    [change('bank', 'a', '3'), change('bank', 'other')],
  )
  expect(found.differences).toEqual(['a: value', 'other: recorded only'])
  expect(found.stores).toEqual({ bank: [2, 0, { gov: 1 }] })
})

test('a write of one side that does not change the value is a no-op', () => {
  expect(compare([change('bank', 'kept', '1')], []).differences).toEqual(['kept: noOp'])
  expect(compare([], [change('bank', 'never')]).differences).toEqual(['never: noOp'])
  expect(compare([], [change('bank', 'kept')]).differences).toEqual(['kept: recorded only'])
  expect(compare([change('bank', 'new', '1')], []).differences).toEqual(['new: ours only'])
})

test('excluded keys are counted by module and not compared', () => {
  const found = compare([change('gov', 'x', '1')], [change('gov', 'x', '2'), change('bank', 'm1', '5')])
  expect(found).toEqual({ stores: { gov: [0, 0, { gov: 1 }], bank: [0, 0, { gov: 1 }] }, differences: [] })
})
