/** Execution of a node's blocks here, for those whose changes are missing or wrong, and to find where they are wrong. */
import type { StoredBlock } from '../../app/records.ts'
import type { Application, GenesisDocument } from '../../app/types.ts'
import { queryError } from '../../primitives/errors.ts'
import type { Change } from '../../store/types.ts'
import type { Executor } from '../execution.ts'
import { inputOf, type NodeBlock } from './node-block.ts'

export interface ExecutionParts {
  readonly executor: Executor
  readonly app: Pick<Application, 'haltBefore'>
  readonly genesis: GenesisDocument
  readonly recordWith: (block: NodeBlock, written: readonly Change[]) => (appHash: Uint8Array) => StoredBlock
}

/** A block that was executed here and is not durable. */
export interface ExecutedHere extends Pick<ReturnType<Executor['prepare']>, 'appHash' | 'commit' | 'abort'> {
  readonly changes: readonly Change[]
}

/**
 * Creates the function that executes a block on the tip. It throws for a block that fails here, and for one that only another
 * build can make; the replica itself does not halt for that.
 */
export function createExecution({
  executor,
  app,
  genesis,
  recordWith,
}: ExecutionParts): (block: NodeBlock) => ExecutedHere {
  function requireOwnBlock(height: bigint): void {
    const state = executor.state()
    try {
      const halt = app.haltBefore(state, height)
      if (halt) throw queryError('failedPrecondition', `this build does not make it: ${halt.line}`)
    } finally {
      state.close()
    }
  }

  return (block) => {
    const { height } = block.header
    if (executor.isEmpty()) executor.begin(genesis)
    else if (executor.committedHeight() > 0n) requireOwnBlock(height)
    const signers = executor.blocks.validators(height - 1n) ?? []
    const executed = executor.execute(inputOf(block, signers))
    const prepared = executor.prepare(executed, recordWith(block, executed.changes))
    return {
      changes: executed.changes,
      get appHash() {
        return prepared.appHash
      },
      commit: prepared.commit,
      abort: prepared.abort,
    }
  }
}
