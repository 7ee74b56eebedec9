/** Facts of the node in the CometBFT RPC: its info, validator key and genesis. */
import type { GenesisDocument } from '../../app/types.ts'
import { formatUpperHex, publicKeyJson } from '../../consensus/comet/block-json.ts'
import { BLOCK_PROTOCOL } from '../../consensus/comet/encoding.ts'
import { ofEd25519 } from '../../primitives/address.ts'
import { equal, formatHex, utf8 } from '../../primitives/bytes.ts'
import { cachePerObject } from '../../primitives/cache.ts'
import type { GatewayNode } from '../gateway.ts'
import type { NodeInfo } from '../node-info.ts'
import { ENGINE_VERSION, P2P_PROTOCOL } from '../software.ts'
import type { Json } from './method.ts'

/** Returns the `node_info` of `status`. */
export function nodeInfoJson(node: GatewayNode, nodeInfo: NodeInfo): Json {
  return {
    protocol_version: { p2p: P2P_PROTOCOL.toString(), block: BLOCK_PROTOCOL.toString(), app: '0' },
    id: formatHex(nodeInfo.nodeId),
    listen_addr: nodeInfo.listenAddress,
    network: node.chainId,
    version: ENGINE_VERSION,
    channels: '',
    moniker: nodeInfo.moniker,
    other: { tx_index: 'on', rpc_address: nodeInfo.rpcAddress },
  }
}

/** Returns the validator of this node; an empty one if it has no key. */
export function validatorInfo({ blocks }: GatewayNode, { validatorKey }: NodeInfo): Json {
  if (!validatorKey) return { address: '', pub_key: null, voting_power: '0' }
  const address = ofEd25519(validatorKey)
  const validator = blocks.validators(blocks.latestHeight())?.find((other) => equal(other.address, address))
  return {
    address: formatUpperHex(address),
    pub_key: publicKeyJson(validatorKey),
    voting_power: (validator?.power ?? 0n).toString(),
  }
}

const encodeGenesis = cachePerObject((genesis: GenesisDocument) => utf8(JSON.stringify(genesis)))

/** Returns the genesis document as JSON bytes. */
export function genesisBytes(nodeInfo: NodeInfo): Uint8Array {
  return encodeGenesis(nodeInfo.genesis())
}
