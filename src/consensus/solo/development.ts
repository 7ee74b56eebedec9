/** Development verbs: changes to a chain without a transaction (ADR 0006). */

import type { Amendment } from '../../modules/evm/keeper.ts'
import { queryError } from '../../primitives/errors.ts'
import { NS_PER_SECOND } from '../../primitives/time.ts'
import type { Development, Mining } from '../driver.ts'
import type { Tip } from '../tip.ts'
import type { BlockClock, ClockState } from './clock.ts'
import type { PooledTx } from './mempool.ts'

/** The end of the year 9999, the last time of a protobuf Timestamp. Unit: seconds. */
const LAST_SECOND = 253_402_300_799n
/** Maximum number of blocks of one request. */
const MAX_BLOCKS = 1_000_000n

/** Options of a block. */
export interface BlockOptions {
  /** Changes of an administrative block, which includes no transactions and advances time by the minimum step. */
  readonly amendments?: readonly Amendment[] | undefined
  /** Leaves the pool as it is. */
  readonly isEmpty?: boolean
  /** Difference from the previous block's time, in place of the clock. */
  readonly stepNs?: bigint | undefined
}

/** The verbs that concern parts outside of the engine. */
export type DevelopmentTools = Pick<Development, 'setMinGasPrice' | 'setLogging' | 'print' | 'setValidator'>

/** The parts of the engine that `createDevelopment` uses. */
export interface Dependencies {
  readonly clock: BlockClock
  makeBlock(wish: BlockOptions): Promise<bigint>
  /** Makes blocks until no epoch is due. */
  catchUp(): Promise<void>
  goBack(height: bigint, waiting: readonly PooledTx[]): Promise<void>
  tip(): Tip
  firstHeight(): bigint
  pending(): readonly PooledTx[]
  drop(hashes: readonly Uint8Array[]): number
  mining(): Mining
  setMining(mining: Mining): void
  readonly tools: DevelopmentTools
}

interface ChainSnapshot {
  readonly id: bigint
  readonly height: bigint
  readonly waiting: readonly PooledTx[]
  readonly clock: ClockState
  readonly mining: Mining
}

export function createDevelopment(dependencies: Dependencies): Development {
  const { clock, tip } = dependencies
  let snapshots: ChainSnapshot[] = []
  let lastId = 0n

  const evictAbove = (height: bigint): void => {
    snapshots = snapshots.filter((one) => one.height <= height)
  }
  /** Throws 3 for a time beyond the range of block times. */
  const checkTime = (seconds: bigint): void => {
    if (seconds > LAST_SECOND)
      throw queryError('invalidArgument', `a block cannot be later than ${LAST_SECOND} seconds`)
  }
  const aheadSeconds = (): bigint => clock.state().offsetNs / NS_PER_SECOND

  return {
    amend: (amendments) => dependencies.makeBlock({ amendments }),
    async mine(count, stepSeconds) {
      if (count > MAX_BLOCKS)
        throw queryError('invalidArgument', `${count} blocks exceed the limit of ${MAX_BLOCKS} per request`)
      checkTime(tip().timeNs / NS_PER_SECOND + count * (stepSeconds ?? 0n))
      const stepNs = stepSeconds === undefined ? undefined : stepSeconds * NS_PER_SECOND
      for (let i = 0n; i < count; i++) {
        await dependencies.makeBlock(i === 0n || stepNs === undefined ? {} : { stepNs })
        // Yield to requests between thousands of blocks.
        if (i % 16n === 15n) await new Promise((resolve) => setImmediate(resolve))
      }
    },
    snapshot() {
      const { height } = tip()
      snapshots.push({
        id: ++lastId,
        height,
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
      await dependencies.goBack(found.height, found.waiting)
      clock.restore(found.clock)
      dependencies.setMining(found.mining)
      return true
    },
    async reset() {
      snapshots = []
      await dependencies.goBack(dependencies.firstHeight(), [])
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
      evictAbove(height)
      await dependencies.goBack(height, dependencies.pending())
    },
    async increaseTime(seconds) {
      checkTime(clock.now() / NS_PER_SECOND + seconds)
      clock.shift(seconds * NS_PER_SECOND)
      await dependencies.catchUp()
      return aheadSeconds()
    },
    async setTime(seconds) {
      checkTime(seconds)
      clock.shift(seconds * NS_PER_SECOND - clock.now())
      await dependencies.catchUp()
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
