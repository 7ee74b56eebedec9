/** Lookup and storage of mappings between coins and ERC-20 contracts (docs/modules/evm.md#funtoken). */
import { create } from '@bufbuild/protobuf'
import { type FunToken, FunTokenSchema } from '../../../gen/chain/evm/v1/evm_pb.ts'
import { formatEip55, parseEvm } from '../../../primitives/address.ts'
import { equal, utf8 } from '../../../primitives/bytes.ts'
import { sha256 } from '../../../primitives/hash.ts'
import type { Context, ReadContext } from '../../../sdk/context.ts'
import { params } from '../params.ts'
import * as state from '../state.ts'

/** Returns the first mapping of an index. It reads all entries, as the reference does, because each read costs gas. */
function first(ctx: ReadContext, entries: Iterable<readonly [unknown, Uint8Array]>): FunToken | undefined {
  const [entry] = [...entries]
  return entry && state.funTokens.get(ctx, entry[1])
}

/** Returns the first recorded mapping of a denom. */
export function byDenom(ctx: ReadContext, denom: string): FunToken | undefined {
  if (denom.includes('\0')) return undefined
  return first(ctx, state.funTokensByDenom.iterate(ctx, { prefix: denom }))
}

/** Returns the first recorded mapping of a contract. */
export function byContract(ctx: ReadContext, contract: Uint8Array): FunToken | undefined {
  return first(ctx, state.funTokensByErc20.iterate(ctx, { prefix: contract }))
}

/** Returns the id of a mapping: sha256 of the EIP-55 contract address, `|` and the denom. */
export function idOf(contract: Uint8Array, denom: string): Uint8Array {
  return sha256(utf8(`${formatEip55(contract)}|${denom}`))
}

/** Stores a mapping and both its indexes. */
export function insert(ctx: Context, mapping: FunToken): void {
  const { erc20Addr, bankDenom } = mapping
  const id = idOf(erc20Addr, bankDenom)
  // The reference looks for an older entry, whose indexes it would remove.
  if (ctx.identity.behaviours.callsPayForStores) state.funTokens.get(ctx, id)
  state.funTokens.set(ctx, id, mapping)
  state.funTokensByErc20.add(ctx, [erc20Addr, id])
  state.funTokensByDenom.add(ctx, [bankDenom, id])
}

/** Returns the mapping of the base coin to its wrapped form, which has no record (D34). */
function baseCoin(ctx: ReadContext): FunToken {
  return create(FunTokenSchema, {
    erc20Addr: params(ctx).canonicalWnative,
    bankDenom: ctx.identity.baseDenom,
    isMadeFromCoin: true,
  })
}

/** Returns the recorded mapping of a denom or contract address. */
function findRecorded(ctx: ReadContext, token: string): FunToken | undefined {
  const contract = parseEvm(token)
  return byDenom(ctx, token) ?? (contract && byContract(ctx, contract))
}

/** Returns the mapping of a denom or contract address, the base coin's included. */
export function find(ctx: ReadContext, token: string): FunToken | undefined {
  const contract = parseEvm(token)
  const base = baseCoin(ctx)
  if (token === base.bankDenom || (contract && equal(contract, base.erc20Addr))) return base
  return findRecorded(ctx, token)
}

/** Returns the mapping that the chain reports. Under the behaviour `baseDenomWithoutMapping` the base coin has no mapping (D34). */
export function mappingOf(ctx: ReadContext, token: string): FunToken | undefined {
  return ctx.identity.behaviours.baseDenomWithoutMapping ? findRecorded(ctx, token) : find(ctx, token)
}

/** Returns the mapping of a denom that the chain reports, as `mappingOf` does. */
export function ofDenom(ctx: ReadContext, denom: string): FunToken | undefined {
  const { identity } = ctx
  const isBase = denom === identity.baseDenom && !identity.behaviours.baseDenomWithoutMapping
  return isBase ? baseCoin(ctx) : byDenom(ctx, denom)
}

/** Returns the mapping of a contract that the chain reports, as `mappingOf` does. */
export function ofContract(ctx: ReadContext, contract: Uint8Array): FunToken | undefined {
  if (!ctx.identity.behaviours.baseDenomWithoutMapping) {
    const base = baseCoin(ctx)
    if (equal(contract, base.erc20Addr)) return base
  }
  return byContract(ctx, contract)
}
