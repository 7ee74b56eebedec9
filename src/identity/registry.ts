/** The types, services and methods of the API, in neutral names. */
import { createRegistry, type DescMessage, type DescMethod, type DescService, type Registry } from '@bufbuild/protobuf'
import { DurationSchema, EmptySchema, TimestampSchema } from '@bufbuild/protobuf/wkt'
import { files } from '../gen/files.ts'
import type { Identity } from './types.ts'

/** All types and services, with the well-known types that an Any can contain. */
export const registry: Registry = createRegistry(...files, TimestampSchema, DurationSchema, EmptySchema)

export const services: readonly DescService[] = files.flatMap((file) => file.services)

/** Returns the services of a chain: those of Wasm contracts where its profile has their store. */
export const servicesOf = ({ behaviours }: Pick<Identity, 'behaviours'>): readonly DescService[] =>
  behaviours.foreignGenesis ? services : services.filter(({ typeName }) => !typeName.startsWith('cosmwasm.'))

/** Returns `/package.Service/Method` of a method. */
export function methodPath(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`
}

/** Methods by `/package.Service/Method`. */
export const methods: ReadonlyMap<string, DescMethod> = new Map(
  services.flatMap((service) => service.methods.map((method) => [methodPath(method), method])),
)

/** Returns a message type by its neutral full name. */
export function messageType(typeName: string): DescMessage | undefined {
  return registry.getMessage(typeName)
}
