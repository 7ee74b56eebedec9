/** The node's REST API as commands use it. */
import type { Command } from 'commander'
import { diskFiles } from '../node/files.ts'
import { addressOf } from '../node/gateways.ts'
import { queryError } from '../primitives/errors.ts'
import { homeOf, resolveSettings } from './settings.ts'

export interface NodeFlags {
  readonly node?: string
  readonly home?: string
  readonly portOffset?: string
}

export interface NodeClient {
  readonly url: string
  /** The answer's JSON. Throws with the node's own message if it refuses, `unavailable` if none answers. */
  get(path: string, options?: { readonly height?: string | undefined }): Promise<unknown>
  post(path: string, body: unknown): Promise<unknown>
}

/** The flags with which commands find a node. */
export function addNodeOptions(command: Command): Command {
  return command
    .option('--node <url>', 'REST URL of the node (default: from the settings of the home)')
    .option('--port-offset <n>', 'what the node was told to add to its ports')
}

/** Flags of a command that asks a node and prints the answer. */
export interface ReadFlags extends NodeFlags {
  readonly height?: string
  readonly output: string
}

export function addReadOptions(command: Command): Command {
  return addNodeOptions(command)
    .option('--home <dir>', 'home whose settings name the node')
    .option('--height <height>', 'height to read at (default: the latest)')
    .option('-o, --output <format>', 'yaml or json', 'yaml')
}

/** The node that the flags name, else the one of the home's settings. */
export function openNode(flags: NodeFlags): NodeClient {
  return createNodeClient(flags.node ?? urlOfHome(flags))
}

function urlOfHome({ home: root, portOffset }: NodeFlags): string {
  const home = homeOf(root)
  const flags = portOffset === undefined ? {} : { 'port-offset': portOffset }
  const { rest, node } = resolveSettings(flags, diskFiles.exists(home) ? home : undefined).config
  return `http://${addressOf(rest.host, rest.port + node.portOffset)}`
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** A client of the REST API at a URL. */
function createNodeClient(url: string): NodeClient {
  const base = url.replace(/\/+$/, '')
  const request = async (path: string, init: RequestInit): Promise<unknown> => {
    let response: Response
    try {
      response = await fetch(base + path, init)
    } catch {
      throw queryError(
        'unavailable',
        `no node answers at ${base}; start one with \`almanac start\`, or name one by --node`,
      )
    }
    return readAnswer(response, await response.text())
  }
  return {
    url: base,
    get: (path, options) => request(path, options?.height ? { headers: { 'x-sdk-block-height': options.height } } : {}),
    post: (path, body) => request(path, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) }),
  }
}

function readAnswer(response: Response, text: string): unknown {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw queryError('unknown', `${response.url} answered ${response.status} and no JSON`)
  }
  if (response.ok) return json
  const { message } = json as { readonly message?: unknown }
  const status = response.status === 404 ? 'notFound' : 'unknown'
  throw queryError(status, typeof message === 'string' ? message : `${response.url} answered ${response.status}`)
}
