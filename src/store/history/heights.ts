/** The heights of a store, and the errors for a height that cannot be read: no block yet, in the future, pruned (D17). */
import { create } from '@bufbuild/protobuf'
import { HeightBoundsSchema } from '../../gen/chain/errors/v1/errors_pb.ts'
import { utf8 } from '../../primitives/bytes.ts'
import { type ChainError, queryError } from '../../primitives/errors.ts'
import {
  createOutput,
  finish,
  type Input,
  putBytes,
  putVarint,
  takeBytes,
  takeVarint,
} from '../../primitives/varint.ts'
import { restoredHeight } from '../sync/restored-height.ts'
import { META } from '../tables.ts'
import type { Tables, TableWrite } from '../types.ts'

const TIP = utf8('tip')

export interface Tip {
  /** The latest committed height; 0 before the first commit. */
  readonly height: number
  /** The first height that can be read. */
  readonly earliest: number
  /** The first height whose changes are in the log; values of older heights are in `base`. */
  readonly logFrom: number
  /** Number of rollbacks. A height can have another state after each. */
  readonly rollbacks: number
  readonly appHash: Uint8Array
  /** The height of the snapshot that the store was restored from. */
  readonly restored?: number | undefined
}

const NO_TIP: Tip = { height: 0, earliest: 0, logFrom: 0, rollbacks: 0, appHash: new Uint8Array(0) }

export function readTip(tables: Tables): Tip {
  const bytes = tables.get(META, TIP)
  if (!bytes) return NO_TIP
  const input: Input = { bytes, at: 0 }
  const [height, earliest, logFrom] = [takeVarint(input), takeVarint(input), takeVarint(input)]
  const rollbacks = takeVarint(input)
  const appHash = takeBytes(input, bytes.length - input.at)
  return { height, earliest, logFrom, rollbacks, appHash, restored: restoredHeight(tables) }
}

export function tipRow(tip: Tip): TableWrite {
  const out = createOutput()
  putVarint(out, tip.height)
  putVarint(out, tip.earliest)
  putVarint(out, tip.logFrom)
  putVarint(out, tip.rollbacks)
  putBytes(out, tip.appHash)
  return { table: META, key: TIP, value: finish(out) }
}

/** Returns the error for a height that cannot be read, with the available bounds in its details; undefined if it can be. */
export function heightError(requested: bigint, tip: Tip): ChainError | undefined {
  const [earliest, latest] = [BigInt(tip.earliest), BigInt(tip.height)]
  const details = [create(HeightBoundsSchema, { requested, earliest, latest })]
  if (tip.height === 0) return queryError('unavailable', 'the chain has no block yet', details)
  if (requested > latest) {
    return queryError('outOfRange', `height ${requested} is in the future: the latest height is ${latest}`, details)
  }
  if (requested < earliest && tip.restored === tip.earliest) {
    const text = `height ${requested} is before the history of this node, which was restored from a snapshot of height ${earliest}`
    return queryError('notFound', text, details)
  }
  if (requested < earliest) {
    return queryError('notFound', `height ${requested} is pruned: the earliest height is ${earliest}`, details)
  }
  return undefined
}
