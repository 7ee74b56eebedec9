/** The feeder of a localnet's validators: it votes on simulated prices before each block. */
import type { GatewayNode } from '../../api/gateway.ts'
import { createRestHandler } from '../../api/rest/rest.ts'
import { requiredFees } from '../../app/ante/fee.ts'
import type { GenesisDocument } from '../../app/types.ts'
import type { BlockProduction, Offer } from '../../consensus/driver.ts'
import type { OwnValidators, ValidatorBehaviour } from '../../consensus/validators.ts'
import type { Identity } from '../../identity/types.ts'
import { formatBech32, ofSecp256k1 } from '../../primitives/address.ts'
import { queryError } from '../../primitives/errors.ts'
import { publicKeyOf } from '../../sdk/crypto.ts'
import { deriveFeederKeys } from '../accounts.ts'
import { moduleLog } from '../log.ts'
import { createFeeder, type FeederBehaviour, type FeederKey, type FeederOptions } from './feeder.ts'
import { seededRandom, simulatedPrices } from './prices.ts'
import { createRestChain } from './rest-chain.ts'

export interface FedValidator {
  /** Operator, Bech32. */
  readonly operator: string
  /** Key of its feeder's account, 32 bytes. */
  readonly feederKey: Uint8Array
  readonly behaviour: () => FeederBehaviour
}

export interface EmbeddedOptions extends Pick<FeederOptions, 'log'> {
  readonly gateway: GatewayNode
  readonly beforeBlock: BlockProduction['beforeBlock']
  readonly validators: readonly FedValidator[]
  readonly seed: number
}

function keyOf(privateKey: Uint8Array): FeederKey {
  const publicKey = publicKeyOf(privateKey)
  return { algorithm: 'secp256k1', publicKey, address: ofSecp256k1(publicKey), privateKey }
}

/** Returns the validators whose feeder accounts derive from the mnemonic: those of a localnet, in the order of its genesis. */
export function fedValidators(
  genesis: GenesisDocument,
  mnemonic: string,
  identity: Identity,
  validators: Pick<OwnValidators, 'behaviour'>,
): readonly FedValidator[] {
  const oracle = genesis.app_state['oracle'] as
    | { readonly feeder_delegations?: readonly { feeder_address: string; validator_address: string }[] }
    | undefined
  const delegations = oracle?.feeder_delegations ?? []
  const fed = deriveFeederKeys(mnemonic, delegations.length).flatMap((feederKey) => {
    const address = formatBech32(identity.bech32.account, keyOf(feederKey).address)
    const found = delegations.find(({ feeder_address: feeder }) => feeder === address)
    return found ? [{ operator: found.validator_address, feederKey }] : []
  })
  return fed.map((validator, i) => ({ ...validator, behaviour: () => feederBehaviour(validators.behaviour(i)) }))
}

/** Returns the behaviour of a validator's feeder: that of a stopped validator is silent. */
function feederBehaviour(behaviour: ValidatorBehaviour): FeederBehaviour {
  return behaviour === 'stopped' ? 'silent' : behaviour
}

/**
 * Votes before each block, without causing one, until the returned function is called. Retries a failed vote before the next
 * block. Equal seeds, blocks and behaviours result in equal transactions.
 */
export function startEmbeddedFeeder(options: EmbeddedOptions): () => void {
  const { gateway, validators, seed } = options
  const log = moduleLog(options.log, 'feeder')
  const { identity, chainId, driver } = gateway
  let rest: ReturnType<typeof createRestHandler> | undefined
  let offer: Offer
  const chain = createRestChain(identity, chainId, {
    async get(path) {
      rest ??= createRestHandler(gateway, { cacheBytes: 0 })
      const { status, body } = await rest(path)
      if (status === 404) return undefined
      if (status !== 200) throw queryError('unknown', `${path} answered ${status}: ${body}`)
      return JSON.parse(body)
    },
    broadcast: async (tx) => offer(tx),
  })
  const feeders = validators.map(({ operator, feederKey, behaviour }, i) =>
    createFeeder({
      fee: (gasLimit) => ({ gasLimit, amount: requiredFees(gateway.settings.minGasPrice, gasLimit).slice(0, 1) }),
      log,
      random: seededRandom(seed + i),
      identity,
      chain: {
        ...chain,
        height: async () => driver.status().latestHeight,
        rollbacks: () => driver.status().rollbacks ?? 0,
      },
      validator: operator,
      key: keyOf(feederKey),
      prices: simulatedPrices(seed),
      behaviour,
    }),
  )
  return options.beforeBlock(async (offerTx) => {
    offer = offerTx
    for (const feeder of feeders) {
      await feeder.step().catch((error: unknown) => log('warn', 'the feeder could not vote', { error: String(error) }))
    }
  })
}
