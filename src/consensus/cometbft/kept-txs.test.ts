import { expect, test } from 'vitest'
import { formatUtf8, toKey, utf8 } from '../../primitives/bytes.ts'
import { createKeptTxs, type TxJournal } from './kept-txs.ts'

/** A pool and a journal of texts; the hash of a transaction is itself. */
function world(before: readonly string[] = []) {
  let texts = [...before]
  let rewrites = 0
  let isFull = false
  const failures: unknown[] = []
  const requireSpace = () => {
    if (isFull) throw new Error('no space left')
  }
  const waiting = new Set<string>()
  const journal: TxJournal = {
    read: () => texts.map(utf8),
    add(tx) {
      requireSpace()
      texts.push(formatUtf8(tx))
    },
    replace(txs) {
      requireSpace()
      texts = txs.map(formatUtf8)
      rewrites++
    },
  }
  const kept = createKeptTxs({
    journal,
    waits: (hash) => waiting.has(toKey(hash)),
    offer(tx) {
      if (formatUtf8(tx).startsWith('old')) return undefined
      waiting.add(toKey(tx))
      return tx
    },
    onFailure: (error) => failures.push(error),
  })
  const fill = (full: boolean) => {
    isFull = full
  }
  const add = (text: string) => {
    waiting.add(toKey(utf8(text)))
    kept.add(utf8(text), utf8(text))
  }
  const include = (text: string) => waiting.delete(toKey(utf8(text)))
  return { kept, add, include, journal: () => texts, rewrites: () => rewrites, fill, failures }
}

test('what was admitted is kept until no transaction waits', () => {
  const { kept, add, include, journal, rewrites } = world()
  add('a')
  add('b')
  add('a')
  expect(journal()).toEqual(['a', 'b'])
  include('a')
  kept.settle()
  expect(rewrites()).toBe(0)
  include('b')
  kept.settle()
  kept.settle()
  expect([journal(), rewrites()]).toEqual([[], 1])
})

test('a full disk refuses what cannot be kept, and ends no block', () => {
  const { kept, add, include, journal, fill, failures } = world()
  add('a')
  fill(true)
  expect(() => add('b')).toThrow('this node cannot keep it')
  include('a')
  include('b')
  kept.settle()
  expect([journal(), failures]).toEqual([['a'], [new Error('no space left'), new Error('no space left')]])
  fill(false)
  kept.settle()
  expect(journal()).toEqual([])
})

test('a journal of many transactions that no longer wait is written again', () => {
  const { kept, add, include, journal, rewrites } = world()
  add('stays')
  for (let i = 0; i < 1001; i++) {
    add(`t${i}`)
    include(`t${i}`)
    kept.settle()
  }
  expect(rewrites()).toBe(1)
  expect(journal()).toEqual(['stays'])
})

test('a later process offers what an earlier one kept, and keeps what still waits', () => {
  const { kept, add, journal } = world(['old', 'a'])
  add('b')
  kept.settle()
  expect(journal()).toEqual(['old', 'a', 'b'])
  kept.restore()
  expect(journal().sort()).toEqual(['a', 'b'])
  kept.restore()
  expect(journal()).toHaveLength(2)
})
