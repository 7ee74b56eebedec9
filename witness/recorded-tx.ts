/**
 * Decodes recorded transactions. Messages that this build does not execute are replaced by substitutes: our ante steps run, and
 * the effects of the message come from the recording.
 */
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
import { neutralTypeName } from '../src/identity/type-name.ts'
import type { Identity } from '../src/identity/types.ts'
import { decodeBech32 } from '../src/primitives/address.ts'
import { sha256 } from '../src/primitives/hash.ts'
import type { AppFacts } from '../src/sdk/context.ts'
import { type DecodedTx, decodeTx } from '../src/sdk/tx.ts'
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
        name: 'Substitute',
        options: signed,
        field: [
          { name: 'signers', jsonName: 'signers', number: 1, type: STRING, label: REPEATED },
          { name: 'type_name', jsonName: 'typeName', number: 2, type: STRING, label: OPTIONAL },
        ],
      },
      { name: 'SubstituteResponse' },
    ],
  }),
  () => undefined,
)

function descriptor(name: string): DescMessage {
  return descriptors.getMessage(`witness.${name}`)!
}

/** Replaces any message that is not executed. */
export const SUBSTITUTE: DescMessage = descriptor('Substitute')
export const SUBSTITUTE_RESPONSE: DescMessage = descriptor('SubstituteResponse')

/** A message with a substitute. */
export interface SubstitutedMessage {
  /** Modules that can have written for it: its own, then those of the messages within it. */
  readonly modules: readonly string[]
  /** Index of the message in its transaction. */
  readonly index: number
}

export interface RecordedTx {
  readonly tx: DecodedTx
  /** Substituted messages by index. */
  readonly substituted: ReadonlyMap<number, SubstitutedMessage>
}

/** The length of the address of a Wasm contract in bytes. */
const WASM_ADDRESS_LENGTH = 32

function isWasmContract(value: unknown): boolean {
  const parts = typeof value === 'string' ? decodeBech32(value) : undefined
  return parts !== undefined && 'bytes' in parts && parts.bytes.length === WASM_ADDRESS_LENGTH
}

/** Returns the modules because of which a message is not executed, itself or within; empty if it is executed. */
function unexecutedModules(app: AppFacts, identity: Identity, typeUrl: string, value: Uint8Array): readonly string[] {
  const typeName = neutralTypeName(identity, typeUrl)
  const owner = ownerOfMessage(typeName)
  const schema = isUnbuilt(owner) || !app.isRouted(typeName) ? undefined : app.message(typeName)
  if (!schema) return [owner]
  const message = fromBinary(schema, value) as Message & Record<string, unknown>
  const within = (message['msgs'] ?? message['messages'] ?? []) as readonly { typeUrl: string; value: Uint8Array }[]
  const inner = within.flatMap((one) => unexecutedModules(app, identity, one.typeUrl, one.value))
  if (inner.length > 0) return [owner, ...inner]
  return owner === 'devgas' && isWasmContract(message['contractAddress']) ? [owner] : []
}

/**
 * Decodes a recorded transaction. The signers of a substitute are the accounts whose sequences the recorded events contain.
 * They are unknown if the transaction was refused at admission; it has written nothing then.
 */
export function decodeRecorded(
  app: AppFacts,
  identity: Identity,
  bytes: Uint8Array,
  recorded: RecordedResult,
): RecordedTx {
  const raw = fromBinary(TxRawSchema, bytes)
  const body = fromBinary(TxBodySchema, raw.bodyBytes)
  const substituted = new Map<number, SubstitutedMessage>()
  for (const [index, { typeUrl, value }] of body.messages.entries()) {
    const modules = unexecutedModules(app, identity, typeUrl, value)
    if (modules.length > 0) substituted.set(index, { modules, index })
  }
  if (substituted.size === 0) return { tx: decodeTx(app, identity, bytes), substituted }
  const signers = recorded.events.flatMap(({ type, attributes }) =>
    type === 'tx' ? attributes.filter(({ key }) => key === 'acc_seq').map(({ value }) => value.split('/')[0]!) : [],
  )
  const messages = body.messages.map(({ typeUrl, value }, index) => {
    const typeName = neutralTypeName(identity, typeUrl)
    if (!substituted.has(index)) {
      const schema = app.message(typeName)!
      return { typeUrl, schema, message: fromBinary(schema, value) }
    }
    const message = create(SUBSTITUTE, { signers, typeName } as never) as MessageShape<DescMessage>
    return { typeUrl, schema: SUBSTITUTE, message }
  })
  return {
    substituted,
    tx: {
      bytes,
      raw,
      body,
      authInfo: fromBinary(AuthInfoSchema, raw.authInfoBytes),
      messages,
      isEvm: false,
      hasNonCriticalFields: false,
      heldBytes: bytes.length,
      hash: () => sha256(bytes),
      memo: {},
    },
  }
}
