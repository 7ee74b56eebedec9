/** Mappings between coins and ERC-20 contracts: finding and keeping them (evm.md §2.14). */
import { create } from '@bufbuild/protobuf'
import { type FunToken, FunTokenSchema } from '../../../gen/chain/evm/v1/evm_pb.ts'
import { formatEip55, parseEvm } from '../../../primitives/address.ts'
import { equal, utf8 } from '../../../primitives/bytes.ts'
import { sha256 } from '../../../primitives/hash.ts'
import type { Context, ReadContext } from '../../../sdk/context.ts'
import { params } from '../params.ts'
import * as state from '../state.ts'

/** The first of several mappings. All entries of the index are read, as the chain does, which pays for each. */
function first(ctx: ReadContext, entries: Iterable<readonly [unknown, Uint8Array]>): FunToken | undefined {
  const [entry] = [...entries]
  return entry && state.funTokens.get(ctx, entry[1])
}

/** The first mapping of a denom that has a record. */
export function byDenom(ctx: ReadContext, denom: string): FunToken | undefined {
  if (denom.includes('\0')) return undefined
  return first(ctx, state.funTokensByDenom.iterate(ctx, { prefix: denom }))
}

/** The first mapping of a contract that has a record. */
export function byContract(ctx: ReadContext, contract: Uint8Array): FunToken | undefined {
  return first(ctx, state.funTokensByErc20.iterate(ctx, { prefix: contract }))
}

/** Id of a mapping: sha256 of the checksummed contract address, `|` and the denom. */
export function idOf(contract: Uint8Array, denom: string): Uint8Array {
  return sha256(utf8(`${formatEip55(contract)}|${denom}`))
}

/** Stores a mapping and both its indexes. */
export function insert(ctx: Context, mapping: FunToken): void {
  const { erc20Addr, bankDenom } = mapping
  const id = idOf(erc20Addr, bankDenom)
  state.funTokens.set(ctx, id, mapping)
  state.funTokensByErc20.add(ctx, [erc20Addr, id])
  state.funTokensByDenom.add(ctx, [bankDenom, id])
}

/** The base coin and its wrapped form, which are a pair without a record (D34). */
function baseCoin(ctx: ReadContext): FunToken {
  return create(FunTokenSchema, {
    erc20Addr: params(ctx).canonicalWnative,
    bankDenom: ctx.identity.baseDenom,
    isMadeFromCoin: true,
  })
}

/** The recorded mapping that a text names, by exact denom or by contract address. */
function findRecorded(ctx: ReadContext, token: string): FunToken | undefined {
  const contract = parseEvm(token)
  return byDenom(ctx, token) ?? (contract && byContract(ctx, contract))
}

/** As `findRecorded`, and the base coin's own pair. */
export function find(ctx: ReadContext, token: string): FunToken | undefined {
  const contract = parseEvm(token)
  const base = baseCoin(ctx)
  if (token === base.bankDenom || (contract && equal(contract, base.erc20Addr))) return base
  return findRecorded(ctx, token)
}

/** What the chain calls the mapping of a text: the base coin's pair is one, except under a profile that has none (D34). */
export function mappingOf(ctx: ReadContext, token: string): FunToken | undefined {
  return ctx.identity.behaviours.baseDenomWithoutMapping ? findRecorded(ctx, token) : find(ctx, token)
}
