/** A method of the CometBFT RPC. */
import type { CometNodeInfo, NodeEnvironment } from '../node-info.ts'
import type { ParamKinds, Params } from './params.ts'

export type Json = Record<string, unknown>

/** Dependencies of the methods. */
export interface CometEnvironment extends NodeEnvironment {
  readonly nodeInfo: CometNodeInfo
}

/** Caching of an answer by clients: `fixed` never changes, `byHeight` does not change if the call names a height. */
type Cacheable = 'never' | 'byHeight' | 'fixed'

export interface CometMethod {
  readonly params: ParamKinds
  readonly cacheable: Cacheable
  /** Runs the method with arguments of the declared kinds. Throws `ChainError`. */
  readonly run: (environment: CometEnvironment, params: never) => Json | Promise<Json>
}

/** Defines a method. Its arguments have the types of their kinds. */
export function method<Kinds extends ParamKinds>(
  params: Kinds,
  run: (environment: CometEnvironment, params: Params<Kinds>) => Json | Promise<Json>,
  cacheable: Cacheable = 'never',
): CometMethod {
  return { params, cacheable, run }
}
