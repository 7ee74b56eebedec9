/** Questions for CosmJS: with the types of `cosmjs-types` for the SDK's modules, and as bytes for the chain's own. */

import { js } from './ethereum.ts'
import { moduleOf, type Operation } from './operations.ts'
import { quoteJs } from './question.ts'
import { requestHex } from './request-bytes.ts'

/** Files of `cosmjs-types` by module, where they are not `query`. */
const FILES: Readonly<Record<string, string>> = { tx: 'service', reflection: 'reflection' }
/** Services whose client has another name than `QueryClientImpl`. */
const isService = ({ service }: Operation): boolean => service.endsWith('.Service')

const camel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

function literal({ type, value }: Operation['fields'][number]): string {
  if (type === 'integer') return `${value}n`
  if (type === 'boolean') return value
  if (type === 'bytes') return `fromBase64(${quoteJs(value)})`
  return quoteJs(value)
}

/** Returns the request with its fields, those of the page among them; lists are gathered. */
function requestText(operation: Operation): string {
  const fields = new Map<string, string[]>()
  const page: string[] = []
  for (const field of operation.fields) {
    const name = camel(field.name.replace(/^pagination\./, ''))
    if (field.name.startsWith('pagination.')) page.push(`${name}: ${literal(field)}`)
    else fields.set(name, [...(fields.get(name) ?? []), literal(field)])
  }
  const isList = (name: string) => operation.fields.some((field) => camel(field.name) === name && field.type === 'list')
  const parts = [...fields].map(([name, values]) => `${name}: ${isList(name) ? `[${values.join(', ')}]` : values[0]}`)
  if (page.length > 0) parts.push(`pagination: PageRequest.fromPartial({ ${page.join(', ')} })`)
  return parts.length > 0 ? `{ ${parts.join(', ')} }` : '{}'
}

/** Returns the program; undefined if CosmJS has no types for the operation and its bytes cannot be written here. */
export function cosmjsSnippet(comet: string, operation: Operation, height: string | undefined): string | undefined {
  const at = height !== undefined && operation.heightHeader ? `, height: ${height}` : ''
  const [family] = operation.service.split('.')
  if (family !== 'sdk' && family !== 'cosmos') return rawSnippet(comet, operation, at)
  const folder = operation.service.split('.').slice(1, -1).join('/')
  const client = isService(operation) ? 'ServiceClientImpl' : 'QueryClientImpl'
  const request = requestText(operation)
  const imports = [`import { connectComet } from '@cosmjs/tendermint-rpc'`]
  if (request.includes('fromBase64(')) imports.unshift(`import { fromBase64 } from '@cosmjs/encoding'`)
  if (request.includes('PageRequest.'))
    imports.push(`import { PageRequest } from 'cosmjs-types/cosmos/base/query/v1beta1/pagination'`)
  imports.push(`import { ${client} } from 'cosmjs-types/cosmos/${folder}/${FILES[moduleOf(operation)] ?? 'query'}'`)
  return [
    ...imports,
    '',
    `const comet = await connectComet(${quoteJs(comet)})`,
    `const query = new ${client}({`,
    '  async request(service, method, data) {',
    `    const answer = await comet.abciQuery({ path: \`/\${service}/\${method}\`, data${at} })`,
    '    if (answer.code) throw new Error(answer.log)',
    '    return answer.value',
    '  },',
    '})',
    `console.log(await query.${operation.rpc}(${request}))`,
    'comet.disconnect()',
  ].join('\n')
}

/** Functions of CosmJS's clients by method of the RPC, with the parameter that each takes alone. */
const ENGINE_CALLS: Readonly<Record<string, readonly [name: string, parameter?: string]>> = {
  status: ['status'],
  health: ['health'],
  abci_info: ['abciInfo'],
  genesis: ['genesis'],
  block: ['block', 'height'],
  block_results: ['blockResults', 'height'],
  commit: ['commit', 'height'],
}

/** Returns the program for a method of the engine's RPC; undefined if CosmJS has no simple function for it. */
export function cosmjsOfEngine(
  comet: string,
  method: string,
  params: Readonly<Record<string, unknown>>,
): string | undefined {
  const call = ENGINE_CALLS[method]
  const [name, parameter] = call ?? []
  if (!name || Object.keys(params).some((given) => given !== parameter)) return undefined
  const value = parameter === undefined ? undefined : params[parameter]
  const text = value === undefined ? '' : /^\d+$/.test(String(value)) ? String(value) : js(value)
  return [
    `import { connectComet } from '@cosmjs/tendermint-rpc'`,
    '',
    `const comet = await connectComet(${quoteJs(comet)})`,
    `console.log(await comet.${name}(${text}))`,
    'comet.disconnect()',
  ].join('\n')
}

function rawSnippet(comet: string, operation: Operation, at: string): string | undefined {
  const hex = requestHex(operation)
  if (hex === undefined) return undefined
  return [
    `import { fromHex, toHex } from '@cosmjs/encoding'`,
    `import { connectComet } from '@cosmjs/tendermint-rpc'`,
    '',
    `const comet = await connectComet(${quoteJs(comet)})`,
    'const answer = await comet.abciQuery({',
    `  path: ${quoteJs(`/${operation.service}/${operation.rpc}`)},`,
    `  data: fromHex(${quoteJs(hex)})${at},`,
    '})',
    'if (answer.code) throw new Error(answer.log)',
    `// The response of ${operation.rpc} in protobuf: proto/ has its message, and CosmJS no type of it.`,
    'console.log(toHex(answer.value))',
    'comet.disconnect()',
  ].join('\n')
}
