/** Records of a block besides its state: header, transactions, results, EVM transactions, receipts, logs. */
import type { ChainEvent } from '../store/types.ts'

/** Header fields as CometBFT defines them (docs/cometbft.md#hashes); hashes are 32 bytes or empty. */
export interface BlockHeader {
  /** Version of the application, which a chain can raise by its consensus parameters; absent for 0. */
  readonly appVersion?: bigint
  readonly chainId: string
  readonly height: bigint
  readonly timeNs: bigint
  readonly lastBlockId: BlockId
  readonly lastCommitHash: Uint8Array
  readonly dataHash: Uint8Array
  readonly validatorsHash: Uint8Array
  readonly nextValidatorsHash: Uint8Array
  readonly consensusHash: Uint8Array
  /** App hash after the previous block. */
  readonly appHash: Uint8Array
  readonly lastResultsHash: Uint8Array
  readonly evidenceHash: Uint8Array
  /** Consensus address, 20 bytes. */
  readonly proposer: Uint8Array
}

export interface BlockId {
  readonly hash: Uint8Array
  readonly partsTotal: number
  readonly partsHash: Uint8Array
}

/** Result of one transaction, as ABCI's ExecTxResult. */
export interface TxResult {
  readonly code: number
  readonly codespace: string
  /** Text of a failure; for a success the index of each message's first event, from which `logOf` builds the text. */
  readonly log: string | readonly number[]
  readonly info: string
  /** Encoded `TxMsgData`. */
  readonly data: Uint8Array
  readonly gasWanted: bigint
  readonly gasUsed: bigint
  readonly events: readonly ChainEvent[]
}

export interface Validator {
  /** Consensus address, 20 bytes. */
  readonly address: Uint8Array
  /** ed25519 key, 32 bytes. */
  readonly publicKey: Uint8Array
  readonly power: bigint
  /** Priority in the engine's proposer selection (`proposers.ts`); 0 if absent. */
  readonly priority?: bigint | undefined
  /** Whether it proposes at the height of this set, in the first round. */
  readonly isProposer?: boolean
}

export interface CommitSignature {
  readonly flag: 1 | 2 | 3
  readonly validator: Uint8Array
  readonly timeNs: bigint
  readonly signature: Uint8Array
}

export interface Commit {
  readonly height: bigint
  readonly round: number
  readonly blockId: BlockId
  readonly signatures: readonly CommitSignature[]
}

/** An executed EVM transaction of a block: receipt and position. Log indexes count over the block. */
export interface EvmTx {
  readonly hash: Uint8Array
  /** Canonical bytes: RLP of a legacy transaction, or the typed envelope. */
  readonly raw: Uint8Array
  /** Index of the consensus transaction in the block. */
  readonly txIndex: number
  /** Index among the EVM transactions of the block. */
  readonly evmIndex: number
  readonly from: Uint8Array
  /** Undefined for a creation. */
  readonly to: Uint8Array | undefined
  readonly contractAddress: Uint8Array | undefined
  readonly status: 0 | 1
  readonly gasUsed: bigint
  readonly cumulativeGasUsed: bigint
  /** Price charged for a unit of gas. Unit: wei. */
  readonly effectiveGasPrice: bigint
  readonly type: number
  readonly bloom: Uint8Array
  readonly firstLogIndex: number
  readonly logs: readonly {
    readonly address: Uint8Array
    readonly topics: readonly Uint8Array[]
    readonly data: Uint8Array
  }[]
}

export interface StoredBlock {
  readonly header: BlockHeader
  readonly hash: Uint8Array
  readonly blockId: BlockId
  /** Consensus transactions, as received. */
  readonly txs: readonly Uint8Array[]
  readonly results: readonly TxResult[]
  /** Commit of the previous block. */
  readonly lastCommit: Commit | undefined
  /** Commit of this block, as this node received it. */
  readonly commit: Commit
  readonly blockEvents: readonly ChainEvent[]
  readonly evmTxs: readonly EvmTx[]
  readonly evmGasUsed: bigint
  readonly baseFeeWei: bigint
  readonly gasLimit: bigint
  /** EVM address of the proposer's operator; zero if unknown. */
  readonly coinbase: Uint8Array
  /** PREVRANDAO that a development chain set; else it follows from the block. */
  readonly prevRandao?: Uint8Array | undefined
  /** Encoded `tendermint.types.Evidence` of misbehaviour, of a block that another node executed; absent without any. */
  readonly evidence?: readonly Uint8Array[] | undefined
  /** App hash after this block. */
  readonly nextAppHash: Uint8Array
  /** Whether the block comes from a loaded state, and was not executed. Only listeners of new blocks are told. */
  readonly isAdopted?: boolean
}
