/** Pages of a contract's storage within a block, as a job of the compute pool. */
import { type StorageRange, storageRange } from '../modules/evm/tracing/storage-range.ts'
import type { ReadContext } from '../sdk/context.ts'
import { withinBlock } from './trace.ts'
import type { Application, PastBlock } from './types.ts'

export interface StoragePayload {
  /** Transactions that run first, on the state of the job. */
  readonly within: PastBlock
  readonly address: Uint8Array
  /** Hash of the first slot: `0x` and 64 digits. */
  readonly start: string
  readonly most: number
}

/** Executes `within` and reads a page of storage. Throws 4 `deadlineExceeded` when stopped. */
export function readStorage(
  app: Pick<Application, 'traceBlock'>,
  before: ReadContext,
  { within, address, ...range }: StoragePayload,
  shouldStop: () => boolean,
): StorageRange {
  let answer: StorageRange | undefined
  withinBlock(app, before, within, shouldStop, (ctx) => {
    answer = storageRange(ctx, address, range, shouldStop)
  })
  return answer!
}
