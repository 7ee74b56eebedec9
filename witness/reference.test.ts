import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { DIFFERENCES, REPLAY_DIFFERENCES } from './differences.ts'
import { renderReference } from './reference-page.ts'

test('the page about the reference is what the lists say (`npm run reference` writes it)', () => {
  expect(readFileSync(new URL('../docs/reference.md', import.meta.url), 'utf8')).toBe(renderReference())
})

test('every difference has a name of its own and says where and why', () => {
  const all = [...DIFFERENCES, ...REPLAY_DIFFERENCES]
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
  expect(all.filter(({ where, why }) => where === '' || why === '')).toEqual([])
})
