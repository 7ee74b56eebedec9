/** The methods of the CometBFT RPC, by wire name (docs/cometbft.md#rpc). Subscriptions are in `events.ts`. */
import type { TxResult } from '../../app/records.ts'
import {
  blockIdJson,
  commitJson,
  eventsJson,
  formatUpperHex,
  headerJson,
  txResultJson,
  validatorJson,
} from '../../consensus/comet/block-json.ts'
import { NO_BLOCK_ID, sortValidators } from '../../consensus/comet/hashes.ts'
import { blockMetaJson } from '../../consensus/comet/stored-block-json.ts'
import type { Admission } from '../../consensus/driver.ts'
import * as upgrade from '../../modules/upgrade/keeper.ts'
import { EMPTY, formatBase64 } from '../../primitives/bytes.ts'
import { ChainError, queryError } from '../../primitives/errors.ts'
import { sha256 } from '../../primitives/hash.ts'
import { isAlreadyPending } from '../admission.ts'
import type { GatewayNode } from '../gateway.ts'
import { longList } from '../long-json.ts'
import { engineDocument } from '../openrpc/engine.ts'
import { pendingCount, pendingTxs } from '../pending-txs.ts'
import { parseSearch } from '../search/either-name.ts'
import { page, requireShort } from '../search/page.ts'
import { SEARCH_BUDGET_MS, type SearchOptions, searchBlocks, searchTxs } from '../search/search.ts'
import { APPLICATION_NAME } from '../software.ts'
import { abciQuery, consensusParams, consensusParamUpdates } from './abci.ts'
import {
  blockJsonSize,
  blockOfHash,
  longResultJson,
  requireBlock,
  requireHeight,
  txJson,
  txJsonSize,
  validatorUpdates,
  wholeBlockJson,
} from './blocks.ts'
import { changedBlocks, MAX_CHANGED_BLOCKS, requireChanges } from './changes.ts'
import { consensusMethods } from './consensus-methods.ts'
import { isFirstLine, searchedBlocks } from './engine.ts'
import { type CometMethod, consensusMethod, type Json, method, poolMethod } from './method.ts'
import { genesisBytes, genesisJson, statusOf } from './node.ts'
import { offeredSnapshots, snapshotChunk } from './snapshots.ts'

/** Time that `broadcast_tx_commit` waits for the block, as in CometBFT. Beyond: an error; the transaction stays in the pool. */
const COMMIT_TIMEOUT_MS = 10_000
const GENESIS_CHUNK_BYTES = 16 * 1024 * 1024
/** Blocks in one `blockchain`, as in CometBFT. Beyond: the answer has the newest of them. */
const MAX_BLOCK_METAS = 20n

/** Returns the number of upgrades so far (docs/modules/upgrade.md#state); omitted before the first. */
function appVersion(node: GatewayNode, height: bigint): { readonly app_version?: string } {
  const version = node.withContext(height, upgrade.protocolVersion)
  return version === 0n ? {} : { app_version: version.toString() }
}

/** Returns the OpenRPC document of the methods that this node serves. */
export function discovered({ settings }: GatewayNode): Json {
  const served = Object.entries(cometMethods).filter(([, { isUnsafe }]) => !isUnsafe || settings.unsafeEngineRpc)
  return engineDocument(Object.fromEntries(served.map(([name, { params }]) => [name, params])), settings.version)
}

export const cometMethods: Readonly<Record<string, CometMethod>> = {
  ...consensusMethods,

  health: consensusMethod({}, () => ({})),

  'rpc.discover': method({}, ({ node }) => discovered(node)),

  status: method({}, ({ node, nodeInfo }) => statusOf(node, nodeInfo)),

  net_info: consensusMethod({}, () => ({ listening: false, listeners: [], n_peers: '0', peers: [] })),

  abci_info: method({}, ({ node }) => {
    const latest = node.blocks.block(node.blocks.latestHeight())
    return {
      response: {
        data: APPLICATION_NAME,
        version: node.settings.version,
        ...(latest && {
          ...appVersion(node, latest.header.height),
          last_block_height: latest.header.height.toString(),
          last_block_app_hash: formatBase64(latest.nextAppHash),
        }),
      },
    }
  }),

  abci_query: method({ path: 'text', data: 'hexBytes', height: 'int', prove: 'bool' }, abciQuery),

  genesis: consensusMethod(
    {},
    ({ nodeInfo }) => {
      const genesis = nodeInfo.genesis()
      if (genesisBytes(nodeInfo).length > GENESIS_CHUNK_BYTES) {
        throw queryError('resourceExhausted', 'genesis response is large, please use the genesis_chunked API instead')
      }
      return { genesis: genesisJson(genesis) }
    },
    'fixed',
  ),

  genesis_chunked: consensusMethod(
    { chunk: 'int' },
    ({ nodeInfo }, { chunk = 0n }) => {
      const bytes = genesisBytes(nodeInfo)
      const total = Math.max(1, Math.ceil(bytes.length / GENESIS_CHUNK_BYTES))
      if (chunk < 0n || chunk >= BigInt(total)) {
        throw queryError(
          'outOfRange',
          `there are ${total} chunks, ${chunk} is invalid (should be between 0 and ${total - 1})`,
        )
      }
      const start = Number(chunk) * GENESIS_CHUNK_BYTES
      const data = formatBase64(bytes.subarray(start, start + GENESIS_CHUNK_BYTES))
      return { chunk: chunk.toString(), total: total.toString(), data }
    },
    'fixed',
  ),

  block: consensusMethod(
    { height: 'int' },
    ({ node }, { height }) => {
      return wholeBlockJson(requireBlock(node, height))
    },
    'byHeight',
  ),

  block_by_hash: consensusMethod(
    { hash: 'base64Bytes' },
    ({ node }, { hash }) => {
      const block = blockOfHash(node, hash)
      return block ? wholeBlockJson(block) : { block_id: blockIdJson(NO_BLOCK_ID), block: null }
    },
    'fixed',
  ),

  header: consensusMethod(
    { height: 'int' },
    ({ node }, { height }) => ({ header: headerJson(requireBlock(node, height).header) }),
    'byHeight',
  ),

  header_by_hash: consensusMethod(
    { hash: 'hexBytes' },
    ({ node }, { hash }) => {
      const block = blockOfHash(node, hash)
      return { header: block ? headerJson(block.header) : null }
    },
    'fixed',
  ),

  blockchain: consensusMethod(
    { minHeight: 'int', maxHeight: 'int' },
    ({ node }, { minHeight = 0n, maxHeight = 0n }) => {
      const { blocks } = node
      const [earliest, latest] = [blocks.earliestHeight(), blocks.latestHeight()]
      if (minHeight < 0n || maxHeight < 0n) throw queryError('invalidArgument', 'heights must be non-negative')
      const max = maxHeight === 0n || maxHeight > latest ? latest : maxHeight
      const floor = max - MAX_BLOCK_METAS + 1n
      const min = [minHeight, earliest, floor].reduce((a, b) => (a > b ? a : b))
      if (minHeight > max) {
        throw queryError('invalidArgument', `min height ${minHeight} can't be greater than max height ${max}`)
      }
      const metas: Json[] = []
      for (let height = max; height >= min; height--) {
        const block = blocks.block(height)
        if (block) metas.push(blockMetaJson(block))
      }
      return { last_height: latest.toString(), block_metas: metas }
    },
  ),

  commit: consensusMethod(
    { height: 'int' },
    ({ node }, { height }) => {
      const block = requireBlock(node, height)
      const canonical = node.blocks.block(block.header.height + 1n)?.lastCommit
      return {
        signed_header: { header: headerJson(block.header), commit: commitJson(canonical ?? block.commit) },
        canonical: canonical !== undefined,
      }
    },
    'byHeight',
  ),

  block_results: method(
    { height: 'int' },
    async ({ node, nodeInfo }, { height }, signal) => {
      const block = requireBlock(node, height)
      const { engine } = nodeInfo
      if (engine && (await isFirstLine(engine))) {
        return await engine.call('block_results', { height: block.header.height.toString() }, signal)
      }
      return {
        height: block.header.height.toString(),
        txs_results: block.results.length === 0 ? null : longList(() => resultsJson(block.results)),
        finalize_block_events: block.blockEvents.length === 0 ? null : eventsJson(block.blockEvents),
        validator_updates: validatorUpdates(node, block.header.height),
        consensus_param_updates: await consensusParamUpdates(node, block.header.height),
        app_hash: formatBase64(block.nextAppHash),
      }
    },
    'byHeight',
  ),

  validators: consensusMethod(
    { height: 'int', page: 'int', per_page: 'int' },
    ({ node }, { height, page: pageNumber, per_page: perPage }) => {
      const latest = node.blocks.latestHeight()
      const asked = height ?? latest + 1n
      if (asked !== latest + 1n) requireHeight(node, asked)
      const validators = sortValidators(node.blocks.validators(asked) ?? node.blocks.validators(latest) ?? [])
      const { items } = page(validators, pageNumber, perPage)
      return {
        block_height: asked.toString(),
        validators: items.map(validatorJson),
        count: items.length.toString(),
        total: validators.length.toString(),
      }
    },
    'byHeight',
  ),

  consensus_params: consensusMethod(
    { height: 'int' },
    async ({ node }, { height }) => {
      const latest = node.blocks.latestHeight()
      const asked = height ?? latest + 1n
      if (asked !== latest + 1n) requireHeight(node, asked)
      const params = await consensusParams(node, asked > latest ? latest : asked)
      return { block_height: asked.toString(), consensus_params: params }
    },
    'byHeight',
  ),

  tx: method(
    { hash: 'base64Bytes', prove: 'bool' },
    ({ node }, { hash = EMPTY, prove = false }) => {
      const position = hash.length === 32 ? node.blocks.tx(hash) : undefined
      const found = position && txJson(node, position, prove)
      if (!found) throw queryError('notFound', `tx (${formatUpperHex(hash)}) not found`)
      return found
    },
    'fixed',
  ),

  tx_search: method(
    { query: 'text', prove: 'bool', page: 'int', per_page: 'int', order_by: 'text' },
    async ({ node }, { query = '', prove = false, page: pageNumber, per_page: perPage, order_by: order }, signal) => {
      const found = await searchTxs(
        node.blocks,
        parseSearch(node.identity, query),
        searchOptions(node, order, 'asc', signal),
      )
      const wanted = page(found, pageNumber, perPage)
      await requireShort(wanted, (position) => txJsonSize(node, position), 'per_page', signal)
      return {
        txs: longList(() => mapped(wanted.items, (position) => txJson(node, position, prove))),
        total_count: wanted.total.toString(),
      }
    },
  ),

  block_search: method(
    { query: 'text', page: 'int', per_page: 'int', order_by: 'text' },
    async ({ node, nodeInfo }, { query = '', page: pageNumber, per_page: perPage, order_by: order }, signal) => {
      const found = await searchBlocks(
        node.blocks,
        parseSearch(node.identity, query),
        searchOptions(node, order, 'desc', signal),
      )
      const wanted = page(found, pageNumber, perPage)
      await requireShort(wanted, (height) => blockJsonSize(node, height), 'per_page', signal)
      return {
        blocks: nodeInfo.engine
          ? await searchedBlocks(nodeInfo.engine, wanted.items, signal)
          : longList(() => mapped(wanted.items, (height) => wholeBlockJson(requireBlock(node, height)))),
        total_count: wanted.total.toString(),
      }
    },
  ),

  changes: method({ from: 'int', count: 'int' }, ({ node }, { from, count = 1n }) => {
    const first = from ?? node.blocks.latestHeight()
    requireHeight(node, first)
    if (count < 1n || count > MAX_CHANGED_BLOCKS)
      throw queryError('invalidArgument', `count must be 1 to ${MAX_CHANGED_BLOCKS}, but got ${count}`)
    requireChanges(node, first)
    return { blocks: longList(() => changedBlocks(node, first, count)) }
  }),

  snapshots: method({}, ({ nodeInfo }) => offeredSnapshots(nodeInfo)),

  snapshot_chunk: method({ height: 'int', chunk: 'int' }, ({ nodeInfo }, { height = 0n, chunk = 0n }) =>
    snapshotChunk(nodeInfo, height, chunk),
  ),

  broadcast_tx_sync: method({ tx: 'base64Bytes' }, async ({ node }, { tx = EMPTY }) => {
    const admission = await node.driver.submit(tx)
    refuseKnown(admission)
    return {
      code: admission.code,
      data: '',
      log: admission.log,
      codespace: admission.codespace,
      hash: formatUpperHex(admission.hash),
    }
  }),

  broadcast_tx_async: method({ tx: 'base64Bytes' }, ({ node }, { tx = EMPTY }) => {
    node.driver.submit(tx).catch((error: unknown) => {
      node.log('debug', 'a transaction sent without waiting was refused', { error: String(error) })
    })
    return { code: 0, data: '', log: '', codespace: '', hash: formatUpperHex(sha256(tx)) }
  }),

  broadcast_tx_commit: method({ tx: 'base64Bytes' }, async ({ node }, { tx = EMPTY }) => {
    const { admission, inclusion } = await node.driver.submitAndWait(tx, COMMIT_TIMEOUT_MS).catch((error: unknown) => {
      if (!(error instanceof ChainError) || error.status !== 'deadlineExceeded') throw error
      throw queryError('deadlineExceeded', 'timed out waiting for tx to be included in a block')
    })
    refuseKnown(admission)
    return {
      check_tx: txResultJson({ ...NO_RESULT, ...admission }),
      tx_result: txResultJson(inclusion?.result ?? NO_RESULT),
      hash: formatUpperHex(admission.hash),
      height: (inclusion?.height ?? 0n).toString(),
    }
  }),

  check_tx: method({ tx: 'base64Bytes' }, async ({ nodeInfo }, { tx = EMPTY }) =>
    txResultJson({ ...NO_RESULT, ...(await nodeInfo.check(tx)) }),
  ),

  unconfirmed_txs: poolMethod({ limit: 'int' }, ({ node }, { limit = 30n }) => {
    const most = limit < 1n ? 30 : limit > 100n ? 100 : Number(limit)
    const txs = pendingTxs(node).slice(0, most)
    return { ...poolCounts(node, txs.length), txs: txs.map(({ bytes }) => formatBase64(bytes)) }
  }),

  num_unconfirmed_txs: poolMethod({}, ({ node }) => ({
    ...poolCounts(node, pendingCount(node).count),
    txs: null,
  })),
}

const NO_RESULT: TxResult = {
  code: 0,
  codespace: '',
  log: '',
  info: '',
  data: EMPTY,
  gasWanted: 0n,
  gasUsed: 0n,
  events: [],
}

/** Throws for a transaction that the mempool already has, in the text of CometBFT. */
function refuseKnown(admission: Admission): void {
  if (isAlreadyPending(admission)) throw queryError('alreadyExists', 'tx already exists in cache')
}

function poolCounts(node: GatewayNode, count: number): Json {
  const { count: total, sizeBytes } = pendingCount(node)
  return { n_txs: count.toString(), total: total.toString(), total_bytes: sizeBytes.toString() }
}

function* mapped<In, Out>(items: readonly In[], map: (item: In) => Out): Iterable<Out> {
  for (const item of items) yield map(item)
}

const resultsJson = (results: readonly TxResult[]): Iterable<Json> => mapped(results, longResultJson)

function searchOptions(
  node: GatewayNode,
  order: string | undefined,
  standard: 'asc' | 'desc',
  signal: AbortSignal | undefined,
): SearchOptions {
  const chosen = order === undefined || order === '' ? standard : order
  if (chosen !== 'asc' && chosen !== 'desc') {
    throw queryError('invalidArgument', 'expected order_by to be either `asc` or `desc` or empty')
  }
  return { newestFirst: chosen === 'desc', now: node.now, budgetMs: SEARCH_BUDGET_MS, signal }
}
