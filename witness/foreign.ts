/** Transactions with messages that this build does not know: admitted by our rules, their effects taken from the recording. */
import {
  create,
  createFileRegistry,
  type DescMessage,
  fromBinary,
  type Message,
  type MessageShape,
  setExtension,
} from '@bufbuild/protobuf'
import {
  type Any,
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FileDescriptorProtoSchema,
  file_google_protobuf_any,
  MessageOptionsSchema,
} from '@bufbuild/protobuf/wkt'
import { signer } from '../src/gen/sdk/msg/v1/msg_pb.ts'
import { AuthInfoSchema, TxBodySchema, TxRawSchema } from '../src/gen/sdk/tx/v1beta1/tx_pb.ts'
import type { Identity } from '../src/identity/types.ts'
import { sha256 } from '../src/primitives/hash.ts'
import type { AppFacts } from '../src/sdk/context.ts'
import { type DecodedTx, decodeTx, neutralTypeName } from '../src/sdk/tx.ts'
import type { RecordedResult } from './recording.ts'

const { STRING, MESSAGE } = FieldDescriptorProto_Type
const { OPTIONAL, REPEATED } = FieldDescriptorProto_Label

const signed = create(MessageOptionsSchema)
setExtension(signed, signer, ['signers'])

const descriptors = createFileRegistry(
  create(FileDescriptorProtoSchema, {
    name: 'witness.proto',
    package: 'witness',
    syntax: 'proto3',
    dependency: ['google/protobuf/any.proto'],
    messageType: [
      {
        name: 'Foreign',
        options: signed,
        field: [
          { name: 'signers', jsonName: 'signers', number: 1, type: STRING, label: REPEATED },
          { name: 'type_name', jsonName: 'typeName', number: 2, type: STRING, label: OPTIONAL },
        ],
      },
      { name: 'Done' },
      {
        // What MsgExec and the grants of authz and feegrant have in common: who gets or uses the grant is field 1 or 2.
        name: 'Exec',
        field: [
          { name: 'grantee', jsonName: 'grantee', number: 1, type: STRING, label: OPTIONAL },
          {
            ...{ name: 'msgs', jsonName: 'msgs', number: 2, type: MESSAGE, label: REPEATED },
            typeName: '.google.protobuf.Any',
          },
        ],
      },
      { name: 'Grant', field: [{ name: 'grantee', jsonName: 'grantee', number: 2, type: STRING, label: OPTIONAL }] },
    ],
  }),
  (name) => (name === 'google/protobuf/any.proto' ? file_google_protobuf_any.proto : undefined),
)

function descriptor(name: string): DescMessage {
  return descriptors.getMessage(`witness.${name}`)!
}

/** Stands for any message whose handler is not built. */
export const FOREIGN: DescMessage = descriptor('Foreign')
export const DONE: DescMessage = descriptor('Done')

/** The messages within a `MsgExec` of authz. */
export function execOf(value: Uint8Array): readonly Any[] {
  return (fromBinary(descriptor('Exec'), value) as Message & { msgs: Any[] }).msgs
}

/** The grantee of a grant of authz or of a fee allowance. */
export function granteeOf(value: Uint8Array): string {
  return (fromBinary(descriptor('Grant'), value) as Message & { grantee: string }).grantee
}

/** A message whose handler is not built, with its place in the transaction. */
export interface ForeignMessage {
  readonly typeName: string
  readonly index: number
  readonly value: Uint8Array
}

export interface WitnessTx {
  readonly tx: DecodedTx
  /** By index of the message. */
  readonly foreign: ReadonlyMap<number, ForeignMessage>
  /** Who pays the fee by an allowance; empty without one. */
  readonly granter: string
}

/** Whether an identity's handler of a message is taken from the recording. */
type IsForeign = (typeName: string) => boolean

/**
 * A recorded transaction. Its foreign messages are replaced by `FOREIGN`, signed by those whose sequences the recording
 * says were used; where it was not admitted nobody knows them, and nothing was written. A fee paid by an allowance is
 * left out: it is a matter of the recording.
 */
export function decodeRecorded(
  app: AppFacts,
  identity: Identity,
  bytes: Uint8Array,
  recorded: RecordedResult,
  isForeign: IsForeign,
): WitnessTx {
  const raw = fromBinary(TxRawSchema, bytes)
  const body = fromBinary(TxBodySchema, raw.bodyBytes)
  const names = body.messages.map(({ typeUrl }) => neutralTypeName(identity, typeUrl))
  const authInfo = fromBinary(AuthInfoSchema, raw.authInfoBytes)
  const granter = authInfo.fee?.granter ?? ''
  const foreign = new Map<number, ForeignMessage>()
  for (const [index, { value }] of body.messages.entries()) {
    const typeName = names[index]!
    if (isForeign(typeName)) foreign.set(index, { typeName, index, value })
  }
  if (foreign.size === 0 && granter === '') {
    return { tx: decodeTx(app, identity, bytes), foreign, granter }
  }
  const signers = recorded.events.flatMap(({ type, attributes }) =>
    type === 'tx' ? attributes.filter(({ key }) => key === 'acc_seq').map(({ value }) => value.split('/')[0]!) : [],
  )
  if (granter !== '' && authInfo.fee) {
    authInfo.fee.granter = ''
    authInfo.fee.amount = []
  }
  const messages = body.messages.map(({ typeUrl, value }, index) => {
    const typeName = names[index]!
    if (!foreign.has(index)) {
      const schema = app.message(typeName)!
      return { typeUrl, schema, message: fromBinary(schema, value) }
    }
    const message = create(FOREIGN, { signers, typeName } as never) as MessageShape<DescMessage>
    return { typeUrl, schema: FOREIGN, message }
  })
  return {
    foreign,
    granter,
    tx: {
      bytes,
      raw,
      body,
      authInfo,
      messages,
      isEvm: false,
      hasNonCriticalFields: false,
      hash: () => sha256(bytes),
      memo: {},
    },
  }
}
