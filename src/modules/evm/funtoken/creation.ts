/** Creation of mappings: an ERC-20 for a coin, and a coin for an ERC-20 (docs/modules/evm.md#funtoken). */
import { create } from '@bufbuild/protobuf'
import { EventTxLogSchema } from '../../../gen/chain/evm/v1/events_pb.ts'
import { type FunToken, FunTokenSchema } from '../../../gen/chain/evm/v1/evm_pb.ts'
import { type Metadata, MetadataSchema } from '../../../gen/sdk/bank/v1beta1/bank_pb.ts'
import { formatEip55 } from '../../../primitives/address.ts'
import { concat, ZERO_WORD_HEX } from '../../../primitives/bytes.ts'
import type { Context } from '../../../sdk/context.ts'
import * as bank from '../../bank/keeper.ts'
import { encodeArguments, encodeCall } from '../calls/abi.ts'
import { chargePosition } from '../calls/call-session.ts'
import { QUERY_GAS } from '../calls/contract-calls.ts'
import { createStaticCalls, deploy } from '../calls/message-calls.ts'
import { MINTER_ERC20_CREATION_CODE } from '../contracts/minter-erc20.ts'
import { REFERENCE_COIN_ERC20_CREATION_CODE } from '../contracts/reference-coin-erc20.ts'
import { errors } from '../errors.ts'
import { logMessages } from '../logs.ts'
import { readNumber, readText } from './erc20.ts'
import * as funtokens from './mappings.ts'

/** Throws evm 6 if the denom has a mapping. */
function requireUnmappedDenom(ctx: Context, denom: string): void {
  if (funtokens.ofDenom(ctx, denom)) throw errors.mapped(`funtoken mapping already created for bank denom "${denom}"`)
}

/** Throws evm 6 if the contract has a mapping. */
function requireUnmappedContract(ctx: Context, contract: Uint8Array): void {
  if (!funtokens.ofContract(ctx, contract)) return
  throw errors.mapped(`funtoken mapping already created for ERC20 "${formatEip55(contract)}"`)
}

/** Returns the decimals of a coin: the low eight bits of its last unit's exponent. */
function decimalsOf({ denomUnits }: Metadata): number {
  return (denomUnits.at(-1)?.exponent ?? 0) & 255
}

/** Deploys a coin's ERC-20 with the name, symbol and decimals of its metadata. Throws evm 5, 6, 8. */
export function createFromCoin(ctx: Context, denom: string, allowsZeroDecimals: boolean): FunToken {
  requireUnmappedDenom(ctx, denom)
  const metadata = bank.metadata(ctx, denom)
  if (!metadata) throw errors.metadata(`bank coin denom should have bank metadata for denom "${denom}"`)
  const fault = bank.metadataFault(metadata)
  if (fault) throw errors.metadata(fault)
  const decimals = decimalsOf(metadata)
  if (decimals === 0 && !allowsZeroDecimals) {
    throw errors.metadata(`bank coin "${denom}" has no decimals, which needs allow_zero_decimals`)
  }
  chargePosition(ctx)
  const args = encodeArguments('string,string,uint8', [metadata.name, metadata.symbol, BigInt(decimals)])
  const code = ctx.identity.behaviours.coinContractOfReference
    ? REFERENCE_COIN_ERC20_CREATION_CODE
    : MINTER_ERC20_CREATION_CODE
  const { contract, logs } = deploy(ctx, concat(code, args))
  requireUnmappedContract(ctx, contract)
  ctx.emit(EventTxLogSchema, { logs: logMessages(ctx, logs, ZERO_WORD_HEX, { evmIndex: 0, firstLogIndex: 0 }) })
  const mapping = create(FunTokenSchema, { erc20Addr: contract, bankDenom: denom, isMadeFromCoin: true })
  funtokens.insert(ctx, mapping)
  return mapping
}

/** Reads name, symbol and decimals of a contract. Throws evm 5 if a call fails, evm 9 for an answer that cannot be decoded. */
function describe(ctx: Context, contract: Uint8Array) {
  chargePosition(ctx)
  const call = createStaticCalls(ctx, contract, QUERY_GAS)
  const ask = (signature: string) => call(encodeCall(signature))
  const name = readText(ask('name()'))
  const symbol = readText(ask('symbol()'))
  const decimals = readNumber(ask('decimals()'))
  if (name === undefined || symbol === undefined || decimals === undefined) {
    throw errors.badToken(`${formatEip55(contract)} does not return its name, symbol and decimals`)
  }
  return { name, symbol, decimals: Number(decimals & 255n) }
}

/** Creates a coin for an ERC-20. The module keeps the tokens while coins for them exist. Throws evm 5, 6, 8, 9. */
export function createFromErc20(ctx: Context, contract: Uint8Array): FunToken {
  const address = formatEip55(contract)
  requireUnmappedContract(ctx, contract)
  const { name, symbol, decimals } = describe(ctx, contract)
  const denom = `erc20/${address}`
  if (bank.metadata(ctx, denom)) throw errors.mapped(`bank coin denom already registered with denom "${denom}"`)
  requireUnmappedDenom(ctx, denom)
  const unit = `decimals_denom_for-${denom}`
  const metadata = create(MetadataSchema, {
    description: `ERC20 token "${address}" represented as a Bank Coin with a corresponding FunToken mapping`,
    denomUnits: [{ denom }, ...(decimals > 0 ? [{ denom: unit, exponent: decimals }] : [])],
    base: denom,
    display: decimals > 0 ? unit : denom,
    name: name === '' ? denom : name,
    symbol: symbol === '' ? denom : symbol,
  })
  const fault = bank.metadataFault(metadata)
  if (fault) throw errors.metadata(`failed to validate bank metadata: ${fault}`)
  bank.setMetadata(ctx, metadata)
  const mapping = create(FunTokenSchema, { erc20Addr: contract, bankDenom: denom, isMadeFromCoin: false })
  funtokens.insert(ctx, mapping)
  return mapping
}
