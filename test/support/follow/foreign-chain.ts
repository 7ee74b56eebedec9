/** A chain with content that this build has no module for: blocks of our own chain with foreign transactions, results and stores. */
import { generateKeyPairSync, sign } from 'node:crypto'
import type { BlockHeader, Commit, TxResult, Validator } from '../../../src/app/records.ts'
import { type StoreList, storesOf } from '../../../src/app/stores.ts'
import {
  blockIdJson,
  commitJson,
  eventsJson,
  headerJson,
  validatorJson,
} from '../../../src/consensus/comet/block-json.ts'
import { encodePrecommitSignBytes } from '../../../src/consensus/comet/encoding.ts'
import { hashEvidence } from '../../../src/consensus/comet/evidence.ts'
import {
  blockIdOf,
  hashCommit,
  hashData,
  hashResults,
  hashValidators,
  NO_BLOCK_ID,
} from '../../../src/consensus/comet/hashes.ts'
import { nodeBlockOf } from '../../../src/consensus/follow/rpc/block-of-json.ts'
import { evidenceOf } from '../../../src/consensus/follow/rpc/evidence-of-json.ts'
import { identityOf } from '../../../src/identity/profiles.ts'
import { ofEd25519 } from '../../../src/primitives/address.ts'
import { openMemory } from '../../../src/store/backend/memory.ts'
import type { Change } from '../../../src/store/types.ts'
import { openVersionedStore } from '../../../src/store/versioned.ts'
import type { NodeHistory } from './node-history.ts'

export interface ForeignBlock {
  /** Transactions with their results, before and after those of our own. */
  readonly before?: readonly (readonly [tx: Uint8Array, result: Partial<TxResult>])[]
  readonly after?: readonly (readonly [tx: Uint8Array, result: Partial<TxResult>])[]
  readonly changes?: readonly Change[]
  /** Evidence in the JSON of the engine. */
  readonly evidence?: readonly unknown[]
  readonly stores?: { readonly added?: readonly string[]; readonly deleted?: readonly string[] }
}

export interface ForeignOptions {
  readonly base: NodeHistory
  readonly stores: StoreList
  /** Application version in the headers. */
  readonly appVersion?: bigint
  /** Additions by height. */
  readonly blocks: ReadonlyMap<number, ForeignBlock>
}

const RESULT: TxResult = {
  ...{ code: 0, codespace: '', log: '[]', info: '', data: new Uint8Array(0), gasWanted: 0n, gasUsed: 0n, events: [] },
}

/** Makes the chain again with the additions: app hashes, results, links, and the signatures of a validator of its own. */
export async function foreignChain({ base, stores, appVersion, blocks }: ForeignOptions): Promise<NodeHistory> {
  const { publicKey: key, privateKey } = generateKeyPairSync('ed25519')
  const publicKey = new Uint8Array(Buffer.from(key.export({ format: 'jwk' }).x!, 'base64url'))
  const validator: Validator = { address: ofEd25519(publicKey), publicKey, power: 10n, priority: 0n }
  const validators = [validatorJson(validator)]
  const validatorsHash = hashValidators([validator])
  const store = openVersionedStore(openMemory(), stores)
  const made = new Map<number, NodeHistory['blocks'] extends ReadonlyMap<number, infer Block> ? Block : never>()
  let last: { readonly header: BlockHeader; readonly commit: Commit; readonly results: readonly TxResult[] } | undefined
  for (let height = base.first; height <= base.last; height++) {
    const own = base.blocks.get(height)!
    const {
      header: was,
      txs: ownTxs,
      results: ownResults,
      blockEvents,
    } = nodeBlockOf(own.block, own.results, own.commit)
    const { before = [], after = [], changes: added = [], evidence = [], stores: changed } = blocks.get(height) ?? {}
    const full = (list: typeof before) => list.map(([, result]) => ({ ...RESULT, ...result }))
    const txs = [...before.map(([tx]) => tx), ...ownTxs, ...after.map(([tx]) => tx)]
    const results = [...full(before), ...ownResults, ...full(after)]
    const header: BlockHeader = {
      ...was,
      ...(appVersion && { appVersion }),
      lastBlockId: last?.commit.blockId ?? NO_BLOCK_ID,
      lastCommitHash: hashCommit(last?.commit),
      dataHash: hashData(txs),
      validatorsHash,
      nextValidatorsHash: validatorsHash,
      appHash: last ? store.appHash() : was.appHash,
      lastResultsHash: hashResults(last?.results ?? []),
      evidenceHash: hashEvidence(evidence.map(evidenceOf)),
      proposer: validator.address,
    }
    const blockId = blockIdOf(header, txs, last?.commit)
    const vote = { chainId: base.chainId, height: header.height, round: 0, blockId, timeNs: header.timeNs }
    const signature = new Uint8Array(sign(null, encodePrecommitSignBytes(vote), privateKey))
    const commit: Commit = {
      ...{ height: header.height, round: 0, blockId },
      signatures: [{ flag: 2, validator: validator.address, timeNs: header.timeNs, signature }],
    }
    const changes = sorted([...own.changes, ...added])
    store.commit({ height: header.height, changes, ...(changed && { stores: changed }) })
    made.set(height, {
      block: {
        block_id: blockIdJson(blockId),
        block: {
          header: headerJson(header),
          data: { txs: txs.map((tx) => Buffer.from(tx).toString('base64')) },
          evidence: { evidence },
          last_commit: last ? commitJson(last.commit) : { height: '0', round: 0, block_id: {}, signatures: [] },
        },
      },
      results: {
        height: String(height),
        txs_results: results.map(({ data, log, gasWanted, gasUsed, events, ...rest }) => ({
          ...rest,
          data: Buffer.from(data).toString('base64'),
          log: log as string,
          gas_wanted: String(gasWanted),
          gas_used: String(gasUsed),
          events: eventsJson(events),
        })),
        begin_block_events: eventsJson(blockEvents),
        end_block_events: [],
        validator_updates: [],
      },
      commit: { signed_header: { header: headerJson(header), commit: commitJson(commit) }, canonical: true },
      validators,
      hash: Buffer.from(blockId.hash).toString('hex').toUpperCase(),
      time: own.time,
      appHashAfter: Buffer.from(store.appHash()).toString('hex'),
      changes,
    })
    last = { header, commit, results }
  }
  await store.close()
  return { ...base, blocks: made }
}

/** Makes a chain of profile `almanac` again whose block at a height has a change that this build does not make: it cannot be executed here. */
export const withForeignChange = (base: NodeHistory, height: number): Promise<NodeHistory> =>
  foreignChain({
    base,
    stores: storesOf(identityOf('almanac')),
    blocks: new Map([[height, { changes: [{ store: 'bank', key: Uint8Array.of(0xff), value: Uint8Array.of(1) }] }]]),
  })

/** Sorts changes as the node streams them. */
const sorted = (changes: readonly Change[]): Change[] =>
  [...changes].sort((a, b) => (a.store === b.store ? Buffer.compare(a.key, b.key) : a.store < b.store ? -1 : 1))
