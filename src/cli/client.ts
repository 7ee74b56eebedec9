/** A client of a node's REST API for commands. */
import { create } from '@bufbuild/protobuf'
import type { Command } from 'commander'
import { type FieldViolation, FieldViolationSchema } from '../gen/chain/errors/v1/errors_pb.ts'
import { diskFiles } from '../node/files.ts'
import { addressOf } from '../node/gateways.ts'
import { readRunFile } from '../node/run-file.ts'
import { queryError } from '../primitives/errors.ts'
import { homeOf, resolveSettings } from './settings.ts'

export interface NodeFlags {
  readonly node?: string
  readonly home?: string
  readonly portOffset?: string
}

export interface NodeClient {
  readonly url: string
  /** Returns the JSON of the answer. Throws the node's own message for an error answer, `unavailable` if no node answers. */
  get(path: string, options?: { readonly height?: string | undefined }): Promise<unknown>
  post(path: string, body: unknown): Promise<unknown>
}

/** Adds the flags that select a node. */
export function addNodeOptions(command: Command): Command {
  return command
    .option('--node <url>', 'REST URL of the node (default: that of the node that runs in the home)')
    .option('--port-offset <n>', 'port offset of a node whose home is elsewhere (default: node.port_offset)')
}

/** Flags of a command that queries a node and prints the answer. */
export interface ReadFlags extends NodeFlags {
  readonly height?: string
  readonly output: string
}

/** Adds the flags that select a node, a height and an output format. */
export function addReadOptions(command: Command): Command {
  return addNodeOptions(command)
    .option('--home <dir>', 'home of the node (default: ALMANAC_HOME, or ~/.almanac)')
    .option('--height <height>', 'height to read (default: the latest)')
    .option('-o, --output <format>', 'output format: yaml or json', 'yaml')
}

/** Returns a client of the node that `--node` names, else of the node that the home's settings describe. */
export function openNode(flags: NodeFlags): NodeClient {
  return createNodeClient(flags.node ?? urlOfHome(flags))
}

/** Returns the URL of the node that runs in the home, else of the one that its settings describe. */
function urlOfHome({ home: root, portOffset }: NodeFlags): string {
  const home = homeOf(root)
  const running = portOffset === undefined ? readRunFile(home, diskFiles) : undefined
  if (running?.rest !== undefined) return running.rest
  if (running) throw queryError('unavailable', `the node in ${home} runs without REST: start it with --rest`)
  const flags = portOffset === undefined ? {} : { 'port-offset': portOffset }
  const { rest, node } = resolveSettings(flags, diskFiles.exists(home) ? home : undefined).config
  return `http://${addressOf(rest.host, rest.port + node.portOffset)}`
}

/** Throws `invalidArgument` unless the value of `--node` is a URL of HTTP. `wanted` says what it must be. */
export function requireHttpUrl(url: string, wanted: string): void {
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw queryError('invalidArgument', `--node ${url}: must be ${wanted}`)
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** Creates a client of the REST API at a URL. */
function createNodeClient(url: string): NodeClient {
  const base = url.replace(/\/+$/, '')
  requireHttpUrl(url, 'the REST URL of a node, such as http://127.0.0.1:1317')
  const request = async (path: string, init: RequestInit): Promise<unknown> => {
    let response: Response
    try {
      response = await fetch(base + path, init)
    } catch {
      throw queryError(
        'unavailable',
        `no node answers at ${base}; start one with \`almanac start\`, or set its URL with --node`,
      )
    }
    return readAnswer(response, await response.text())
  }
  return {
    url: base,
    async get(path, { height } = {}) {
      if (height !== undefined && !/^\d+$/.test(height))
        throw queryError('invalidArgument', `--height ${height}: must be the height of a block, an integer`)
      return await request(path, height ? { headers: { 'x-sdk-block-height': height } } : {})
    },
    post: (path, body) => request(path, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) }),
  }
}

function readAnswer(response: Response, text: string): unknown {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw queryError(
      'unknown',
      `${response.url} answered ${response.status} without JSON: check that --node is the REST URL of a node`,
    )
  }
  if (response.ok) return json
  const { message, details } = json as { readonly message?: unknown; readonly details?: unknown }
  const status = response.status === 404 ? 'notFound' : 'unknown'
  const shown = typeof message === 'string' ? message : `${response.url} answered ${response.status}`
  throw queryError(status, shown, violationsIn(details))
}

const VIOLATION = `/${FieldViolationSchema.typeName}`

/** Returns the fields that an error answer names. */
function violationsIn(details: unknown): FieldViolation[] {
  if (!Array.isArray(details)) return []
  return details.flatMap((detail: Readonly<Record<string, unknown>>) =>
    detail['@type'] === VIOLATION
      ? [create(FieldViolationSchema, { field: String(detail['field']), description: String(detail['description']) })]
      : [],
  )
}
