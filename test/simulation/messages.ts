/** Messages of the chain inside transactions, grants and proposals. */
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { complete } from '../../src/identity/complete.ts'
import { almanac } from '../../src/identity/profiles/almanac.ts'
import type { PlannedMessage } from '../../src/sdk/sign-tx.ts'

export const NATIVE: string = almanac.baseDenom
/** 1 native. Unit: unative. */
export const ONE = 1_000_000n

export function message<Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>): PlannedMessage {
  return { schema, message: create(schema, init) }
}

export function packed({ schema, message: value }: PlannedMessage): Any {
  return create(AnySchema, {
    typeUrl: `/${schema.typeName}`,
    value: toBinary(schema, complete(schema, value)),
  })
}

export const pack = <Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>): Any =>
  packed(message(schema, init))

export const coin = (amount: bigint, denom: string = NATIVE) => ({ denom, amount: amount.toString() })
