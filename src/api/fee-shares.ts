/** The three operations on one path shape: the one that answers, and the header that names it (devgas.md §4.2, D5). */
import { Query } from '../gen/chain/devgas/v1/query_pb.ts'
import * as devgas from '../modules/devgas/keeper.ts'
import type { GatewayNode } from './gateway.ts'
import type { BoundRequest } from './rest-request.ts'
import type { Route } from './routes.ts'

export const OPERATION_HEADER = 'X-Fee-Shares-Operation'

const isOfFeeShares = ({ rpc, by }: Route): boolean => rpc.parent.typeName === Query.typeName && by !== ''

/** The header of every answer of these operations, as name and value; none for others. */
export function operationHeaders(route: Route): readonly string[] {
  return isOfFeeShares(route) ? [OPERATION_HEADER, route.rpc.name] : []
}

/** A request whose operation the state decides, and the height of the state that did: the answer comes from there. */
export function decide(
  node: GatewayNode,
  bound: BoundRequest,
  height: bigint | undefined,
): { readonly bound: BoundRequest; readonly height: bigint | undefined } {
  const { rebind, value } = bound
  if (!rebind || !isOfFeeShares(bound.route)) return { bound, height }
  return node.withContext(height, (ctx) => ({
    bound: rebind(devgas.operationOf(ctx, value)),
    height: ctx.block.height,
  }))
}
