/** The history of a node of the family: its blocks as its RPC answers them, and the changes of each. */
import type { GenesisDocument } from '../../../src/app/types.ts'
import type { AssembledNode } from '../../../src/node/assembly.ts'
import { hex } from '../../../src/primitives/bytes.ts'
import type { Change } from '../../../src/store/types.ts'
import {
  openRecording,
  type RecordedBlock,
  type RecordedChanges,
  type RecordedValidators,
} from '../../../witness/recording.ts'

type Json = Record<string, unknown>

interface HistoryBlock {
  /** The results of `block`, `block_results`, `commit` and `validators`. */
  readonly block: Json
  readonly results: Json
  readonly commit: Json
  readonly validators: readonly Json[]
  readonly hash: string
  readonly time: string
  /** App hash after the block, lower-case hexadecimal; undefined for the last of a recording. */
  readonly appHashAfter: string | undefined
  readonly changes: readonly Change[]
}

export interface NodeHistory {
  readonly chainId: string
  readonly genesis: GenesisDocument
  /** Blocks by height, from the first on. */
  readonly blocks: ReadonlyMap<number, HistoryBlock>
  readonly first: number
  readonly last: number
}

/** Reads a recording of the reference chain, up to a height. */
export async function historyOfRecording(folder: string, last = Infinity): Promise<NodeHistory> {
  const recording = openRecording(folder)
  const genesis = recording.genesis()
  const blocks = new Map<number, HistoryBlock>()
  const changes = recording.changes()
  const validators = recording.validators()
  let before: { readonly block: RecordedBlock; readonly changes: Change[]; readonly validators: Json[] } | undefined
  const add = (next: RecordedBlock | undefined): void => {
    if (before) blocks.set(before.block.height, historyBlock(before.block, next, before.changes, before.validators))
  }
  for await (const block of recording.blocks()) {
    const written = (await changes.next()).value as RecordedChanges
    const set = (await validators.next()).value as RecordedValidators
    add(block)
    if (block.height > last) return historyOf(genesis, blocks)
    before = {
      block,
      changes: written.changes.map(({ store, key, value, delete: deleted }) => ({
        store,
        key: hex(key),
        value: deleted ? undefined : hex(value ?? ''),
      })),
      validators: set.validators.map(({ address, pubKey, votingPower, proposerPriority }) => ({
        address,
        pub_key: pubKey,
        voting_power: votingPower,
        proposer_priority: proposerPriority,
      })),
    }
  }
  add(undefined)
  return historyOf(genesis, blocks)
}

function historyOf(genesis: GenesisDocument, blocks: ReadonlyMap<number, HistoryBlock>): NodeHistory {
  const heights = [...blocks.keys()]
  return { chainId: genesis.chain_id, genesis, blocks, first: heights[0]!, last: heights.at(-1)! }
}

function commitJson(commit: NonNullable<RecordedBlock['lastCommit']>): Json {
  return {
    height: String(commit.height),
    round: commit.round,
    block_id: commit.blockId,
    signatures: commit.signatures.map(({ validatorAddress, flag, timestamp, signature }) => ({
      block_id_flag: flag,
      validator_address: validatorAddress,
      timestamp,
      signature,
    })),
  }
}

function historyBlock(
  block: RecordedBlock,
  next: RecordedBlock | undefined,
  changes: readonly Change[],
  validators: readonly Json[],
): HistoryBlock {
  const { header, hash, partSetHeader, txs, evidence, lastCommit, results } = block
  const found = next?.lastCommit
  return {
    block: {
      block_id: { hash, parts: partSetHeader },
      block: {
        header,
        data: { txs },
        evidence: { evidence },
        last_commit: lastCommit ? commitJson(lastCommit) : { height: '0', round: 0, block_id: {}, signatures: [] },
      },
    },
    results: {
      height: String(block.height),
      txs_results: results.map(({ gasWanted, gasUsed, ...rest }) => ({
        ...rest,
        gas_wanted: gasWanted,
        gas_used: gasUsed,
      })),
      begin_block_events: block.beginBlockEvents,
      end_block_events: block.endBlockEvents,
      validator_updates: block.validatorUpdates ?? [],
    },
    commit: { signed_header: { header, ...(found && { commit: commitJson(found) }) }, canonical: true },
    validators,
    hash,
    time: String(header['time']),
    appHashAfter: next?.appHash.toLowerCase(),
    changes,
  }
}

/** Reads the history of a node of ours, by its RPC and its store. */
export async function historyOfNode(node: AssembledNode, genesis: GenesisDocument): Promise<NodeHistory> {
  const blocks = new Map<number, HistoryBlock>()
  const ask = async (method: string, height: number): Promise<Json> => {
    const answer = await fetch(`${node.urls.comet}/${method}?height=${height}`)
    const { result } = (await answer.json()) as { result?: Json }
    if (!result) throw new Error(`${method} ${height} has no result`)
    return result
  }
  for (let height = 1; height <= Number(node.height); height++) {
    const [block, results, commit, validators] = await Promise.all(
      ['block', 'block_results', 'commit', 'validators'].map((method) => ask(method, height)),
    )
    const { header } = block!['block'] as { header: Json }
    const stored = node.gateway.blocks.block(BigInt(height))!
    blocks.set(height, {
      block: block!,
      results: results!,
      commit: commit!,
      validators: validators!['validators'] as Json[],
      hash: (block!['block_id'] as { hash: string }).hash,
      time: String(header['time']),
      appHashAfter: Buffer.from(stored.nextAppHash).toString('hex'),
      changes: changesOf(node, BigInt(height)),
    })
  }
  return historyOf(genesis, blocks)
}

/** Returns everything that a height wrote, with equal values too. */
function changesOf(node: AssembledNode, height: bigint): Change[] {
  return node.gateway.withContext(height, ({ store }) => {
    const written = [...store.writtenAt!(height)]
    return written
      .map(({ store: name, key }) => ({ store: name, key: new Uint8Array(key), value: store.get(name, key)?.slice() }))
      .sort((a, b) => (a.store === b.store ? Buffer.compare(a.key, b.key) : a.store < b.store ? -1 : 1))
  })
}
