/** Privileged accounts besides governance, and calls without a fee (D22). */
import { create } from '@bufbuild/protobuf'
import {
  type Sudoers,
  SudoersSchema,
  type ZeroGasActors,
  ZeroGasActorsSchema,
} from '../../gen/chain/sudo/v1/state_pb.ts'
import * as address from '../../identity/address.ts'
import { formatEip55, parseEvm } from '../../primitives/address.ts'
import { equal, toKey } from '../../primitives/bytes.ts'
import { governance } from '../../sdk/authority.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { unregistered } from '../../sdk/unregistered.ts'
import { errors } from './errors.ts'
import * as state from './state.ts'

export function sudoers(ctx: ReadContext): Sudoers {
  return state.sudoers.get(ctx) ?? create(SudoersSchema)
}

/** Returns listed contracts in canonical spelling, each address once in its first form. Throws sdk 7. */
export function canonicalContracts(ctx: ReadContext, contracts: readonly string[]): string[] {
  const listed = new Map<string, string>()
  for (const contract of contracts) {
    const key = toKey(parseListed(ctx, contract))
    if (!listed.has(key)) listed.set(key, canonicalListed(ctx, contract))
  }
  return [...listed.values()]
}

/** Stores the sudoers in canonical spelling. Returns the stored value. Throws sdk 7. */
export function setSudoers(ctx: Context, { root, contracts }: Pick<Sudoers, 'root' | 'contracts'>): Sudoers {
  const value = create(SudoersSchema, {
    root: root === '' ? '' : address.canonical(ctx, root),
    contracts: canonicalContracts(ctx, contracts),
  })
  state.sudoers.set(ctx, value)
  return value
}

/** Stores the lists of calls without a fee, with canonical addresses. Throws sdk 7. */
export function setZeroGasActors(ctx: Context, actors: ZeroGasActors): void {
  const canonical = create(ZeroGasActorsSchema, {
    senders: actors.senders.map((text) => address.canonical(ctx, text)),
    contracts: actors.contracts.map((text) => canonicalListed(ctx, text)),
    alwaysZeroGasContracts: actors.alwaysZeroGasContracts.map((text) => canonicalListed(ctx, text)),
  })
  state.zeroGasActors.set(ctx, canonical)
}

export function zeroGasActors(ctx: ReadContext): ZeroGasActors {
  return state.zeroGasActors.get(ctx) ?? create(ZeroGasActorsSchema)
}

/** Parses a listed address: Bech32, or `0x` and hexadecimal digits for an EVM contract. Throws sdk 7. */
export function parseListed(ctx: ReadContext, text: string): Uint8Array {
  return (text.startsWith('0x') ? parseEvm(text) : undefined) ?? address.parse(ctx, text)
}

/** Returns the canonical spelling of a listed address in its form: Bech32, or EIP-55 for hexadecimal digits. Throws sdk 7. */
function canonicalListed(ctx: ReadContext, text: string): string {
  const evm = text.startsWith('0x') ? parseEvm(text) : undefined
  if (!evm) return address.canonical(ctx, text)
  return ctx.identity.behaviours.listedDigitsAsGiven ? text : formatEip55(evm)
}

/** Returns the root; undefined if none is set. */
export function root(ctx: ReadContext, { root: text } = sudoers(ctx)): Uint8Array | undefined {
  return text === '' ? undefined : address.parse(ctx, text)
}

/** Whether an address is governance or the root. */
export function isAuthority(ctx: ReadContext, sender: Uint8Array, listed?: Sudoers): boolean {
  if (equal(sender, governance)) return true
  const current = root(ctx, listed)
  return current !== undefined && equal(sender, current)
}

/** Returns the sudoers. Throws sudo 2 unless the sender is governance or the root, and sdk 7 for an invalid address. */
export function requireAuthority(ctx: ReadContext, authority: string): Sudoers {
  const listed = sudoers(ctx)
  if (!isAuthority(ctx, address.parse(ctx, authority), listed)) throw unregistered(ctx, errors.unauthorized())
  return listed
}

/** Whether a sender can edit parameters (behaviour `sudoersEditParameters`). Throws sdk 7 for no address. */
function isEditor(ctx: ReadContext, sender: string): boolean {
  const bytes = address.parse(ctx, sender)
  if (!ctx.identity.behaviours.sudoersEditParameters) return isAuthority(ctx, bytes)
  return isSudoer(ctx, bytes) && !equal(bytes, governance)
}

/** Throws sudo 2 for a sender that cannot edit the parameters of the oracle, sdk 7 for no address. */
export function requireOracleEditor(ctx: ReadContext, sender: string): void {
  if (!isEditor(ctx, sender)) throw errors.unauthorized()
}

/** Throws sudo 2 for a sender that cannot edit the parameters of inflation, sdk 7 for no address. */
export function requireInflationEditor(ctx: ReadContext, sender: string): void {
  if (!isEditor(ctx, sender)) throw unregistered(ctx, errors.unauthorized())
}

/** Whether an address is an authority or one of the listed contracts. */
export function isSudoer(ctx: ReadContext, sender: Uint8Array): boolean {
  const listed = sudoers(ctx)
  return (
    isAuthority(ctx, sender, listed) || listed.contracts.some((contract) => equal(parseListed(ctx, contract), sender))
  )
}

/** Throws sudo 2 unless the sender is an authority or a listed contract. */
export function requireSudoer(ctx: ReadContext, sender: Uint8Array): void {
  if (!isSudoer(ctx, sender)) throw unregistered(ctx, errors.unauthorized())
}

/** Whether a call is free: its contract is always free, or sender and contract are both listed. */
export function isZeroGas(ctx: ReadContext, sender: Uint8Array, contract: Uint8Array): boolean {
  const actors = state.zeroGasActors.get(ctx)
  if (!actors) return false
  const has = (list: readonly string[], bytes: Uint8Array) => list.some((text) => equal(parseListed(ctx, text), bytes))
  return (
    has(actors.alwaysZeroGasContracts, contract) || (has(actors.senders, sender) && has(actors.contracts, contract))
  )
}
