import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { COMPATIBILITY_FILE, renderCompatibility, unusedLists } from './support/compatibility/page.ts'

test('docs/compatibility.md is what a running node answers; npm run compatibility writes it', {
  timeout: 240_000,
}, async () => {
  expect(unusedLists()).toEqual([])
  expect(readFileSync(COMPATIBILITY_FILE, 'utf8')).toBe(await renderCompatibility())
})
