import { expect, test } from 'vitest'
import { fromKey } from '../../primitives/bytes.ts'
import { seeded } from '../testing/backend-contract.ts'
import type { Range } from '../types.ts'
import { createSorted, type Sorted, type Texted } from './sorted.ts'

const shown = (texts: Sorted<Texted>, range: Range) => Array.from(texts.walk(range), ({ text }) => text)

test('texts are in order, in both directions and from any bound, after any insertions and removals', () => {
  const below = seeded(5)
  const texts = createSorted<{ text: string }>()
  const model = new Set<string>()
  for (let i = 0; i < 6000; i++) {
    const text = String(below(3000)).padStart(4, '0')
    if (model.has(text)) texts.remove(text)
    else texts.insert({ text })
    if (!model.delete(text)) model.add(text)
  }
  const sorted = [...model].sort()
  expect(shown(texts, {})).toEqual(sorted)
  expect(shown(texts, { reverse: true })).toEqual([...sorted].reverse())
  const [start, end] = [fromKey('0700'), fromKey('21')]
  const inside = sorted.filter((text) => text >= '0700' && text < '21')
  expect(shown(texts, { start, end })).toEqual(inside)
  expect(shown(texts, { start, end, reverse: true })).toEqual(inside.reverse())
})

test('a walk is not disturbed by insertions and removals', () => {
  const texts = createSorted<{ text: string }>()
  for (let i = 1000; i < 3000; i += 2) texts.insert({ text: String(i) })
  for (const reverse of [false, true]) {
    const seen: string[] = []
    for (const { text } of texts.walk({ reverse })) {
      seen.push(text)
      if (seen.length % 100 !== 0) continue
      texts.remove(text)
      const other = String(seen.length * 2 + 1)
      texts.insert({ text: other })
      texts.remove(other)
    }
    expect(seen).toHaveLength(reverse ? 990 : 1000)
    expect(seen).toEqual(reverse ? [...seen].sort().reverse() : [...seen].sort())
  }
})
