/** Balance of a token in its two forms, as a bank coin and as an ERC-20. */

import { formatEip55, parseEvm } from '../../../primitives/address.ts'
import { hex } from '../../../primitives/bytes.ts'
import { isValid } from '../../../primitives/denom.ts'
import type { ReadContext } from '../../../sdk/context.ts'
import * as bank from '../../bank/keeper.ts'
import { params } from '../keeper.ts'
import { readErc20 } from './erc20.ts'
import { formatHuman } from './human-amount.ts'
import * as funtokens from './mappings.ts'

/** Contract of the alias USDC, on every network. */
const USDC: Uint8Array = hex('0829f361a05d993d5ceb035ca6df3446b060970b')

interface Representations {
  readonly denom: string | undefined
  readonly contract: Uint8Array | undefined
}

/** Returns denom and contract of a token. */
function representations(ctx: ReadContext, token: string): Representations {
  const alias = token.toUpperCase()
  if (alias === ctx.identity.wrappedNativeSymbol.toUpperCase()) return ofContract(ctx, params(ctx).canonicalWnative)
  if (alias === 'USDC') return ofContract(ctx, USDC)
  const contract = parseEvm(token)
  if (contract) return ofContract(ctx, contract)
  const mapping = funtokens.find(ctx, token)
  if (mapping) return { denom: mapping.bankDenom, contract: mapping.erc20Addr }
  return { denom: isValid(token) ? token : undefined, contract: undefined }
}

function ofContract(ctx: ReadContext, contract: Uint8Array): Representations {
  const mapping = funtokens.find(ctx, formatEip55(contract))
  return { denom: mapping?.bankDenom, contract }
}

function bankPart(ctx: ReadContext, holder: Uint8Array, denom: string) {
  const metadata = bank.metadata(ctx, denom)
  if (!metadata && (ctx.identity.behaviours.bankPartNeedsMetadata || bank.supply(ctx, denom) === 0n)) return undefined
  const amount = bank.balance(ctx, holder, denom)
  const decimals = (metadata?.denomUnits ?? []).reduce((most, { exponent }) => Math.max(most, exponent), 0)
  return {
    symbol: metadata ? metadata.symbol : denom,
    balanceHuman: formatHuman(amount, decimals),
    decimals,
    coinDenom: denom,
    balanceBase: amount.toString(),
  }
}

function erc20Part(ctx: ReadContext, holder: Uint8Array, contract: Uint8Array) {
  const { name, symbol, decimals, balance } = readErc20(ctx, contract, holder)
  if ((name ?? symbol ?? decimals ?? balance) === undefined) return undefined
  return {
    address: formatEip55(contract),
    symbol: symbol ?? '',
    balanceHuman: balance === undefined || decimals === undefined ? '' : formatHuman(balance, decimals),
    decimals: decimals ?? 0,
    name: name ?? '',
    balanceBase: balance?.toString() ?? '',
  }
}

/** Returns the balance in both forms; a form that the token does not have is undefined, and an empty token has neither. */
export function tokenBalance(ctx: ReadContext, holder: Uint8Array, token: string) {
  if (token === '') return { bank: undefined, erc20: undefined }
  const { denom, contract } = representations(ctx, token)
  return {
    bank: denom === undefined ? undefined : bankPart(ctx, holder, denom),
    erc20: contract && holder.length === 20 ? erc20Part(ctx, holder, contract) : undefined,
  }
}
