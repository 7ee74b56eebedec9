import { expect, test } from 'vitest'
import { resolveConfig } from '../config.ts'
import { checkMemory } from './machine.ts'

test('the memory of compute threads counts with the garbage that their heap can have', () => {
  const allowed = (workers: number) => {
    const { config } = resolveConfig({ caller: { api: { workers: 0 }, compute: { workers, memory: '256MB' } } })
    return /up to ([\d.]+) GB/.exec(checkMemory(config).found)?.[1]
  }
  expect([allowed(0), allowed(10)]).toEqual(['0.5', '5.3'])
})
