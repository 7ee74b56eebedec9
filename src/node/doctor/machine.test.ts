import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { resolveConfig } from '../config.ts'
import { checkDisk, checkMemory } from './machine.ts'

test('the memory of compute threads counts with the garbage that their heap can have', () => {
  const allowed = (workers: number) => {
    const { config } = resolveConfig({ caller: { api: { workers: 0 }, compute: { workers, memory: '256MB' } } })
    return /up to ([\d.]+) GB/.exec(checkMemory(config).found)?.[1]
  }
  expect([allowed(0), allowed(10)]).toEqual(['0.5', '5.3'])
})

test('a full disk is not advised to prune, which writes, before it has room', () => {
  const fixOf = (free: number) => checkDisk(tmpdir(), free)[0]!.fix
  expect(fixOf(0)).toMatch(/^free space on the disk or enlarge it; only then/)
  expect(fixOf(500_000_000)).toMatch(/^almanac prune and almanac compact/)
  expect(fixOf(10_000_000_000)).toBeUndefined()
})
