/** What the consensus engine's RPC tells of the node itself: its info, validator key and genesis. */
import type { GenesisDocument } from '../../app/types.ts'
import { formatUpperHex, publicKeyJson } from '../../consensus/comet/block-json.ts'
import { BLOCK_PROTOCOL } from '../../consensus/comet/encoding.ts'
import { ofEd25519 } from '../../primitives/address.ts'
import { equal, formatHex, utf8 } from '../../primitives/bytes.ts'
import { oncePerObject } from '../../primitives/memo.ts'
import type { GatewayNode } from '../gateway.ts'
import type { Engine } from '../node-info.ts'
import type { Json } from './method.ts'

export const P2P_PROTOCOL = 8n
/** Clients choose their decoder by its first two numbers. */
export const ENGINE_VERSION = '0.38.25'

/** `node_info` as `status` shows it. */
export function nodeInfo(node: GatewayNode, engine: Engine): Json {
  return {
    protocol_version: { p2p: P2P_PROTOCOL.toString(), block: BLOCK_PROTOCOL.toString(), app: '0' },
    id: formatHex(engine.nodeId),
    listen_addr: engine.listenAddress,
    network: node.chainId,
    version: ENGINE_VERSION,
    channels: '',
    moniker: engine.moniker,
    other: { tx_index: 'on', rpc_address: engine.rpcAddress },
  }
}

/** This node's validator; empty if it holds no key. */
export function validatorInfo({ blocks }: GatewayNode, { validatorKey }: Engine): Json {
  if (!validatorKey) return { address: '', pub_key: null, voting_power: '0' }
  const address = ofEd25519(validatorKey)
  const validator = blocks.validators(blocks.latestHeight())?.find((other) => equal(other.address, address))
  return {
    address: formatUpperHex(address),
    pub_key: publicKeyJson(validatorKey),
    voting_power: (validator?.power ?? 0n).toString(),
  }
}

const encodeGenesis = oncePerObject((genesis: GenesisDocument) => utf8(JSON.stringify(genesis)))

/** The genesis document as JSON bytes. */
export function genesisBytes(engine: Engine): Uint8Array {
  return encodeGenesis(engine.genesis())
}
