/** Parameters of slashing, whose decimals are bytes (docs/modules/slashing.md#parameters). */
import { create } from '@bufbuild/protobuf'
import { type Params, ParamsSchema } from '../../gen/sdk/slashing/v1beta1/slashing_pb.ts'
import { formatUtf8, utf8 } from '../../primitives/bytes.ts'
import * as decimal from '../../primitives/decimal.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { errors } from '../../sdk/errors.ts'
import { nanoseconds } from '../../sdk/json.ts'
import * as state from './state.ts'

const wire = (text: string): Uint8Array => utf8(decimal.encode(decimal.parse(text)!))

export function defaultParams(): Params {
  return create(ParamsSchema, {
    signedBlocksWindow: 100n,
    minSignedPerWindow: wire('0.5'),
    downtimeJailDuration: { seconds: 600n },
    slashFractionDoubleSign: wire('0.05'),
    slashFractionDowntime: wire('0.01'),
  })
}

export function params(ctx: ReadContext): Params {
  return state.params.get(ctx) ?? defaultParams()
}

/** Decodes a decimal of these parameters. */
export function decimalOf(bytes: Uint8Array): decimal.Decimal {
  return decimal.decode(formatUtf8(bytes)) ?? decimal.zero
}

/**
 * Returns the number of blocks of a window that can be missed: the window minus its minimum signed part, rounded half to
 * even.
 */
export function maxMissed({ signedBlocksWindow: window, minSignedPerWindow }: Params): bigint {
  return window - decimal.round(decimal.fromRaw(decimalOf(minSignedPerWindow) * window))
}

/** Throws sdk 18 for a parameter out of range. */
export function validateParams(value: Params): void {
  if (value.signedBlocksWindow <= 0n) {
    throw errors.invalidRequest(`signed blocks window must be positive: ${value.signedBlocksWindow}`)
  }
  if (nanoseconds(value.downtimeJailDuration) <= 0n) {
    throw errors.invalidRequest('downtime jail duration must be positive')
  }
  const { minSignedPerWindow, slashFractionDoubleSign, slashFractionDowntime } = value
  for (const [name, bytes] of Object.entries({ minSignedPerWindow, slashFractionDoubleSign, slashFractionDowntime })) {
    const number = decimal.decode(formatUtf8(bytes))
    if (number === undefined || bytes.length === 0) throw errors.invalidRequest(`${name} must be a decimal`)
    if (number < 0n || number > decimal.one) {
      throw errors.invalidRequest(`${name} must be between 0 and 1: ${decimal.format(number)}`)
    }
  }
}
