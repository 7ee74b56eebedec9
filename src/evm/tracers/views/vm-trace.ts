/** The opcodes of a transaction and what each changed, in OpenEthereum's form (`vmTrace`). It is written while the code runs. */
import { EMPTY, formatHex, formatHex0x } from '../../../primitives/bytes.ts'
import { delegationTarget } from '../../delegation.ts'
import { OPCODES, traceName } from '../../opcodes.ts'
import {
  FAILURE,
  type FrameEnd,
  type FrameStart,
  RECORD,
  STEP,
  type StepBatch,
  type Tracer,
  type TraceState,
  WRITE,
} from '../../trace.ts'
import type { Output } from '../output.ts'

const [MLOAD, SSTORE, REVERT] = [0x51, 0x55, 0xfd]
const FIRST_DUP = 0x80
const FIRST_SWAP = 0x90

/** An opcode whose object is open: its effects are known when the next one of its frame begins. */
interface OpenStep {
  readonly op: number
  /** Gas left after it, if no other frame ran in between. */
  readonly left: bigint
  readonly isFailed: boolean
  /** Offset of the word that MLOAD reads. */
  readonly loadsAt: string | undefined
  readonly store: string
  mem: string
  hasSub: boolean
}

interface OpenFrame {
  steps: number
  open: OpenStep | undefined
}

/** Creates the tracer. `finish` ends the object if nothing was executed. */
export function createVmTrace(output: Output): { readonly tracer: Tracer; readonly finish: () => void } {
  /** The open frames; undefined for precompiles, and for frames inside them. */
  const frames: (OpenFrame | undefined)[] = []
  let isWritten = false

  /** Ends the object of the open step. `record` is the next step of its frame; undefined if it was the last one. */
  function close(frame: OpenFrame, batch?: StepBatch, record?: number): void {
    const { open } = frame
    if (!open) return
    frame.open = undefined
    if (!open.hasSub) output.text(',"sub":null')
    if (open.isFailed) {
      output.text(',"ex":null}')
      return
    }
    const pushed = batch && record !== undefined ? pushedWords(batch, record, open.op) : []
    const used = batch && record !== undefined ? i64(batch.bytes, record + STEP.gas) : open.left
    const mem = open.loadsAt === undefined || pushed.length === 0 ? open.mem : loaded(open.loadsAt, pushed[0]!)
    const push = pushed.map((bytes) => `"${shortWord(bytes)}"`).join()
    output.text(`,"ex":{"mem":${mem},"push":[${push}],"store":${open.store},"used":${used}}}`)
  }

  function step(frame: OpenFrame, batch: StepBatch, record: number): void {
    close(frame, batch, record)
    const { bytes } = batch
    const op = u32(bytes, record + STEP.op)
    const [gas, cost] = [i64(bytes, record + STEP.gas), i64(bytes, record + STEP.cost)]
    const height = u32(bytes, record + STEP.height)
    const at = (index: number): string => shortWord(wordAt(bytes, record, height - 1 - index))
    output.text(
      `${frame.steps++ > 0 ? ',' : ''}{"cost":${cost},"op":"${traceName(op)}","pc":${u32(bytes, record + STEP.pc)}`,
    )
    frame.open = {
      op,
      left: gas - cost,
      isFailed: u32(bytes, record + STEP.failure) !== FAILURE.none && op !== REVERT,
      loadsAt: op === MLOAD && height >= 1 ? at(0) : undefined,
      store: op === SSTORE && height >= 2 ? `{"key":"${at(0)}","val":"${at(1)}"}` : 'null',
      mem: 'null',
      hasSub: false,
    }
  }

  function write(frame: OpenFrame, { bytes, memory }: StepBatch, record: number): void {
    if (!frame.open) return
    const [offset, length] = [u32(bytes, record + WRITE.offset), u32(bytes, record + WRITE.length)]
    const from = u32(bytes, record + WRITE.whole) === 1 ? record + WRITE.bytes : memory + offset
    frame.open.mem = `{"data":"${formatHex0x(bytes.subarray(from, from + length))}","off":${offset}}`
  }

  function steps(batch: StepBatch): void {
    const frame = frames.at(-1)
    if (!frame) return
    const { bytes, start, end } = batch
    for (let record = start; record < end; record += u32(bytes, record)) {
      if (u32(bytes, record + STEP.kind) === RECORD.step) step(frame, batch, record)
      else write(frame, batch, record)
    }
  }

  function enter(start: FrameStart, state: TraceState): void {
    const parent = frames.at(-1)
    const isOutermost = frames.length === 0
    const code = codeOf(start, state)
    const isOpen = isOutermost || (parent?.open !== undefined && !parent.open.hasSub)
    if (!code || !isOpen) {
      frames.push(undefined)
      return
    }
    if (!isOutermost) {
      parent!.open!.hasSub = true
      output.text(',"sub":')
    }
    isWritten = true
    output.text('{"code":"')
    output.text(formatHex0x(code))
    output.text('","ops":[')
    frames.push({ steps: 0, open: undefined })
  }

  function exit(_: FrameEnd): void {
    const frame = frames.pop()
    if (!frame) return
    close(frame)
    output.text(']}')
  }

  return {
    tracer: { reads: () => ({ stack: true, memory: true }), steps, enter, exit },
    finish() {
      if (!isWritten) output.text('null')
    },
  }
}

/** Returns the code that a frame runs; undefined for a self-destruct, and for a precompile that another frame calls. */
function codeOf({ kind, depth, to, input, isPrecompile }: FrameStart, state: TraceState): Uint8Array | undefined {
  if (kind === 'SELFDESTRUCT') return undefined
  if (isPrecompile) return depth === 1 ? EMPTY : undefined
  if (kind === 'CREATE' || kind === 'CREATE2') return input
  const code = state.code(to)
  const target = delegationTarget(code)
  return target ? state.code(target) : code
}

/** Returns how many words of the stack an opcode determines: those that it pushes, and all that DUP and SWAP touch. */
function pushes(op: number): number {
  if (op >= FIRST_DUP && op < FIRST_DUP + 16) return op - FIRST_DUP + 2
  if (op >= FIRST_SWAP && op < FIRST_SWAP + 16) return op - FIRST_SWAP + 2
  return OPCODES[op]?.pushes ?? 0
}

/** Returns the words that an opcode left on the stack, the top last, from the stack of the next step. */
function pushedWords({ bytes }: StepBatch, next: number, op: number): Uint8Array[] {
  const height = u32(bytes, next + STEP.height)
  const count = Math.min(pushes(op), height)
  return Array.from({ length: count }, (_, i) => wordAt(bytes, next, height - count + i))
}

const loaded = (offset: string, value: Uint8Array): string => `{"data":"${formatHex0x(value)}","off":${Number(offset)}}`

/** Returns a word of a recorded stack; index 0 is the bottom. */
function wordAt(bytes: Uint8Array, record: number, index: number): Uint8Array {
  const from = record + STEP.stack + 32 * index
  // A copy: the bytes can be a `Buffer`, whose slices share its memory.
  return Uint8Array.from(bytes.subarray(from, from + 32)).reverse()
}

/** Formats a word as a quantity. */
const shortWord = (bytes: Uint8Array): string => `0x${formatHex(bytes).replace(/^0{1,63}/, '')}`

const u32 = (bytes: Uint8Array, at: number): number =>
  bytes[at]! + bytes[at + 1]! * 0x100 + bytes[at + 2]! * 0x10000 + bytes[at + 3]! * 0x1000000

const i64 = (bytes: Uint8Array, at: number): bigint =>
  BigInt.asIntN(64, (BigInt(u32(bytes, at + 4)) << 32n) | BigInt(u32(bytes, at)))
