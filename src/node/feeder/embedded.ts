/** The feeder of a development chain's own validators: simulated prices, a look at the chain after each block. */
import type { GatewayNode } from '../../api/gateway.ts'
import { createRestHandler } from '../../api/rest.ts'
import { queryError } from '../../primitives/errors.ts'
import { createFeeder, type FeederBehaviour, type FeederOptions } from './feeder.ts'
import { simulatedPrices } from './prices.ts'
import { createRestChain } from './rest-chain.ts'

export interface FedValidator {
  /** Operator, Bech32. */
  readonly operator: string
  /** Of its feeder's account, 32 bytes. */
  readonly feederKey: Uint8Array
  readonly behaviour?: () => FeederBehaviour
}

export interface EmbeddedOptions extends Pick<FeederOptions, 'log' | 'random' | 'fee'> {
  readonly gateway: GatewayNode
  readonly validators: readonly FedValidator[]
  readonly seed: number
}

/** Feeds until it is stopped. It follows the blocks and makes none; what it fails at, it tries again after the next one. */
export function startEmbeddedFeeder({ gateway, validators, seed, ...options }: EmbeddedOptions): () => void {
  const { identity, chainId, driver } = gateway
  const rest = createRestHandler(gateway, { cacheBytes: 0 })
  const chain = createRestChain(identity, chainId, {
    async get(path) {
      const { status, body } = await rest(path)
      if (status === 404) return undefined
      if (status !== 200) throw queryError('unknown', `${path} answered ${status}: ${body}`)
      return JSON.parse(body)
    },
    broadcast: (tx) => driver.submit(tx),
  })
  const prices = simulatedPrices(seed)
  const feeders = validators.map(({ operator, feederKey, behaviour }) =>
    createFeeder({
      ...options,
      identity,
      chain,
      validator: operator,
      privateKey: feederKey,
      prices,
      ...(behaviour && { behaviour }),
    }),
  )
  let isStopped = false
  const busy = new Set<(typeof feeders)[number]>()
  const look = (): void => {
    for (const feeder of feeders) {
      if (isStopped || busy.has(feeder)) continue
      busy.add(feeder)
      feeder
        .step()
        .catch((error: unknown) => {
          if (!isStopped) options.log('warn', 'the feeder could not vote', { error: String(error) })
        })
        .finally(() => busy.delete(feeder))
    }
  }
  const unsubscribe = driver.onBlock(look)
  look()
  return () => {
    isStopped = true
    unsubscribe()
  }
}
