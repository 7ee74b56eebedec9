/** Transactions with messages that this build does not execute: admitted by our rules, their effects taken from the recording. */
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
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FileDescriptorProtoSchema,
  MessageOptionsSchema,
} from '@bufbuild/protobuf/wkt'
import { signer } from '../src/gen/sdk/msg/v1/msg_pb.ts'
import { AuthInfoSchema, TxBodySchema, TxRawSchema } from '../src/gen/sdk/tx/v1beta1/tx_pb.ts'
import type { Identity } from '../src/identity/types.ts'
import { decodeBech32 } from '../src/primitives/address.ts'
import { sha256 } from '../src/primitives/hash.ts'
import type { AppFacts } from '../src/sdk/context.ts'
import { type DecodedTx, decodeTx, neutralTypeName } from '../src/sdk/tx.ts'
import type { RecordedResult } from './recording.ts'
import { isUnbuilt, ownerOfMessage } from './unbuilt.ts'

const { STRING } = FieldDescriptorProto_Type
const { OPTIONAL, REPEATED } = FieldDescriptorProto_Label

const signed = create(MessageOptionsSchema)
setExtension(signed, signer, ['signers'])

const descriptors = createFileRegistry(
  create(FileDescriptorProtoSchema, {
    name: 'witness.proto',
    package: 'witness',
    syntax: 'proto3',
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
    ],
  }),
  () => undefined,
)

function descriptor(name: string): DescMessage {
  return descriptors.getMessage(`witness.${name}`)!
}

/** Stands for any message that is not executed. */
export const FOREIGN: DescMessage = descriptor('Foreign')
export const DONE: DescMessage = descriptor('Done')

/** A message that is not executed, with its place in the transaction. */
export interface ForeignMessage {
  /** Modules whose work it may be: its own, then those of the messages within. */
  readonly modules: readonly string[]
  readonly index: number
}

export interface WitnessTx {
  readonly tx: DecodedTx
  /** By index of the message. */
  readonly foreign: ReadonlyMap<number, ForeignMessage>
}

/** Contracts of the other machine have addresses of their own length. */
const OTHER_ADDRESS_LENGTH = 32

function isOtherContract(value: unknown): boolean {
  const parts = typeof value === 'string' ? decodeBech32(value) : undefined
  return parts !== undefined && 'bytes' in parts && parts.bytes.length === OTHER_ADDRESS_LENGTH
}

/** Modules that have a part in what cannot be executed of a message; empty for one that can. */
function foreignModules(app: AppFacts, identity: Identity, typeUrl: string, value: Uint8Array): readonly string[] {
  const typeName = neutralTypeName(identity, typeUrl)
  const owner = ownerOfMessage(typeName)
  const schema = isUnbuilt(owner) || !app.isRouted(typeName) ? undefined : app.message(typeName)
  if (!schema) return [owner]
  const message = fromBinary(schema, value) as Message & Record<string, unknown>
  const within = (message['msgs'] ?? message['messages'] ?? []) as readonly { typeUrl: string; value: Uint8Array }[]
  const inner = within.flatMap((one) => foreignModules(app, identity, one.typeUrl, one.value))
  if (inner.length > 0) return [owner, ...inner]
  return owner === 'devgas' && isOtherContract(message['contractAddress']) ? [owner] : []
}

/**
 * A recorded transaction. Its foreign messages are replaced by `FOREIGN`, signed by those whose sequences the recording
 * says were used; where it was not admitted nobody knows them, and nothing was written.
 */
export function decodeRecorded(
  app: AppFacts,
  identity: Identity,
  bytes: Uint8Array,
  recorded: RecordedResult,
): WitnessTx {
  const raw = fromBinary(TxRawSchema, bytes)
  const body = fromBinary(TxBodySchema, raw.bodyBytes)
  const foreign = new Map<number, ForeignMessage>()
  for (const [index, { typeUrl, value }] of body.messages.entries()) {
    const modules = foreignModules(app, identity, typeUrl, value)
    if (modules.length > 0) foreign.set(index, { modules, index })
  }
  if (foreign.size === 0) return { tx: decodeTx(app, identity, bytes), foreign }
  const signers = recorded.events.flatMap(({ type, attributes }) =>
    type === 'tx' ? attributes.filter(({ key }) => key === 'acc_seq').map(({ value }) => value.split('/')[0]!) : [],
  )
  const messages = body.messages.map(({ typeUrl, value }, index) => {
    const typeName = neutralTypeName(identity, typeUrl)
    if (!foreign.has(index)) {
      const schema = app.message(typeName)!
      return { typeUrl, schema, message: fromBinary(schema, value) }
    }
    const message = create(FOREIGN, { signers, typeName } as never) as MessageShape<DescMessage>
    return { typeUrl, schema: FOREIGN, message }
  })
  return {
    foreign,
    tx: {
      bytes,
      raw,
      body,
      authInfo: fromBinary(AuthInfoSchema, raw.authInfoBytes),
      messages,
      isEvm: false,
      hasNonCriticalFields: false,
      hash: () => sha256(bytes),
      memo: {},
    },
  }
}
