/** Rules for a path that several operations share: the state selects the operation if the request does not. */
import { Query as DevgasQuery } from '../gen/chain/devgas/v1/query_pb.ts'
import * as devgas from '../modules/devgas/keeper.ts'
import type { ReadContext } from '../sdk/context.ts'

export interface SharedPath {
  /** Name of the response header that carries the name of the operation. */
  readonly header: string
  /** Returns the `?by=` value of the operation that answers for the last value of the path. */
  select(ctx: ReadContext, value: string): string
}

/** Rules by the full name of the service whose operations share a path (D5). */
export const SHARED_PATHS: ReadonlyMap<string, SharedPath> = new Map([
  [DevgasQuery.typeName, { header: 'X-Fee-Shares-Operation', select: devgas.operationOf }],
])
