/** Questions about the chain that the engine answers, since it alone has headers, commits and parts as they were signed. */
import type { BlockHeader, BlockId, Commit, CommitSignature, StoredBlock } from '../../app/records.ts'
import type { EngineCalls } from '../../consensus/cometbft/engine-rpc.ts'
import { EMPTY, parseBase64, parseHex } from '../../primitives/bytes.ts'
import { parseRfc3339 } from '../../primitives/time.ts'
import type { NodeInfo } from '../node-info.ts'
import type { CometEnvironment, CometMethod, Json } from './method.ts'
import { type Params, writeJsonParams } from './params.ts'

/** Asks the engine a method of this RPC, with parsed arguments. Rejects as `EngineCalls.call`. */
export function askEngine(
  engine: EngineCalls,
  name: string,
  { params: kinds }: CometMethod,
  params: Params<CometMethod['params']>,
  signal?: AbortSignal,
): Promise<Json> {
  return engine.call(name, writeJsonParams(kinds, params), signal)
}

/** Returns the engine, if it answers a method. */
export function engineFor({ nodeInfo }: CometEnvironment, { isOfEngine }: CometMethod): EngineCalls | undefined {
  return isOfEngine ? nodeInfo.engine : undefined
}

const lines = new WeakMap<EngineCalls, string>()

/** Whether an engine is of the line 0.37, whose block results have the events of begin and end hooks apart. */
export async function isFirstLine(engine: EngineCalls): Promise<boolean> {
  let version = lines.get(engine)
  if (version === undefined) {
    const { node_info: info } = (await engine.call('status', {})) as {
      readonly node_info?: { readonly version?: string }
    }
    version = info?.version ?? ''
    lines.set(engine, version)
  }
  return version.startsWith('0.37.')
}

/** Returns blocks with their ids, as the engine has them. */
export async function searchedBlocks(
  engine: EngineCalls,
  heights: readonly bigint[],
  signal?: AbortSignal,
): Promise<Json[]> {
  const blocks: Json[] = []
  for (const height of heights) blocks.push(await engine.call('block', { height: height.toString() }, signal))
  return blocks
}

interface IdJson {
  readonly hash: string
  readonly parts: { readonly total: number; readonly hash: string }
}

type HeaderJson = Readonly<
  Record<
    | 'chain_id'
    | 'height'
    | 'time'
    | 'last_commit_hash'
    | 'data_hash'
    | 'validators_hash'
    | 'next_validators_hash'
    | 'consensus_hash'
    | 'app_hash'
    | 'last_results_hash'
    | 'evidence_hash'
    | 'proposer_address',
    string
  >
> & { readonly last_block_id: IdJson; readonly version?: { readonly app?: string } }

interface CommitJson {
  readonly height: string
  readonly round: number
  readonly block_id: IdJson
  readonly signatures: readonly {
    readonly block_id_flag: number
    readonly validator_address: string
    readonly timestamp: string
    readonly signature: string | null
  }[]
}

interface BlockJson {
  readonly block_id: IdJson
  readonly block: { readonly header: HeaderJson; readonly last_commit: CommitJson | null }
}

const hash = (text: string): Uint8Array => parseHex(text) ?? EMPTY
const time = (text: string): bigint => parseRfc3339(text) ?? 0n

const blockId = ({ hash: own, parts }: IdJson): BlockId => ({
  hash: hash(own),
  partsTotal: parts.total,
  partsHash: hash(parts.hash),
})

function headerOf(header: HeaderJson): BlockHeader {
  const appVersion = BigInt(header.version?.app ?? 0)
  return {
    ...(appVersion !== 0n && { appVersion }),
    chainId: header.chain_id,
    height: BigInt(header.height),
    timeNs: time(header.time),
    lastBlockId: blockId(header.last_block_id),
    lastCommitHash: hash(header.last_commit_hash),
    dataHash: hash(header.data_hash),
    validatorsHash: hash(header.validators_hash),
    nextValidatorsHash: hash(header.next_validators_hash),
    consensusHash: hash(header.consensus_hash),
    appHash: hash(header.app_hash),
    lastResultsHash: hash(header.last_results_hash),
    evidenceHash: hash(header.evidence_hash),
    proposer: hash(header.proposer_address),
  }
}

function commitOf(commit: CommitJson): Commit {
  return {
    height: BigInt(commit.height),
    round: commit.round,
    blockId: blockId(commit.block_id),
    signatures: commit.signatures.map((one) => ({
      flag: one.block_id_flag as CommitSignature['flag'],
      validator: hash(one.validator_address),
      timeNs: time(one.timestamp),
      signature: parseBase64(one.signature ?? '') ?? EMPTY,
    })),
  }
}

/** Returns a block with the header, the id and the last commit that the engine has. Rejects as `EngineCalls.call`. */
export async function wholeBlock(engine: EngineCalls, block: StoredBlock): Promise<StoredBlock> {
  const found = (await engine.call('block', { height: block.header.height.toString() })) as unknown as BlockJson
  const { header, last_commit: lastCommit } = found.block
  return {
    ...block,
    header: headerOf(header),
    blockId: blockId(found.block_id),
    lastCommit: lastCommit && lastCommit.height !== '0' ? commitOf(lastCommit) : undefined,
  }
}

/** Answers with a block: at once if this node decides its blocks, else with the one that the engine has. */
export function withWholeBlock<T>(
  { engine }: Pick<NodeInfo, 'engine'>,
  block: StoredBlock,
  answer: (block: StoredBlock) => T,
): T | Promise<T> {
  return engine ? wholeBlock(engine, block).then(answer) : answer(block)
}
