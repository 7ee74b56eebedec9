/** What is wrong with a message of its own accord; the same parsing serves the handlers. */
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

/** A coin of more than nothing. Throws sdk 10. */
export function parsePositive(text: CoinText | undefined): Coin {
  const coin = text && tryParse(text)
  if (!coin || coin.amount === 0n) throw sdkErrors.invalidCoins(`${text?.amount ?? ''}${text?.denom ?? ''}`)
  return coin
}

/** Throws what `wrong` makes of the reason why a text is no address. */
function parseAddress(ctx: ReadContext, text: string, wrong: (why: string) => ChainError): Uint8Array {
  try {
    return address.parse(ctx, text)
  } catch (error) {
    if (error instanceof ChainError) throw wrong(error.message)
    throw error
  }
}

/** Throws tokenfactory 4, 5. */
export function parseCreation(ctx: ReadContext, { sender, subdenom }: MsgCreateDenom): FactoryDenom {
  const creator = parseAddress(ctx, sender, (why) => errors.invalidCreator(`${why}: sender address (${sender})`))
  return nameDenom(ctx, creator, subdenom)
}

/** An address of a message, told by its role when it is none. Throws sdk 7. */
function parseRole(ctx: ReadContext, role: string, text: string): Uint8Array {
  return parseAddress(ctx, text, (why) =>
    sdkErrors.invalidAddress(`invalid ${role} (${text}): ${why.replace(/: invalid address$/, '')}`),
  )
}

/** The admin of a denom in a genesis. Throws tokenfactory 6. */
export function parseAdmin(ctx: ReadContext, admin: string): Uint8Array {
  return parseAddress(ctx, admin, errors.invalidAdmin)
}

/** Whether an admin may be taken away for good: the reference does not let one go. */
const mayRenounce = (ctx: ReadContext): boolean => !ctx.identity.behaviours.adminsStay

/** Throws sdk 7, tokenfactory 3. */
export function parseChange(ctx: ReadContext, { sender, denom, newAdmin }: MsgChangeAdmin) {
  const from = parseRole(ctx, 'sender', sender)
  const renounces = newAdmin === '' && mayRenounce(ctx)
  const to = renounces ? undefined : parseRole(ctx, 'new admin', newAdmin)
  return { from, to, denom: parseDenom(ctx, denom).denom }
}

/** A mint or a burn: who asks, how much, and whose; the sender's own if nobody is named. Throws sdk 7, 10, tokenfactory 3. */
function parseSupply(ctx: ReadContext, sender: string, text: CoinText | undefined, whose: string) {
  const from = address.parse(ctx, sender)
  const coin = parsePositive(text)
  parseDenom(ctx, coin.denom)
  return { from, coin, holder: whose === '' ? from : address.parse(ctx, whose) }
}

export const parseMint = (ctx: ReadContext, { sender, coin, mintTo }: MsgMint) => parseSupply(ctx, sender, coin, mintTo)
export const parseBurn = (ctx: ReadContext, { sender, coin, burnFrom }: MsgBurn) =>
  parseSupply(ctx, sender, coin, burnFrom)

/** Metadata that the bank can hold. Throws sdk 18. */
export function parseMetadata(metadata: Metadata | undefined, stem = ''): Metadata {
  const fault = metadata ? bank.metadataFault(metadata) : 'metadata must be given'
  if (fault !== undefined || !metadata) throw sdkErrors.invalidRequest(`${stem}${fault}`)
  return metadata
}

export const SUDO_STEM = 'MetadataError: '

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
    parseMetadata(metadata, SUDO_STEM)
  }),
  validation(MsgBurnNativeSchema, (ctx, { sender, coin }) => {
    address.parse(ctx, sender)
    parsePositive(coin)
  }),
]
