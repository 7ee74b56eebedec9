/** chain.tokenfactory.v1.Msg */
import {
  EventBurnSchema,
  EventChangeAdminSchema,
  EventCreateDenomSchema,
  EventMintSchema,
  EventSetDenomMetadataSchema,
} from '../../gen/chain/tokenfactory/v1/event_pb.ts'
import { Msg } from '../../gen/chain/tokenfactory/v1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import { equal } from '../../primitives/bytes.ts'
import { toText } from '../../primitives/coin.ts'
import { governance, invalidSigner, requireGovernance } from '../../sdk/authority.ts'
import type { Context } from '../../sdk/context.ts'
import { withoutGas } from '../../sdk/create-context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { defineMessages } from '../../sdk/module.ts'
import * as bank from '../bank/keeper.ts'
import * as sudo from '../sudo/keeper.ts'
import { errors } from './errors.ts'
import * as tokenfactory from './keeper.ts'
import * as state from './state.ts'
import {
  parseBurn,
  parseChange,
  parseCreation,
  parseMetadata,
  parseMint,
  parsePositive,
  SUDO_ERROR_PREFIX,
} from './validation.ts'

const SUPPLY_LIMIT = 1n << 256n

/** Throws tokenfactory 10 for a denom that does not exist, and 12 for a sender that is not its admin. */
function requireAdmin(ctx: Context, denom: string, sender: Uint8Array): void {
  const admin = tokenfactory.requireAdminOf(ctx, denom)
  if (!tokenfactory.isAdmin(ctx, admin, sender)) {
    throw errors.notAdmin(`sender (${address.format(ctx, sender)}), admin (${admin})`)
  }
}

/** Throws tokenfactory 13 for an account of a module, and for a blocked account. */
function requireUserAccount(ctx: Context, verb: string, holder: Uint8Array): void {
  const text = address.format(ctx, holder)
  // Governance is a module account even if this build does not have the module.
  if (ctx.app.moduleAccountAt(holder) || equal(holder, governance))
    throw errors.blocked(`failed to ${verb} module account ${text}`)
  if (ctx.app.isBlocked(holder)) throw errors.blocked(`failed to ${verb} ${text}`)
}

/** Throws gov 13 if only governance and the sudoers can create denoms, and the sender is neither. */
function requireCreationAllowed(ctx: Context, sender: string): void {
  if (!ctx.identity.behaviours.permissionedCreation) return
  const bytes = address.parse(ctx, sender)
  if (equal(bytes, governance) || sudo.isSudoer(ctx, bytes)) return
  const { root, contracts } = sudo.sudoers(ctx)
  const expected = `${address.format(ctx, governance)} or one of the sudoers ${[root, ...contracts].join(', ')}`
  throw invalidSigner(`invalid signing authority, expected governance account ${expected}, got ${sender}`)
}

export const messages = defineMessages(Msg, {
  /** Creates a denom under the sender's address. The sender becomes its admin. Costs gas only. */
  createDenom(ctx, message) {
    const named = parseCreation(ctx, message)
    requireCreationAllowed(ctx, message.sender)
    const { denom, creator } = named
    if (bank.metadata(ctx, denom) || tokenfactory.adminOf(ctx, denom) !== undefined) throw errors.isRegistered(denom)
    if (!ctx.identity.behaviours.creationCostsNoGas) {
      ctx.gas.consume(tokenfactory.params(ctx).denomCreationGasConsume, 'consume denom creation gas')
    }
    const admin = address.parse(ctx, creator)
    tokenfactory.insert(ctx, named, admin)
    bank.setMetadata(ctx, tokenfactory.defaultMetadata(denom))
    if (ctx.identity.behaviours.createsDenomsTwice) {
      tokenfactory.setAdmin(ctx, denom, admin)
      bank.setMetadata(ctx, tokenfactory.defaultMetadata(denom))
    }
    ctx.emit(EventCreateDenomSchema, { denom, creator })
    return { newTokenDenom: denom }
  },

  /** Sets another admin. An empty admin is permanent. */
  changeAdmin(ctx, message) {
    const { from, to, denom } = parseChange(ctx, message)
    const oldAdmin = tokenfactory.requireAdminOf(ctx, denom)
    if (!tokenfactory.isAdmin(ctx, oldAdmin, from)) {
      throw errors.invalidSender(
        `only the current admin can set a new admin: current admin (${oldAdmin}), sender (${address.format(ctx, from)})`,
      )
    }
    tokenfactory.setAdmin(ctx, denom, to)
    ctx.emit(EventChangeAdminSchema, { denom, newAdmin: to ? address.format(ctx, to) : '', oldAdmin })
    return {}
  },

  /** Replaces the parameters. Governance only. */
  updateModuleParams(ctx, { authority, params }) {
    requireGovernance(ctx, authority)
    if (!params) throw errors.invalidParams('params must be given')
    tokenfactory.setParams(ctx, params)
    return {}
  },

  /** Mints coins of a denom to its admin, or to `mint_to`. Admin only. */
  mint(ctx, message) {
    const { from, coin, holder } = parseMint(ctx, message)
    requireAdmin(ctx, coin.denom, from)
    requireUserAccount(ctx, 'mint to', holder)
    if (bank.supply(withoutGas(ctx), coin.denom) + coin.amount >= SUPPLY_LIMIT) {
      throw sdkErrors.invalidCoins(`the supply of ${coin.denom} would be too large`)
    }
    bank.mint(ctx, state.account, [coin])
    bank.send(ctx, state.account.address, holder, [coin])
    const mintTo = address.format(ctx, holder)
    ctx.emit(EventMintSchema, { coin: toText(coin), toAddr: mintTo, caller: address.format(ctx, from) })
    return { mintTo }
  },

  /** Burns coins of a denom: the admin's own or, WITHOUT CONSENT OF THE HOLDER, those of any user account. Admin only. */
  burn(ctx, message) {
    const { from, coin, holder } = parseBurn(ctx, message)
    requireAdmin(ctx, coin.denom, from)
    requireUserAccount(ctx, 'burn from', holder)
    bank.sendToModule(ctx, holder, state.account, [coin])
    bank.burn(ctx, state.account, [coin])
    const fromAddr = address.format(ctx, holder)
    ctx.emit(EventBurnSchema, { coin: toText(coin), fromAddr, caller: address.format(ctx, from) })
    return {}
  },

  /** Replaces the bank metadata of a factory denom. Admin only. */
  setDenomMetadata(ctx, message) {
    const sender = address.parse(ctx, message.sender)
    const metadata = parseMetadata(message.metadata)
    requireAdmin(ctx, metadata.base, sender)
    bank.setMetadata(ctx, metadata)
    const caller = address.format(ctx, sender)
    ctx.emit(EventSetDenomMetadataSchema, { denom: metadata.base, metadata, caller })
    return {}
  },

  /** Replaces the bank metadata of any denom. Senders: governance, the sudo root and its listed contracts. */
  sudoSetDenomMetadata(ctx, message) {
    const sender = address.parse(ctx, message.sender)
    const metadata = parseMetadata(message.metadata, SUDO_ERROR_PREFIX)
    sudo.requireSudoer(ctx, sender)
    bank.setMetadata(ctx, metadata)
    if (ctx.identity.behaviours.quietTokenMessages) return {}
    const caller = address.format(ctx, sender)
    ctx.emit(EventSetDenomMetadataSchema, { denom: metadata.base, metadata, caller })
    return {}
  },

  /** Burns the sender's own coins of any denom. */
  burnNative(ctx, message) {
    const sender = address.parse(ctx, message.sender)
    const coin = parsePositive(message.coin)
    bank.sendToModule(ctx, sender, state.account, [coin])
    bank.burn(ctx, state.account, [coin])
    if (ctx.identity.behaviours.quietTokenMessages) return {}
    const caller = address.format(ctx, sender)
    ctx.emit(EventBurnSchema, { coin: toText(coin), fromAddr: caller, caller })
    return {}
  },
})
