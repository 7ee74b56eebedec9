/** Facts of this node that do not change while it runs: `console/node.json`. */
import { createStore, useStore } from '../store.ts'
import { ApiError, urlOf } from './ask.ts'

export interface NodeFacts {
  readonly chain_id: string
  readonly evm_chain_id: string
  readonly version: string
  readonly profile: string
  /** Smallest unit of the native coin, and the name of 10^6 of them. */
  readonly base_denom: string
  readonly display_denom: string
  readonly bech32: { readonly account: string; readonly validator: string; readonly consensus: string }
  /** Whether this is a development chain, whose state its user can change. */
  readonly development: boolean
  /** Protocols that the console reaches on its own port; the operator can have turned them off. */
  readonly rpc: boolean
  readonly engine: boolean
  /** Ports of the other protocols for programs; absent where they are turned off. */
  readonly ports: {
    readonly rest?: number
    readonly grpc?: number
    readonly jsonrpc?: number
    readonly ws?: number
    readonly comet?: number
  }
}

const facts = createStore<NodeFacts | undefined>(undefined)
let asked: Promise<NodeFacts> | undefined

/** Returns the facts of the node, asked once. Rejects with `ApiError`, and is then asked again the next time. */
export function nodeFacts(): Promise<NodeFacts> {
  asked ??= fetch(urlOf('console/node.json'))
    .then(async (response) => {
      if (!response.ok) throw new ApiError('The node does not describe itself.', response.status)
      const found = (await response.json()) as NodeFacts
      facts.set(found)
      return found
    })
    .catch((error: unknown) => {
      asked = undefined
      throw error instanceof ApiError ? error : new ApiError('The node does not answer.', 0)
    })
  return asked
}

/** Returns the facts of the node once they have arrived. */
export const useNode = (): NodeFacts | undefined => useStore(facts)
