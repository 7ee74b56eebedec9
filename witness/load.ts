/** A recording put into the store and the index, with the node's own gateways over them. */

import type { GatewayNode } from '../src/api/gateway.ts'
import type { Engine } from '../src/api/node-info.ts'
import { createApplication } from '../src/app/application.ts'
import { createJobs } from '../src/app/jobs.ts'
import type { BlockHeader, BlockId, Commit, StoredBlock, TxResult, Validator } from '../src/app/records.ts'
import type { Application, GenesisDocument } from '../src/app/types.ts'
import { NO_BLOCK_ID } from '../src/consensus/comet/hashes.ts'
import type { Driver } from '../src/consensus/driver.ts'
import { evmChainIdOf } from '../src/identity/identity.ts'
import type { Identity } from '../src/identity/types.ts'
import { openBlockIndex } from '../src/indexer/block-index.ts'
import { openIndexer, validatorRow } from '../src/indexer/writer.ts'
import * as consensus from '../src/modules/consensus/keeper.ts'
import { BASE_FEE_WEI } from '../src/modules/evm/wei.ts'
import * as staking from '../src/modules/staking/keeper.ts'
import { resolveConfig } from '../src/node/config.ts'
import { createGatewayNode } from '../src/node/gateway-node.ts'
import { createInlineCompute } from '../src/node/inline-compute.ts'
import { createStateReader } from '../src/node/state-reader.ts'
import { EMPTY, hex } from '../src/primitives/bytes.ts'
import { queryError } from '../src/primitives/errors.ts'
import { parseRfc3339, ZERO_TIME_NS } from '../src/primitives/time.ts'
import { openMemory } from '../src/store/backend/memory.ts'
import { createEmptyBranch } from '../src/store/branch.ts'
import type { Change, Reader } from '../src/store/types.ts'
import { CHAIN_STORES, openVersionedStore, type VersionedStore } from '../src/store/versioned.ts'
import { stateOfAnswers } from './answered-state.ts'
import { receiptsOf } from './receipts.ts'
import type { RecordedBlock, RecordedBlockId, RecordedChanges, RecordedValidators, Recording } from './recording.ts'

export interface LoadedNode {
  readonly node: GatewayNode
  readonly engine: Engine
  readonly identity: Identity
  close(): Promise<void>
}

const CALL_TIMEOUT_MS = 60_000

/** A node at rest at the last recorded height, or at `lastHeight`. Throws where the recording is damaged. */
export async function loadRecording(
  recording: Recording,
  identity: Identity,
  lastHeight = Infinity,
): Promise<LoadedNode> {
  const genesis = recording.has('blocks') ? recording.genesis() : namelessGenesis(identity)
  const store = openVersionedStore(openMemory(), { hashedStores: CHAIN_STORES })
  const app = createApplication({
    identity,
    chainId: genesis.chain_id,
    evmChainId: evmChainIdOf(identity, genesis.chain_id),
    settings: { minGasPrices: '' },
  })
  if (recording.has('blocks')) await fill(store, app, identity, recording, lastHeight)
  else await fillFromAnswers(store, identity, recording)
  return { ...openGateway(store, app, identity, genesis), identity, close: () => store.close() }
}

/** What is left to say of a chain whose recording has no genesis. */
function namelessGenesis({ defaultChainId }: Identity): GenesisDocument {
  return {
    chain_id: defaultChainId,
    genesis_time: '1970-01-01T00:00:00Z',
    initial_height: '1',
    consensus_params: {},
    app_state: {},
  }
}

/** One height with the state that the answers tell of, under an empty block. */
async function fillFromAnswers(store: VersionedStore, identity: Identity, recording: Recording): Promise<void> {
  const { height, changes } = await stateOfAnswers(recording, identity)
  const commit: Commit = { height, round: 0, blockId: NO_BLOCK_ID, signatures: [] }
  const hashes = {
    ...{ lastCommitHash: EMPTY, dataHash: EMPTY, validatorsHash: EMPTY, nextValidatorsHash: EMPTY },
    ...{ consensusHash: EMPTY, appHash: EMPTY, lastResultsHash: EMPTY, evidenceHash: EMPTY, proposer: EMPTY },
  }
  const header = { chainId: identity.defaultChainId, height, timeNs: 0n, lastBlockId: NO_BLOCK_ID, ...hashes }
  store.commit({
    height,
    changes,
    records: (nextAppHash) =>
      openIndexer(store.tables).rows({
        ...{
          header,
          hash: new Uint8Array(32),
          blockId: NO_BLOCK_ID,
          txs: [],
          results: [],
          lastCommit: undefined,
          commit,
        },
        ...{ blockEvents: [], evmTxs: [], evmGasUsed: 0n, baseFeeWei: BASE_FEE_WEI, gasLimit: 0n },
        ...{ coinbase: new Uint8Array(20), nextAppHash },
      }),
  })
}

/** Every height's changes, block, receipts and validators, in one commit each. */
async function fill(
  store: VersionedStore,
  app: Application,
  identity: Identity,
  recording: Recording,
  lastHeight: number,
): Promise<void> {
  const indexer = openIndexer(store.tables)
  const changes = recording.changes()
  const validators = recording.validators()
  let pending: RecordedBlock | undefined
  let set = ''
  const commit = async (block: RecordedBlock, next: RecordedBlock | undefined): Promise<void> => {
    const written = changesOf(await nextAt(changes, block.height, 'changes'))
    const members = validatorsOf(await nextAt(validators, block.height, 'validators'))
    const facts = factsBefore(store, app, block, written)
    store.commit({
      height: BigInt(block.height),
      changes: written,
      records(appHash) {
        const rows = indexer.rows(storedBlock(identity, block, next, facts, appHash))
        const text = JSON.stringify(members, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
        if (text !== set) rows.push(validatorRow(BigInt(block.height), members))
        set = text
        return rows
      },
    })
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

function changesOf({ changes }: RecordedChanges): Change[] {
  return changes.map(({ store, key, value = '', delete: deleted }) => ({
    store,
    key: hex(key),
    value: deleted ? undefined : hex(value),
  }))
}

function validatorsOf({ validators }: RecordedValidators): Validator[] {
  return validators.map(({ address, pubKey, votingPower, proposerPriority }) => ({
    address: bytesOfHex(address),
    publicKey: bytesOfBase64(pubKey.value),
    power: BigInt(votingPower),
    priority: BigInt(proposerPriority),
  }))
}

/** What the state before a block says of it: gas limit and the proposer's operator. */
interface BlockFacts {
  readonly evmChainId: bigint
  readonly gasLimit: bigint
  readonly coinbase: Uint8Array
}

function factsBefore(
  store: VersionedStore,
  app: Application,
  block: RecordedBlock,
  written: readonly Change[],
): BlockFacts {
  const snapshot = store.latestHeight() > 0n ? store.at() : undefined
  const header = {
    height: BigInt(block.height),
    timeNs: timeOf(block.time),
    proposer: bytesOfHex(block.proposer),
    hash: bytesOfHex(block.hash),
    lastCommitHash: bytesOfHex(block.header.last_commit_hash),
  }
  const ctx = app.readContext(snapshot ?? stateOf(written), header)
  try {
    const operator = staking.operatorOf(ctx, header.proposer)
    return {
      evmChainId: ctx.block.evmChainId,
      gasLimit: consensus.blockGasLimit(ctx),
      coinbase: operator?.length === 20 ? operator : new Uint8Array(20),
    }
  } finally {
    snapshot?.close()
  }
}

/** The state that the first block's changes, genesis included, make of nothing. */
function stateOf(written: readonly Change[]): Reader {
  const branch = createEmptyBranch()
  for (const { store, key, value } of written) if (value) branch.set(store, key, value)
  return branch
}

const bytesOfBase64 = (text: string | null | undefined): Uint8Array => new Uint8Array(Buffer.from(text ?? '', 'base64'))
const bytesOfHex = (text: string): Uint8Array => hex(text.toLowerCase())
const timeOf = (text: string): bigint => parseRfc3339(text) ?? ZERO_TIME_NS

const blockIdOf = ({ hash, parts }: RecordedBlockId): BlockId => ({
  hash: bytesOfHex(hash),
  partsTotal: parts.total,
  partsHash: bytesOfHex(parts.hash),
})

function headerOf({ header }: RecordedBlock): BlockHeader {
  const text = (name: string): string => String(header[name])
  const bytes = (name: string): Uint8Array => bytesOfHex(text(name))
  return {
    chainId: text('chain_id'),
    height: BigInt(text('height')),
    timeNs: timeOf(text('time')),
    lastBlockId: blockIdOf(header['last_block_id'] as RecordedBlockId),
    lastCommitHash: bytes('last_commit_hash'),
    dataHash: bytes('data_hash'),
    validatorsHash: bytes('validators_hash'),
    nextValidatorsHash: bytes('next_validators_hash'),
    consensusHash: bytes('consensus_hash'),
    appHash: bytes('app_hash'),
    lastResultsHash: bytes('last_results_hash'),
    evidenceHash: bytes('evidence_hash'),
    proposer: bytes('proposer_address'),
  }
}

function commitOf({ lastCommit }: RecordedBlock): Commit | undefined {
  if (!lastCommit || lastCommit.height === 0) return undefined
  const { height, round, blockId, signatures } = lastCommit
  return {
    height: BigInt(height),
    round,
    blockId: blockIdOf(blockId),
    signatures: signatures.map(({ validatorAddress, flag, timestamp, signature }) => ({
      flag: flag as 1 | 2 | 3,
      validator: bytesOfHex(validatorAddress),
      timeNs: timeOf(timestamp),
      signature: bytesOfBase64(signature),
    })),
  }
}

function resultsOf(block: RecordedBlock): TxResult[] {
  return block.results.map(({ data, gasWanted, gasUsed, ...result }) => ({
    ...result,
    data: bytesOfBase64(data),
    gasWanted: BigInt(gasWanted),
    gasUsed: BigInt(gasUsed),
  }))
}

function storedBlock(
  identity: Identity,
  block: RecordedBlock,
  next: RecordedBlock | undefined,
  { evmChainId, gasLimit, coinbase }: BlockFacts,
  nextAppHash: Uint8Array,
): StoredBlock {
  const txs = block.txs.map(bytesOfBase64)
  const results = resultsOf(block)
  const evmTxs = receiptsOf(identity, evmChainId, txs, results)
  const hash = bytesOfHex(block.hash)
  const { total, hash: partsHash } = block.partSetHeader
  const blockId = { hash, partsTotal: total, partsHash: bytesOfHex(partsHash) }
  return {
    header: headerOf(block),
    hash,
    blockId,
    txs,
    results,
    lastCommit: commitOf(block),
    commit: (next && commitOf(next)) ?? { height: BigInt(block.height), round: 0, blockId, signatures: [] },
    blockEvents: [...block.beginBlockEvents, ...block.endBlockEvents],
    evmTxs,
    evmGasUsed: evmTxs.reduce((sum, { gasUsed }) => sum + gasUsed, 0n),
    baseFeeWei: BASE_FEE_WEI,
    gasLimit,
    coinbase,
    nextAppHash,
  }
}

/** A driver whose chain stands still. */
function restingDriver(latest: () => { readonly height: bigint; readonly timeNs: bigint }): Driver {
  const refuse = () => Promise.reject(queryError('unavailable', 'a recording makes no blocks'))
  return {
    submit: refuse,
    submitAndWait: refuse,
    nextBlock: refuse,
    nextHeader: refuse,
    pending: () => [],
    pendingCount: () => ({ count: 0, sizeBytes: 0 }),
    onBlock: () => () => false,
    onPending: () => () => false,
    onRollback: () => () => false,
    status: () => ({ catchingUp: false, latestHeight: latest().height, latestTimeNs: latest().timeNs }),
    stop: async () => undefined,
  } as Driver
}

function openGateway(store: VersionedStore, app: Application, identity: Identity, genesis: GenesisDocument) {
  const { config } = resolveConfig({ caller: { api: { tx: true } } })
  const blocks = openBlockIndex(store.tables, () => store.latestHeight())
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
  const latest = () => blocks.header(store.latestHeight())!.header
  const driver = restingDriver(latest)
  const engine: Engine = {
    nodeId: new Uint8Array(20),
    moniker: 'witness',
    listenAddress: '',
    rpcAddress: '',
    validatorKey: undefined,
    genesis: () => genesis,
    check: () => {
      throw queryError('unavailable', 'a recording takes no transactions')
    },
    simulate: () => Promise.reject(queryError('unavailable', 'a recording takes no transactions')),
  }
  const node = createGatewayNode({
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
    engine,
    devKeys: undefined,
    observe: undefined,
    log,
    now: Date.now,
  })
  return { node, engine }
}
