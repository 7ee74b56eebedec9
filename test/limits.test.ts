import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { incompleteConstants, incompleteSettings, LIMITS_FILE, renderLimits } from './support/limits.ts'

test('docs/limits.md is what the settings and the constants say; npm run limits writes it', () => {
  expect(readFileSync(LIMITS_FILE, 'utf8')).toBe(renderLimits())
})

test('every setting that is a number says what happens beyond it, or is listed as no limit', () => {
  expect(incompleteSettings()).toEqual([])
})

test('every constant of the gateways that sounds like a limit says what happens beyond it', () => {
  expect(incompleteConstants()).toEqual([])
})
