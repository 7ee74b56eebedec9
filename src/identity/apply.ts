/** Descriptors with a profile's names, built once at the start, for reflection and generators. */
import {
  clone,
  create,
  createFileRegistry,
  type DescFile,
  getExtension,
  hasExtension,
  setExtension,
} from '@bufbuild/protobuf'
import {
  type DescriptorProto,
  type FieldDescriptorProto,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt'
import { other_amino_name } from '../gen/almanac/options_pb.ts'
import { name as aminoName } from '../gen/amino/amino_pb.ts'
import { files } from '../gen/files.ts'
import { http } from '../gen/google/api/annotations_pb.ts'
import { type HttpRule, HttpRuleSchema } from '../gen/google/api/http_pb.ts'
import { createIdentity } from './identity.ts'
import { FAMILY, profile } from './profiles/almanac.ts'
import type { Identity } from './types.ts'

const family = createIdentity({ ...profile, names: FAMILY })

/** Returns all files of the API with the names of a profile, or the neutral files if it renames nothing. */
export function describeFiles(identity: Identity): readonly DescFile[] {
  const ordered: DescFile[] = []
  /** Bounded by: the imports of the descriptors, which have no rings. */
  const visit = (file: DescFile): void => {
    if (ordered.includes(file)) return
    for (const dependency of file.dependencies) visit(dependency)
    ordered.push(file)
  }
  for (const file of files) visit(file)
  const packages = ordered.map(({ proto }) => proto.package)
  if (packages.every((name) => identity.toProfileName(name) === name)) return files
  const names = new Map(ordered.map(({ proto }) => [proto.name, fileName(identity, proto)]))
  const set = create(FileDescriptorSetSchema, { file: ordered.map(({ proto }) => renameFile(identity, proto, names)) })
  const own = new Set(files.map(({ proto }) => names.get(proto.name)))
  return [...createFileRegistry(set).files].filter(({ proto }) => own.has(proto.name))
}

/** Returns the path of a file under a profile. Its folder is its package. */
function fileName(identity: Identity, { name, package: neutral }: FileDescriptorProto): string {
  const folder = `${neutral.replaceAll('.', '/')}/`
  if (!name.startsWith(folder)) return name
  return `${identity.toProfileName(neutral).replaceAll('.', '/')}/${name.slice(folder.length)}`
}

/**
 * Returns the functions that name paths and amino names: as the profile does or, where it leaves them neutral and its types of the
 * SDK have the names of the family, as the family does. A client that reads such a type expects the rest of its names.
 */
function optionNames(identity: Identity) {
  const isOfFamily = identity.toProfileName('sdk') === family.toProfileName('sdk')
  const named = (own: string, neutral: string, common: string): string => (own === neutral && isOfFamily ? common : own)
  return {
    path: (neutral: string) => named(identity.toProfilePath(neutral), neutral, family.toProfilePath(neutral)),
    amino: (neutral: string) => named(identity.toProfileAmino(neutral), neutral, family.toProfileAmino(neutral)),
  }
}

function renameFile(
  identity: Identity,
  neutral: FileDescriptorProto,
  names: ReadonlyMap<string, string>,
): FileDescriptorProto {
  const file = clone(FileDescriptorProtoSchema, neutral)
  const to = optionNames(identity)
  const typeName = (name: string): string => (name === '' ? '' : `.${identity.toProfileName(name.slice(1))}`)
  const renameField = (field: FieldDescriptorProto): void => {
    field.typeName = typeName(field.typeName)
    const name = identity.toProfileField(field.name)
    if (name === field.name) return
    field.name = name
    field.jsonName = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  }
  /** Bounded by: the nesting of types in the descriptors. */
  const renameMessage = (message: DescriptorProto): void => {
    message.field.forEach(renameField)
    message.nestedType.forEach(renameMessage)
    for (const option of [aminoName, other_amino_name]) {
      if (!message.options || !hasExtension(message.options, option)) continue
      setExtension(message.options, option, to.amino(getExtension(message.options, option)))
    }
  }
  file.name = names.get(neutral.name)!
  file.package = identity.toProfileName(neutral.package)
  file.dependency = file.dependency.map((name) => names.get(name) ?? name)
  file.messageType.forEach(renameMessage)
  for (const extension of file.extension) extension.typeName = typeName(extension.typeName)
  for (const service of file.service) {
    for (const method of service.method) {
      method.inputType = typeName(method.inputType)
      method.outputType = typeName(method.outputType)
      if (!method.options || !hasExtension(method.options, http)) continue
      setExtension(method.options, http, renameRule(to.path, getExtension(method.options, http)))
    }
  }
  return file
}

/** Renames the paths of a route. Bounded by: the routes in the descriptors. */
function renameRule(toPath: (neutral: string) => string, neutral: HttpRule): HttpRule {
  const rule = clone(HttpRuleSchema, neutral)
  if (typeof rule.pattern.value === 'string') rule.pattern.value = toPath(rule.pattern.value)
  rule.additionalBindings = rule.additionalBindings.map((binding) => renameRule(toPath, binding))
  return rule
}
