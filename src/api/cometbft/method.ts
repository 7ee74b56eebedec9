/** What a method of the consensus engine's RPC is. */

import type { GatewayNode } from '../gateway.ts'
import type { Engine } from '../node-info.ts'
import type { ParamKinds, Params } from './params.ts'

export type Json = Record<string, unknown>

export interface CometEnvironment {
  readonly node: GatewayNode
  readonly engine: Engine
}

/** `fixed`: the answer never changes; `byHeight`: it does not when the call names a height (cometbft.md §11.1). */
type Cacheable = 'never' | 'byHeight' | 'fixed'

export interface CometMethod {
  readonly params: ParamKinds
  readonly cacheable: Cacheable
  /** Params are those that `params` describes. Throws `ChainError`. */
  readonly run: (environment: CometEnvironment, params: never) => Json | Promise<Json>
}

/** A method whose parameters have the types that their kinds name. */
export function method<Kinds extends ParamKinds>(
  params: Kinds,
  run: (environment: CometEnvironment, params: Params<Kinds>) => Json | Promise<Json>,
  cacheable: Cacheable = 'never',
): CometMethod {
  return { params, cacheable, run }
}
