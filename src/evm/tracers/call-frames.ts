/** The calls of a transaction as a tree, for callTracer and flatCallTracer. */
import { EMPTY } from '../../primitives/bytes.ts'
import * as errors from '../errors.ts'
import type { EvmLog } from '../state.ts'
import type { FrameEnd, FrameKind, FrameStart, Tracer } from '../trace.ts'
import type { MemoryBudget } from './tracer.ts'

interface CallLog extends EvmLog {
  /** The number of calls that its frame had made before. */
  readonly position: number
  /** Its index in the block. */
  readonly index: number
}

export interface CallFrame {
  readonly kind: FrameKind
  readonly from: Uint8Array
  /** Undefined for a failed creation. */
  to: Uint8Array | undefined
  /** The account called, or that the creation would create. */
  readonly target: Uint8Array
  readonly gas: bigint
  gasUsed: bigint
  readonly input: Uint8Array
  output: Uint8Array
  error: string | undefined
  readonly calls: CallFrame[]
  logs: CallLog[]
  /** Unit: wei. */
  readonly valueWei: bigint
  readonly isPrecompile: boolean
}

export interface CallTree {
  readonly tracer: Tracer
  /** Returns the outermost call; undefined if nothing was executed. */
  top(): CallFrame | undefined
}

export interface CallTreeOptions {
  readonly onlyTopCall: boolean
  readonly withLog: boolean
  readonly budget: MemoryBudget
  /** The index of the transaction's first log in its block. */
  readonly firstLogIndex: number
  /** Whether to keep a frame that has ended. */
  keeps?(frame: CallFrame): boolean
  /** Whether the gas of the outermost call is that of its code, as in OpenEthereum; else that of the transaction, as in geth. */
  readonly isCodeGas?: boolean
}

/** The approximate memory of a frame or log, besides its bytes. */
const FRAME_BYTES = 400
const LOG_BYTES = 300

const isCreation = (kind: FrameKind): boolean => kind === 'CREATE' || kind === 'CREATE2'

/** Creates a tracer that builds the tree. */
export function createCallTree(options: CallTreeOptions): CallTree {
  const { onlyTopCall, withLog, budget, firstLogIndex, keeps, isCodeGas = false } = options
  const stack: CallFrame[] = []
  let top: CallFrame | undefined
  let depth = 0
  let gasLimit: bigint | undefined
  /** The index of the next log, and its value at the start of each open frame: a failed frame removes its logs. */
  let logIndex = firstLogIndex
  const logMarks: number[] = []

  function enter(start: FrameStart): void {
    ;({ depth } = start)
    logMarks.push(logIndex)
    if (onlyTopCall && depth > 1) return
    if (budget.isFull()) return
    const { input } = start
    budget.use(FRAME_BYTES + input.length)
    stack.push({
      kind: start.kind,
      from: start.from,
      to: start.to,
      target: start.to,
      gas: depth === 1 && gasLimit !== undefined ? gasLimit : start.gas,
      gasUsed: 0n,
      input,
      output: EMPTY,
      error: undefined,
      calls: [],
      logs: [],
      valueWei: start.valueWei,
      isPrecompile: start.isPrecompile,
    })
  }

  function exit(end: FrameEnd): void {
    depth = end.depth - 1
    const mark = logMarks.pop()!
    if (!end.success) logIndex = mark
    if (onlyTopCall && end.depth > 1) return
    if (budget.isFull()) return
    const frame = stack.pop()!
    frame.gasUsed = end.gasUsed
    if (end.success) {
      frame.output = end.output
    } else {
      frame.error = end.error ?? errors.REVERTED
      if (isCreation(frame.kind)) frame.to = undefined
      if (end.error === errors.REVERTED) frame.output = end.output
    }
    budget.use(frame.output.length)
    const parent = stack.at(-1)
    if (!parent) top = frame
    else if (!keeps || keeps(frame)) parent.calls.push(frame)
  }

  return {
    tracer: {
      start(transaction) {
        if (!isCodeGas) ({ gasLimit } = transaction)
      },
      end({ gasUsed }) {
        if (!top) return
        if (!isCodeGas) top.gasUsed = gasUsed
        if (withLog) dropFailedLogs(top)
      },
      enter,
      exit,
      ...(withLog ? { log } : {}),
    },
    top: () => top,
  }

  function log({ address, topics, data }: EvmLog): void {
    const index = logIndex++
    if ((onlyTopCall && depth > 1) || budget.isFull()) return
    const frame = stack.at(-1)
    if (!frame) return
    budget.use(LOG_BYTES + data.length)
    frame.logs.push({ address, topics, data, position: frame.calls.length, index })
  }
}

/** Removes the logs of a failed frame and of the frames inside it. */
function dropFailedLogs(top: CallFrame): void {
  const open: { frame: CallFrame; failed: boolean }[] = [{ frame: top, failed: false }]
  for (let next = open.pop(); next; next = open.pop()) {
    const failed = next.failed || next.frame.error !== undefined
    if (failed) next.frame.logs = []
    for (const frame of next.frame.calls) open.push({ frame, failed })
  }
}
