import { expect, test } from 'vitest'
import { lastCommon } from './last-common.ts'

test('the last common height is found wherever the branches part', async () => {
  for (let common = 4n; common <= 40n; common++)
    expect(await lastCommon(5n, 40n, async (height) => height <= common)).toBe(common)
})

test('a million heights take a few questions, and one block back two', async () => {
  let asked = 0
  const partingAt = (common: bigint) => async (height: bigint) => {
    asked++
    return height <= common
  }
  expect(await lastCommon(1n, 1_000_000n, partingAt(17n))).toBe(17n)
  expect(asked).toBeLessThan(45)
  asked = 0
  expect(await lastCommon(1n, 1_000_000n, partingAt(999_999n))).toBe(999_999n)
  expect(asked).toBe(2)
})
