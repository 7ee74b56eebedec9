/** Server reflection, v1 and v1alpha, by which generic clients list the services. */

import { create, type DescFile, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import type { ServerDuplexStream, ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js'
import {
  type ServerReflectionRequest,
  ServerReflectionRequestSchema,
  ServerReflectionResponseSchema,
} from '../../gen/grpc/reflection/v1/reflection_pb.ts'
import { cachePerObject } from '../../primitives/cache.ts'
import { ChainError } from '../../primitives/errors.ts'
import type { GatewayNode } from '../gateway.ts'
import { readMessage } from '../read-message.ts'
import { bytesMethod, encodeBuffer } from './grpc-bytes.ts'
import { refusalOf } from './grpc-rates.ts'
import { type CommentOf, withComments } from './reflection-comments.ts'

const NOT_FOUND = 5
const INVALID_ARGUMENT = 3
const SERVICES = ['grpc.reflection.v1.ServerReflection', 'grpc.reflection.v1alpha.ServerReflection'] as const

type ResponseCase = MessageInitShape<typeof ServerReflectionResponseSchema>['messageResponse']

/** Files and their dependencies by file name and by symbol, and files of extensions by the extended type and number. */
interface Index {
  readonly byName: ReadonlyMap<string, DescFile>
  readonly bySymbol: ReadonlyMap<string, DescFile>
  readonly extensions: ReadonlyMap<string, ReadonlyMap<number, DescFile>>
}

/**
 * Whether reflection declares an extension: not one of more than one word, which are options of this project and of amino. Clients
 * that write descriptors with protobufjs, as grpc-js-reflection-client does, spell such a name in two ways and refuse the second
 * one. The values of the options stay in the files, as fields that generic clients do not know.
 */
const isDeclared = ({ name }: { readonly name: string }): boolean => !name.includes('_')

function indexFiles(files: readonly DescFile[]): Index {
  const byName = new Map<string, DescFile>()
  const bySymbol = new Map<string, DescFile>()
  const extensions = new Map<string, Map<number, DescFile>>()
  const addFile = (file: DescFile): void => {
    for (const dependency of file.dependencies) addFile(dependency)
    if (!byName.has(file.proto.name)) byName.set(file.proto.name, file)
    for (const symbol of symbolsOf(file)) if (!bySymbol.has(symbol)) bySymbol.set(symbol, file)
    for (const extension of file.extensions.filter(isDeclared)) {
      const numbers = extensions.get(extension.extendee.typeName) ?? new Map<number, DescFile>()
      numbers.set(extension.number, file)
      extensions.set(extension.extendee.typeName, numbers)
    }
  }
  for (const file of files) addFile(file)
  return { byName, bySymbol, extensions }
}

function* symbolsOf(file: DescFile): IterableIterator<string> {
  for (const service of file.services) {
    yield service.typeName
    for (const method of service.methods) yield `${service.typeName}.${method.name}`
  }
  for (const enumeration of file.enums) {
    yield enumeration.typeName
    for (const value of enumeration.values) yield `${enumeration.typeName}.${value.name}`
  }
  for (const extension of file.extensions.filter(isDeclared)) yield extension.typeName
  const messages = [...file.messages]
  for (let message = messages.pop(); message; message = messages.pop()) {
    yield message.typeName
    for (const field of message.fields) yield `${message.typeName}.${field.name}`
    for (const nested of message.nestedEnums) yield nested.typeName
    messages.push(...message.nestedMessages)
  }
}

type Encode = (file: DescFile) => Uint8Array

/** Encodes a file and everything it depends on, the file first. */
function withDependencies(file: DescFile, encodeFile: Encode): Uint8Array[] {
  const found = new Set<DescFile>()
  const visit = (one: DescFile): void => {
    if (found.has(one)) return
    found.add(one)
    for (const dependency of one.dependencies) visit(dependency)
  }
  visit(file)
  return [...found].map(encodeFile)
}

/** Returns the first result among the families of names. Later families are not built. */
function lookUp<T>(families: Iterable<Index>, find: (index: Index) => T | undefined): T | undefined {
  for (const index of families) {
    const found = find(index)
    if (found !== undefined) return found
  }
  return undefined
}

function answer(
  families: Iterable<Index>,
  services: readonly string[],
  request: ServerReflectionRequest,
  encodeFile: Encode,
): ResponseCase {
  const { messageRequest } = request
  switch (messageRequest.case) {
    case 'listServices':
      return { case: 'listServicesResponse', value: { service: services.map((name) => ({ name })) } }
    case 'fileByFilename':
      return fileAnswer(
        lookUp(families, ({ byName }) => byName.get(messageRequest.value)),
        `file ${messageRequest.value}`,
        encodeFile,
      )
    case 'fileContainingSymbol': {
      const symbol = messageRequest.value.replace(/^\./, '')
      return fileAnswer(
        lookUp(families, ({ bySymbol }) => bySymbol.get(symbol)),
        `symbol ${messageRequest.value}`,
        encodeFile,
      )
    }
    case 'fileContainingExtension': {
      const { containingType, extensionNumber } = messageRequest.value
      const file = lookUp(families, ({ extensions }) => extensions.get(containingType)?.get(extensionNumber))
      return fileAnswer(file, `extension ${extensionNumber} of ${containingType}`, encodeFile)
    }
    case 'allExtensionNumbersOfType': {
      const baseTypeName = messageRequest.value
      const index = lookUp(families, (one) => (one.bySymbol.has(baseTypeName) ? one : undefined))
      if (!index) return refusal(NOT_FOUND, `type ${baseTypeName} not found`)
      const extensionNumber = [...(index.extensions.get(baseTypeName)?.keys() ?? [])]
      return { case: 'allExtensionNumbersResponse', value: { baseTypeName, extensionNumber } }
    }
    default:
      return refusal(INVALID_ARGUMENT, 'the request asks for nothing')
  }
}

function fileAnswer(file: DescFile | undefined, what: string, encodeFile: Encode): ResponseCase {
  if (!file) return refusal(NOT_FOUND, `${what} not found`)
  return { case: 'fileDescriptorResponse', value: { fileDescriptorProto: withDependencies(file, encodeFile) } }
}

function refusal(errorCode: number, errorMessage: string): ResponseCase {
  return { case: 'errorResponse', value: { errorCode, errorMessage } }
}

/**
 * Creates both versions of the service over the same descriptors. `families` builds the files under the active names, then
 * under the other accepted names; `services` are the names to list. Files contain the comments that `commentOf` returns. Each
 * request takes a token of its client at `node`.
 */
export function createReflection(
  families: readonly (() => readonly DescFile[])[],
  services: readonly string[],
  commentOf: CommentOf,
  node: Pick<GatewayNode, 'clientAddress' | 'identity' | 'observe' | 'rates'>,
): readonly { readonly definition: ServiceDefinition; readonly implementation: UntypedServiceImplementation }[] {
  const indexes: Index[] = []
  const encodeFile = cachePerObject(({ proto }: DescFile) =>
    toBinary(FileDescriptorProtoSchema, {
      ...withComments(proto, commentOf),
      extension: proto.extension.filter(isDeclared),
    }),
  )
  const eachFamily = {
    *[Symbol.iterator]() {
      for (const [i, files] of families.entries()) {
        indexes[i] ??= indexFiles(files())
        yield indexes[i]
      }
    },
  }
  const listed = [...services, ...SERVICES].sort((a, b) => (a < b ? -1 : 1))
  const ServerReflectionInfo = (call: ServerDuplexStream<Buffer, Buffer>) => {
    let isRefused = false
    call.on('data', (bytes: Buffer) => {
      if (isRefused) return
      const refused = refusalOf(node, call, '')
      if (refused) {
        isRefused = true
        return void call.emit('error', refused)
      }
      let request: ServerReflectionRequest
      try {
        request = readMessage(node.identity, ServerReflectionRequestSchema, bytes)
      } catch (error) {
        const details = error instanceof ChainError ? error.message : 'malformed request'
        return void call.emit('error', { code: INVALID_ARGUMENT, details })
      }
      const response = create(ServerReflectionResponseSchema, {
        validHost: request.host,
        originalRequest: request,
        messageResponse: answer(eachFamily, listed, request, encodeFile) ?? { case: undefined },
      })
      if (call.write(encodeBuffer(ServerReflectionResponseSchema, response))) return
      // Answers are far longer than requests: no further request is read until the client has read the answers.
      call.pause()
      call.once('drain', () => call.resume())
    })
    call.on('end', () => isRefused || call.end())
  }
  return SERVICES.map((service) => ({
    definition: {
      ServerReflectionInfo: bytesMethod(`/${service}/ServerReflectionInfo`, { request: true, response: true }),
    } as ServiceDefinition,
    implementation: { ServerReflectionInfo },
  }))
}
