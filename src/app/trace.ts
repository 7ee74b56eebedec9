/** Blocks executed once more, as they were, for somebody who watches (D15). */
import { toKey } from '../primitives/bytes.ts'
import type { DecodedTx } from '../sdk/tx.ts'
import type { Reader } from '../store/types.ts'
import { beginBlock } from './block.ts'
import { deliver } from './deliver.ts'
import type { Machine } from './machine.ts'
import type { StoredBlock, Validator } from './records.ts'
import type { BlockInput } from './types.ts'
import type { BlockWatch } from './watch.ts'

/** Executes the transactions of a block on the state before it, to the last of the input or until told to stop. */
export function traceBlock(
  machine: Machine,
  base: Reader,
  input: BlockInput,
  decode: (bytes: Uint8Array) => DecodedTx,
  watch: BlockWatch,
): void {
  const { ctx, gas } = beginBlock(machine, base, input)
  for (const [index, bytes] of input.txs.entries()) {
    if (watch.shouldStop()) return
    const tracer = watch.before(index, ctx)
    const { evmTx } = deliver(machine, ctx, gas, () => decode(bytes), index, { tracer, shouldStop: watch.shouldStop })
    if (evmTx && !watch.shouldStop()) watch.after(evmTx)
  }
}

/** What a block was executed from, with its transactions up to an index. `signers` stood behind the block before it. */
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
