/** The same question for curl, grpcurl, viem, ethers, CosmJS and the command line, ready to copy. */
import type { Question } from '../api/question.ts'
import { cosmjsOfEngine, cosmjsSnippet } from './cosmjs.ts'
import { type Door, doorOf, pathOf } from './doors.ts'
import { ethersSnippet, viemSnippet } from './ethereum.ts'
import { findOperation, moduleOf, type Operation, requestOf, type templatesOf } from './operations.ts'
import { type NodeAddresses, quoteShell, type Snippet } from './question.ts'

/** Facts of the node that the snippets contain. */
export interface AskedNode {
  readonly addresses: NodeAddresses
  readonly baseDenom: string
  readonly templates: ReturnType<typeof templatesOf>
}

type Text = { readonly text: string } | { readonly reason: string }

const kebab = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .replaceAll(/[_.]/g, '-')
    .toLowerCase()

function curlOfPath(rest: string, { path, fields, heightHeader }: Operation, height: string | undefined): string {
  const search = new URLSearchParams()
  for (const field of fields) if (field.in === 'query') search.append(field.name, field.value)
  const query = search.size > 0 ? `?${search}` : ''
  const header = height !== undefined && heightHeader ? ` -H ${quoteShell(`${heightHeader}: ${height}`)}` : ''
  return `curl -s${header} ${quoteShell(`${rest}${path}${query}`)}`
}

function curlOfMethod(url: string, method: string, params: unknown): string {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return `curl -s ${quoteShell(url)} -H 'content-type: application/json' \\\n  -d ${quoteShell(body)}`
}

function grpcurl(grpc: string, operation: Operation, height: string | undefined): string {
  const request = requestOf(operation)
  const header =
    height !== undefined && operation.heightHeader ? ` -H ${quoteShell(`${operation.heightHeader}: ${height}`)}` : ''
  const data = Object.keys(request).length > 0 ? ` -d ${quoteShell(JSON.stringify(request))}` : ''
  return `grpcurl -plaintext${header}${data} ${grpc} ${operation.service}/${operation.rpc}`
}

function commandLine(rest: string, operation: Operation, height: string | undefined): string {
  const words = ['almanac', 'query', moduleOf(operation), kebab(operation.rpc)]
  for (const { name, value, in: place, type } of operation.fields) {
    if (place === 'path') words.push(quoteShell(value))
    else if (name !== 'by') {
      const flag = `--${kebab(name.replace(/^pagination\./, 'page_'))}`
      if (type !== 'boolean') words.push(flag, quoteShell(value))
      else words.push(value === 'true' ? flag : `${flag}=false`)
    }
  }
  if (height !== undefined && operation.heightHeader) words.push('--height', height)
  return `${words.join(' ')} --node ${rest}`
}

const NO_DOOR = 'The EVM has no way to this answer: neither a method of Ethereum nor a precompile gives it.'
const NO_OPERATION = 'This is a method of JSON-RPC alone: no operation of REST and gRPC gives this answer.'
const NO_TYPES =
  'CosmJS has no types of this module, and the request has more than text, so that its bytes are not shown.'
const UNKNOWN = 'This node lists no such operation.'
const ENGINE_ONLY = 'This is a method of the CometBFT RPC alone.'
const off = (protocol: string): string => `${protocol} is turned off on this node.`

/** Returns a text that needs an address; the reason if the protocol is turned off. */
function withAddress(
  address: string | undefined,
  protocol: string,
  text: (address: string) => string | undefined,
  none: string,
): Text {
  if (address === undefined) return { reason: off(protocol) }
  const found = text(address)
  return found === undefined ? { reason: none } : { text: found }
}

/** Takes the block out of the parameters of a method, if it is their last. */
function splitBlock(params: readonly unknown[]): {
  readonly height: string | undefined
  readonly params: readonly unknown[]
} {
  const last = params.at(-1)
  const isBlock = typeof last === 'string' && (last === 'latest' || /^0x[0-9a-f]{1,16}$/.test(last))
  if (!isBlock || params.length < 2) return { height: undefined, params }
  return { height: last === 'latest' ? undefined : BigInt(last).toString(), params: [...params.slice(0, -1), 'HEIGHT'] }
}

function engineSnippets(
  { addresses }: AskedNode,
  method: string,
  params: Readonly<Record<string, unknown>>,
): readonly Snippet[] {
  const none = { reason: ENGINE_ONLY }
  const curl = withAddress(addresses.comet, 'The CometBFT RPC', (url) => curlOfMethod(url, method, params), ENGINE_ONLY)
  const noCall = 'CosmJS has no function for this method.'
  const cosmjs = withAddress(addresses.comet, 'The CometBFT RPC', (url) => cosmjsOfEngine(url, method, params), noCall)
  return [
    { client: 'curl', language: 'sh', ...curl },
    { client: 'grpcurl', language: 'sh', ...none },
    { client: 'viem', language: 'js', ...none },
    { client: 'ethers', language: 'js', ...none },
    { client: 'CosmJS', language: 'js', ...cosmjs },
    { client: 'command line', language: 'sh', ...none },
  ]
}

/**
 * Returns the snippets of a question, in the order in which they are shown. `height` is that of a question over REST; undefined
 * asks for the latest. Questions over JSON-RPC name their block themselves.
 */
export function snippetsOf(question: Question, node: AskedNode, height?: string): readonly Snippet[] {
  const { addresses } = node
  if (question.kind === 'engine') return engineSnippets(node, question.method, question.params)
  const asked = question.kind === 'eth' ? splitBlock(question.params) : { height, params: [] }
  const path = question.kind === 'eth' ? pathOf(question.method, asked.params) : question.path
  const operation = path === undefined ? undefined : findOperation(node.templates, path)
  const door: Door | undefined =
    question.kind === 'eth'
      ? { kind: 'rpc', method: question.method, params: asked.params }
      : operation && doorOf(operation, node.baseDenom)
  const missing = question.kind === 'eth' ? NO_OPERATION : UNKNOWN
  const ofOperation = (
    address: string | undefined,
    protocol: string,
    text: (address: string, operation: Operation) => string | undefined,
    none = missing,
  ): Text => withAddress(address, protocol, (at) => operation && text(at, operation), operation ? none : missing)
  const curl =
    question.kind === 'eth'
      ? withAddress(addresses.jsonrpc, 'JSON-RPC', (url) => curlOfMethod(url, question.method, question.params), '')
      : ofOperation(addresses.rest, 'REST', (url, found) => curlOfPath(url, found, height))
  const ofDoor = (text: (url: string, door: Door, height: string | undefined) => string): Text =>
    withAddress(addresses.jsonrpc, 'JSON-RPC', (url) => door && text(url, door, asked.height), NO_DOOR)
  return [
    { client: 'curl', language: 'sh', ...curl },
    {
      client: 'grpcurl',
      language: 'sh',
      ...ofOperation(addresses.grpc, 'gRPC', (at, found) => grpcurl(at, found, asked.height)),
    },
    { client: 'viem', language: 'js', ...ofDoor(viemSnippet) },
    { client: 'ethers', language: 'js', ...ofDoor(ethersSnippet) },
    {
      client: 'CosmJS',
      language: 'js',
      ...ofOperation(
        addresses.comet,
        'The CometBFT RPC',
        (at, found) => cosmjsSnippet(at, found, asked.height),
        NO_TYPES,
      ),
    },
    {
      client: 'command line',
      language: 'sh',
      ...ofOperation(addresses.rest, 'REST', (at, found) => commandLine(at, found, asked.height)),
    },
  ]
}
