/** Stateless checks of the messages. The handlers use the same parsers. */
import {
  type MsgBurn,
  MsgBurnNativeSchema,
  MsgBurnSchema,
  type MsgChangeAdmin,
  MsgChangeAdminSchema,
  type MsgCreateDenom,
  MsgCreateDenomSchema,
  type MsgMint,
  MsgMintSchema,
  MsgSetDenomMetadataSchema,
  MsgSudoSetDenomMetadataSchema,
} from '../../gen/chain/tokenfactory/v1/tx_pb.ts'
import type { Metadata } from '../../gen/sdk/bank/v1beta1/bank_pb.ts'
import * as address from '../../identity/address.ts'
import { type Coin, type CoinText, tryParse } from '../../primitives/coin.ts'
import { ChainError } from '../../primitives/errors.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { validation } from '../../sdk/module.ts'
import * as bank from '../bank/keeper.ts'
import { type FactoryDenom, nameDenom, parseDenom } from './denom.ts'
import { errors } from './errors.ts'

/** Parses a coin with a positive amount. Throws sdk 10. */
export function parsePositive(text: CoinText | undefined): Coin {
  const coin = text && tryParse(text)
  if (!coin || coin.amount === 0n) throw sdkErrors.invalidCoins(`${text?.amount ?? ''}${text?.denom ?? ''}`)
  return coin
}

/** Parses an address. Throws the error that `wrong` makes of the reason. */
function parseAddress(ctx: ReadContext, text: string, wrong: (why: string) => ChainError): Uint8Array {
  try {
    return address.parse(ctx, text)
  } catch (error) {
    if (error instanceof ChainError) throw wrong(error.message)
    throw error
  }
}

/** Parses the denom of a creation. Throws tokenfactory 4 for the sender, 5 for the subdenom. */
export function parseCreation(ctx: ReadContext, { sender, subdenom }: MsgCreateDenom): FactoryDenom {
  const creator = parseAddress(ctx, sender, (why) => errors.invalidCreator(`${why}: sender address (${sender})`))
  return nameDenom(ctx, creator, subdenom)
}

/** Parses an address of a message; the error names its role. Throws sdk 7. */
function parseRole(ctx: ReadContext, role: string, text: string): Uint8Array {
  return parseAddress(ctx, text, (why) =>
    sdkErrors.invalidAddress(`invalid ${role} (${text}): ${why.replace(/: invalid address$/, '')}`),
  )
}

/** Parses the admin of a denom in a genesis document. Throws tokenfactory 6. */
export function parseAdmin(ctx: ReadContext, admin: string): Uint8Array {
  return parseAddress(ctx, admin, errors.invalidAdmin)
}

/** Whether an admin can be removed for good. The reference does not allow it. */
const canRenounce = (ctx: ReadContext): boolean => !ctx.identity.behaviours.adminsStay

/** Parses a change of admin. Throws sdk 7, tokenfactory 3. */
export function parseChange(ctx: ReadContext, { sender, denom, newAdmin }: MsgChangeAdmin) {
  const from = parseRole(ctx, 'sender', sender)
  const renounces = newAdmin === '' && canRenounce(ctx)
  const to = renounces ? undefined : parseRole(ctx, 'new admin', newAdmin)
  return { from, to, denom: parseDenom(ctx, denom).denom }
}

/** Parses a mint or a burn: sender, coin, and holder, by default the sender. Throws sdk 7, sdk 10, tokenfactory 3. */
function parseSupply(ctx: ReadContext, sender: string, text: CoinText | undefined, whose: string) {
  const from = address.parse(ctx, sender)
  const coin = parsePositive(text)
  parseDenom(ctx, coin.denom)
  return { from, coin, holder: whose === '' ? from : address.parse(ctx, whose) }
}

export const parseMint = (ctx: ReadContext, { sender, coin, mintTo }: MsgMint) => parseSupply(ctx, sender, coin, mintTo)
export const parseBurn = (ctx: ReadContext, { sender, coin, burnFrom }: MsgBurn) =>
  parseSupply(ctx, sender, coin, burnFrom)

/** Returns metadata that is valid in the bank. Throws sdk 18. */
export function parseMetadata(metadata: Metadata | undefined, stem = ''): Metadata {
  const fault = metadata ? bank.metadataFault(metadata) : 'metadata must be given'
  if (fault !== undefined || !metadata) throw sdkErrors.invalidRequest(`${stem}${fault}`)
  return metadata
}

export const SUDO_ERROR_PREFIX = 'MetadataError: '

export const validations = [
  validation(MsgCreateDenomSchema, parseCreation),
  validation(MsgChangeAdminSchema, parseChange),
  validation(MsgMintSchema, parseMint),
  validation(MsgBurnSchema, parseBurn),
  validation(MsgSetDenomMetadataSchema, (ctx, { sender, metadata }) => {
    address.parse(ctx, sender)
    parseDenom(ctx, parseMetadata(metadata).base)
  }),
  validation(MsgSudoSetDenomMetadataSchema, (ctx, { sender, metadata }) => {
    address.parse(ctx, sender)
    parseMetadata(metadata, SUDO_ERROR_PREFIX)
  }),
  validation(MsgBurnNativeSchema, (ctx, { sender, coin }) => {
    address.parse(ctx, sender)
    parsePositive(coin)
  }),
]
