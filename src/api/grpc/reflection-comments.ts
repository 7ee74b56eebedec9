/** Comments of proto files for reflection: generic clients show them beside services, messages and fields. */
import { create } from '@bufbuild/protobuf'
import {
  type DescriptorProto,
  type EnumDescriptorProto,
  type FileDescriptorProto,
  type SourceCodeInfo_Location,
  SourceCodeInfo_LocationSchema,
  SourceCodeInfoSchema,
} from '@bufbuild/protobuf/wkt'

/** Returns the comment of a full name in the names of the file; undefined if it has no comment. */
export type CommentOf = (name: string) => string | undefined

/** Field numbers of lists in `FileDescriptorProto` and below, of which the paths of locations consist. */
const FILE = { message: 4, enumeration: 5, service: 6 }
const MESSAGE = { field: 2, nested: 3, enumeration: 4 }
const VALUE_OF_ENUM = 2
const METHOD_OF_SERVICE = 2

/** Returns the file with its comments as source locations. Their lines and columns are 0. */
export function withComments(file: FileDescriptorProto, commentOf: CommentOf): FileDescriptorProto {
  const location: SourceCodeInfo_Location[] = []
  const add = (name: string, path: readonly number[]): void => {
    const comment = commentOf(name)
    if (comment === undefined) return
    // As in a source file: each line begins with the space after its slashes.
    const leadingComments = comment.replace(/^/gm, ' ').concat('\n')
    location.push(create(SourceCodeInfo_LocationSchema, { path: [...path], span: [0, 0, 0], leadingComments }))
  }
  const addEnum = (enumeration: EnumDescriptorProto, scope: string, path: readonly number[]): void => {
    add(`${scope}.${enumeration.name}`, path)
    for (const [i, { name }] of enumeration.value.entries()) {
      add(`${scope}.${enumeration.name}.${name}`, [...path, VALUE_OF_ENUM, i])
    }
  }
  const addMessage = (message: DescriptorProto, scope: string, path: readonly number[]): void => {
    const name = `${scope}.${message.name}`
    add(name, path)
    for (const [i, field] of message.field.entries()) add(`${name}.${field.name}`, [...path, MESSAGE.field, i])
    for (const [i, nested] of message.nestedType.entries()) addMessage(nested, name, [...path, MESSAGE.nested, i])
    for (const [i, inner] of message.enumType.entries()) addEnum(inner, name, [...path, MESSAGE.enumeration, i])
  }
  for (const [i, message] of file.messageType.entries()) addMessage(message, file.package, [FILE.message, i])
  for (const [i, enumeration] of file.enumType.entries()) addEnum(enumeration, file.package, [FILE.enumeration, i])
  for (const [i, { name, method }] of file.service.entries()) {
    add(`${file.package}.${name}`, [FILE.service, i])
    for (const [j, one] of method.entries()) {
      add(`${file.package}.${name}.${one.name}`, [FILE.service, i, METHOD_OF_SERVICE, j])
    }
  }
  return { ...file, sourceCodeInfo: create(SourceCodeInfoSchema, { location }) }
}
