/** The transfer of a long answer from a thread to the caller, in parts. */
import type { Job } from './job.ts'
import { type JobPart, PART_BYTES } from './messages.ts'

/** The memory shared with a thread that contains its parts. */
export interface PartSlots {
  /** Number of parts taken, up to the oldest that is not: the thread reuses the slots in their order. */
  readonly taken: Int32Array
  readonly slots: SharedArrayBuffer
  /** Parts in their order, from the oldest that is not taken. They can be of several jobs: a job ends before its last parts are taken. */
  readonly passing: PassingPart[]
}

export interface PassingPart {
  isTaken: boolean
}

/** Adds the oldest parts to the number of those taken, as far as they are. */
function countTaken({ taken, passing }: PartSlots): void {
  const left = passing.findIndex(({ isTaken }) => !isTaken)
  const { length } = passing.splice(0, left < 0 ? passing.length : left)
  if (length === 0) return
  Atomics.add(taken, 0, length)
  Atomics.notify(taken, 0)
}

/**
 * Passes a part to the caller. The thread reuses the slot when this and all older parts are taken. `job` is the job that the
 * thread runs.
 */
export function passPart(job: Job | undefined, thread: PartSlots, { id, slot, length }: JobPart): void {
  const own: PassingPart = { isTaken: false }
  thread.passing.push(own)
  // After other events: a port otherwise handles messages as long as there are any.
  const done = (): void => {
    if (own.isTaken) return
    own.isTaken = true
    job?.parts.delete(done)
    setImmediate(() => countTaken(thread))
  }
  if (job?.request.id === id && !job.settled && job.onPart) {
    job.parts.add(done)
    job.passed++
    job.onPart(new Uint8Array(thread.slots, slot * PART_BYTES, length), done)
  } else done()
}

/** Releases the parts of a job whose caller takes no further parts. */
export function releaseParts({ parts }: Job): void {
  for (const done of [...parts]) done()
}
