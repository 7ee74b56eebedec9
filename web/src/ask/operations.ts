/** Operations of REST by path, as the node's OpenAPI document lists them: in the names of its profile. */

interface OpenApiParameter {
  readonly name: string
  readonly in: string
  readonly schema: { readonly type?: string | readonly string[]; readonly format?: string }
}
export interface OpenApi {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly operationId: string; readonly parameters?: readonly OpenApiParameter[] }>>
    >
  >
}

/** A field of a request and its value, in the order of the path and then of the query string. */
interface Field {
  /** `pair`, `pagination.limit`. */
  readonly name: string
  readonly value: string
  readonly in: 'path' | 'query'
  readonly type: 'text' | 'list' | 'boolean' | 'integer' | 'bytes'
}

export interface Operation {
  /** `chain.oracle.v1beta1.Query`. */
  readonly service: string
  /** `ExchangeRate`. */
  readonly rpc: string
  /** Path with its values, without the query string, in the profile's names. */
  readonly path: string
  readonly fields: readonly Field[]
  /** Name of the header that selects a height; absent if the operation has no height. */
  readonly heightHeader: string | undefined
}

/** Returns the module of an operation: `evm` for `chain.evm.v1.Query`. */
export function moduleOf({ service }: Pick<Operation, 'service'>): string {
  return service.split('.').at(-3) ?? ''
}

/** Operations that share the path of the fee shares, by the value of `by`, with the name of the variable in their requests. */
const SHARERS: Readonly<Record<string, { readonly rpc: string; readonly field: string }>> = {
  contract: { rpc: 'FeeShare', field: 'contract_address' },
  withdrawer: { rpc: 'FeeSharesByWithdrawer', field: 'withdrawer_address' },
  deployer: { rpc: 'FeeShares', field: 'deployer' },
}

/** The operation that shares its path with `AddressBytesToString`, for texts that are Bech32 and no base64. */
const OF_STRING = { rpc: 'AddressStringToBytes', field: 'address_string' }

/** Returns the operation, of several that share a path, that the values of a request choose; undefined for any other path. */
function sharerOf(rpc: string, fields: readonly Field[]): { readonly rpc: string; readonly field: string } | undefined {
  const given = (name: string): string => fields.find((field) => field.name === name)?.value ?? ''
  if (rpc === 'AddressBytesToString') return /^[a-z]+1[0-9a-z]+$/.test(given('address_bytes')) ? OF_STRING : undefined
  return SHARERS[given('by')]
}

interface Template {
  readonly template: string
  readonly segments: readonly string[]
  readonly operationId: string
  readonly parameters: readonly OpenApiParameter[]
}

const isVariable = (segment: string): boolean => segment.startsWith('{')

/** The first segment differs by profile (`chain`, `sdk`, `cosmos`), so that it takes no part in the comparison. */
function segmentsOf(path: string): readonly string[] {
  return path.split('/').slice(2)
}

/** Lists the reads of a document, those with more fixed segments first. */
export function templatesOf(document: OpenApi): readonly Template[] {
  const found = Object.entries(document.paths).flatMap(([template, verbs]) => {
    const read = verbs['get']
    return read
      ? [{ template, segments: segmentsOf(template), operationId: read.operationId, parameters: read.parameters ?? [] }]
      : []
  })
  const fixed = ({ segments }: Template): number => segments.filter((segment) => !isVariable(segment)).length
  return found.sort((a, b) => fixed(b) - fixed(a))
}

/** Matches a path against a template; a variable at the end takes the rest, since denoms contain slashes. */
function valuesOf(template: Template, segments: readonly string[]): Map<string, string> | undefined {
  const values = new Map<string, string>()
  for (const [i, expected] of template.segments.entries()) {
    const given = segments[i]
    if (given === undefined || given === '') return undefined
    if (!isVariable(expected)) {
      if (given !== expected) return undefined
      continue
    }
    const isLast = i === template.segments.length - 1
    values.set(expected.slice(1, -1), decodeURIComponent(isLast ? segments.slice(i).join('/') : given))
    if (isLast) return values
  }
  return segments.length === template.segments.length ? values : undefined
}

function typeOf(schema: OpenApiParameter['schema'] | undefined): Field['type'] {
  const types = [schema?.type ?? 'string'].flat()
  if (types.includes('array')) return 'list'
  if (types.includes('boolean')) return 'boolean'
  if (schema?.format === 'byte') return 'bytes'
  return schema?.format === undefined ? 'text' : 'integer'
}

/** Finds the operation of a path with its query string; undefined for another path. */
export function findOperation(templates: readonly Template[], path: string): Operation | undefined {
  const [base = '', search = ''] = path.split('?')
  const segments = segmentsOf(base)
  for (const template of templates) {
    const values = valuesOf(template, segments)
    if (!values) continue
    const schemaOf = (name: string) => template.parameters.find((parameter) => parameter.name === name)?.schema
    const fields: Field[] = [...values].map(([name, value]) => ({
      name,
      value,
      in: 'path',
      type: typeOf(schemaOf(name)),
    }))
    for (const [name, value] of new URLSearchParams(search)) {
      fields.push({ name, value, in: 'query', type: typeOf(schemaOf(name)) })
    }
    const [, service = '', rpc = ''] = /^(.+)\.(\w+)$/.exec(template.operationId.replace(/\.\d+$/, '')) ?? []
    const by = sharerOf(rpc, fields)
    return {
      service,
      rpc: by?.rpc ?? rpc,
      path: template.template.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(values.get(name) ?? '')),
      fields: by
        ? fields.map((field) => (field.in === 'path' ? { ...field, name: by.field, type: 'text' } : field))
        : fields,
      heightHeader: template.parameters.find((parameter) => parameter.in === 'header')?.name,
    }
  }
  return undefined
}

/** Returns the request of an operation as JSON of protobuf: nested, with lists and booleans. */
export function requestOf({ fields }: Operation): Record<string, unknown> {
  const request: Record<string, unknown> = {}
  for (const { name, value, type } of fields) {
    if (name === 'by') continue
    const parts = name.split('.')
    let at = request
    for (const part of parts.slice(0, -1)) {
      at[part] ??= {}
      at = at[part] as Record<string, unknown>
    }
    const last = parts.at(-1)!
    if (type === 'list') at[last] = [...((at[last] as string[] | undefined) ?? []), value]
    else at[last] = type === 'boolean' ? value === 'true' : value
  }
  return request
}
