/** Repeated execution of stored blocks for tracers (D15). */
import { formatHex, toKey } from '../primitives/bytes.ts'
import { type ChainError, queryError } from '../primitives/errors.ts'
import { sha256 } from '../primitives/hash.ts'
import type { ReadContext } from '../sdk/context.ts'
import type { DecodedTx } from '../sdk/tx.ts'
import { beginBlock, type Opening } from './block.ts'
import { deliver } from './deliver.ts'
import type { Machine } from './machine.ts'
import type { StoredBlock, TxResult, Validator } from './records.ts'
import type { Application, PastBlock } from './types.ts'
import type { BlockWatch } from './watch.ts'

/**
 * Executes the transactions of the input on the state before the block, until the last one or until `watch` stops it. Goes on
 * behind one whose messages only another build runs, unless the state behind the last one is wanted. Throws `unimplemented` for
 * any other that does not run as on the chain.
 */
export function traceBlock(
  machine: Machine,
  opening: Opening,
  input: PastBlock,
  decode: (bytes: Uint8Array) => DecodedTx,
  watch: BlockWatch,
): void {
  const { ctx, gas } = beginBlock(machine, opening, input)
  let left: ChainError | undefined
  for (const [index, bytes] of input.txs.entries()) {
    if (watch.shouldStop()) return
    const tracer = watch.before(index, ctx)
    const { evmTx, result } = deliver(machine, ctx, gas, () => decode(bytes), index, {
      tracer,
      shouldStop: watch.shouldStop,
    })
    if (watch.shouldStop()) return
    if ((result.code === 0) !== (input.succeeded?.[index] ?? result.code === 0)) {
      const error = left ?? otherwise(input, index, result)
      if (left || watch.behind || tracer || result.code === 0 || isUnderstood(bytes, decode)) throw error
      left = error
    }
    if (evmTx) watch.after(evmTx, left)
  }
  if (watch.behind && !watch.shouldStop()) watch.behind(ctx)
}

/** Whether this build has all messages of a transaction. */
function isUnderstood(bytes: Uint8Array, decode: (bytes: Uint8Array) => DecodedTx): boolean {
  try {
    decode(bytes)
    return true
  } catch {
    return false
  }
}

/** Returns the error of a transaction that does not run here as it did on the chain, such as one with messages of a Wasm contract. */
function otherwise({ height, txs, isAdopted }: PastBlock, index: number, { code, log }: TxResult): ChainError {
  if (isAdopted) {
    const why = 'only a dump made with --preserve-historical-states has the states of earlier blocks'
    return queryError(
      'unimplemented',
      `block ${height} comes from a loaded dump and does not run again on the state before it: ${why} (${String(log)})`,
    )
  }
  const hash = formatHex(sha256(txs[index]!)).toUpperCase()
  const how =
    code === 0 ? 'succeeds here and failed on the chain' : `succeeded on the chain and fails here: ${String(log)}`
  return queryError('unimplemented', `transaction ${index} of block ${height}, ${hash}, ${how}`)
}

/**
 * Reads the state within a block, after the transactions of the input. They run on the state before the block. Throws 4
 * `deadlineExceeded` if stopped before that.
 */
export function withinBlock(
  app: Pick<Application, 'traceBlock'>,
  before: ReadContext,
  input: PastBlock,
  shouldStop: () => boolean,
  read: (ctx: ReadContext) => void,
): void {
  let isReached = false
  app.traceBlock(before, input, {
    before: () => undefined,
    after() {},
    shouldStop,
    behind(ctx) {
      isReached = true
      read(ctx)
    },
  })
  if (!isReached) throw queryError('deadlineExceeded', 'execution timeout')
}

/** Returns the input of a stored block, with its transactions up to an index. `signers` is the validator set of the previous block. */
export function inputOfBlock(block: StoredBlock, signers: readonly Validator[], lastTxIndex: number): PastBlock {
  const { header, hash, lastCommit, txs, results } = block
  const signed = new Set(
    lastCommit?.signatures.flatMap(({ flag, validator }) => (flag === 2 ? [toKey(validator)] : [])),
  )
  return {
    height: header.height,
    timeNs: header.timeNs,
    proposer: header.proposer,
    hash,
    lastCommitHash: header.lastCommitHash,
    header,
    txs: txs.slice(0, lastTxIndex + 1),
    succeeded: results.slice(0, lastTxIndex + 1).map(({ code }) => code === 0),
    lastCommitVotes: signers.map(({ address, power }) => ({
      validator: address,
      power,
      signed: signed.has(toKey(address)),
    })),
    evidence: [],
  }
}
