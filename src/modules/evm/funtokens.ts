/** Mappings between coins and ERC-20 contracts: finding them (evm.md §2.14). */
import { create } from '@bufbuild/protobuf'
import { type FunToken, FunTokenSchema } from '../../gen/chain/evm/v1/evm_pb.ts'
import { parseEvm } from '../../primitives/address.ts'
import { equal } from '../../primitives/bytes.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { params } from './keeper.ts'
import * as state from './state.ts'

/** The first mapping of a denom. */
function byDenom(ctx: ReadContext, denom: string): FunToken | undefined {
  if (denom.includes('\0')) return undefined
  for (const [, id] of state.funTokensByDenom.iterate(ctx, { prefix: denom })) return state.funTokens.get(ctx, id)
  return undefined
}

/** The first mapping of a contract. */
function byContract(ctx: ReadContext, contract: Uint8Array): FunToken | undefined {
  for (const [, id] of state.funTokensByErc20.iterate(ctx, { prefix: contract })) return state.funTokens.get(ctx, id)
  return undefined
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
export function findRecorded(ctx: ReadContext, token: string): FunToken | undefined {
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
