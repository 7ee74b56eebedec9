/** The messages of the chain under the names of a profile, for a CosmJS client. */
import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import { createIdentity } from '../identity/identity.ts'
import { parseProfile } from '../identity/profile-file.ts'
import { identityOf } from '../identity/profiles.ts'
import { services } from '../identity/registry.ts'
import { type AminoConverter, createAmino } from './amino-converter.ts'
import { convertedByCosmJs, registeredByCosmJs } from './cosmjs.ts'
import { type MessageType, messageTypeOf } from './generated-type.ts'

/** A message with its type URL: CosmJS's `EncodeObject`. */
export interface TypedMessage<Value = unknown> {
  readonly typeUrl: string
  readonly value: Value
}

export interface ChainMessages {
  /**
   * Types by type URL, for `new Registry([...defaultRegistryTypes, ...registryTypes])` of CosmJS: each message of the chain that CosmJS
   * does not know.
   */
  readonly registryTypes: readonly [string, MessageType][]
  /**
   * Converters by type URL, for `new AminoTypes({ ...createDefaultAminoConverters(), ...aminoConverters })` of CosmJS: each message
   * of the chain that CosmJS cannot sign in amino form. Ethereum transactions have no amino form.
   */
  readonly aminoConverters: Readonly<Record<string, AminoConverter>>
  /** Returns the type URL of a type: `/chain.tokenfactory.v1.MsgMint`. */
  typeUrl(schema: DescMessage): string
  /**
   * Returns a message with its type URL. Throws a `TypeError` that names a field that does not exist, or has a value of another
   * type.
   */
  message<Desc extends DescMessage>(schema: Desc, value: MessageInitShape<Desc>): TypedMessage<MessageShape<Desc>>
}

const REQUESTS: readonly DescMessage[] = services
  .filter(({ typeName }) => typeName.endsWith('.Msg'))
  .flatMap(({ methods }) => methods.map(({ input }) => input))

/** The contents of a profile file, as text. */
interface ProfileText {
  readonly json: string
}

/**
 * Returns the messages in the names of a profile: one of this build by its name, or that of a file by its text. Throws
 * `RangeError` for an unknown name, `invalidArgument` for a file with errors.
 */
export function messagesOf(profile: string | ProfileText): ChainMessages {
  const identity =
    typeof profile === 'string' ? identityOf(profile) : createIdentity(parseProfile(profile.json, 'of messagesOf'))
  // The names of CosmJS, in which a node of any profile verifies: its own for the chain, `cosmos-sdk` for the SDK.
  const [toCosmJs = (name: string) => name] = identity.aminoAliases
  const { converterOf } = createAmino(identity, (neutral) => toCosmJs(identity.toProfileAmino(neutral)))
  const typeUrl = ({ typeName }: DescMessage): string => `/${identity.toProfileName(typeName)}`
  return {
    registryTypes: REQUESTS.filter(({ typeName }) => !registeredByCosmJs.has(typeName)).map((schema) => [
      typeUrl(schema),
      messageTypeOf(schema),
    ]),
    aminoConverters: Object.fromEntries(
      REQUESTS.filter(({ typeName }) => !convertedByCosmJs.has(typeName)).flatMap((schema) => {
        const converter = converterOf(schema)
        return converter ? [[typeUrl(schema), converter]] : []
      }),
    ),
    typeUrl,
    message: (schema, value) => ({ typeUrl: typeUrl(schema), value: messageTypeOf(schema).fromPartial(value) }),
  }
}
