/** An application of the engine that does nothing: what remains of the time is the engine's, and that of the sockets between. */
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import type { Application } from '../../src/consensus/cometbft/application.ts'
import { serveAbci } from '../../src/consensus/cometbft/server.ts'
import { ResponseProcessProposal_ProposalStatus, ResponseSchema } from '../../src/gen/tendermint/abci/types_pb.ts'

/** The app hash of every block. */
const APP_HASH = new Uint8Array(32).fill(7)

export interface BareApplication {
  readonly address: string
  /** Height of the latest block, and the time of the first one of this engine, milliseconds. */
  height(): number
  startedMs(): number
  /** Forgets its blocks, so that the next engine sends them again. */
  forget(): void
  close(): Promise<void>
}

/** Serves it at an address of ABCI. It admits each transaction with 1 gas. */
export async function serveBareApplication(at: string): Promise<BareApplication> {
  let height = 0n
  let startedMs = 0

  function answerOf(request: Parameters<Application>[0]): MessageInitShape<typeof ResponseSchema>['value'] {
    switch (request.case) {
      case 'info':
        return { case: 'info', value: { lastBlockHeight: height, ...(height > 0n && { lastBlockAppHash: APP_HASH }) } }
      case 'initChain':
        return { case: 'initChain', value: { appHash: APP_HASH } }
      case 'checkTx':
        return { case: 'checkTx', value: { gasWanted: 1n } }
      case 'prepareProposal':
        return { case: 'prepareProposal', value: { txs: request.value.txs } }
      case 'processProposal':
        return { case: 'processProposal', value: { status: ResponseProcessProposal_ProposalStatus.ACCEPT } }
      case 'finalizeBlock':
        if (startedMs === 0) startedMs = performance.now()
        height = request.value.height
        return { case: 'finalizeBlock', value: { appHash: APP_HASH, txResults: request.value.txs.map(() => ({})) } }
      case 'flush':
      case 'commit':
      case 'query':
      case 'listSnapshots':
        return { case: request.case, value: {} }
      default:
        throw new Error(`the bare application does not answer ${request.case}`)
    }
  }

  const fail = (error: unknown): void => console.error(error)
  const { address, close } = await serveAbci({
    address: at,
    application: (request) => create(ResponseSchema, { value: answerOf(request)! }),
    onFailure: fail,
    onBadClient: fail,
  })
  return {
    address,
    height: () => Number(height),
    startedMs: () => startedMs,
    forget() {
      height = 0n
      startedMs = 0
    },
    close,
  }
}
