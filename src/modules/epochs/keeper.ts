/** Epoch records, for other modules and the queries. */
import type { EpochInfo } from '../../gen/chain/epochs/v1beta1/epochs_pb.ts'
import { queryError } from '../../primitives/errors.ts'
import type { ReadContext } from '../../sdk/context.ts'
import * as state from './state.ts'

export { followMovedClock, followsMovedClock, isDue } from './epochs.ts'

/** Returns every record, started or not, in byte order of the identifiers (D48). */
export function records(ctx: ReadContext): readonly EpochInfo[] {
  return [...state.records.iterate(ctx)].map(([, record]) => record)
}

/** Returns a record. Throws 5 `notFound` for an unknown identifier. */
export function requireRecord(ctx: ReadContext, identifier: string): EpochInfo {
  const record = state.records.get(ctx, identifier)
  if (!record) throw queryError('notFound', `epoch with identifier ${identifier} not found`)
  return record
}
