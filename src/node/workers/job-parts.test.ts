import { expect, test } from 'vitest'
import type { PartTaker } from '../../api/gateway.ts'
import type { Job } from './job.ts'
import { type PartSlots, passPart } from './job-parts.ts'
import { PART_BYTES, PART_SLOTS } from './messages.ts'

function jobWith(id: number, onPart: PartTaker): Job {
  return {
    request: { id, job: 'trace', payload: {}, height: undefined },
    deadline: Number.POSITIVE_INFINITY,
    resolve: () => {},
    reject: () => {},
    onPart,
    parts: new Set(),
    passed: 0,
    settled: false,
    release: () => {},
  }
}

const later = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

test('a slot whose part a slow client still reads is not reused because another client reads faster', async () => {
  const thread: PartSlots = {
    taken: new Int32Array(new SharedArrayBuffer(4)),
    slots: new SharedArrayBuffer(PART_SLOTS * PART_BYTES),
    passing: [],
  }
  const slow: (() => void)[] = []
  const first = jobWith(1, (_part, done) => void slow.push(done))
  passPart(first, thread, { id: 1, slot: 0, length: 8 })
  passPart(first, thread, { id: 1, slot: 1, length: 8 })
  slow[0]!()
  await later()
  expect(thread.taken[0]).toBe(1)
  // The first job has ended, and the next one sends its parts into the slots that follow.
  const second = jobWith(2, (_part, done) => done())
  passPart(second, thread, { id: 2, slot: 2, length: 8 })
  passPart(second, thread, { id: 2, slot: 3, length: 8 })
  await later()
  expect(thread.taken[0]).toBe(1)
  slow[1]!()
  slow[1]!()
  await later()
  expect(thread.taken[0]).toBe(4)
  expect(thread.passing).toEqual([])
})
