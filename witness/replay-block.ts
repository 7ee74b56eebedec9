/** One recorded block executed on its recorded parent, and what came of it. */
import type { TxResult } from '../src/app/records.ts'
import { logOf } from '../src/app/result.ts'
import type { GenesisDocument } from '../src/app/types.ts'
import type { ExecutedBlock, Executor } from '../src/consensus/executor.ts'
import { compare, equal } from '../src/primitives/bytes.ts'
import { createEmptyBranch } from '../src/store/branch.ts'
import type { Change, Reader } from '../src/store/types.ts'
import { inputOf, txsOf } from './recorded-block.ts'
import type { RecordedBlock, RecordedEvent, RecordedResult, RecordedValidators } from './recording.ts'
import { type Comparison, compareChanges } from './replay-compare.ts'
import type { Player } from './stand-ins.ts'
import { createTouched, type Touched } from './touched.ts'

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
  readonly executed: ExecutedBlock
  readonly comparison: Comparison
  readonly results: ResultTally
  readonly resultDifferences: readonly ResultDifference[]
  /** To whom keys of the block are left; empty for a block that is executed whole. */
  readonly leftTo: readonly string[]
}

function comparePlaces(a: Change, b: Change): number {
  return a.store === b.store ? compare(a.key, b.key) : a.store < b.store ? -1 : 1
}

/** Executes a block on the executor's tip and compares its writes and results with the recorded ones. */
export function playBlock(
  executor: Executor,
  player: Player,
  block: RecordedBlock,
  recorded: readonly Change[],
  signers: RecordedValidators | undefined,
  genesis: () => GenesisDocument,
): PlayedBlock {
  const touched = createTouched()
  const txs = txsOf(block)
  player.begin(block, txs, recorded, touched)
  if (executor.isEmpty()) executor.begin(genesis())
  const parent = block.height > 1 ? executor.state() : undefined
  try {
    const executed = executor.execute(inputOf(block, txs, signers))
    return judge(block, executed, recorded, parent ?? createEmptyBranch(), touched)
  } finally {
    parent?.close()
  }
}

function judge(
  block: RecordedBlock,
  executed: ExecutedBlock,
  recorded: readonly Change[],
  parent: Reader,
  touched: Touched,
): PlayedBlock {
  const { output } = executed
  const ours = executed.changes.filter(({ store }) => store !== 'x').toSorted(comparePlaces)
  const isNew = (store: string, key: Uint8Array): boolean => !parent.has(store, key)
  const comparison = compareChanges(ours, recorded, parent, touched.leftOut(isNew))
  const leftTo = [...new Set([...comparison.stores.values()].flatMap(({ leftOut }) => [...leftOut.keys()]))]
  const results: ResultTally = { sdk: 0, sdkOtherGas: 0, evm: 0, evmLeftOut: 0 }
  const resultDifferences: ResultDifference[] = []
  const evmTxs = new Set(output.evmTxs.map(({ txIndex }) => txIndex))
  for (const [tx, result] of output.results.entries()) {
    const isEvm = evmTxs.has(tx) || isEvmResult(block.results[tx]!)
    if (isEvm && touched.isEvmLost(tx)) {
      results.evmLeftOut++
      continue
    }
    results[isEvm ? 'evm' : 'sdk']++
    const found = differencesOf(result, block.results[tx]!, isEvm)
    if (!isEvm && String(result.gasUsed) !== block.results[tx]!.gasUsed) results.sdkOtherGas++
    for (const one of found) resultDifferences.push({ tx, isEvm, ...one })
  }
  return { executed, comparison, results, resultDifferences, leftTo }
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
