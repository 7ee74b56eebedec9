/** One recorded block executed on its recorded parent, and what came of it. */
import { executeBlock } from '../src/app/block.ts'
import { initChain } from '../src/app/genesis.ts'
import type { BlockHeader, TxResult } from '../src/app/records.ts'
import { logOf } from '../src/app/result.ts'
import type { BlockInput, BlockOutput, GenesisDocument } from '../src/app/types.ts'
import { compare, equal, hex, toKey } from '../src/primitives/bytes.ts'
import { parseRfc3339 } from '../src/primitives/time.ts'
import { createEmptyBranch } from '../src/store/branch.ts'
import type { Change, Reader } from '../src/store/types.ts'
import type {
  RecordedBlock,
  RecordedBlockId,
  RecordedChanges,
  RecordedEvent,
  RecordedResult,
  RecordedValidators,
} from './recording.ts'
import { type Comparison, compareChanges } from './replay-compare.ts'
import type { Player } from './stand-ins.ts'
import { createTouched, type Touched, UNBUILT_PRECOMPILES } from './touched.ts'

/** One field of a transaction's result in which we differ. */
export interface ResultDifference {
  readonly tx: number
  readonly isEvm: boolean
  readonly field: 'code' | 'gas' | 'data' | 'log' | 'events'
  readonly ours: string
  readonly recorded: string
}

export interface ResultTally {
  sdk: number
  /** SDK transactions with another gas used: reported, not required. */
  sdkOtherGas: number
  evm: number
  /** EVM transactions whose result depends on a precompile that is not built. */
  evmLeftOut: number
}

export interface PlayedBlock {
  readonly comparison: Comparison
  readonly results: ResultTally
  readonly resultDifferences: readonly ResultDifference[]
  readonly ours: readonly Change[]
  /** To whom keys of the block are left; empty for a block that is executed whole. */
  readonly leftTo: readonly string[]
}

/** Keys and values of a block's line. */
export function changesOf({ changes }: RecordedChanges): Change[] {
  return changes.map(({ store, key, value, delete: deleted }) => ({
    store,
    key: hex(key),
    value: deleted ? undefined : hex(value ?? ''),
  }))
}

/** Header and votes of a recorded block. `signers` is the set that signed the block before. */
function blockInput(
  block: RecordedBlock,
  txs: readonly Uint8Array[],
  signers: RecordedValidators | undefined,
): BlockInput {
  const signatures = block.lastCommit?.signatures ?? []
  return {
    height: BigInt(block.height),
    timeNs: requireTime(block.time),
    proposer: hex(block.proposer),
    hash: hex(block.hash),
    lastCommitHash: hex(block.header.last_commit_hash),
    header: headerOf(block),
    txs,
    lastCommitVotes: signatures.flatMap(({ flag }, i) => {
      const validator = signers?.validators[i]
      if (!validator) return []
      return [{ validator: hex(validator.address), power: BigInt(validator.votingPower), signed: flag !== 1 }]
    }),
    evidence: block.evidence.flatMap(misbehaviourOf),
  }
}

/** The whole header, whose texts name the fields as the engine's RPC does. */
function headerOf({ header, height, time }: RecordedBlock): BlockHeader {
  const of = (name: string): Uint8Array => hex(String(header[name] ?? ''))
  const last = (header['last_block_id'] ?? {}) as Partial<RecordedBlockId>
  return {
    chainId: header.chain_id,
    height: BigInt(height),
    timeNs: requireTime(time),
    lastBlockId: {
      hash: hex(last.hash ?? ''),
      partsTotal: last.parts?.total ?? 0,
      partsHash: hex(last.parts?.hash ?? ''),
    },
    lastCommitHash: of('last_commit_hash'),
    dataHash: of('data_hash'),
    validatorsHash: of('validators_hash'),
    nextValidatorsHash: of('next_validators_hash'),
    consensusHash: of('consensus_hash'),
    appHash: of('app_hash'),
    lastResultsHash: of('last_results_hash'),
    evidenceHash: of('evidence_hash'),
    proposer: of('proposer_address'),
  }
}

/** What a line of evidence, as the engine's RPC gives it, accuses a validator of. */
function misbehaviourOf(line: Readonly<Record<string, unknown>>): BlockInput['evidence'] {
  const value = (line['value'] ?? line) as Readonly<Record<string, unknown>>
  const vote = value['vote_a'] as { readonly validator_address?: string; readonly height?: string } | undefined
  if (!vote?.validator_address) return []
  return [
    {
      kind: 'duplicateVote',
      validator: hex(vote.validator_address),
      height: BigInt(vote.height ?? 0),
      timeNs: requireTime(String(value['Timestamp'] ?? value['timestamp'])),
      power: BigInt(String(value['ValidatorPower'] ?? value['validator_power'] ?? 0)),
      totalPower: BigInt(String(value['TotalVotingPower'] ?? value['total_voting_power'] ?? 0)),
    },
  ]
}

function requireTime(text: string): bigint {
  const timeNs = parseRfc3339(text)
  if (timeNs === undefined) throw new Error(`${text} is no time`)
  return timeNs
}

function comparePlaces(a: Change, b: Change): number {
  return a.store === b.store ? compare(a.key, b.key) : a.store < b.store ? -1 : 1
}

/** The parent's state, which notices reads of accounts of precompiles that are not built. */
function watched(parent: Reader, touched: Touched): Reader {
  const look = (store: string, key: Uint8Array): void => {
    if (store !== 'acc' || key.length !== 21 || key[0] !== 1) return
    for (let i = 1; i < 19; i++) if (key[i] !== 0) return
    const module = UNBUILT_PRECOMPILES.get((key[19]! << 8) | key[20]!)
    if (module !== undefined) touched.precompile(module)
  }
  return {
    get(store, key) {
      look(store, key)
      return parent.get(store, key)
    },
    has: parent.has,
    iterate: parent.iterate,
  }
}

/** Executes a block on its parent and holds its writes and results against the recorded ones. */
export function playBlock(
  player: Player,
  parent: Reader,
  block: RecordedBlock,
  recorded: readonly Change[],
  signers: RecordedValidators | undefined,
): PlayedBlock {
  const touched = createTouched()
  const txs = block.txs.map(base64)
  player.begin(block, txs, recorded, touched)
  const output = executeBlock(player.machine, watched(parent, touched), blockInput(block, txs, signers), player.decode)
  return judge(block, output, output.branch.changes(), recorded, parent, touched)
}

/** The first block, with the genesis before it: the recording has their writes as one. */
export function playFirstBlock(
  player: Player,
  genesis: GenesisDocument,
  block: RecordedBlock,
  recorded: readonly Change[],
): PlayedBlock {
  const touched = createTouched()
  const txs = block.txs.map(base64)
  const state = createEmptyBranch()
  player.begin(block, txs, recorded, touched)
  initChain(player.machine, genesis, state)
  const output = executeBlock(player.machine, watched(state, touched), blockInput(block, txs, undefined), player.decode)
  const merged = new Map<string, Change>()
  for (const change of [...state.changes(), ...output.branch.changes()]) {
    merged.set(`${change.store}/${toKey(change.key)}`, change)
  }
  return judge(block, output, [...merged.values()], recorded, createEmptyBranch(), touched)
}

function judge(
  block: RecordedBlock,
  output: BlockOutput,
  changes: readonly Change[],
  recorded: readonly Change[],
  parent: Reader,
  touched: Touched,
): PlayedBlock {
  const ours = changes.filter(({ store }) => store !== 'x').toSorted(comparePlaces)
  const isNew = (store: string, key: Uint8Array): boolean => !parent.has(store, key)
  const comparison = compareChanges(ours, recorded, parent, touched.leftOut(isNew))
  const leftTo = [...new Set([...comparison.stores.values()].flatMap(({ leftOut }) => [...leftOut.keys()]))]
  const results: ResultTally = { sdk: 0, sdkOtherGas: 0, evm: 0, evmLeftOut: 0 }
  const resultDifferences: ResultDifference[] = []
  const executed = new Set(output.evmTxs.map(({ txIndex }) => txIndex))
  for (const [tx, result] of output.results.entries()) {
    const isEvm = executed.has(tx) || isEvmResult(block.results[tx]!)
    if (isEvm && touched.isEvmLost(tx)) {
      results.evmLeftOut++
      continue
    }
    results[isEvm ? 'evm' : 'sdk']++
    const found = differencesOf(result, block.results[tx]!, isEvm)
    if (!isEvm && String(result.gasUsed) !== block.results[tx]!.gasUsed) results.sdkOtherGas++
    for (const one of found) resultDifferences.push({ tx, isEvm, ...one })
  }
  return { comparison, results, resultDifferences, ours, leftTo }
}

const base64 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'))

const isEvmResult = ({ events }: RecordedResult): boolean => events.some(({ type }) => type === 'pending_ethereum_tx')

function differencesOf(
  ours: TxResult,
  recorded: RecordedResult,
  isEvm: boolean,
): Omit<ResultDifference, 'tx' | 'isEvm'>[] {
  const found: Omit<ResultDifference, 'tx' | 'isEvm'>[] = []
  const compare = (field: ResultDifference['field'], mine: string, theirs: string): void => {
    if (mine !== theirs) found.push({ field, ours: mine, recorded: theirs })
  }
  compare('code', `${ours.codespace}/${ours.code} ${ours.code ? logOf(ours) : ''}`.trim(), codeText(ours, recorded))
  if (!isEvm) return found
  compare('gas', String(ours.gasUsed), recorded.gasUsed)
  const data = base64(recorded.data ?? '')
  if (!equal(ours.data, data)) {
    found.push({
      field: 'data',
      ours: Buffer.from(ours.data).toString('hex'),
      recorded: Buffer.from(data).toString('hex'),
    })
  }
  compare('log', ours.code === 0 ? normalLog(logOf(ours)) : '', ours.code === 0 ? normalLog(recorded.log) : '')
  compare('events', eventsText(ours.events), eventsText(recorded.events))
  return found
}

/** The recorded outcome; where codes agree its text does not count. */
function codeText(ours: TxResult, recorded: RecordedResult): string {
  if (ours.code === recorded.code && ours.codespace === recorded.codespace) {
    return `${ours.codespace}/${ours.code} ${ours.code ? logOf(ours) : ''}`.trim()
  }
  return `${recorded.codespace}/${recorded.code} ${recorded.code ? recorded.log : ''}`.trim()
}

/** The events that a log tells in JSON; another log as it is. */
function normalLog(text: string): string {
  try {
    return eventsText((JSON.parse(text) as { events: RecordedEvent[] }[]).flatMap(({ events }) => events))
  } catch {
    return text
  }
}

function eventsText(
  events: readonly { readonly type: string; readonly attributes: readonly { key: string; value: string }[] }[],
): string {
  return events
    .map(({ type, attributes }) => `${type}{${attributes.map(({ key, value }) => `${key}=${value}`).join(', ')}}`)
    .join('\n')
}
