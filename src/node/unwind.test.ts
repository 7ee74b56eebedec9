import { expect, test } from 'vitest'
import { unwind } from './unwind.ts'

test('every step runs once, the last one first, and the first failure is thrown after all have run', async () => {
  const taken: string[] = []
  const steps = [
    () => taken.push('lock'),
    async () => {
      taken.push('store')
      throw new Error('the disk is full')
    },
    () => {
      taken.push('engine')
      throw new Error('the engine')
    },
    async () => taken.push('ports'),
  ]
  await expect(unwind(steps)).rejects.toThrow('the engine')
  expect(taken).toEqual(['ports', 'engine', 'store', 'lock'])
  await unwind(steps)
  expect(taken).toHaveLength(4)
})
