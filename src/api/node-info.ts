/** What the consensus engine's own surface (CometBFT RPC, node and transaction services) tells beyond blocks and state. */
import type { CheckResult, GenesisDocument } from '../app/types.ts'

export interface Engine {
  /** Address of the node's key, 20 bytes. */
  readonly nodeId: Uint8Array
  readonly moniker: string
  /** As `tcp://host:port`; the node itself listens to no peers in `solo`. */
  readonly listenAddress: string
  readonly rpcAddress: string
  /** This node's validator key (ed25519, 32 bytes); undefined if it holds none. */
  readonly validatorKey: Uint8Array | undefined
  /** The document the chain began with. */
  genesis(): GenesisDocument
  /** Admission without keeping the transaction or its effects. */
  check(tx: Uint8Array): CheckResult
  /** Runs a transaction on the latest state and forgets it. Rejects as `Compute.run` does; a failed run is a code in the result. */
  simulate(tx: Uint8Array, signal?: AbortSignal): Promise<CheckResult>
}
