/** The world that actions see: the state of the tip, and the places that transactions can point at. */
import { almanac } from '../../src/identity/profiles/almanac.ts'
import * as evmState from '../../src/modules/evm/state.ts'
import * as stakingState from '../../src/modules/staking/state.ts'
import * as tokenfactoryState from '../../src/modules/tokenfactory/state.ts'
import { formatBech32, ofModule } from '../../src/primitives/address.ts'
import { encodeUint, hex } from '../../src/primitives/bytes.ts'
import { keccak256 } from '../../src/primitives/hash.ts'
import type { ReadContext } from '../../src/sdk/context.ts'
import { type Actor, actors, ethActors } from './actors.ts'
import type { Dice } from './dice.ts'
import { NATIVE } from './messages.ts'

/** A token contract that an action deployed. */
export interface Token {
  readonly name: string
  readonly address: Uint8Array
}

export interface World {
  /** State after the latest block. */
  readonly ctx: ReadContext
  /** Creation code of the tokens and of the router by name. */
  readonly code: ReadonlyMap<string, Uint8Array>
  /** Deployed contracts of `code`, oldest first. */
  readonly tokens: readonly Token[]
  /** Returns a value that is computed once for each block. */
  once<T>(name: string, make: () => T): T
}

export const WNATIVE: Uint8Array = hex('0cacf669f8446beca826913a3c6b96acd4b02a97')
export const FUNTOKEN: Uint8Array = encodeUint(0x800n, 20)
export const ORACLE: Uint8Array = encodeUint(0x801n, 20)

const MODULE_NAMES = [
  ...['fee_collector', 'distribution', 'bonded_tokens_pool', 'not_bonded_tokens_pool', 'gov', 'inflation', 'oracle'],
  ...['evm', 'tokenfactory', 'sudo'],
]
const moduleAddresses: readonly Uint8Array[] = MODULE_NAMES.map(ofModule)

/** Contracts whose random code is part of genesis, and accounts that delegate to them. */
export const programs: readonly Uint8Array[] = [
  ...[1, 2, 3, 4].map((i) => hex(`a00000000000000000000000000000000000000${i}`)),
  ...[1, 2, 3, 4, 5].map((i) => hex(`d00000000000000000000000000000000000000${i}`)),
]

export const accountText = (address: Uint8Array): string => formatBech32(almanac.bech32.account, address)
export const operatorText = (address: Uint8Array): string => formatBech32(almanac.bech32.validator, address)

/** Returns the actor, or another one if its key cannot sign Ethereum transactions. */
export const ethActor = (actor: Actor): Actor =>
  actor.algorithm === 'eth_secp256k1' ? actor : ethActors[actor.index % ethActors.length]!

/** Returns the addresses of the validators, oldest operator address first. */
export const validatorsOf = ({ ctx, once }: World): readonly Uint8Array[] =>
  once('validators', () => [...stakingState.validators.keys(ctx)])

/** Returns contracts that transactions created. */
export const contractsOf = ({ ctx, once }: World): readonly Uint8Array[] =>
  once('contracts', () => [...evmState.creations.keys(ctx)])

/** Returns an operator: usually a validator's. */
export function anyOperator(world: World, dice: Dice): Uint8Array {
  const list = validatorsOf(world)
  if (list.length === 0 || dice.chance(4)) return dice.pick(actors).address
  return dice.pick(list)
}

/** Returns an address to pay or call: usually an actor's, sometimes one that must not receive coins. */
export function anyAddress(world: World, dice: Dice): Uint8Array {
  const kind = dice.below(20)
  if (kind < 12) return dice.pick(actors).address
  if (kind < 14) return dice.pick(moduleAddresses)
  if (kind === 14) return encodeUint(BigInt(dice.below(18)), 20)
  if (kind === 15) return dice.pick([FUNTOKEN, ORACLE, encodeUint(0x802n, 20), WNATIVE])
  if (kind === 16) return dice.pick(programs)
  if (kind === 17 && contractsOf(world).length > 0) return dice.pick(contractsOf(world))
  if (kind === 18) return anyOperator(world, dice)
  return keccak256(encodeUint(BigInt(dice.below(50)), 32)).slice(12)
}

/** Returns a token or a contract of a coin, which can be converted. */
export function anyToken(world: World, dice: Dice): Uint8Array {
  const mapped = world.once('mapped', () => [...evmState.funTokens.iterate(world.ctx)].map(([, one]) => one.erc20Addr))
  const known = world.tokens.map(({ address }) => address)
  return dice.pick(dice.pick([mapped, mapped, known, []]).concat(WNATIVE))
}

/** Returns a denom: usually one with a supply. */
export function anyDenom(world: World, dice: Dice): string {
  const kind = dice.below(10)
  if (kind < 4) return NATIVE
  const mapped = world.once('denoms', () => [...evmState.funTokens.iterate(world.ctx)].map(([, one]) => one.bankDenom))
  if (kind < 8 && mapped.length > 0) return dice.pick(mapped)
  const made = world.once('factory denoms', () => [...tokenfactoryState.denoms.keys(world.ctx)])
  return dice.pick(['unothing', ...made])
}

export const factoryDenom = (creator: Actor, number: number): string =>
  `${almanac.factoryPrefix}/${creator.text}/coin${number}`

/** Returns the text, sometimes in capitals: the same address. */
export const spelled = (dice: Dice, text: string): string => (dice.chance(3) ? text.toUpperCase() : text)
