/** A disk that outlives the processes that use it, and that can end a process at one of its writes, or fail. */
import type { Backend } from '../../src/store/backend/backend.ts'
import { openMemory } from '../../src/store/backend/memory.ts'
import { withHeldWrites } from '../../src/store/journal/held-backend.ts'
import type { TableWrite } from '../../src/store/types.ts'

/** The end of a process. The model throws it where the process would no longer run. */
export class Killed extends Error {}

/** A fault at a write: the process ends before it or after it, or the disk refuses it. */
export type WriteFault = 'before' | 'after' | 'full'

/** A disk as one process has it. */
interface Mount {
  readonly backend: Backend
  /** Whether the process was ended at a write. */
  isKilled(): boolean
  /** Ends the process: its later writes do not reach the disk. */
  kill(): void
}

export interface Disk {
  /** Opens the disk for a process. One process has it at a time. */
  mount(): Mount
  /** Lets a fault happen at a write: the next one for 0. */
  arm(fault: WriteFault, writes: number): void
  disarm(): void
  /** Whether a fault has happened since it was armed. */
  hasFailed(): boolean
  /** Returns a disk with the same contents. */
  copy(): Disk
}

/** Creates a disk with the rows of another one, or an empty one. */
export function createDisk(rows: Iterable<TableWrite> = []): Disk {
  const memory = openMemory()
  const tables = new Set<string>()
  let armed: { readonly fault: WriteFault; writes: number } | undefined
  let failed = false

  function* noted(list: Iterable<TableWrite>): IterableIterator<TableWrite> {
    for (const row of list) {
      tables.add(row.table)
      yield row
    }
  }

  function* all(): IterableIterator<TableWrite> {
    for (const table of tables) for (const [key, value] of memory.iterate(table)) yield { table, key, value }
  }

  /** Returns the fault of this write. */
  function due(): WriteFault | undefined {
    if (!armed || armed.writes-- > 0) return undefined
    const { fault } = armed
    armed = undefined
    failed = true
    return fault
  }

  memory.write(noted(rows))
  return {
    mount() {
      let killed = false
      return {
        isKilled: () => killed,
        kill() {
          killed = true
        },
        backend: withHeldWrites(
          {
            ...memory,
            write(list) {
              if (killed) return
              const fault = due()
              if (fault === 'full') throw new Error('no space left on the disk')
              killed = fault !== undefined
              // The rows are made in any case, as they are up to the moment of a kill.
              if (fault === 'before') for (const _ of list);
              else memory.write(noted(list))
              if (fault) throw new Killed(`at a write, ${fault} it`)
            },
            close: async () => undefined,
          },
          [1, 2],
        ),
      }
    },
    arm(fault, writes) {
      armed = { fault, writes }
      failed = false
    },
    disarm() {
      armed = undefined
    },
    hasFailed: () => failed,
    copy: () => createDisk(all()),
  }
}
