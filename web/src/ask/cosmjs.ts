/** Questions for CosmJS: with the types of `cosmjs-types` for the SDK's modules, and as bytes for the chain's own. */

import { js } from './ethereum.ts'
import { moduleOf, type Operation, requestOf } from './operations.ts'
import { quoteJs } from './question.ts'
import { requestHex } from './request-bytes.ts'

/** Files of `cosmjs-types` by module, where they are not `query`. */
const FILES: Readonly<Record<string, string>> = { tx: 'service', reflection: 'reflection' }
/** Services of the SDK that `cosmjs-types` leaves out. */
const UNTYPED = ['sdk.base.reflection.v2alpha1.ReflectionService', 'cosmos.base.reflection.v2alpha1.ReflectionService']

/** Operations of Query services whose requests have no `Query` in their names. */
const SHORT_REQUESTS = ['Bech32Prefix', 'AddressBytesToString', 'AddressStringToBytes']

/** Returns the client of an operation's service, the type of its request, and the module of `cosmjs-types` that exports both. */
function typesOf({ service, rpc }: Pick<Operation, 'service' | 'rpc'>): {
  readonly file: string
  readonly client: string
  readonly request: string
} {
  const folder = service.split('.').slice(1, -1).join('/')
  const name = service.split('.').at(-1)!
  const isShort = name !== 'Query' || SHORT_REQUESTS.includes(rpc)
  return {
    file: `cosmjs-types/cosmos/${folder}/${FILES[moduleOf({ service })] ?? 'query'}`,
    client: `${name}ClientImpl`,
    request: `${isShort ? '' : 'Query'}${rpc}Request`,
  }
}

const camel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Writes the names of fields as CosmJS has them. */
function toCamel(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [camel(name), toCamel(inner)]))
}

/** Returns the program; undefined if CosmJS has no types for the operation and its bytes cannot be written here. */
export function cosmjsSnippet(comet: string, operation: Operation, height: string | undefined): string | undefined {
  const at = height !== undefined && operation.heightHeader ? `, height: ${height}` : ''
  const [family] = operation.service.split('.')
  if ((family !== 'sdk' && family !== 'cosmos') || UNTYPED.includes(operation.service))
    return rawSnippet(comet, operation, at)
  const { file, client, request } = typesOf(operation)
  return [
    `import { connectComet } from '@cosmjs/tendermint-rpc'`,
    `import { ${client}, ${request} } from '${file}'`,
    '',
    `const comet = await connectComet(${quoteJs(comet)})`,
    `const query = new ${client}({`,
    '  async request(service, method, data) {',
    `    const answer = await comet.abciQuery({ path: \`/\${service}/\${method}\`, data${at} })`,
    '    if (answer.code) throw new Error(answer.log)',
    '    return answer.value',
    '  },',
    '})',
    `console.log(await query.${operation.rpc}(${request}.fromJSON(${js(toCamel(requestOf(operation)))})))`,
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
