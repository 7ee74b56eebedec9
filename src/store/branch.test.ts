import { describe, expect, test } from 'vitest'
import { compare, formatHex, hex, utf8 } from '../primitives/bytes.ts'
import { createBranch, createEmptyBranch } from './branch.ts'
import type { Branch, Range } from './types.ts'

const text = (bytes: Uint8Array | undefined) => (bytes ? formatHex(bytes) : undefined)
const list = (branch: Branch, range?: Range) => [...branch.iterate('s', range)].map(([k, v]) => [text(k), text(v)])

/** Returns a seeded generator of numbers below `n`. */
function seeded(seed: number) {
  let state = seed
  return (n: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state % n
  }
}

/** The writes of nested branches, as a stack of plain maps. */
type Model = Map<string, string>

function modelEntries(model: Model, range: Range): string[][] {
  const start = range.start && formatHex(range.start)
  const end = range.end && formatHex(range.end)
  const entries = [...model].filter(([k]) => (start === undefined || k >= start) && (end === undefined || k < end))
  entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return range.reverse ? entries.reverse() : entries
}

test.each([1, 2, 3, 4, 5])(
  'random writes, branches, merges and drops leave what a stack of maps holds (seed %i)',
  (seed) => {
    const below = seeded(seed)
    const key = () => Uint8Array.from({ length: 1 + below(2) }, () => [0, 1, 7, 0x7f, 0x80, 0xff][below(6)]!)
    const root = createEmptyBranch()
    const branches: Branch[] = [root]
    const models: Model[] = [new Map()]
    for (let step = 0; step < 3000; step++) {
      const branch = branches.at(-1)!
      const model = models.at(-1)!
      const action = below(20)
      if (action < 8) {
        const [k, v] = [key(), Uint8Array.of(below(256))]
        branch.set('s', k, v)
        model.set(formatHex(k), formatHex(v))
      } else if (action < 12) {
        const k = key()
        branch.delete('s', k)
        model.delete(formatHex(k))
      } else if (action < 14 && branches.length < 6) {
        branches.push(branch.branch())
        models.push(new Map(model))
      } else if (action === 14 && branches.length > 1) {
        branches.pop()!.merge()
        models.splice(-2, 1)
      } else if (action === 15 && branches.length > 1) {
        branches.pop()
        models.pop()
      } else {
        const k = key()
        expect(text(branch.get('s', k))).toBe(model.get(formatHex(k)))
        expect(branch.has('s', k)).toBe(model.has(formatHex(k)))
        const bounds = [key(), key()].sort(compare)
        const range = {
          start: below(3) ? bounds[0] : undefined,
          end: below(3) ? bounds[1] : undefined,
          reverse: below(2) === 1,
        }
        expect(list(branch, range)).toEqual(modelEntries(model, range))
      }
    }
    while (branches.length > 1) {
      branches.pop()!.merge()
      models.splice(-2, 1)
    }
    expect(list(root)).toEqual(modelEntries(models[0]!, {}))
  },
)

test('an iteration sees the state as it was when it began', () => {
  const base = createEmptyBranch()
  for (const k of ['01', '03', '05']) base.set('s', hex(k), hex('aa'))
  const branch = createBranch(base)
  branch.set('s', hex('04'), hex('bb'))
  const seen: (string | undefined)[][] = []
  for (const [k, v] of branch.iterate('s')) {
    seen.push([text(k), text(v)])
    branch.delete('s', k)
    branch.set('s', hex('02'), hex('cc'))
    branch.set('s', hex('04'), hex('dd'))
  }
  expect(seen).toEqual([
    ['01', 'aa'],
    ['03', 'aa'],
    ['04', 'bb'],
    ['05', 'aa'],
  ])
  expect(list(branch)).toEqual([
    ['02', 'cc'],
    ['04', 'dd'],
  ])
})

test('an empty value is present, a deleted key is not', () => {
  const branch = createEmptyBranch()
  branch.set('s', hex('01'), hex(''))
  const inner = branch.branch()
  inner.delete('s', hex('02'))
  expect(inner.has('s', hex('01'))).toBe(true)
  expect(inner.get('s', hex('01'))).toEqual(hex(''))
  expect(inner.has('s', hex('02'))).toBe(false)
  expect(inner.changes()).toEqual([{ store: 's', key: hex('02'), value: undefined }])
})

test('changes are sorted by store and then by key bytes, writes of equal values included', () => {
  const base = createEmptyBranch()
  base.set('bank', hex('80'), hex('01'))
  const branch = base.branch()
  branch.set('evm', hex('00'), hex('01'))
  branch.set('bank', hex('ff'), hex('01'))
  branch.set('bank', hex('80'), hex('01'))
  branch.delete('acc', hex('01'))
  branch.set('bank', hex('7f00'), hex('01'))
  expect(branch.changes().map(({ store, key, value }) => `${store} ${text(key)} ${text(value)}`)).toEqual([
    'acc 01 undefined',
    'bank 7f00 01',
    'bank 80 01',
    'bank ff 01',
    'evm 00 01',
  ])
})

describe('events', () => {
  const event = (type: string) => ({ type, attributes: [] })

  test('merging appends them to those of the parent, dropping the branch discards them', () => {
    const block = createEmptyBranch()
    block.events.push(event('begin'))
    const tx = block.branch()
    tx.events.push(event('tx'))
    const dropped = tx.branch()
    dropped.events.push(event('dropped'))
    const kept = tx.branch()
    kept.events.push(event('kept'))
    kept.merge()
    expect(block.events.map(({ type }) => type)).toEqual(['begin'])
    tx.merge()
    expect(block.events.map(({ type }) => type)).toEqual(['begin', 'tx', 'kept'])
  })
})

test('a root branch cannot be merged', () => {
  expect(() => createBranch(createEmptyBranch()).merge()).toThrow('no parent')
})

test('stores of one branch do not see each other', () => {
  const branch = createEmptyBranch()
  branch.set('a', utf8('k'), utf8('1'))
  expect(branch.get('b', utf8('k'))).toBeUndefined()
  expect([...branch.iterate('b')]).toEqual([])
})

test('a key longer than 1,500 bytes fails the transaction that writes it, not the block', () => {
  const branch = createEmptyBranch()
  expect(() => branch.set('upgrade', new Uint8Array(1501), hex(''))).toThrow('a key of 1501 bytes in store upgrade')
  branch.set('upgrade', new Uint8Array(1500), hex(''))
  expect(branch.has('upgrade', new Uint8Array(1501))).toBe(false)
})

test('deleting a key longer than 1,500 bytes writes nothing, so the commit does not fail', () => {
  const branch = createEmptyBranch()
  branch.delete('upgrade', new Uint8Array(1501))
  branch.delete('upgrade', new Uint8Array(1500))
  expect(branch.changes().map(({ key }) => key.length)).toEqual([1500])
})
