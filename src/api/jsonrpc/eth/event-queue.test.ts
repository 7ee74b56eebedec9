import { expect, test } from 'vitest'
import { createBacklog, createEventQueue, type Events } from './event-queue.ts'

/** Returns the events of a subscription from a block, of which there is one. */
const eventsOf = (block: object): Events => ({
  of: block,
  isOpen: () => true,
  items: 1,
  texts: ['event'][Symbol.iterator](),
})

/** Returns a queue whose client takes nothing, or everything. */
function queueOf(backlog: ReturnType<typeof createBacklog>, takes: boolean) {
  let overflows = 0
  const sent: string[] = []
  const writer = {
    send(text: string, taken?: () => void) {
      sent.push(text)
      if (takes) taken?.()
    },
    unsent: () => (takes ? 0 : Number.POSITIVE_INFINITY),
  }
  const queue = createEventQueue(
    writer,
    () => undefined,
    backlog,
    () => overflows++,
  )
  return { queue, sent, overflows: () => overflows }
}

test('a few subscriptions to many blocks, and many to a few, take the same room, and the client with the most loses it', async () => {
  const backlog = createBacklog(1000)
  const slow = queueOf(backlog, false)
  const few = queueOf(backlog, false)
  for (let i = 0; i < 100; i++) few.queue.add(eventsOf({}))
  for (let block = 0; block < 4; block++) {
    const of = { block }
    for (let i = 0; i < 200; i++) slow.queue.add(eventsOf(of))
  }
  expect([slow.overflows(), few.overflows()]).toEqual([0, 0])
  const of = {}
  for (let i = 0; i < 200 && slow.overflows() === 0; i++) slow.queue.add(eventsOf(of))
  expect([slow.overflows(), few.overflows()]).toEqual([1, 0])

  // The room is free again.
  const another = queueOf(backlog, false)
  for (let i = 0; i < 850; i++) another.queue.add(eventsOf({}))
  expect([another.overflows(), few.overflows()]).toEqual([0, 0])
  few.queue.close()
  another.queue.close()
  const late = queueOf(backlog, false)
  for (let i = 0; i < 1000; i++) late.queue.add(eventsOf({}))
  expect(late.overflows()).toBe(0)
})

test('events that were sent take no room', async () => {
  const backlog = createBacklog(10)
  const { queue, sent, overflows } = queueOf(backlog, true)
  for (let i = 0; i < 100; i++) {
    queue.add(eventsOf({}))
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect([sent.length, overflows()]).toEqual([100, 0])
})
