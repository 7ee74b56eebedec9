/** Tracers in JavaScript, with geth's interface: a script that runs in a sandbox and receives the events of an execution (D16). */
import { formatHex, hex } from '../../../primitives/bytes.ts'
import type { FrameStart, StepBatch, TracedTransaction, Tracer, TraceState } from '../../trace.ts'
import { RECORD, STEP, WRITE } from '../../trace.ts'
import type { Trace, TraceFactory } from '../tracer.ts'
import { openSandbox, type Sandbox, type ScriptEngine } from './sandbox.ts'
import { SCRIPTS } from './scripts.ts'

export interface ScriptLimits {
  readonly engine: ScriptEngine
  /** Called while a script runs; true ends it with `deadlineExceeded`. */
  readonly shouldStop: () => boolean
  /** The addresses of every precompile of the chain, 20 bytes each. */
  readonly precompiles: Iterable<Uint8Array>
}

/** Returns the script for a tracer's name or text; undefined for an unknown name. */
export function scriptOf(tracer: string): string | undefined {
  if (Object.hasOwn(SCRIPTS, tracer)) return SCRIPTS[tracer]
  return /^[\w$.-]*$/.test(tracer.trim()) ? undefined : tracer
}

/** Returns the factory of a script. It throws `invalidArgument` (3) if the script is not a tracer. */
export function scriptFactory(source: string, limits: ScriptLimits): TraceFactory {
  const reads = { stack: mentions(source, 'stack'), memory: mentions(source, 'memory') }
  const precompiles = [...limits.precompiles].map(formatHex)
  return ({ config, context, output }) => {
    const ctx: Record<string, unknown> = { block: Number(context.blockNumber), value: '0', gasPrice: '0' }
    if (context.blockHash) {
      ctx['blockHash'] = formatHex(context.blockHash)
      if (context.txHash) {
        ctx['txIndex'] = context.txIndex ?? 0
        ctx['txHash'] = formatHex(context.txHash)
      }
    }
    return createTrace({ source, reads, precompiles, limits, ctx, output, config: JSON.stringify(config ?? {}) })
  }
}

/** Whether a script can use a part of steps that is recorded on demand: it names the part, or hides names by escapes or eval. */
function mentions(source: string, word: string): boolean {
  return source.includes(word) || /\\u|\\x|\beval\b|\bFunction\b/.test(source)
}

interface Parts {
  readonly source: string
  readonly reads: { readonly stack: boolean; readonly memory: boolean }
  readonly precompiles: readonly string[]
  readonly limits: ScriptLimits
  readonly ctx: Record<string, unknown>
  readonly output: { text(part: string): void }
  readonly config: string
}

function createTrace(parts: Parts): Trace {
  const { reads, limits, ctx, output } = parts
  let failure: unknown
  /** The state that `db` shows outside steps: that of the latest event. */
  let state: TraceState | undefined
  let batch: StepBatch | undefined
  /** The offset in the batch of the records that run now. */
  let origin = 0
  let shown: StepBatch['contract'] | undefined

  function readState(what: string, addressHex: string, slotHex: string, at: number): string {
    const seen = at >= 0 && batch ? batch.stateBefore(origin + at) : state
    if (!seen) return what === 'code' || what === 'storage' ? '' : '0'
    const address = hex(addressHex)
    switch (what) {
      case 'balance':
        return seen.balance(address).toString()
      case 'nonce':
        return seen.nonce(address).toString()
      case 'code':
        return formatHex(seen.code(address))
      case 'storage':
        return formatHex(seen.storage(address, hex(slotHex)))
      default:
        return seen.exists(address) ? '1' : '0'
    }
  }

  const sandbox: Sandbox = openSandbox({
    engine: limits.engine,
    source: parts.source,
    config: parts.config,
    precompiles: parts.precompiles,
    reads,
    shouldStop: limits.shouldStop,
    state: readState,
    input: () => batch?.contract.input ?? new Uint8Array(0),
  })
  const { hasFrames } = sandbox

  /** Runs a function of the script; the first error ends the trace. */
  function guard(run: () => void): void {
    if (failure !== undefined) return
    try {
      run()
    } catch (error) {
      failure = error
    }
  }

  function runRecords(from: number, to: number): void {
    const { bytes, depth, error } = batch!
    origin = from
    sandbox.run(bytes.subarray(from, to), depth, error)
  }

  function runBatch(): void {
    const { bytes, start, end, contract, depth, memory } = batch!
    if (shown !== contract) {
      shown = contract
      sandbox.contract(formatHex(contract.address), formatHex(contract.caller), contract.valueWei.toString())
    }
    let from = start
    let at = start
    while (at < end) {
      const size = readU32(bytes, at + STEP.size)
      const isLongWrite = readU32(bytes, at + WRITE.kind) === RECORD.write && readU32(bytes, at + WRITE.whole) === 0
      if (at + size - from > sandbox.capacity || isLongWrite) {
        if (at > from) runRecords(from, at)
        from = at
      }
      at += size
      if (!isLongWrite) continue
      if (reads.memory) {
        const offset = readU32(bytes, from + WRITE.offset)
        const length = readU32(bytes, from + WRITE.length)
        writeLong(sandbox, depth, offset, bytes.subarray(memory + offset, memory + offset + length))
      }
      from = at
    }
    if (end > from) runRecords(from, end)
  }

  const tracer: Tracer = {
    reads: () => (failure === undefined ? reads : undefined),
    start(transaction, before) {
      state = before
      Object.assign(ctx, transactionFacts(transaction))
    },
    enter(frame, before) {
      state = before
      guard(() => {
        if (reads.memory) sandbox.clear(frame.depth)
        if (frame.depth === 1) Object.assign(ctx, outermostFacts(frame))
        else if (hasFrames) sandbox.enter(innerFacts(frame))
      })
    },
    exit({ depth, gasUsed, output: returned, error }) {
      if (depth === 1) {
        ctx['output'] = formatHex(returned)
        if (error !== undefined) ctx['error'] = error
      } else if (hasFrames) {
        const left = {
          gasUsed: Number(gasUsed),
          output: formatHex(returned),
          ...(error === undefined ? {} : { error }),
        }
        guard(() => sandbox.exit(left))
      }
    },
    steps(told) {
      batch = told
      guard(runBatch)
      batch = undefined
    },
    end(result, after) {
      state = after
      ctx['gasUsed'] = Number(result.gasUsed)
      if (result.error !== undefined) ctx['error'] ??= result.error
    },
  }
  return {
    tracer,
    isFull: () => failure !== undefined,
    finish() {
      try {
        if (failure !== undefined) throw failure
        output.text(sandbox.result(ctx))
      } finally {
        sandbox.dispose()
      }
    },
  }
}

/** Passes a write whose bytes are in memory only, in chunks in the form of records. */
function writeLong(sandbox: Sandbox, depth: number, offset: number, bytes: Uint8Array): void {
  const most = sandbox.capacity - WRITE.bytes
  for (let done = 0; done < bytes.length; done += most) {
    const piece = bytes.subarray(done, done + most)
    const record = new Uint8Array(WRITE.bytes + Math.ceil(piece.length / 8) * 8)
    const view = new DataView(record.buffer)
    view.setUint32(WRITE.size, record.length, true)
    view.setUint32(WRITE.kind, RECORD.write, true)
    view.setUint32(WRITE.offset, offset + done, true)
    view.setUint32(WRITE.length, piece.length, true)
    view.setUint32(WRITE.whole, 1, true)
    record.set(piece, WRITE.bytes)
    sandbox.run(record, depth, undefined)
  }
}

function transactionFacts(tx: TracedTransaction): object {
  const to = tx.to ?? tx.contractAddress
  return {
    type: tx.to ? 'CALL' : 'CREATE',
    from: formatHex(tx.from),
    ...(to ? { to: formatHex(to) } : {}),
    input: formatHex(tx.input),
    gas: Number(tx.gasLimit),
    gasPrice: tx.gasPriceWei.toString(),
    value: tx.valueWei.toString(),
    coinbase: formatHex(tx.coinbase),
  }
}

function outermostFacts({ kind, from, to, input, valueWei }: FrameStart): object {
  return {
    type: kind === 'CREATE' ? 'CREATE' : 'CALL',
    from: formatHex(from),
    to: formatHex(to),
    input: formatHex(input),
    value: valueWei.toString(),
  }
}

function innerFacts({ kind, from, to, input, gas, valueWei }: FrameStart): object {
  return {
    type: kind,
    from: formatHex(from),
    to: formatHex(to),
    input: formatHex(input),
    gas: Number(gas),
    ...(kind === 'STATICCALL' || kind === 'DELEGATECALL' ? {} : { value: valueWei.toString() }),
  }
}

const readU32 = (bytes: Uint8Array, at: number): number =>
  bytes[at]! + bytes[at + 1]! * 0x100 + bytes[at + 2]! * 0x10000 + bytes[at + 3]! * 0x1000000
