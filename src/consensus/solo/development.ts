/** Development verbs: changes to a chain without a transaction (ADR 0006). */

import type { Amendment } from '../../modules/evm/keeper.ts'
import { queryError } from '../../primitives/errors.ts'
import { NS_PER_SECOND } from '../../primitives/time.ts'
import type { AdoptedBlock, Development, Mining } from '../driver.ts'
import type { Undo } from '../execution.ts'
import type { Tip } from '../tip.ts'
import { type BlockClock, type ClockState, checkTime } from './clock.ts'
import type { PooledTx } from './pooled-tx.ts'

/** Blocks of one request to mine (development). Beyond: an error. */
const MAX_BLOCKS = 1_000_000n

/** Options of a block. */
export interface BlockOptions {
  /** Leaves the pool as it is. */
  readonly isEmpty?: boolean
  /** Whether another block follows at once, so that this one need not be durable by itself. */
  readonly isFollowed?: boolean
  /** Difference from the previous block's time, in place of the clock. */
  readonly stepNs?: bigint | undefined
}

/** The verbs that concern parts outside of the engine. */
export type DevelopmentTools = Pick<Development, 'setMinGasPrice' | 'setLogging' | 'print' | 'setValidator'>

/** The parts of the engine that `createDevelopment` uses. */
export interface Dependencies {
  readonly clock: BlockClock
  makeBlock(wish: BlockOptions): Promise<bigint>
  /** Changes the state after the latest block. */
  amend(amendments: readonly Amendment[]): Promise<Amended>
  /** Goes back to a height, undoes amendments of that height, newest first, and replaces the content of the pool. */
  goBack(height: bigint, undos: readonly Undo[], waiting: readonly PooledTx[]): Promise<void>
  /** Records blocks of another chain after going back to the height before them. */
  adopt(blocks: readonly AdoptedBlock[]): Promise<void>
  tip(): Tip
  /** Whether each block ends every epoch that is over. */
  followsClock(): boolean
  firstHeight(): bigint
  pending(): readonly PooledTx[]
  drop(hashes: readonly Uint8Array[]): number
  mining(): Mining
  setMining(mining: Mining): void
  readonly tools: DevelopmentTools
}

/** Changes to the state after a block that can be undone. */
interface Amended {
  readonly height: bigint
  readonly undo: Undo
}

interface ChainSnapshot {
  readonly id: bigint
  readonly height: bigint
  /** Number of amendments before the snapshot, among those that are kept. */
  readonly amended: number
  readonly waiting: readonly PooledTx[]
  readonly clock: ClockState
  readonly mining: Mining
}

export function createDevelopment(dependencies: Dependencies): Development {
  const { clock, tip } = dependencies
  let snapshots: ChainSnapshot[] = []
  /** Amendments of heights that a snapshot or `reset` goes back to, oldest first. */
  let amended: Amended[] = []
  let lastId = 0n

  /** Goes back to a height and undoes its amendments from an index on. */
  async function goBack(height: bigint, from: number, waiting: readonly PooledTx[]): Promise<void> {
    const undos = amended.slice(from).filter((one) => one.height === height)
    await dependencies.goBack(height, undos.map(({ undo }) => undo).reverse(), waiting)
    amended = amended.filter((one, i) => one.height < height || (one.height === height && i < from))
    snapshots = snapshots.filter((one) => one.height <= height)
  }
  async function amend(amendments: readonly Amendment[]): Promise<void> {
    const done = await dependencies.amend(amendments)
    const { height } = done
    const canReturn = height === dependencies.firstHeight() || snapshots.some((one) => one.height === height)
    if (canReturn) amended.push(done)
  }

  async function followClock(): Promise<void> {
    if (!dependencies.followsClock()) await amend([{ kind: 'movedClock' }])
  }

  const aheadSeconds = (): bigint => clock.state().offsetNs / NS_PER_SECOND

  return {
    amend,
    followClock,
    async mine(count, step) {
      if (count > MAX_BLOCKS)
        throw queryError('invalidArgument', `${count} blocks exceed the limit of ${MAX_BLOCKS} per request`)
      checkTime(tip().timeNs / NS_PER_SECOND + count * (step?.seconds ?? 0n))
      const stepNs = step && step.seconds * NS_PER_SECOND
      if (stepNs) await followClock()
      if (stepNs && step.stepsFirst) clock.shift(stepNs)
      for (let i = 0n; i < count; i++) {
        await dependencies.makeBlock({ isFollowed: i < count - 1n, stepNs: i === 0n ? undefined : stepNs })
        // Yield to requests between thousands of blocks.
        if (i % 16n === 15n) await new Promise((resolve) => setImmediate(resolve))
      }
    },
    async adopt(blocks) {
      const first = blocks[0]?.height
      if (first === undefined) return
      await dependencies.adopt(blocks)
      amended = amended.filter((one) => one.height < first)
      snapshots = snapshots.filter((one) => one.height < first)
    },
    snapshot() {
      const { height } = tip()
      snapshots.push({
        id: ++lastId,
        height,
        amended: amended.length,
        waiting: dependencies.pending(),
        clock: clock.state(),
        mining: dependencies.mining(),
      })
      return lastId
    },
    async revert(id) {
      const found = snapshots.find((one) => one.id === id)
      if (!found) return false
      snapshots = snapshots.filter((one) => one.id < id)
      await goBack(found.height, found.amended, found.waiting)
      clock.restore(found.clock)
      dependencies.setMining(found.mining)
      return true
    },
    async reset() {
      snapshots = []
      await goBack(dependencies.firstHeight(), 0, [])
      clock.restore({ offsetNs: 0n, nextNs: undefined, intervalNs: undefined })
    },
    async rollback(blocks) {
      const height = tip().height - blocks
      const first = dependencies.firstHeight()
      if (height < first) {
        throw queryError(
          'invalidArgument',
          `cannot go back ${blocks} blocks from ${tip().height}: the first is ${first}`,
        )
      }
      await goBack(height, amended.length, dependencies.pending())
    },
    async increaseTime(seconds) {
      checkTime(clock.now() / NS_PER_SECOND + seconds)
      await followClock()
      clock.shift(seconds * NS_PER_SECOND)
      return aheadSeconds()
    },
    async setTime(seconds) {
      checkTime(seconds)
      await followClock()
      clock.set(seconds * NS_PER_SECOND)
      return aheadSeconds()
    },
    setNextTime(seconds) {
      checkTime(seconds)
      const { timeNs } = tip()
      if (seconds * NS_PER_SECOND <= timeNs) {
        throw queryError(
          'invalidArgument',
          `Timestamp ${seconds} is lower than or equal to previous block's timestamp ${timeNs / NS_PER_SECOND}`,
        )
      }
      clock.restore({ ...clock.state(), nextNs: seconds * NS_PER_SECOND })
    },
    setTimeInterval(seconds) {
      checkTime(tip().timeNs / NS_PER_SECOND + (seconds ?? 0n))
      clock.restore({ ...clock.state(), intervalNs: seconds === undefined ? undefined : seconds * NS_PER_SECOND })
    },
    mining: dependencies.mining,
    setMining: dependencies.setMining,
    drop: dependencies.drop,
    ...dependencies.tools,
  }
}
