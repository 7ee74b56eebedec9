import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTurns } from './turns.ts'

test('a client with one request waits for one request of each other client, not for all of them', async () => {
  let now = 0
  const turns = createTurns(() => now)
  now = 10
  const order: string[] = []
  const ask = (client: string, name: string): void => {
    void turns.take(client)?.then(() => {
      order.push(name)
      now += 10
    })
  }
  for (let i = 0; i < 50; i++) ask('greedy', `greedy ${i}`)
  for (let i = 0; i < 50; i++) ask('other', `other ${i}`)
  ask('honest', 'honest')
  for (let i = 0; i < 4; i++) await setImmediate()
  expect(order.slice(0, 4)).toEqual(['greedy 0', 'other 0', 'honest', 'greedy 1'])
  for (let i = 0; i < 120; i++) await setImmediate()
  expect(order).toHaveLength(101)
  expect(order.at(-1)).toBe('other 49')
})

test('requests run at once while a slice lasts and nobody waits', async () => {
  let now = 0
  const turns = createTurns(() => now)
  expect(turns.take('honest')).toBeUndefined()
  now = 4
  expect(turns.take('honest')).toBeUndefined()
  now = 5
  const late = turns.take('honest')
  now = 6
  expect(turns.take('honest')).toBeInstanceOf(Promise)
  await late
  await setImmediate()
  expect(turns.take('honest')).toBeUndefined()
})
