/** The rules about who can send a denom and who can receive it, for messages, for the EVM and for conversions. */
import { create } from '@bufbuild/protobuf'
import { type Params, ParamsSchema } from '../../gen/sdk/bank/v1beta1/bank_pb.ts'
import * as address from '../../identity/address.ts'
import type { Coin } from '../../primitives/coin.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { withoutGas } from '../../sdk/create-context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { errors } from './errors.ts'
import * as state from './state.ts'

export function defaultParams(): Params {
  return create(ParamsSchema, { defaultSendEnabled: true })
}

export function params(ctx: ReadContext): Params {
  return state.params.get(ctx) ?? defaultParams()
}

/** Reads the default once and returns the function from a denom to whether it can be sent between accounts. */
function sendSwitches(ctx: ReadContext): (denom: string) => boolean {
  const { defaultSendEnabled } = params(ctx)
  return (denom) => (state.sendEnabled.has(ctx, denom) ? state.sendEnabled.get(ctx, denom)! : defaultSendEnabled)
}

const disabledText = (denom: string): string => `${denom} transfers are currently disabled`
const blockedText = (ctx: ReadContext, recipient: Uint8Array): string =>
  `${address.format(ctx, recipient)} is not allowed to receive funds`

/** Throws bank 5 for the first denom whose transfers are disabled. */
export function requireSendEnabled(ctx: ReadContext, coins: readonly Coin[]): void {
  const isSendEnabled = sendSwitches(ctx)
  for (const { denom } of coins) if (!isSendEnabled(denom)) throw errors.sendDisabled(disabledText(denom))
}

/** Throws bank 5 for a denom whose transfers are disabled, and which therefore cannot be converted. Costs no gas. */
export function requireConvertible(ctx: ReadContext, denom: string): void {
  if (ctx.identity.behaviours.evmIgnoresSendEnabled) return
  if (!sendSwitches(withoutGas(ctx))(denom)) throw errors.sendDisabled(disabledText(denom))
}

/** Throws sdk 4 for a recipient that only modules can pay. */
export function requireUnblocked(ctx: ReadContext, recipient: Uint8Array): void {
  if (ctx.app.isBlocked(recipient)) throw sdkErrors.unauthorized(blockedText(ctx, recipient))
}

/** Returns the reason why no account can send wei now; undefined if transfers of the base denom are enabled. Costs no gas. */
export function weiRefusal(ctx: ReadContext): string | undefined {
  const { baseDenom, behaviours } = ctx.identity
  if (behaviours.evmIgnoresSendEnabled || sendSwitches(withoutGas(ctx))(baseDenom)) return undefined
  return disabledText(baseDenom)
}

/** Returns the reason why an account cannot receive wei from another; undefined if it can. */
export function recipientRefusal(ctx: ReadContext, recipient: Uint8Array): string | undefined {
  if (!ctx.app.isBlocked(recipient) || ctx.identity.behaviours.modulesReceiveEvmValue) return undefined
  return blockedText(ctx, recipient)
}
