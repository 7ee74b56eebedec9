import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { DIFFERENCES, REPLAY_DIFFERENCES } from './differences.ts'
import { renderReference } from './reference-page.ts'

test('docs/reference.md is up to date (`npm run reference` generates it)', () => {
  expect(readFileSync(new URL('../docs/reference.md', import.meta.url), 'utf8')).toBe(renderReference())
})

test('every difference has a unique id, a place and an explanation', () => {
  const all = [...DIFFERENCES, ...REPLAY_DIFFERENCES]
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
  expect(all.filter(({ where, explanation }) => where === '' || explanation === '')).toEqual([])
})
