/** Executes one recorded block on its recorded parent state, and compares writes and results. */
import { fromBinary } from '@bufbuild/protobuf'
import type { TxResult } from '../src/app/records.ts'
import { logOf } from '../src/app/result.ts'
import type { GenesisDocument } from '../src/app/types.ts'
import type { ExecutedBlock, Executor } from '../src/consensus/execution.ts'
import { inputOf } from '../src/consensus/follow/node-block.ts'
import { TxBodySchema, TxRawSchema } from '../src/gen/sdk/tx/v1beta1/tx_pb.ts'
import { compare, equal } from '../src/primitives/bytes.ts'
import { createEmptyBranch } from '../src/store/branch.ts'
import type { Change, Reader } from '../src/store/types.ts'
import { createExclusions, type Exclusions } from './exclusions.ts'
import { nodeBlockOf, txsOf, validatorsOf } from './recorded-block.ts'
import type { RecordedBlock, RecordedEvent, RecordedResult, RecordedValidators } from './recording.ts'
import { type Comparison, compareChanges } from './replay-compare.ts'
import type { ReplayApplication } from './substitutes.ts'

/** A field of a transaction's result that differs from the recorded one. */
export interface ResultDifference {
  readonly tx: number
  readonly isEvm: boolean
  /** Type URLs of the transaction's messages. */
  readonly messages: readonly string[]
  readonly field: 'code' | 'gas' | 'data' | 'log' | 'events'
  readonly ours: string
  readonly recorded: string
}

export interface ResultTally {
  sdk: number
  evm: number
  /** EVM transactions whose result can depend on an unbuilt precompile. */
  evmExcluded: number
}

export interface ReplayedBlock {
  readonly executed: ExecutedBlock
  readonly comparison: Comparison
  readonly results: ResultTally
  readonly resultDifferences: readonly ResultDifference[]
  /** Modules because of which keys of the block are excluded; empty for a block that is compared completely. */
  readonly excludedFor: readonly string[]
}

function compareKeys(a: Change, b: Change): number {
  return a.store === b.store ? compare(a.key, b.key) : a.store < b.store ? -1 : 1
}

/** Executes a block with the node's executor on its tip, and compares writes and results with the recorded ones. */
export function replayBlock(
  executor: Executor,
  application: ReplayApplication,
  block: RecordedBlock,
  recorded: readonly Change[],
  signers: RecordedValidators | undefined,
  genesis: () => GenesisDocument,
): ReplayedBlock {
  const exclusions = createExclusions()
  const txs = txsOf(block)
  application.setBlock(block, txs, recorded, exclusions)
  if (executor.isEmpty()) executor.begin(genesis())
  const parent = block.height > 1 ? executor.state() : undefined
  try {
    const executed = executor.execute(inputOf({ ...nodeBlockOf(block), txs }, signers ? validatorsOf(signers) : []))
    return compareBlock(block, executed, recorded, parent ?? createEmptyBranch(), exclusions)
  } finally {
    parent?.close()
  }
}

function compareBlock(
  block: RecordedBlock,
  executed: ExecutedBlock,
  recorded: readonly Change[],
  parent: Reader,
  exclusions: Exclusions,
): ReplayedBlock {
  const { output } = executed
  const ours = executed.changes.filter(({ store }) => store !== 'x').toSorted(compareKeys)
  const isNew = (store: string, key: Uint8Array): boolean => !parent.has(store, key)
  const comparison = compareChanges(ours, recorded, parent, exclusions.rule(isNew))
  const excludedFor = [...new Set([...comparison.stores.values()].flatMap(({ excluded }) => [...excluded.keys()]))]
  const results: ResultTally = { sdk: 0, evm: 0, evmExcluded: 0 }
  const resultDifferences: ResultDifference[] = []
  const evmTxs = new Set(output.evmTxs.map(({ txIndex }) => txIndex))
  for (const [tx, result] of output.results.entries()) {
    const isEvm = evmTxs.has(tx) || isEvmResult(block.results[tx]!)
    if (isEvm && exclusions.isEvmExcluded(tx)) {
      results.evmExcluded++
      continue
    }
    results[isEvm ? 'evm' : 'sdk']++
    const found = differencesOf(result, block.results[tx]!, isEvm)
    const messages = found.length > 0 ? typesOf(executed.input.txs[tx]!) : []
    for (const one of found) resultDifferences.push({ tx, isEvm, messages, ...one })
  }
  return { executed, comparison, results, resultDifferences, excludedFor }
}

/** Returns the type URLs of a transaction's messages. */
const typesOf = (tx: Uint8Array): string[] =>
  fromBinary(TxBodySchema, fromBinary(TxRawSchema, tx).bodyBytes).messages.map(({ typeUrl }) => typeUrl)

const base64 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'))

const isEvmResult = ({ events }: RecordedResult): boolean => events.some(({ type }) => type === 'pending_ethereum_tx')

function differencesOf(
  ours: TxResult,
  recorded: RecordedResult,
  isEvm: boolean,
): Pick<ResultDifference, 'field' | 'ours' | 'recorded'>[] {
  const found: Pick<ResultDifference, 'field' | 'ours' | 'recorded'>[] = []
  const compare = (field: ResultDifference['field'], mine: string, theirs: string): void => {
    if (mine !== theirs) found.push({ field, ours: mine, recorded: theirs })
  }
  compare('code', `${ours.codespace}/${ours.code} ${ours.code ? logOf(ours) : ''}`.trim(), codeText(ours, recorded))
  compare('gas', String(ours.gasUsed), recorded.gasUsed)
  if (!isEvm) return found
  const data = base64(recorded.data ?? '')
  if (!equal(ours.data, data)) {
    found.push({
      field: 'data',
      ours: Buffer.from(ours.data).toString('hex'),
      recorded: Buffer.from(data).toString('hex'),
    })
  }
  compare('log', ours.code === 0 ? normalizeLog(logOf(ours)) : '', ours.code === 0 ? normalizeLog(recorded.log) : '')
  compare('events', eventsText(ours.events), eventsText(recorded.events))
  return found
}

/** Returns the recorded outcome as text. If the codes agree, it contains our log, so that texts are not compared. */
function codeText(ours: TxResult, recorded: RecordedResult): string {
  if (ours.code === recorded.code && ours.codespace === recorded.codespace) {
    return `${ours.codespace}/${ours.code} ${ours.code ? logOf(ours) : ''}`.trim()
  }
  return `${recorded.codespace}/${recorded.code} ${recorded.code ? recorded.log : ''}`.trim()
}

/** Returns the events of a log in JSON as text, or another log unchanged. */
function normalizeLog(text: string): string {
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
