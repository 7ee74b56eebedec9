/** The EIP-1193 provider of a node: JSON-RPC without a port. */
import { EventEmitter } from 'node:events'
import type { GatewayNode } from '../api/gateway.ts'
import type { JsonRpcConnection, SubscriptionEvent } from '../api/jsonrpc/connection.ts'

/** EIP-1193: the provider is disconnected from all chains. */
const DISCONNECTED = 4900
const INVALID_REQUEST = -32600

/** An error of a call: a code of JSON-RPC, of EIP-1474, or of EIP-1193 (4100 unauthorized, 4900 the node has stopped). */
export class ProviderRpcError extends Error {
  readonly code: number
  /** The bytes of a revert as 0x text; else the first detail of the error, if there is one. */
  declare readonly data?: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.name = 'ProviderRpcError'
    this.code = code
    if (data !== undefined) this.data = data
  }
}

export interface RequestArguments {
  readonly method: string
  readonly params?: readonly unknown[] | object
}

/** The events of a provider, by name, with their arguments (EIP-1193). */
export interface ProviderEvents {
  readonly connect: readonly [{ readonly chainId: string }]
  readonly disconnect: readonly [ProviderRpcError]
  /** The new EVM chain id, `0x` and hexadecimal. */
  readonly chainChanged: readonly [string]
  readonly message: readonly [{ readonly type: 'eth_subscription'; readonly data: SubscriptionEvent }]
}

type Listen = <Name extends keyof ProviderEvents>(
  name: Name,
  listener: (...args: ProviderEvents[Name]) => void,
) => Provider

/** An EIP-1193 provider. `custom` of viem and `BrowserProvider` of ethers accept it. */
export interface Provider {
  /** Answers a JSON-RPC call with its result. Rejects with a `ProviderRpcError`. */
  request(args: RequestArguments): Promise<unknown>
  readonly on: Listen
  readonly once: Listen
  readonly removeListener: Listen
}

export interface OwnProvider extends Provider {
  /** Emits `disconnect`. Every later request is refused with 4900. */
  disconnect(reason: string): void
}

/**
 * Creates the provider of a node; it emits `connect` after the caller's turn. Each event is delivered in a turn of its own, so a
 * listener that throws is an uncaught exception, and does not end a block.
 */
export function createProvider(node: GatewayNode): OwnProvider {
  const emitter = new EventEmitter()
  let gone: ProviderRpcError | undefined
  let connection: Promise<JsonRpcConnection> | undefined
  let { evmChainId } = node

  function emit<Name extends keyof ProviderEvents>(name: Name, ...args: ProviderEvents[Name]): void {
    queueMicrotask(() => emitter.emit(name, ...args))
  }
  /** Emits a change of the chain id, which development methods make. */
  function watchChainId(): void {
    if (node.evmChainId === evmChainId) return
    evmChainId = node.evmChainId
    emit('chainChanged', chainIdText())
  }
  const chainIdText = (): string => `0x${evmChainId.toString(16)}`
  const unwatch = node.driver.onBlock(watchChainId)

  function connect(): Promise<JsonRpcConnection> {
    connection ??= import('../api/jsonrpc/connection.ts').then(({ connectJsonRpc }) =>
      connectJsonRpc(node, (data) => emit('message', { type: 'eth_subscription', data })),
    )
    return connection
  }

  const provider: OwnProvider = {
    async request(args) {
      if (gone) throw gone
      const { method, params } = args ?? {}
      if (typeof method !== 'string') {
        throw new ProviderRpcError(INVALID_REQUEST, 'request takes an object with method, a text, and params')
      }
      const { ask } = await connect()
      const answer = await ask(method, params)
      watchChainId()
      if ('result' in answer) return answer.result
      if (gone) throw gone
      const { code, message, data } = answer.error
      throw new ProviderRpcError(code, message, data)
    },
    on(name, listener) {
      emitter.on(name, listener)
      return provider
    },
    once(name, listener) {
      emitter.once(name, listener)
      return provider
    },
    removeListener(name, listener) {
      emitter.off(name, listener)
      return provider
    },
    disconnect(reason) {
      if (gone) return
      gone = new ProviderRpcError(DISCONNECTED, reason)
      unwatch()
      void connection?.then(({ close }) => close())
      emit('disconnect', gone)
    },
  }
  emit('connect', { chainId: chainIdText() })
  return provider
}
