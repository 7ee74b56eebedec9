/** The struct logger: every step of an execution, written as it runs. */
import { formatHex, formatHex0x, fromKey, toKey } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import * as errors from '../errors.ts'
import { STEP, type StepBatch, type StepFormat, type TracedResult, type Tracer } from '../trace.ts'
import type { Output } from './output.ts'
import { createMemories, nextRecord, readU32, stackWord } from './records.ts'
import { configOf, flagOf, type Trace, type TraceFactory, wrongConfig } from './tracer.ts'

export interface StructLogOptions {
  readonly enableMemory: boolean
  readonly disableStack: boolean
  readonly disableStorage: boolean
  readonly enableReturnData: boolean
  /** The maximum number of entries; 0 for no limit. */
  readonly limit: number
  readonly output: Output
  /** The maximum length of the result, which is truncated beyond it with a notice. Unit: bytes. */
  readonly outputBytes: number
}

/** A trace that writes its result while it runs, so that the result of an interrupted trace can still be completed. */
export interface StructTrace extends Trace {
  /** Completes the result. `cut` is the reason for ending the execution early; the result names it. */
  finish(cut?: string): void
}

/**
 * Creates the struct logger. Names and formats of fields are those of geth 1.14: words of memory and storage, and the return value,
 * have no `0x`. The entries precede the totals, which are known last.
 */
export function createStructTrace(options: StructLogOptions): StructTrace {
  const { enableMemory, disableStack, disableStorage, enableReturnData, limit, output, outputBytes } = options
  const storage = createStorageLog()
  const memories = createMemories()
  const format: StepFormat = {
    withStack: !disableStack,
    open: enableMemory || enableReturnData ? 'all' : disableStorage ? 'none' : 'storage',
  }
  const reads = { stack: !disableStack || !disableStorage, memory: enableMemory }
  let entries = 0
  let isCut: string | undefined
  let result: TracedResult | undefined
  let begun = false

  function begin(): void {
    if (begun) return
    begun = true
    output.text('{"structLogs":[')
  }

  /** Writes formatted entries, without the leading comma of the first one. */
  function write(text: Uint8Array, isFirst: boolean): void {
    output.bytes(isFirst ? text.subarray(1) : text)
  }

  function steps(batch: StepBatch): void {
    begin()
    const { start, end } = batch
    let applied = start
    for (let at = start; at < end && isCut === undefined; ) {
      const most = limit === 0 ? Number.POSITIVE_INFINITY : limit - entries
      const { text, count, open, next } = batch.format(at, format, most)
      if (count === 0) break
      write(text, entries === 0)
      entries += count
      if (open !== 0) {
        // Apply the writes of earlier steps before this one.
        for (; enableMemory && applied < open; applied = nextRecord(batch, applied)) memories.apply(batch, applied)
        writeRest(batch, open)
      }
      at = next
      if (limit !== 0 && entries >= limit) isCut = `limit of ${limit} entries`
      else if (output.written > outputBytes) isCut = `budget of ${outputBytes} bytes`
    }
    for (; enableMemory && applied < end; applied = nextRecord(batch, applied)) memories.apply(batch, applied)
  }

  /** Writes the fields of an entry that the interpreter cannot format, and its end. */
  function writeRest(batch: StepBatch, record: number): void {
    const u32 = (offset: number): number => readU32(batch.bytes, record + offset)
    if (u32(STEP.failure) === 1 && batch.error !== undefined) output.text(`,"error":${JSON.stringify(batch.error)}`)
    if (enableReturnData) {
      const data = batch.returnData()
      if (data.length > 0) output.text(`,"returnData":"${formatHex0x(data)}"`)
    }
    const size = u32(STEP.memorySize)
    if (enableMemory && size > 0) output.text(`,"memory":[${memories.words(batch.depth, size)}]`)
    if (!disableStorage) {
      const slots = storage.step(batch, record)
      if (slots !== undefined) output.text(`,"storage":{${slots}}`)
    }
    output.text('}')
  }

  const tracer: Tracer = {
    reads: () => (isCut === undefined ? reads : undefined),
    steps,
    enter: ({ depth }) => memories.enter(depth),
    end(ended) {
      result = ended
    },
  }

  return {
    tracer,
    isFull: () => false,
    finish(cut) {
      begin()
      output.text(']')
      if (result) {
        const { gasUsed, success, error } = result
        const returned = success || error === errors.REVERTED ? formatHex(result.output) : ''
        output.text(`,"gas":${gasUsed},"failed":${!success},"returnValue":"${returned}"`)
      }
      const reason = cut ?? isCut
      if (reason !== undefined) output.text(`,"truncated":${JSON.stringify(reason)}`)
      output.text('}')
    },
  }
}

/** Creates the struct logger from options: `enableMemory`, `disableStack`, `disableStorage`, `enableReturnData`, `limit`. */
export const createStructTraceOf: TraceFactory = ({ config, output, outputBytes = Number.POSITIVE_INFINITY }) => {
  const options = configOf(config)
  const limit = options['limit'] ?? 0
  if (typeof limit !== 'number' || !Number.isSafeInteger(limit)) throw wrongConfig('limit must be a whole number')
  if (limit < 0) throw queryError('invalidArgument', `output limit cannot be negative, got ${limit}`)
  return createStructTrace({
    enableMemory: flagOf(options, 'enableMemory'),
    disableStack: flagOf(options, 'disableStack'),
    disableStorage: flagOf(options, 'disableStorage'),
    enableReturnData: flagOf(options, 'enableReturnData'),
    limit,
    output,
    outputBytes,
  })
}

/** Creates the log of slots that SLOAD and SSTORE accessed so far, by contract. */
function createStorageLog() {
  const contracts = new Map<string, Map<string, string>>()

  return {
    /** Returns the slots of the contract that geth shows at this step; undefined if geth omits the field. */
    step(batch: StepBatch, record: number): string | undefined {
      const { bytes, contract } = batch
      const op = bytes[record + STEP.op]!
      const height = readU32(bytes, record + STEP.height)
      const isLoad = op === 0x54 && height >= 1
      if (!isLoad && !(op === 0x55 && height >= 2)) return undefined
      const { address } = contract
      const slot = stackWord(batch, record, 0)
      const value = isLoad ? batch.stateBefore(record).storage(address, slot) : stackWord(batch, record, 1)
      const key = toKey(address)
      let slots = contracts.get(key)
      if (!slots) {
        slots = new Map()
        contracts.set(key, slots)
      }
      slots.set(toKey(slot), toKey(value))
      return [...slots].map(([name, held]) => `"${formatHex(fromKey(name))}":"${formatHex(fromKey(held))}"`).join()
    },
  }
}
