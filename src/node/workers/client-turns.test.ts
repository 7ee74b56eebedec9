import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTurns } from '../../api/transport/turns.ts'
import { createClientTurns } from './client-turns.ts'

test('a transaction of one client does not wait for a batch of another, whose transactions keep their order', async () => {
  let now = 0
  const take = createClientTurns(createTurns(() => now))
  const order: string[] = []
  const submit = (client: string, name: string): void => {
    const run = (): void => {
      order.push(name)
      now += 1
    }
    const turn = take(client)
    if (turn) void turn.then(run)
    else run()
  }
  // A client that asks little has just asked.
  submit('127.0.0.3', 'earlier')
  await setImmediate()
  const names = Array.from({ length: 1000 }, (_, i) => `batch ${i}`)
  for (const name of names) submit('127.0.0.2', name)
  submit('127.0.0.1', 'transfer')
  while (order.length < 1002) await setImmediate()
  expect(order.indexOf('transfer')).toBeLessThan(20)
  expect(order.filter((name) => name.startsWith('batch'))).toEqual(names)
})
