/** Loads a recording into a store and its index, and opens the node's gateways over them. */

import type { GatewayNode } from '../src/api/gateway.ts'
import type { CometNodeInfo } from '../src/api/node-info.ts'
import { ownPorts } from '../src/api/transport/ports.ts'
import { createApplication } from '../src/app/application.ts'
import { createJobs } from '../src/app/jobs.ts'
import type { Commit } from '../src/app/records.ts'
import { REFERENCE_STORES } from '../src/app/stores.ts'
import type { Application, GenesisDocument } from '../src/app/types.ts'
import { NO_BLOCK_ID } from '../src/consensus/comet/hashes.ts'
import type { Driver } from '../src/consensus/driver.ts'
import type { Executor } from '../src/consensus/execution.ts'
import { createExecutor } from '../src/consensus/executor.ts'
import { factsBefore, recordOf } from '../src/consensus/follow/node-block.ts'
import { evmChainIdOf } from '../src/identity/identity.ts'
import type { Identity } from '../src/identity/types.ts'
import { BASE_FEE_WEI } from '../src/modules/evm/wei.ts'
import { resolveConfig } from '../src/node/config.ts'
import { createGatewayNode } from '../src/node/gateway-node.ts'
import { createInlineCompute } from '../src/node/inline-compute.ts'
import { createStateReader } from '../src/node/state-reader.ts'
import { EMPTY } from '../src/primitives/bytes.ts'
import { queryError } from '../src/primitives/errors.ts'
import { openMemory } from '../src/store/backend/memory.ts'
import { openVersionedStore, type VersionedStore } from '../src/store/versioned.ts'
import { stateOfAnswers } from './answered-state.ts'
import { changesOf, nodeBlockOf, validatorsOf } from './recorded-block.ts'
import type { RecordedBlock, Recording } from './recording.ts'

export interface LoadedNode {
  readonly node: GatewayNode
  readonly nodeInfo: CometNodeInfo
  readonly identity: Identity
  /** Height of the snapshot that it began with; absent if it has the whole recording. */
  readonly begin?: bigint
  close(): Promise<void>
}

const CALL_TIMEOUT_MS = 60_000

/** Loads a node at the last recorded height, or at `lastHeight`. Its chain makes no blocks. Throws for a damaged recording. */
export async function loadRecording(
  recording: Recording,
  identity: Identity,
  lastHeight = Infinity,
): Promise<LoadedNode> {
  const genesis = recording.has('blocks') ? recording.genesis() : emptyGenesis(identity)
  const store = openVersionedStore(openMemory(), REFERENCE_STORES)
  const app = createApplication({
    identity,
    chainId: genesis.chain_id,
    evmChainId: evmChainIdOf(identity, genesis.chain_id),
    settings: { minGasPrices: '' },
  })
  const executor = createExecutor({
    app,
    store,
    elapsed: () => performance.now(),
    onHalt: ({ reason }) => {
      throw new Error(reason)
    },
    onListenerFailure(error) {
      throw error
    },
  })
  if (recording.has('blocks')) await loadBlocks(store, executor, app, identity, recording, lastHeight)
  else await loadAnswers(executor, identity, recording)
  return {
    ...openGateway(store, executor, app, identity, genesis),
    identity,
    close: () => store.close(),
  }
}

/** Returns an empty genesis document, for a recording without one. */
function emptyGenesis({ defaultChainId }: Identity): GenesisDocument {
  return {
    chain_id: defaultChainId,
    genesis_time: '1970-01-01T00:00:00Z',
    initial_height: '1',
    consensus_params: {},
    app_state: {},
  }
}

/** Commits one height with the state that the recorded answers show, under an empty block. */
async function loadAnswers(executor: Executor, identity: Identity, recording: Recording): Promise<void> {
  const { height, changes } = await stateOfAnswers(recording, identity)
  const commit: Commit = { height, round: 0, blockId: NO_BLOCK_ID, signatures: [] }
  const hashes = {
    ...{ lastCommitHash: EMPTY, dataHash: EMPTY, validatorsHash: EMPTY, nextValidatorsHash: EMPTY },
    ...{ consensusHash: EMPTY, appHash: EMPTY, lastResultsHash: EMPTY, evidenceHash: EMPTY, proposer: EMPTY },
  }
  const header = { chainId: identity.defaultChainId, height, timeNs: 0n, lastBlockId: NO_BLOCK_ID, ...hashes }
  executor.commitForeign(
    {
      height,
      record: (nextAppHash) => ({
        ...{ header, hash: new Uint8Array(32), blockId: NO_BLOCK_ID, txs: [], results: [] },
        ...{ lastCommit: undefined, commit, blockEvents: [], evmTxs: [], evmGasUsed: 0n, baseFeeWei: BASE_FEE_WEI },
        ...{ gasLimit: 0n, coinbase: new Uint8Array(20), nextAppHash },
      }),
    },
    changes,
  )
}

/** Commits every recorded height: changes, block, receipts and validators. */
async function loadBlocks(
  store: VersionedStore,
  executor: Executor,
  app: Application,
  identity: Identity,
  recording: Recording,
  lastHeight: number,
): Promise<void> {
  const changes = recording.changes()
  const validators = recording.validators()
  let pending: RecordedBlock | undefined
  let lastSet = ''
  const commit = async (block: RecordedBlock, next: RecordedBlock | undefined): Promise<void> => {
    const written = changesOf(await nextAt(changes, block.height, 'changes'))
    const members = validatorsOf(await nextAt(validators, block.height, 'validators'))
    const found = nodeBlockOf(block, next)
    const facts = factsBefore(app, store, found, written)
    const set = JSON.stringify(members, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
    executor.commitForeign(
      {
        height: BigInt(block.height),
        record: (appHash) => recordOf(identity, found, facts, appHash),
        validators: set === lastSet ? undefined : members,
      },
      written,
    )
    lastSet = set
  }
  for await (const block of recording.blocks()) {
    if (pending) await commit(pending, block)
    pending = block
    if (block.height > lastHeight) return
  }
  if (pending) await commit(pending, undefined)
}

async function nextAt<T extends { readonly height: number }>(
  lines: AsyncGenerator<T>,
  height: number,
  what: string,
): Promise<T> {
  const { value, done } = await lines.next()
  if (done) throw queryError('dataLoss', `the recording ends: no ${what} of height ${height}`)
  if (value.height !== height) {
    throw queryError('dataLoss', `the recording has ${what} of height ${value.height} where ${height} is due`)
  }
  return value
}

/** Returns a driver that accepts no transactions and makes no blocks. */
function idleDriver(executor: Executor): Driver {
  const refuse = () => Promise.reject(queryError('unavailable', 'a recorded chain makes no blocks'))
  return {
    submit: refuse,
    submitAndWait: refuse,
    nextHeader: refuse,
    onBlock: executor.onBlock,
    onPending: () => () => {},
    onRollback: executor.onRollback,
    onHalt: (listener) => executor.onHalt(() => listener()),
    status: () => ({ catchingUp: false, ...executor.status() }),
    onStop: () => () => {},
    drain: async () => undefined,
    stop: async () => undefined,
  }
}

function openGateway(
  store: VersionedStore,
  executor: Executor,
  app: Application,
  identity: Identity,
  genesis: GenesisDocument,
) {
  const { config } = resolveConfig({ caller: { api: { tx: true } } })
  const { blocks } = executor
  const withContext = createStateReader(store, blocks, app)
  const jobs = createJobs(app)
  const log: GatewayNode['log'] = (level, message, fields) => {
    if (level === 'error') process.stderr.write(`${message} ${JSON.stringify(fields)}\n`)
  }
  const compute = createInlineCompute({
    jobs,
    withContext,
    timeoutMs: CALL_TIMEOUT_MS,
    log,
    elapsed: () => performance.now(),
  })
  const driver = idleDriver(executor)
  const nodeInfo: CometNodeInfo = {
    nodeId: new Uint8Array(20),
    moniker: 'witness',
    listenAddress: '',
    rpcAddress: '',
    validatorKey: undefined,
    genesis: () => genesis,
    check: () => {
      throw queryError('unavailable', 'a recorded chain accepts no transactions')
    },
    simulate: () => Promise.reject(queryError('unavailable', 'a recorded chain accepts no transactions')),
  }
  const node = createGatewayNode({
    ports: ownPorts,
    config,
    identity,
    chainId: genesis.chain_id,
    evmChainId: evmChainIdOf(identity, genesis.chain_id),
    queries: app.queries,
    jobs: Object.keys(jobs),
    compute,
    blocks,
    driver,
    withContext,
    nodeInfo,
    minGasPrice: () => '',
    devKeys: undefined,
    observe: undefined,
    log,
    now: Date.now,
  })
  return { node, nodeInfo }
}
