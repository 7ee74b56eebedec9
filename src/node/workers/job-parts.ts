/** The transfer of a long answer from a thread to the caller, in parts. */
import type { Job } from './job.ts'
import { type JobPart, PART_BYTES } from './messages.ts'

/** The memory shared with a thread that contains its parts. */
export interface PartSlots {
  /** Number of parts taken. */
  readonly taken: Int32Array
  readonly slots: SharedArrayBuffer
}

/** Passes a part to the caller. The thread reuses the slot when the part is taken. `job` is the job that the thread runs. */
export function passPart(job: Job | undefined, { taken, slots }: PartSlots, { id, slot, length }: JobPart): void {
  let isOpen = true
  // After other events: a port otherwise handles messages as long as there are any.
  const done = (): void => {
    if (!isOpen) return
    isOpen = false
    job?.parts.delete(done)
    setImmediate(() => {
      Atomics.add(taken, 0, 1)
      Atomics.notify(taken, 0)
    })
  }
  if (job?.request.id === id && !job.settled && job.onPart) {
    job.parts.add(done)
    job.passed++
    job.onPart(new Uint8Array(slots, slot * PART_BYTES, length), done)
  } else done()
}

/** Releases the parts of a job whose caller takes no further parts. */
export function releaseParts({ parts }: Job): void {
  for (const done of [...parts]) done()
}
