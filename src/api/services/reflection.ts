/**
 * The reflection services of Cosmos SDK chains: interfaces and their types, the application, and proto files. They answer in the
 * names of the profile (docs/gateways.md#reflection).
 */
import type { DescFile, DescMessage } from '@bufbuild/protobuf'
import { ReflectionService as Interfaces } from '../../gen/sdk/base/reflection/v1beta1/reflection_pb.ts'
import { ReflectionService as App } from '../../gen/sdk/base/reflection/v2alpha1/reflection_pb.ts'
import { ReflectionService as Files } from '../../gen/sdk/reflection/v1/reflection_pb.ts'
import { SignMode, SignModeSchema } from '../../gen/sdk/tx/signing/v1beta1/signing_pb.ts'
import { TxSchema } from '../../gen/sdk/tx/v1beta1/tx_pb.ts'
import type { Identity } from '../../identity/types.ts'
import { cachePerObject } from '../../primitives/cache.ts'
import { queryError } from '../../primitives/errors.ts'
import { namesOf } from '../names.ts'
import { interfacesOf, MESSAGES } from './interfaces.ts'
import { queriedServicesOf } from './queried.ts'
import { defineService } from './service.ts'

/** Modes in which a transaction can be signed (docs/transactions.md#signatures). */
const MODES = [SignMode.DIRECT, SignMode.DIRECT_AUX, SignMode.LEGACY_AMINO_JSON]

const typeUrl = (identity: Identity, { typeName }: DescMessage): string => `/${identity.toProfileName(typeName)}`

export const interfaceReflection = defineService(Interfaces, {
  listAllInterfaces({ node: { identity } }) {
    return { interfaceNames: [...interfacesOf(identity).keys()].map(identity.toProfileName) }
  },

  /** Returns the types of an interface, by its name in any family; none for an unknown one, as the Cosmos SDK does. */
  listImplementations({ node: { identity } }, { interfaceName }) {
    if (interfaceName === '') throw queryError('invalidArgument', 'invalid interface name')
    const types = interfacesOf(identity).get(identity.toNeutralName(interfaceName)) ?? []
    return { implementationMessageNames: types.map((type) => typeUrl(identity, type)) }
  },
})

export const appReflection = defineService(App, {
  getAuthnDescriptor() {
    return { authn: { signModes: MODES.map((mode) => ({ name: SignModeSchema.value[mode]!.name, number: mode })) } }
  },

  getChainDescriptor({ node }) {
    return { chain: { id: node.chainId } }
  },

  getCodecDescriptor({ node: { identity } }) {
    const interfaces = [...interfacesOf(identity)].map(([name, types]) => ({
      fullname: identity.toProfileName(name),
      interfaceImplementers: types.map((type) => ({
        fullname: identity.toProfileName(type.typeName),
        typeUrl: typeUrl(identity, type),
      })),
    }))
    return { codec: { interfaces } }
  },

  getConfigurationDescriptor({ node }) {
    return { config: { bech32AccountAddressPrefix: node.identity.bech32.account } }
  },

  getQueryServicesDescriptor({ node: { identity } }) {
    const queryServices = queriedServicesOf(identity).map((service) => {
      const fullname = identity.toProfileName(service.typeName)
      const methods = service.methods.map(({ name }) => ({ name, fullQueryPath: `/${fullname}/${name}` }))
      return { fullname, isModule: service.name === 'Query', methods }
    })
    return { queries: { queryServices } }
  },

  getTxDescriptor({ node: { identity } }) {
    const msgs = interfacesOf(identity).get(MESSAGES)!
    return {
      tx: {
        fullname: identity.toProfileName(TxSchema.typeName),
        msgs: msgs.map((type) => ({ msgTypeUrl: typeUrl(identity, type) })),
      },
    }
  },
})

/** Returns all proto files and those that they import, by name, under the active names. */
const filesOf = cachePerObject((identity: Identity): readonly DescFile['proto'][] => {
  const found = new Map<string, DescFile['proto']>()
  const rest = [...namesOf(identity).files[0]!()]
  for (let file = rest.pop(); file; file = rest.pop()) {
    if (found.has(file.proto.name)) continue
    found.set(file.proto.name, file.proto)
    rest.push(...file.dependencies)
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
})

export const fileReflection = defineService(Files, {
  fileDescriptors({ node }) {
    return { files: [...filesOf(node.identity)] }
  },
})
