/** `testnet.json`: the nodes of a network on this machine, for programs. */
import { join, resolve } from 'node:path'
import { queryError } from '../../primitives/errors.ts'
import type { Files } from '../files.ts'
import { addressOf } from '../gateways.ts'
import type { Layout, Place } from './places.ts'

/** A node of a network. */
export interface TestnetNode {
  /** Absolute path of its home. */
  readonly home: string
  readonly rest: string
  readonly jsonrpc: string
  readonly ws: string
  /** `HOST:PORT`. */
  readonly grpc: string
  readonly comet: string
  /** The peer that other nodes connect to, `ID@HOST:PORT`. */
  readonly peer: string
  /** Whether it is a validator from the first block on. */
  readonly validator: boolean
}

export interface Testnet {
  readonly chain_id: string
  readonly evm_chain_id: number
  readonly layout: Layout
  readonly nodes: readonly TestnetNode[]
}

const manifestPath = (folder: string): string => join(folder, 'testnet.json')

/** Returns the path of the home of a node in the folder of a network. */
export const homeInTestnet = (folder: string, index: number): string => join(resolve(folder), `node${index}`)

/** Returns the record of a node. */
export function nodeAt(home: string, place: Place, peerId: string, validator: boolean): TestnetNode {
  const { host } = place
  return {
    home,
    rest: `http://${addressOf(host, place.rest)}`,
    jsonrpc: `http://${addressOf(host, place.jsonrpc)}`,
    ws: `ws://${addressOf(host, place.ws)}`,
    grpc: addressOf(host, place.grpc),
    comet: `http://${addressOf(host, place.comet)}`,
    peer: `${peerId}@${addressOf(host, place.p2p)}`,
    validator,
  }
}

export function writeTestnet(folder: string, testnet: Testnet, files: Pick<Files, 'write'>): void {
  files.write(manifestPath(folder), `${JSON.stringify(testnet, null, 2)}\n`)
}

/**
 * Reads the network in a folder; a folder that was moved keeps its network. Throws `notFound` if it contains no network, and
 * `failedPrecondition` if its file is damaged.
 */
export function readTestnet(folder: string, files: Pick<Files, 'read'>): Testnet {
  const path = manifestPath(folder)
  const text = files.read(path)
  if (text === undefined) {
    throw queryError(
      'notFound',
      `${folder} contains no testnet.json: \`almanac testnet --output ${folder}\` writes a network`,
    )
  }
  try {
    const testnet = JSON.parse(text) as Testnet
    if (!Array.isArray(testnet.nodes) || testnet.nodes.length === 0) throw new Error('it lists no nodes')
    return { ...testnet, nodes: testnet.nodes.map((node, i) => ({ ...node, home: homeInTestnet(folder, i) })) }
  } catch (error) {
    throw queryError('failedPrecondition', `${path} is damaged: ${(error as Error).message}`)
  }
}
