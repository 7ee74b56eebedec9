/** Blocks that are written and not durable yet (ADR 0034). Listeners are notified of each once it is durable, in order. */
import type { StoredBlock } from '../app/records.ts'
import type { PreparedBlock } from './execution.ts'

type Settle = (block: StoredBlock) => void

/** A prepared block without the ways to write it. */
type Prepared = Pick<PreparedBlock, 'appHash' | 'storeRoots' | 'abort'>

export interface HeldBlocks {
  count(): number
  /** Returns a prepared block. `write` writes it, durably or held, and moves the tip. */
  prepared(prepared: Prepared, write: (isHeld: boolean) => StoredBlock): PreparedBlock
  /** Makes all durable, and tells of them. */
  flush(): void
}

/** Creates the held blocks of a store. `notify` tells the listeners of a durable block. */
export function createHeldBlocks(store: { flush(): void }, notify: Settle): HeldBlocks {
  let held: { readonly block: StoredBlock; readonly settle: Settle | undefined }[] = []

  function tell(block: StoredBlock, settle: Settle | undefined): StoredBlock {
    settle?.(block)
    notify(block)
    return block
  }

  /** Tells of the held blocks, which have become durable. */
  function tellHeld(): void {
    const blocks = held
    held = []
    for (const { block, settle } of blocks) tell(block, settle)
  }

  return {
    count: () => held.length,
    prepared: (prepared, write) => ({
      get appHash() {
        return prepared.appHash
      },
      storeRoots: prepared.storeRoots,
      commit(settle) {
        const block = write(false)
        tellHeld()
        return tell(block, settle)
      },
      hold(settle) {
        const block = write(true)
        held.push({ block, settle })
        return block
      },
      abort: prepared.abort,
    }),
    flush() {
      if (held.length === 0) return
      store.flush()
      tellHeld()
    },
  }
}
