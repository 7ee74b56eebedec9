/** Stateless checks of messages. The handlers use the same parsing. */
import { type MsgMultiSend, MsgMultiSendSchema, type MsgSend, MsgSendSchema } from '../../gen/sdk/bank/v1beta1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import { add, type Coin, type CoinText, format, tryParseList } from '../../primitives/coin.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { validation } from '../../sdk/module.ts'
import { errors } from './errors.ts'

/** Parses the coins of a message. Throws sdk 10 unless they are valid and not empty. */
function parseCoins(texts: readonly CoinText[]): readonly Coin[] {
  const coins = tryParseList(texts)
  if (!coins || coins.length === 0) {
    throw sdkErrors.invalidCoins(texts.map(({ denom, amount }) => `${amount}${denom}`).join(','))
  }
  return coins
}

/** An input or output of a MsgMultiSend: an address and its coins. */
export interface Part {
  readonly address: Uint8Array
  readonly coins: readonly Coin[]
}

/** Parses a MsgSend. Throws sdk 7, sdk 10. */
export function parseSend(ctx: ReadContext, { fromAddress, toAddress, amount }: MsgSend) {
  return {
    from: address.parse(ctx, fromAddress),
    to: address.parse(ctx, toAddress),
    coins: parseCoins(amount),
  }
}

/** Parses a MsgMultiSend. Throws bank 2, 3, 4, 9, sdk 7, sdk 10. */
export function parseMultiSend(
  ctx: ReadContext,
  { inputs, outputs }: MsgMultiSend,
): { readonly input: Part; readonly outputs: readonly Part[] } {
  if (inputs.length === 0) throw errors.noInputs()
  if (inputs.length > 1) throw errors.multipleSenders()
  if (outputs.length === 0) throw errors.noOutputs()
  const input = { address: address.parse(ctx, inputs[0]!.address), coins: parseCoins(inputs[0]!.coins) }
  const parts = outputs.map((output) => ({
    address: address.parse(ctx, output.address),
    coins: parseCoins(output.coins),
  }))
  // One addition of all coins: output by output it would take quadratic time, before any fee is paid.
  const all = parts.flatMap(({ coins }) => coins)
  const total = add([], all)
  if (format(total) !== format(input.coins)) throw errors.inputOutputMismatch()
  return { input, outputs: parts }
}

export const validations = [validation(MsgSendSchema, parseSend), validation(MsgMultiSendSchema, parseMultiSend)]
