/** Units and meanings of parameters, as the comments of the protos say them: in the schemas of the node's OpenAPI document. */
import type { OpenApi } from '../ask/operations.ts'

export interface Meaning {
  readonly text: string
  readonly unit: string | undefined
}

interface Schema {
  readonly $ref?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}
type Documented = OpenApi & {
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

/** Splits a description: `Length of a period. Unit: blocks. Example: 30`. */
export function meaningOf(description: string): Meaning {
  const unit = /(?:^|\s)Unit: (.+?)\.?(?=\s+Example:|\s*$)/s.exec(description)?.[1]
  const text = description.replace(/(?:^|\s)Unit: .*$/s, '').replace(/(?:^|\s)Example: .*$/s, '')
  return { text: text.trim(), unit: unit?.replace(/\s+/g, ' ') }
}

interface ParameterQuestion {
  readonly module: string
  readonly path: string
  readonly schema: Schema | undefined
}

/** Lists the queries of parameters: one for each module, in the order of their names. */
export function parameterQuestions(document: OpenApi): readonly ParameterQuestion[] {
  const found = Object.entries(document.paths).flatMap(([path, verbs]) => {
    if (!/\/params(\/\{params_type\})?$/.test(path) || /\/gov\/v1beta1\//.test(path)) return []
    const responses = (
      verbs['get'] as { responses?: Record<string, { content?: Record<string, { schema?: Schema }> }> } | undefined
    )?.responses
    const schema = responses?.['200']?.content?.['application/json']?.schema
    return [{ module: path.split('/')[2] ?? path, path: path.replace('{params_type}', 'voting'), schema }]
  })
  return found.sort((a, b) => (a.module < b.module ? -1 : 1))
}

/** Levels of nested messages in parameters. */
const DEPTH = 4

/** Returns the meaning of each field of a response's `params`, by its path: `inflation_distribution.staking_rewards`. */
export function meaningsOf(document: OpenApi, response: Schema | undefined): ReadonlyMap<string, Meaning> {
  const schemas = (document as Documented).components?.schemas ?? {}
  const meanings = new Map<string, Meaning>()
  const resolved = (schema: Schema | undefined): Schema | undefined => {
    const one =
      schema?.properties || schema?.$ref
        ? schema
        : [schema?.anyOf, schema?.oneOf, schema?.allOf].flat().find((part) => part?.$ref ?? part?.properties)
    const name = one?.$ref?.split('/').at(-1)
    return name === undefined ? one : schemas[decodeURIComponent(name)]
  }
  const params = resolved(resolved(response)?.properties?.['params'])
  let level = [{ prefix: '', schema: params }]
  for (let depth = 0; depth < DEPTH; depth++) {
    level = level.flatMap(({ prefix, schema }) =>
      Object.entries(schema?.properties ?? {}).map(([name, property]) => {
        if (property.description) meanings.set(prefix + name, meaningOf(property.description))
        return { prefix: `${prefix}${name}.`, schema: resolved(property) }
      }),
    )
  }
  return meanings
}

const isMessage = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the parameters as rows; fields of nested messages have their path as name. */
export function rowsOf(params: unknown): readonly { readonly name: string; readonly value: unknown }[] {
  const rows: { name: string; value: unknown }[] = []
  const open: { name: string; value: unknown; depth: number }[] = [{ name: '', value: params, depth: 0 }]
  for (let one = open.pop(); one; one = open.pop()) {
    const { name, value, depth } = one
    if (!isMessage(value) || depth > DEPTH || ('denom' in value && 'amount' in value)) {
      rows.push({ name, value })
      continue
    }
    for (const [field, inner] of Object.entries(value).reverse()) {
      open.push({ name: name ? `${name}.${field}` : field, value: inner, depth: depth + 1 })
    }
  }
  return rows
}
