/** Repeated execution of stored blocks for tracers (D15). */
import { toKey } from '../primitives/bytes.ts'
import { queryError } from '../primitives/errors.ts'
import type { ReadContext } from '../sdk/context.ts'
import type { DecodedTx } from '../sdk/tx.ts'
import { beginBlock, type Opening } from './block.ts'
import { deliver } from './deliver.ts'
import type { Machine } from './machine.ts'
import type { StoredBlock, Validator } from './records.ts'
import type { Application, BlockInput } from './types.ts'
import type { BlockWatch } from './watch.ts'

/** Executes the transactions of the input on the state before the block, until the last one or until `watch` stops it. */
export function traceBlock(
  machine: Machine,
  opening: Opening,
  input: BlockInput,
  decode: (bytes: Uint8Array) => DecodedTx,
  watch: BlockWatch,
): void {
  const { ctx, gas } = beginBlock(machine, opening, input)
  for (const [index, bytes] of input.txs.entries()) {
    if (watch.shouldStop()) return
    const tracer = watch.before(index, ctx)
    const { evmTx } = deliver(machine, ctx, gas, () => decode(bytes), index, { tracer, shouldStop: watch.shouldStop })
    if (evmTx && !watch.shouldStop()) watch.after(evmTx)
  }
  if (watch.behind && !watch.shouldStop()) watch.behind(ctx)
}

/**
 * Reads the state within a block, after the transactions of the input. They run on the state before the block. Throws 4
 * `deadlineExceeded` if stopped before that.
 */
export function withinBlock(
  app: Pick<Application, 'traceBlock'>,
  before: ReadContext,
  input: BlockInput,
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
export function inputOfBlock(block: StoredBlock, signers: readonly Validator[], lastTxIndex: number): BlockInput {
  const { header, hash, lastCommit, txs } = block
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
    lastCommitVotes: signers.map(({ address, power }) => ({
      validator: address,
      power,
      signed: signed.has(toKey(address)),
    })),
    evidence: [],
  }
}
