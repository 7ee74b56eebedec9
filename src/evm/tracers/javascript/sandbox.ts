/** A QuickJS context for one tracer script: the script has no access to the host, and its memory and time are limited. */
import type { QuickJSContext, QuickJSHandle, QuickJSWASMModule } from 'quickjs-emscripten-core'
import { formatHex, hex } from '../../../primitives/bytes.ts'
import { queryError } from '../../../primitives/errors.ts'
import { keccak256 } from '../../../primitives/hash.ts'
import { create2Address, createAddress } from '../../contract-address.ts'
import { OPCODES } from '../../opcodes.ts'
import { FAILURE, RECORD } from '../../trace.ts'
import { BIG_INT } from './big-int.ts'
import { PRELUDE } from './prelude.ts'

/** An instance of QuickJS. The node loads it, with a limited wasm memory: the context sets no other limit. */
export type ScriptEngine = QuickJSWASMModule

export interface SandboxOptions {
  readonly engine: ScriptEngine
  readonly source: string
  /** The argument of `setup`, JSON text. */
  readonly config: string
  /** Lower-case hex without 0x. */
  readonly precompiles: readonly string[]
  readonly reads: { readonly stack: boolean; readonly memory: boolean }
  /** Called every few thousand operations of the script; true ends it. */
  readonly shouldStop: () => boolean
  /** Reads the state for the script; `at` is the byte position of the step's record, negative outside steps. */
  readonly state: (what: string, addressHex: string, slotHex: string, at: number) => string
  /** Returns the calldata of the frame of the current step. */
  readonly input: () => Uint8Array
}

export interface Sandbox {
  /** Whether the script has `enter` and `exit`. */
  readonly hasFrames: boolean
  /** The maximum bytes of records of one `run`. */
  readonly capacity: number
  contract(addressHex: string, callerHex: string, valueHex: string): void
  clear(depth: number): void
  /** Runs the script over records, which can be a view of a larger memory. `error` is the error of the last step. */
  run(records: Uint8Array, depth: number, error: string | undefined): void
  enter(frame: object): void
  exit(result: object): void
  /** Returns the script's result as JSON text. */
  result(ctx: object): string
  dispose(): void
}

/** The buffer of one run: the records, then the list of them, with one entry for at least 24 bytes of records. */
const RECORD_BYTES = 1 << 20
const LIST_BYTES = 192 << 10
const BUFFER_BYTES = RECORD_BYTES + LIST_BYTES
const MARK_CELLS = 64
const STACK_BYTES = 512 * 1024
const NAMES = JSON.stringify(
  Array.from({ length: 256 }, (_, op) => OPCODES[op]?.name ?? `opcode 0x${op.toString(16)} not defined`),
)

/**
 * Creates an ArrayBuffer of the context and finds its address in the engine's memory: the engine does not expose addresses, so the
 * memory is searched for a pattern written to the buffer.
 */
function shareBuffer(
  engine: ScriptEngine,
  vm: QuickJSContext,
): { readonly handle: QuickJSHandle; readonly address: number } {
  const content = new Uint32Array(BUFFER_BYTES / 4)
  for (let i = 0; i < MARK_CELLS; i++) content[i] = Math.imul(i + 1, 0x9e3779b1) ^ 0x5bd1e995
  const handle = vm.newArrayBuffer(content.buffer)
  const memory = new Uint32Array(engine.getWasmMemory().buffer)
  for (let at = memory.length - content.length; at >= 0; at -= 2) {
    let cells = 0
    while (cells < MARK_CELLS && memory[at + cells] === content[cells]) cells++
    if (cells < MARK_CELLS) continue
    memory.fill(0, at, at + MARK_CELLS)
    return { handle, address: at * 4 }
  }
  throw new Error('the sandbox does not share its memory')
}

/** Returns the error of a failing script. */
const scriptError = (text: string): Error => queryError('internal', text)

/** Writes the list of records for the prelude, after the space for the records at an address. Returns the number of entries. */
function listRecords(memory: ArrayBufferLike, address: number, length: number, withSteps: boolean): number {
  const cells = new Uint32Array(memory, address, RECORD_BYTES / 4)
  const list = new Int32Array(memory, address + RECORD_BYTES, LIST_BYTES / 4)
  let count = 0
  for (let p = 0; p < length / 4; p += cells[p]! >>> 2) {
    const isPlain = cells[p + 1] === RECORD.step && cells[p + 13] === FAILURE.none
    if (!isPlain) list[count++] = ~p
    else if (withSteps) list[count++] = (p << 8) | cells[p + 3]!
  }
  return count
}

/**
 * Opens a context and loads the script. Throws `invalidArgument` (3) if it is not a tracer, 4 if stopped, and `internal` with geth's
 * text for an error that the script throws in `setup`.
 */
export function openSandbox(options: SandboxOptions): Sandbox {
  const { engine, shouldStop } = options
  const runtime = engine.newRuntime()
  runtime.setMaxStackSize(STACK_BYTES)
  let stopped = false
  runtime.setInterruptHandler(() => {
    stopped ||= shouldStop()
    return stopped
  })
  const vm: QuickJSContext = runtime.newContext()
  const memory = engine.getWasmMemory()
  const owned: QuickJSHandle[] = []
  const keep = (handle: QuickJSHandle): QuickJSHandle => {
    owned.push(handle)
    return handle
  }

  /** Set by an exception that passed through the engine: it can then neither be used nor disposed of. */
  let isBroken = false
  function dispose(): void {
    if (isBroken) return
    for (const handle of owned.reverse()) if (handle.alive) handle.dispose()
    vm.dispose()
    runtime.dispose()
  }

  /** Returns the error for a failure of QuickJS: interrupted, out of memory, a bug of the prelude. */
  function fault(error: QuickJSHandle): Error {
    if (stopped) {
      error.dispose()
      return queryError('deadlineExceeded', 'execution timeout')
    }
    const dumped = vm.dump(error) as { name?: string; message?: string } | string
    error.dispose()
    const text = typeof dumped === 'object' ? `${dumped.name}: ${dumped.message}` : String(dumped)
    if (/out of memory/.test(text)) {
      return queryError('resourceExhausted', 'the tracer script needed more memory than its budget')
    }
    return scriptError(text)
  }

  /** Runs the engine. An overflow of the host's stack is reported like QuickJS's own stack overflow, which usually comes first. */
  function inEngine<T>(run: () => T, failed: (text: string) => Error = scriptError): T {
    try {
      return run()
    } catch (error) {
      isBroken = true
      throw error instanceof RangeError ? failed('InternalError: stack overflow') : error
    }
  }

  const evaluate = (code: string, name: string): QuickJSHandle => {
    const outcome = vm.evalCode(code, name)
    if (outcome.error) throw fault(outcome.error)
    return keep(outcome.value)
  }

  function call(fn: QuickJSHandle, args: readonly QuickJSHandle[]): QuickJSHandle {
    const outcome = inEngine(() => vm.callFunction(fn, vm.undefined, [...args]))
    for (const handle of args) if (handle !== vm.undefined && !owned.includes(handle)) handle.dispose()
    if (outcome.error) throw fault(outcome.error)
    return outcome.value
  }

  /** Calls a function that returns the script's error, if any, and throws it. */
  function expectOk(fn: QuickJSHandle, args: readonly QuickJSHandle[]): void {
    const answer = call(fn, args)
    const text = vm.typeof(answer) === 'string' ? vm.getString(answer) : undefined
    answer.dispose()
    if (text !== undefined) throw scriptError(text)
  }

  const string = (text: string | undefined): QuickJSHandle => (text === undefined ? vm.undefined : vm.newString(text))

  function hostFunctions(uses: (step: boolean, frames: boolean) => void): QuickJSHandle {
    const host = keep(vm.newObject())
    const offer = (name: string, run: (...args: QuickJSHandle[]) => QuickJSHandle): void => {
      const handle = vm.newFunction(name, run)
      vm.setProp(host, name, handle)
      handle.dispose()
    }
    const text = (handle: QuickJSHandle): string => vm.getString(handle)
    offer('state', (what, address, slot, at) =>
      vm.newString(options.state(text(what!), text(address!), text(slot!), vm.getNumber(at!) * 4)),
    )
    offer('input', () => vm.newArrayBuffer(options.input().slice().buffer))
    offer('contract', (from, nonce) => vm.newString(formatHex(createAddress(hex(text(from!)), BigInt(text(nonce!))))))
    offer('contract2', (from, salt, code) =>
      vm.newString(formatHex(create2Address(hex(text(from!)), hex(text(salt!)), keccak256(hex(text(code!)))))),
    )
    offer('uses', (step, frames) => {
      uses(vm.dump(step!) === true, vm.dump(frames!) === true)
      return vm.undefined
    })
    return host
  }

  try {
    let hasFrames = false
    let hasStep = false
    const host = hostFunctions((step, frames) => {
      hasStep = step
      hasFrames = frames
    })
    evaluate(BIG_INT, 'big-int.js')
    const prelude = evaluate(PRELUDE, 'prelude.js')
    const buffer = shareBuffer(engine, vm)
    owned.push(buffer.handle)
    const made = vm.callFunction(
      prelude,
      vm.undefined,
      host,
      evaluate(NAMES, 'names.js'),
      evaluate(JSON.stringify(options.precompiles), 'precompiles.js'),
      buffer.handle,
      keep(vm.newNumber(RECORD_BYTES)),
      evaluate(`(${JSON.stringify(options.reads)})`, 'reads.js'),
    )
    if (made.error) throw fault(made.error)
    const inner = keep(made.value)
    const method = (name: string): QuickJSHandle => keep(vm.getProp(inner, name))
    const load = method('load')
    const run = method('run')
    const enter = method('enter')
    const exit = method('exit')
    const result = method('result')
    const contract = method('contract')
    const clear = method('clear')

    const script = inEngine(() => vm.evalCode(`(${options.source}\n)`, 'tracer.js'), unreadable)
    if (script.error) {
      const error = fault(script.error)
      throw stopped ? error : unreadable(error.message)
    }
    const refusal = call(load, [keep(script.value), vm.newString(options.config)])
    const text = vm.typeof(refusal) === 'string' ? vm.getString(refusal) : undefined
    refusal.dispose()
    if (text !== undefined) {
      throw text.startsWith('trace object') ? queryError('invalidArgument', text) : scriptError(text)
    }

    return {
      hasFrames,
      capacity: RECORD_BYTES,
      contract: (address, caller, value) =>
        call(contract, [vm.newString(address), vm.newString(caller), vm.newString(value)]).dispose(),
      clear: (depth) => call(clear, [vm.newNumber(depth)]).dispose(),
      run(records, depth, error) {
        // A new view each time: growth replaces the memory's buffer.
        new Uint8Array(memory.buffer, buffer.address, RECORD_BYTES).set(records)
        const count = listRecords(memory.buffer, buffer.address, records.length, hasStep)
        if (count > 0) expectOk(run, [vm.newNumber(depth), vm.newNumber(count), string(error)])
      },
      enter: (frame) => expectOk(enter, [vm.newString(JSON.stringify(frame))]),
      exit: (left) => expectOk(exit, [vm.newString(JSON.stringify(left))]),
      result(ctx) {
        const answer = call(result, [vm.newString(JSON.stringify(ctx))])
        const encoded = vm.getString(answer)
        answer.dispose()
        if (encoded.startsWith('!')) throw scriptError(encoded.slice(1))
        return encoded
      },
      dispose,
    }
  } catch (error) {
    dispose()
    throw error
  }
}

const unreadable = (text: string): Error => queryError('invalidArgument', `the tracer cannot be read: ${text}`)
