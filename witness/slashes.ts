/** What slashing and unjailing do to a validator's record, as events tell it. */
import { fromBinary } from '@bufbuild/protobuf'
import { MsgUnjailSchema } from '../src/gen/sdk/slashing/v1beta1/tx_pb.ts'
import * as address from '../src/identity/address.ts'
import { beforeValidatorSlashed } from '../src/modules/staking/hooks.ts'
import { getValidator, operatorOf, replaceValidator } from '../src/modules/staking/validators.ts'
import * as decimal from '../src/primitives/decimal.ts'
import type { Context } from '../src/sdk/context.ts'
import type { ForeignMessage } from './foreign.ts'
import type { RecordedEvent } from './recording.ts'

/** Takes what was burned from the validators' records and jails those that were jailed. */
export function applySlashes(ctx: Context, events: readonly RecordedEvent[]): void {
  for (const event of events) {
    if (event.type !== 'slash') continue
    const of = (key: string) => event.attributes.find((one) => one.key === key)?.value
    const consensus = of('address') ?? of('jailed')
    const operator = consensus && operatorOf(ctx, address.parseConsensus(ctx, consensus))
    const before = operator && getValidator(ctx, operator)
    if (!before) continue
    const burned = BigInt(of('burned_coins') ?? 0)
    if (burned > 0n) {
      const fraction = decimal.quoRoundUp(decimal.fromInteger(burned), decimal.fromInteger(BigInt(before.tokens)))
      beforeValidatorSlashed.run(ctx, { operator, fraction })
    }
    const tokens = (BigInt(before.tokens) - burned).toString()
    replaceValidator(ctx, before, { ...before, tokens, jailed: before.jailed || of('jailed') !== undefined })
  }
}

/** Whether a slash burned more than the validators' own tokens: of what unbonds or was redelegated. */
export function isSlashedFurther(events: readonly RecordedEvent[]): boolean {
  let ofValidators = 0n
  let burns = 0n
  let inSlash = 0n
  for (const { type, attributes } of events) {
    const of = (key: string) => attributes.find((one) => one.key === key)?.value
    if (type === 'burn') inSlash += BigInt(/^\d+/.exec(of('amount') ?? '')?.[0] ?? 0)
    if (type !== 'slash' || of('address') === undefined) continue
    ofValidators += BigInt(of('burned_coins') ?? 0)
    burns += inSlash
    inSlash = 0n
  }
  return burns !== ofValidators
}

/** Lets the validator of an operator into the order by power again. */
export function unjail(ctx: Context, { value }: ForeignMessage): void {
  const operator = address.parseValidator(ctx, fromBinary(MsgUnjailSchema, value).validatorAddr)
  const before = getValidator(ctx, operator)
  if (before) replaceValidator(ctx, before, { ...before, jailed: false })
}
