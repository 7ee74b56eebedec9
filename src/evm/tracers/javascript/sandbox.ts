/** A QuickJS context that holds one tracer script: nothing in it reaches out, and its memory and time end. */
import type { QuickJSContext, QuickJSHandle, QuickJSWASMModule } from 'quickjs-emscripten-core'
import { formatHex, hex } from '../../../primitives/bytes.ts'
import { queryError } from '../../../primitives/errors.ts'
import { keccak256 } from '../../../primitives/hash.ts'
import { create2Address, createAddress } from '../../contract-address.ts'
import { OPCODES } from '../../opcodes.ts'
import { FAILURE, RECORD } from '../../trace.ts'
import { BIG_INT } from './big-int.ts'
import { PRELUDE } from './prelude.ts'

/** An instance of QuickJS; whoever has threads and files loads it, with a memory that ends: QuickJS counts no bytes here. */
export type ScriptEngine = QuickJSWASMModule

export interface SandboxOptions {
  readonly engine: ScriptEngine
  readonly source: string
  /** JSON text for `setup`. */
  readonly config: string
  /** Lower-case hex without 0x. */
  readonly precompiles: readonly string[]
  readonly reads: { readonly stack: boolean; readonly memory: boolean }
  /** Asked every few thousand operations of the script; true ends it. */
  readonly shouldStop: () => boolean
  /** What the script asks of state; `at` is the byte position of the step's record, negative outside of steps. */
  readonly state: (what: string, addressHex: string, slotHex: string, at: number) => string
  /** Calldata of the frame whose step it is. */
  readonly input: () => Uint8Array
}

export interface Sandbox {
  /** Whether the script has `enter` and `exit`. */
  readonly hasFrames: boolean
  /** Most bytes of records of one `run`. */
  readonly capacity: number
  contract(addressHex: string, callerHex: string, valueHex: string): void
  clear(depth: number): void
  /** Runs the records, which may be parts of a larger memory. `error` is that of the last step. */
  run(records: Uint8Array, depth: number, error: string | undefined): void
  enter(frame: object): void
  exit(result: object): void
  /** JSON text of the script's result. */
  result(ctx: object): string
  dispose(): void
}

/** Records of one run, and behind them the list of what is in them: an entry for at least 24 bytes of records. */
const RECORD_BYTES = 1 << 20
const LIST_BYTES = 192 << 10
const BUFFER_BYTES = RECORD_BYTES + LIST_BYTES
const MARK_CELLS = 64
const STACK_BYTES = 512 * 1024
const NAMES = JSON.stringify(
  Array.from({ length: 256 }, (_, op) => OPCODES[op]?.name ?? `opcode 0x${op.toString(16)} not defined`),
)

/**
 * An ArrayBuffer of the context and where it lies in the engine's memory. The engine tells no addresses: the buffer is found by
 * what was written into it.
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

/** A failure of the script itself. */
const scriptError = (text: string): Error => queryError('internal', text)

/** Lists the records at an address behind the room for them, as the prelude reads them. Returns how many are listed. */
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
 * Opens a context and loads the script. Throws 3 `invalidArgument` for what is no tracer, 4 when stopped, and `internal` with
 * geth's words for what the script throws in `setup`.
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

  /** After an exception that went through it the engine is in no state to be used, nor to be tidied. */
  let isBroken = false
  function dispose(): void {
    if (isBroken) return
    for (const handle of owned.reverse()) if (handle.alive) handle.dispose()
    vm.dispose()
    runtime.dispose()
  }

  /** What QuickJS itself refused: interrupted, out of memory, a bug of the prelude. */
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

  /** Runs the engine. What is nested deeper than the host's own stack ends as what QuickJS says where it notices first. */
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

  /** Calls a function that returns what the script did wrong, if anything. */
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
        // A view of its own each time: the memory's buffer is another after it has grown.
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
