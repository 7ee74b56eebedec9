/** The limit of requests of an address for calls of a gRPC server: each message that a client sends takes one token. */
import type { Metadata, StatusObject } from '@grpc/grpc-js'
import { STATUS_CODES } from '../errors.ts'
import type { GatewayNode } from '../gateway.ts'
import { tooManyRequests } from '../transport/rate-limit.ts'

/** A call of any kind. */
interface AnyCall {
  readonly metadata: Metadata
  getPeer(): string
}

/** Returns the address by which the client of a call is counted. A peer is an address with a port. */
function clientOf({ clientAddress }: Pick<GatewayNode, 'clientAddress'>, call: AnyCall): string {
  const forwarded = call.metadata.get('x-forwarded-for').map(String)
  return clientAddress(call.getPeer().replace(/:\d+$/, ''), forwarded.length === 0 ? undefined : forwarded)
}

/** Takes a token for a message of a call to an operation. Returns the status of a refusal, else undefined. */
export function refusalOf(
  node: Pick<GatewayNode, 'clientAddress' | 'observe' | 'rates'>,
  call: AnyCall,
  operation: string,
): Pick<StatusObject, 'code' | 'details'> | undefined {
  const waitMs = node.rates.take(clientOf(node, call))
  if (waitMs === undefined) return undefined
  node.observe?.({ gateway: 'grpc', operation, status: 'resourceExhausted' })
  return { code: STATUS_CODES.resourceExhausted.grpc, details: tooManyRequests(waitMs).message }
}
