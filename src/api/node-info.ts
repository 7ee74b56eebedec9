/** Facts and functions of a node for the CometBFT RPC and the node and transaction services, beyond blocks and state. */
import type { CheckResult, GenesisDocument } from '../app/types.ts'
import type { EngineCalls } from '../consensus/cometbft/engine-rpc.ts'
import type { SnapshotRecord } from '../consensus/cometbft/snapshot-record.ts'
import type { GatewayNode } from './gateway.ts'

/** Snapshots of the state that others can begin with. */
interface SnapshotOffer {
  /** Returns the snapshots, the newest first. */
  list(): readonly SnapshotRecord[]
  /** Resolves with a chunk; with undefined if it does not exist. */
  chunk(height: bigint, format: number, index: number): Promise<Uint8Array | undefined>
}

export interface NodeInfo {
  /** Address of the node's key, 20 bytes. */
  readonly nodeId: Uint8Array
  readonly moniker: string
  /** Peer address, `tcp://host:port`. A solo node does not listen there. */
  readonly listenAddress: string
  readonly rpcAddress: string
  /** This node's validator key (ed25519, 32 bytes); undefined if it has no key. */
  readonly validatorKey: Uint8Array | undefined
  /** CometBFT, if it decides the blocks; absent if this node does. */
  readonly engine?: EngineCalls | undefined
  /** The snapshots of the home; absent for a chain in memory. */
  readonly snapshots?: SnapshotOffer | undefined
  /** Returns the genesis document of the chain. */
  genesis(): GenesisDocument
  /** Runs a transaction on the latest state and discards it. A failed run is a code; rejects with the errors of `Compute.run`. */
  simulate(tx: Uint8Array, signal?: AbortSignal): Promise<CheckResult>
}

/** The facts and functions for the CometBFT RPC. */
export interface CometNodeInfo extends NodeInfo {
  /** Runs admission, signatures included, and keeps nothing. It executes no message. */
  check(tx: Uint8Array): CheckResult | Promise<CheckResult>
}

/** Dependencies of the CometBFT RPC and of the services that no module owns. */
export interface NodeEnvironment {
  readonly node: GatewayNode
  readonly nodeInfo: NodeInfo
}
