/** The blocks of an engine: executed as they come, durable with the commit. */
import type { StoredBlock, TxResult } from '../../app/records.ts'
import type { BlockFacts, BlockOutput } from '../../app/types.ts'
import { EMPTY } from '../../primitives/bytes.ts'
import type { ChainEvent } from '../../store/types.ts'
import { NO_BLOCK_ID } from '../comet/hashes.ts'
import type { ExecutedBlock, Executor, StartedBlock } from '../execution.ts'
import { createHolding, type HoldLimits } from '../holding.ts'
import { headerOfBlock } from './facts.ts'
import type { KnownTxs } from './known-txs.ts'

/** The steps of a block. One that throws halts the chain: the engine stops, and without a new start no block follows. */
export interface EngineBlocks {
  /** Begins a block on the tip; one that was begun and not committed is dropped. Throws for a height that does not follow. */
  begin(facts: BlockFacts): readonly ChainEvent[]
  deliver(tx: Uint8Array): TxResult
  end(): BlockOutput
  /** Returns the app hash after the block that has ended. Nothing of it is durable. */
  appHash(): Uint8Array
  /** Makes the block that has ended durable, or holds it: see `createHolding`. */
  commit(): StoredBlock
  /** Makes held blocks durable. */
  flush(): void
  /** Notes that the engine decides blocks from here on: the next one is durable with its commit. */
  goLive(): void
  /** Ends the timer of held blocks. */
  stop(): void
}

interface Dependencies {
  readonly executor: Executor
  readonly known: KnownTxs
  readonly limits: HoldLimits
  /** Monotonic clock, milliseconds. */
  readonly elapsed: () => number
  /** Receives each block that is durable, and the hashes of its transactions. */
  readonly settle: (block: StoredBlock, hashes: readonly Uint8Array[]) => void
}

export function createEngineBlocks({ executor, known, limits, elapsed, settle }: Dependencies): EngineBlocks {
  /** Whether the engine has shown a proposal since the last block. */
  let isLive = false
  const flush = (): void => step(executor.flush)
  const holding = createHolding({ executor, limits, flush, elapsed })
  let running: StartedBlock | undefined
  let executed: ExecutedBlock | undefined
  let prepared: ReturnType<Executor['prepare']> | undefined
  let hashes: Uint8Array[] = []

  function drop(): void {
    running?.drop()
    prepared?.abort()
    running = undefined
    executed = undefined
    prepared = undefined
  }

  function requireRunning(): StartedBlock {
    if (!running) throw new Error('no block has begun')
    return running
  }

  function recordOf({ input, output }: ExecutedBlock, nextAppHash: Uint8Array): StoredBlock {
    const header = headerOfBlock(input, executor.tip(), input.txs)
    return {
      header,
      hash: input.hash,
      blockId: { hash: input.hash, partsTotal: 0, partsHash: EMPTY },
      txs: input.txs,
      results: output.results,
      lastCommit: {
        height: header.height - 1n,
        round: 0,
        blockId: header.lastBlockId,
        // The engine passes on who has signed, not the signatures.
        signatures: input.lastCommitVotes.map(({ validator, signed }) => ({
          flag: signed ? 2 : 1,
          validator: signed ? validator : EMPTY,
          timeNs: 0n,
          signature: EMPTY,
        })),
      },
      commit: { height: header.height, round: 0, blockId: NO_BLOCK_ID, signatures: [] },
      blockEvents: output.blockEvents,
      evmTxs: output.evmTxs,
      evmGasUsed: output.evmGasUsed,
      baseFeeWei: output.baseFeeWei,
      gasLimit: output.gasLimit,
      coinbase: output.coinbase,
      ...(output.prevRandao && { prevRandao: output.prevRandao }),
      nextAppHash,
    }
  }

  function prepare(): NonNullable<typeof prepared> {
    if (!executed) throw new Error('no block has ended')
    const block = executed
    prepared ??= executor.prepare(block, (appHash) => recordOf(block, appHash), hashes)
    return prepared
  }

  function step<T>(run: () => T): T {
    try {
      return run()
    } catch (error) {
      executor.fail(error)
      throw error
    }
  }

  return {
    begin: (facts) =>
      step(() => {
        drop()
        const next = executor.tip().height + 1n
        if (facts.height !== next)
          throw new Error(`the engine begins block ${facts.height}, and the next block is ${next}`)
        running = executor.start(facts)
        hashes = []
        return running.beginEvents
      }),
    deliver: (tx) =>
      step(() => {
        const { bytes, hash } = known.of(tx)
        const result = requireRunning().deliver(bytes)
        hashes.push(hash)
        return result
      }),
    end: () =>
      step(() => {
        executed = requireRunning().end()
        running = undefined
        return executed.output
      }),
    appHash: () => step(() => prepare().appHash),
    commit: () =>
      step(() => {
        const ready = prepare()
        const own = hashes
        const told = (stored: StoredBlock): void => settle(stored, own)
        const isHeld = !isLive && holding.takes()
        const block = isHeld ? ready.hold(told) : ready.commit(told)
        executed = undefined
        prepared = undefined
        isLive = false
        if (isHeld) holding.note()
        return block
      }),
    flush,
    goLive() {
      isLive = true
      flush()
    },
    stop: holding.stop,
  }
}
