/** Parameters of slashing (support-modules.md §10); its decimals are bytes. */
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

/** A decimal of these parameters. */
export function decimalOf(bytes: Uint8Array): decimal.Decimal {
  return decimal.decode(formatUtf8(bytes)) ?? decimal.zero
}

/** How many blocks of a window may be missed: the window less its least signed part, rounded half to even. */
export function mostMissed({ signedBlocksWindow: window, minSignedPerWindow }: Params): bigint {
  return window - decimal.round(decimal.fromRaw(decimalOf(minSignedPerWindow) * window))
}

/** Throws sdk 18 for a parameter the module could not run with. */
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
      throw errors.invalidRequest(`${name} must lie between 0 and 1: ${decimal.format(number)}`)
    }
  }
}
