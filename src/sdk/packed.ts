/** Messages packed into an Any, and unpacked from one. */
import { create, type DescMessage, type Message, type MessageShape, toBinary } from '@bufbuild/protobuf'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { complete } from '../identity/complete.ts'
import { neutralTypeName } from '../identity/type-name.ts'
import type { Identity } from '../identity/types.ts'
import type { ReadContext } from './context.ts'
import { decodeMessage } from './decode.ts'
import { errors } from './errors.ts'
import { typesOf } from './tx.ts'

/** The contents of an Any. */
export interface Unpacked {
  /** The type URL under the profile, whichever form was received (D18). */
  readonly typeUrl: string
  readonly schema: DescMessage
  readonly message: Message
}

/** Returns a type URL under the profile, from either form. */
export function profileTypeUrl(identity: Identity, typeUrl: string): string {
  return `/${identity.toProfileName(neutralTypeName(identity, typeUrl))}`
}

/**
 * Unpacks an Any. Throws sdk 34 for a type that this build lacks, sdk 2 for bytes that are not a message of it, and for nesting
 * beyond the budget at any depth of the content.
 */
export function unpack(ctx: ReadContext, { typeUrl, value }: Any): Unpacked {
  const schema = ctx.app.message(neutralTypeName(ctx.identity, typeUrl))
  if (!schema) throw errors.unpackAny(`no concrete type registered for type URL ${typeUrl}`)
  const message = decodeMessage(schema, value, { typeOf: typesOf(ctx.app, ctx.identity), refuse: 'critical' })
  return { typeUrl: profileTypeUrl(ctx.identity, typeUrl), schema, message }
}

/** Packs a message into an Any under the profile's name, with the bytes that are stored. */
export function pack<Desc extends DescMessage>(ctx: ReadContext, schema: Desc, message: MessageShape<Desc>): Any {
  const typeUrl = `/${ctx.identity.toProfileName(schema.typeName)}`
  const value = toBinary(schema, complete(schema, message), { writeUnknownFields: false })
  return create(AnySchema, { typeUrl, value })
}
