/**
 * The application that an engine of the CometBFT family drives, in versions 1.0 and 2.0 of ABCI. Version 1.0 executes a block by
 * BeginBlock, DeliverTx and EndBlock, and asks for the app hash with Commit; version 2.0 has FinalizeBlock for all of it.
 * Source: docs/cometbft.md.
 */
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import type { BlockOutput, GenesisDocument } from '../../app/types.ts'
import {
  type Request,
  type RequestInfo,
  type RequestInitChain,
  type RequestPrepareProposal,
  type RequestProcessProposal,
  type RequestQuery,
  type Response,
  type ResponseCheckTxSchema,
  ResponseProcessProposal_ProposalStatus,
  type ResponseQuerySchema,
  ResponseSchema,
  ResponseVerifyVoteExtension_VerifyStatus,
} from '../../gen/tendermint/abci/types_pb.ts'
import { EMPTY } from '../../primitives/bytes.ts'
import type { Executor } from '../execution.ts'
import { eventsOf, resultOf, shortResultOf, updatesOf } from './answers.ts'
import type { EngineBlocks } from './blocks.ts'
import { factsOfBegin, factsOfFinalize } from './facts.ts'
import { genesisOf } from './genesis.ts'
import type { Proposals } from './proposals.ts'
import { refuseChunk, refuseOffer } from './receive-state.ts'
import { listSnapshots, loadChunk, type ServedSnapshots } from './serve-state.ts'

/** The parts of a node that the application uses besides the chain. */
export interface EngineParts {
  readonly executor: Executor
  readonly blocks: EngineBlocks
  readonly proposals: Proposals
  /** Name and version that Info answers. */
  readonly name: string
  readonly version: string
  /** Number of the newest heights that are kept; 0 for all. */
  readonly keepHeights: number
  /** Whether the state has the whole headers of blocks. */
  readonly hasWholeHeaders: boolean
  /** The snapshots of this node, if it has a home. */
  readonly snapshots?: ServedSnapshots | undefined
  /** Called if the engine offers a snapshot although this node has blocks. */
  readonly onOffer?: (() => void) | undefined
  /** Receives the facts of the engine's Info before its answer. */
  onInfo(info: RequestInfo): void
  /** Throws if the document is not that of this node's chain. */
  requireGenesis(document: GenesisDocument): void
  /** Answers CheckTx. */
  check(tx: Uint8Array, isRecheck: boolean): MessageInitShape<typeof ResponseCheckTxSchema>
  query(request: RequestQuery): Promise<MessageInitShape<typeof ResponseQuerySchema>>
}

/** Answers requests. A rejection or a throw is a failure of this application: the engine must stop. */
export type Application = (request: Request['value']) => Response | Promise<Response>

const answer = (value: NonNullable<MessageInitShape<typeof ResponseSchema>['value']>): Response =>
  create(ResponseSchema, { value })

export function createEngineApplication(parts: EngineParts): Application {
  const { executor, blocks, proposals } = parts
  /** Number of events of the begin hooks, which version 1.0 has sent already. */
  let begun = 0

  function info(request: RequestInfo): Response {
    parts.onInfo(request)
    // The engine compares it with its own blocks, so it must survive a crash.
    blocks.flush()
    const { name: data, version } = parts
    if (executor.committedHeight() === 0n) return answer({ case: 'info', value: { data, version } })
    const { height, appHash } = executor.tip()
    return answer({
      case: 'info',
      value: { data, version, lastBlockHeight: height, lastBlockAppHash: appHash },
    })
  }

  /** Runs again at each start of the engine until the first block is durable. */
  function initChain(request: RequestInitChain): Response {
    const height = executor.committedHeight()
    if (height > 0n) throw new Error(`the engine begins the chain, which is at height ${height} here`)
    const document = genesisOf(request)
    parts.requireGenesis(document)
    executor.begin(document)
    const { validators, appHash } = executor.tip()
    return answer({ case: 'initChain', value: { validators: updatesOf(validators), appHash } })
  }

  /** Returns what a block changes in the engine. */
  const changesOf = (output: BlockOutput) => ({
    validatorUpdates: updatesOf(output.validatorUpdates),
    consensusParamUpdates: output.consensusParams,
  })

  function retainHeight(): bigint {
    // After a crash the engine must still have the held blocks.
    if (executor.heldCount() > 0) return 0n
    const { keepHeights, snapshots } = parts
    const first = executor.tip().height - BigInt(keepHeights) + 1n
    if (keepHeights === 0 || first <= 0n) return 0n
    const needed = snapshots?.oldest()
    return needed !== undefined && needed < first ? needed : first
  }

  function prepareProposal(request: RequestPrepareProposal): Response {
    blocks.goLive()
    return answer({ case: 'prepareProposal', value: { txs: [...proposals.prepare(request.txs, request.maxTxBytes)] } })
  }

  function processProposal(request: RequestProcessProposal): Response {
    blocks.goLive()
    const { ACCEPT, REJECT } = ResponseProcessProposal_ProposalStatus
    const status = proposals.isHonest(request.txs) ? ACCEPT : REJECT
    return answer({ case: 'processProposal', value: { status } })
  }

  return (request) => {
    switch (request.case) {
      case 'echo':
        return answer({ case: 'echo', value: { message: request.value.message } })
      case 'flush':
        return answer({ case: 'flush', value: {} })
      case 'info':
        return info(request.value)
      case 'query':
        return parts.query(request.value).then((value) => answer({ case: 'query', value }))
      case 'checkTx':
        return answer({ case: 'checkTx', value: parts.check(request.value.tx, request.value.type !== 0) })
      case 'initChain':
        return initChain(request.value)
      case 'prepareProposal':
        return prepareProposal(request.value)
      case 'processProposal':
        return processProposal(request.value)
      case 'beginBlock': {
        const events = blocks.begin(factsOfBegin(request.value, parts.hasWholeHeaders))
        begun = events.length
        return answer({ case: 'beginBlock', value: { events: eventsOf(events) } })
      }
      case 'deliverTx':
        return answer({ case: 'deliverTx', value: resultOf(blocks.deliver(request.value.tx)) })
      case 'endBlock': {
        const output = blocks.end()
        const events = eventsOf(output.blockEvents.slice(begun))
        return answer({ case: 'endBlock', value: { ...changesOf(output), events } })
      }
      case 'finalizeBlock': {
        blocks.begin(factsOfFinalize(request.value))
        const txResults = request.value.txs.map((tx) => shortResultOf(blocks.deliver(tx)))
        const output = blocks.end()
        const events = eventsOf(output.blockEvents)
        const value = { ...changesOf(output), events, txResults, appHash: blocks.appHash() }
        return answer({ case: 'finalizeBlock', value })
      }
      case 'commit': {
        // Version 2.0 has no field for the hash and ignores it.
        const { nextAppHash } = blocks.commit()
        return answer({ case: 'commit', value: { data: nextAppHash, retainHeight: retainHeight() } })
      }
      case 'extendVote':
        return answer({ case: 'extendVote', value: { voteExtension: EMPTY } })
      case 'verifyVoteExtension': {
        const { ACCEPT, REJECT } = ResponseVerifyVoteExtension_VerifyStatus
        const status = request.value.voteExtension.length === 0 ? ACCEPT : REJECT
        return answer({ case: 'verifyVoteExtension', value: { status } })
      }
      case 'listSnapshots':
        return listSnapshots(parts.snapshots)
      case 'loadSnapshotChunk':
        return loadChunk(parts.snapshots, request.value)
      case 'offerSnapshot':
        parts.onOffer?.()
        return refuseOffer()
      case 'applySnapshotChunk':
        return refuseChunk()
      default:
        throw new Error('the request is none of ABCI 1.0 or 2.0')
    }
  }
}
