/** Facts of the node in the CometBFT RPC: its info, validator key and genesis. */
import type { GenesisDocument } from '../../app/types.ts'
import { formatUpperHex, publicKeyJson } from '../../consensus/comet/block-json.ts'
import { BLOCK_PROTOCOL } from '../../consensus/comet/encoding.ts'
import { ofEd25519 } from '../../primitives/address.ts'
import { EMPTY, equal, formatHex, utf8 } from '../../primitives/bytes.ts'
import { cachePerObject } from '../../primitives/cache.ts'
import { ChainError } from '../../primitives/errors.ts'
import { formatRfc3339Nano, ZERO_TIME_NS } from '../../primitives/time.ts'
import type { GatewayNode } from '../gateway.ts'
import { type JsonText, jsonText } from '../long-json.ts'
import type { NodeInfo } from '../node-info.ts'
import { ENGINE_VERSION, P2P_PROTOCOL } from '../software.ts'
import type { Json } from './method.ts'

/** Returns the application version in the latest header. */
export const appVersionOf = ({ blocks }: Pick<GatewayNode, 'blocks'>): bigint =>
  blocks.header(blocks.latestHeight())?.header.appVersion ?? 0n

/** Returns the `node_info` of `status`. */
function nodeInfoJson(node: GatewayNode, nodeInfo: NodeInfo): Json {
  const app = appVersionOf(node).toString()
  return {
    protocol_version: { p2p: P2P_PROTOCOL.toString(), block: BLOCK_PROTOCOL.toString(), app },
    id: formatHex(nodeInfo.nodeId),
    listen_addr: nodeInfo.listenAddress,
    network: node.chainId,
    version: ENGINE_VERSION,
    channels: '',
    moniker: nodeInfo.moniker,
    other: { tx_index: 'on', rpc_address: nodeInfo.rpcAddress },
  }
}

/** Returns what `status` says of the peer that this node is: the engine, if CometBFT decides the blocks. */
export async function peerOf(
  node: GatewayNode,
  nodeInfo: NodeInfo,
): Promise<Readonly<Record<'id' | 'listen_addr' | 'version' | 'channels', string>>> {
  const { node_info: info } = await statusOf(node, nodeInfo)
  return info as Awaited<ReturnType<typeof peerOf>>
}

/** Returns the answer of `status`: that of the engine if CometBFT decides the blocks, with the name and address of this node. */
export async function statusOf(node: GatewayNode, nodeInfo: NodeInfo): Promise<Json> {
  const { engine, moniker, rpcAddress } = nodeInfo
  const found = await engine?.call('status', {}).catch((error: unknown) => {
    // The engine of another supervisor can be down while this node answers from what it has.
    if (error instanceof ChainError && error.status === 'unavailable') return undefined
    throw error
  })
  if (!found) return ownStatus(node, nodeInfo)
  const info = found['node_info'] as { readonly other?: Json }
  return {
    ...found,
    node_info: { ...info, moniker, other: { ...info.other, tx_index: 'on', rpc_address: rpcAddress } },
  }
}

function ownStatus(node: GatewayNode, nodeInfo: NodeInfo): Json {
  const { blocks } = node
  const latest = blocks.header(blocks.latestHeight())
  const earliest = blocks.header(blocks.earliestHeight())
  return {
    node_info: nodeInfoJson(node, nodeInfo),
    sync_info: {
      latest_block_hash: formatUpperHex(latest?.hash ?? EMPTY),
      latest_app_hash: formatUpperHex(latest?.header.appHash ?? EMPTY),
      latest_block_height: (latest?.header.height ?? 0n).toString(),
      latest_block_time: formatRfc3339Nano(latest?.header.timeNs ?? ZERO_TIME_NS),
      earliest_block_hash: formatUpperHex(earliest?.hash ?? EMPTY),
      earliest_app_hash: formatUpperHex(earliest?.header.appHash ?? EMPTY),
      earliest_block_height: (earliest?.header.height ?? 0n).toString(),
      earliest_block_time: formatRfc3339Nano(earliest?.header.timeNs ?? ZERO_TIME_NS),
      catching_up: node.driver.status().catchingUp,
    },
    validator_info: validatorInfo(node, nodeInfo),
  }
}

/** Returns the validator of this node; an empty one if it has no key. */
function validatorInfo({ blocks }: GatewayNode, { validatorKey }: NodeInfo): Json {
  if (!validatorKey) return { address: '', pub_key: null, voting_power: '0' }
  const address = ofEd25519(validatorKey)
  const validator = blocks.validators(blocks.latestHeight())?.find((other) => equal(other.address, address))
  return {
    address: formatUpperHex(address),
    pub_key: publicKeyJson(validatorKey),
    voting_power: (validator?.power ?? 0n).toString(),
  }
}

/** Returns the genesis document as a value of an answer. */
export const genesisJson = cachePerObject((genesis: GenesisDocument): JsonText => jsonText(JSON.stringify(genesis)))
const encodeGenesis = cachePerObject((genesis: GenesisDocument) => utf8(JSON.stringify(genesis)))

/** Returns the genesis document as JSON bytes. */
export function genesisBytes(nodeInfo: NodeInfo): Uint8Array {
  return encodeGenesis(nodeInfo.genesis())
}
