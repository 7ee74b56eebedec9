/** What others ask of epochs. */
import type { EpochInfo } from '../../gen/chain/epochs/v1beta1/epochs_pb.ts'
import { queryError } from '../../primitives/errors.ts'
import type { ReadContext } from '../../sdk/context.ts'
import * as state from './state.ts'

export { isDue } from './epochs.ts'

/** Every record, in byte order of the identifiers, started or not (D48). */
export function records(ctx: ReadContext): readonly EpochInfo[] {
  return [...state.records.iterate(ctx)].map(([, record]) => record)
}

/** Throws 5 `notFound`. */
export function requireRecord(ctx: ReadContext, identifier: string): EpochInfo {
  const record = state.records.get(ctx, identifier)
  if (!record) throw queryError('notFound', `epoch with identifier ${identifier} not found`)
  return record
}
