/** The accounts of a simulated world, the same in every world. */
import { addressOfPrivateKey } from '../../src/evm/transaction/sender.ts'
import { almanac } from '../../src/identity/profiles/almanac.ts'
import { formatBech32, formatEip55 } from '../../src/primitives/address.ts'
import { utf8 } from '../../src/primitives/bytes.ts'
import { sha256 } from '../../src/primitives/hash.ts'
import { publicKeyOf } from '../../src/sdk/crypto.ts'
import { addressOf } from '../../src/sdk/public-key.ts'

export interface Actor {
  readonly index: number
  readonly name: string
  readonly algorithm: 'secp256k1' | 'eth_secp256k1'
  readonly privateKey: Uint8Array
  readonly publicKey: Uint8Array
  readonly address: Uint8Array
  /** The account, operator and hexadecimal spellings of the address. */
  readonly text: string
  readonly operator: string
  readonly hex: string
}

function actorOf(name: string, index: number): Actor {
  const privateKey = sha256(utf8(`simulation ${index}`))
  const publicKey = publicKeyOf(privateKey)
  const algorithm = name.endsWith('(sdk key)') ? 'secp256k1' : 'eth_secp256k1'
  const address =
    algorithm === 'secp256k1'
      ? addressOf(almanac, { kind: 'secp256k1', key: publicKey })
      : addressOfPrivateKey(privateKey)
  return {
    ...{ index, name, algorithm, privateKey, publicKey, address },
    text: formatBech32(almanac.bech32.account, address),
    operator: formatBech32(almanac.bech32.validator, address),
    hex: formatEip55(address),
  }
}

const SCHEDULES = ['continuous', 'delayed', 'periodic', 'permanent'] as const
export type ScheduleKind = (typeof SCHEDULES)[number]

const many = (count: number, name: string): string[] => Array.from({ length: count }, (_, i) => `${name} ${i}`)

const NAMES: readonly string[] = [
  ...many(4, 'operator'),
  ...many(8, 'user'),
  ...many(4, 'user').map((name) => `${name} (sdk key)`),
  ...SCHEDULES.map((kind) => `vesting ${kind}`),
  'vesting continuous (sdk key)',
  'vesting permanent (sdk key)',
  ...many(2, 'pauper'),
]

export const actors: readonly Actor[] = NAMES.map(actorOf)
/** Actors whose keys sign Ethereum transactions. */
export const ethActors: readonly Actor[] = actors.filter(({ algorithm }) => algorithm === 'eth_secp256k1')
/** Operators of the validators of genesis. */
export const operators: readonly Actor[] = actors.filter(({ name }) => name.startsWith('operator'))
/** Actors without an account at genesis. */
export const paupers: readonly Actor[] = actors.filter(({ name }) => name.startsWith('pauper'))

/** Returns how the genesis coins of an actor vest; undefined if they do not. */
export function scheduleOf({ name }: Actor): ScheduleKind | undefined {
  const [word, kind] = name.split(' ')
  return word === 'vesting' ? (kind as ScheduleKind) : undefined
}

/** ed25519 keys of validators; the first ones are used at genesis. */
export const consensusKeys: readonly Uint8Array[] = many(10, 'simulation consensus').map((name) => sha256(utf8(name)))
