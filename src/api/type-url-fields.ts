/** Text fields that contain the type URLs of messages. */
import type { DescField } from '@bufbuild/protobuf'
import { GenericAuthorizationSchema } from '../gen/sdk/authz/v1beta1/authz_pb.ts'
import { MsgRevokeSchema } from '../gen/sdk/authz/v1beta1/tx_pb.ts'
import { AllowedMsgAllowanceSchema } from '../gen/sdk/feegrant/v1beta1/feegrant_pb.ts'
import type { Identity } from '../identity/types.ts'
import type { Family } from './names.ts'

const FIELDS: ReadonlySet<DescField> = new Set([
  GenericAuthorizationSchema.field.msg,
  MsgRevokeSchema.field.msgTypeUrl,
  AllowedMsgAllowanceSchema.field.allowedMessages,
])

/** Whether a field contains type URLs, one or a list. */
export function isTypeUrlField(field: DescField): boolean {
  return FIELDS.has(field)
}

/** Returns a type URL with the name of a family. Returns any other text unchanged. */
export function renameTypeUrl(identity: Identity, { toName }: Family, url: string): string {
  return url.startsWith('/') ? `/${toName(identity.toNeutralName(url.slice(1)))}` : url
}
