/** The interface to the machine that runs bytecode. Today it is the WebAssembly interpreter; a compiler would implement the same. */
import {
  A,
  type B,
  CODES,
  CODES_END,
  ENVIRONMENT,
  FRAME,
  FRAME_SIZE,
  FRAMES,
  OPCODES,
  RULES,
  STACKS_END,
} from './layout.ts'
import { type Build, loadModule } from './wasm.ts'

/** What running code asks of the state. Addresses and slots are in A, values in B; numbers returned are gas to pay. */
export interface Host {
  sload(): number
  sstore(): number
  tload(): void
  tstore(): void
  balance(): number
  selfbalance(): void
  extcodehash(): number
  extcodesize(): number
  extcodecopy(target: number, offset: number, length: number): void
  blockhash(): void
  blobhash(index: number): void
  log(data: number, length: number, topics: number, count: number): void
  selfdestruct(): number
  callcost(opcode: number, valued: number): number
  returndatacopy(target: number, offset: number, length: number): void
}

interface Exports {
  readonly memory: WebAssembly.Memory
  run(frame: number, fuel: number): number
  enter(frame: number, parent: number, code: number, length: number, blocks: number, local: boolean): void
  install(code: number, length: number): number
  installedSize(length: number): number
  placeBehind(parent: number, length: number): number
  settleCall(parent: number, success: boolean, gas: bigint, out: number, length: number): void
  settleFrame(parent: number, frame: number, success: boolean, keep: boolean): void
  settleCreate(parent: number, success: boolean, gas: bigint, out: number, length: number): void
  refuse(parent: number): void
  pass(parent: number): void
  hash(from: number, length: number): void
  reach(end: bigint): boolean
}

/** Code in linear memory, ready to run. */
export interface Installed {
  readonly code: number
  readonly length: number
  readonly blocks: number
}

/** What opcodes read of rules, block and transaction, as bytes of linear memory. */
export interface Environment {
  /** Names the opcode table: code analysed under one is not used under another. */
  readonly rulesKey: string
  readonly opcodes: Uint8Array
  readonly cells: Uint32Array
  readonly words: Uint8Array
}

/** One machine with its memory. Frames of several executions may be live in it, the later ones on top. */
export interface Interpreter {
  readonly exports: Exports
  /** All of linear memory; ask again after anything that may have grown it. */
  bytes(): Buffer
  u32(address: number): number
  setU32(address: number, value: number): void
  i64(address: number): bigint
  setI64(address: number, value: bigint): void
  /** Record addresses of live frames, pseudo frames of callers outside included. */
  readonly live: number[]
  /** Makes a host and its environment the ones in force. */
  attach(host: Host, environment: Environment): void
  /** Deployed code in the arena, by a key of its content; undefined if there is no room. */
  cached(environment: Environment, key: string, code: () => Uint8Array): Installed | undefined
  /** To be called when no frame is live: gives back what unusual executions took. */
  tidy(): void
}

const KEPT_BYTES = STACKS_END + (32 << 20)
const IMPORTS = [
  'sload',
  'sstore',
  'tload',
  'tstore',
  'balance',
  'selfbalance',
  'extcodehash',
  'extcodesize',
  'extcodecopy',
  'blockhash',
  'blobhash',
  'log',
  'selfdestruct',
  'callcost',
  'returndatacopy',
] as const

function instantiate(build: Build, current: () => Host): Exports {
  const host: Record<string, WebAssembly.ImportValue> = {}
  for (const name of IMPORTS) {
    host[name] = (a: number, b: number, c: number, d: number) =>
      (current()[name] as (...args: number[]) => number | undefined)(a, b, c, d)
  }
  const abort = () => {
    throw new Error('the interpreter aborted')
  }
  return new WebAssembly.Instance(loadModule(build), { host, env: { abort } }).exports as unknown as Exports
}

/** A fresh machine. Throws if the build is missing: `npm run build:evm`. */
export function createInterpreter(build: Build): Interpreter {
  let host: Host
  let environment: Environment | undefined
  let exports = instantiate(build, () => host)
  let bytes = Buffer.from(exports.memory.buffer)
  let view = new DataView(exports.memory.buffer)
  let arena = CODES
  let codes = new Map<string, Installed>()

  function renew(): void {
    bytes = Buffer.from(exports.memory.buffer)
    view = new DataView(exports.memory.buffer)
  }

  function current(): Buffer {
    if (bytes.length === 0) renew()
    return bytes
  }

  function currentView(): DataView {
    if (bytes.length === 0) renew()
    return view
  }

  const live: number[] = []
  return {
    get exports() {
      return exports
    },
    live,
    bytes: current,
    u32: (address) => currentView().getUint32(address, true),
    setU32: (address, value) => currentView().setUint32(address, value, true),
    i64: (address) => currentView().getBigInt64(address, true),
    setI64: (address, value) => currentView().setBigInt64(address, value, true),
    attach(nextHost, nextEnvironment) {
      host = nextHost
      if (environment === nextEnvironment) return
      environment = nextEnvironment
      const memory = current()
      memory.set(nextEnvironment.opcodes, OPCODES)
      memory.set(nextEnvironment.words, ENVIRONMENT)
      nextEnvironment.cells.forEach((cell, i) => {
        view.setUint32(RULES + 4 * i, cell, true)
      })
    },
    cached({ rulesKey }, key, code) {
      const name = rulesKey + key
      const known = codes.get(name)
      if (known) return known
      const content = code()
      const size = exports.installedSize(content.length)
      if (arena + 32 + size > CODES_END) return undefined
      const at = arena + 32
      current().set(content, at)
      const installed = { code: at, length: content.length, blocks: exports.install(at, content.length) }
      arena = (at + size + 31) & ~31
      codes.set(name, installed)
      return installed
    },
    tidy() {
      if (exports.memory.buffer.byteLength > KEPT_BYTES) {
        exports = instantiate(build, () => host)
        environment = undefined
        renew()
      } else if (arena < CODES_END - (1 << 20)) {
        return
      }
      arena = CODES
      codes = new Map()
    },
  }
}

const shared = new Map<Build, Interpreter>()

/** The machine that all executions of this thread share. */
export function sharedInterpreter(build: Build): Interpreter {
  let interpreter = shared.get(build)
  if (!interpreter) {
    interpreter = createInterpreter(build)
    shared.set(build, interpreter)
  }
  return interpreter
}

/** Opens the record of a caller outside the machine, from which the first frame of an execution is entered. */
export function openCaller(interpreter: Interpreter, data: Uint8Array): number | undefined {
  const { live } = interpreter
  const last = live.at(-1)
  const record = FRAMES + live.length * FRAME_SIZE
  const memory =
    last === undefined
      ? STACKS_END
      : (interpreter.u32(last + FRAME.memory) + interpreter.u32(last + FRAME.memorySize) + 31) & ~31
  const size = (data.length + 31) & ~31
  if (!interpreter.exports.reach(BigInt(memory + size + 64))) return undefined
  const bytes = interpreter.bytes()
  bytes.fill(0, record, record + FRAME_SIZE)
  bytes.set(data, memory)
  const sp = last === undefined ? STACKS_START : interpreter.u32(last + FRAME.sp) + 32
  interpreter.setU32(record + FRAME.sp, sp)
  interpreter.setU32(record + FRAME.stack, sp)
  interpreter.setU32(record + FRAME.memory, memory)
  interpreter.setU32(record + FRAME.memorySize, size)
  interpreter.setU32(record + FRAME.childData, memory)
  interpreter.setU32(record + FRAME.childDataLength, data.length)
  live.push(record)
  return record
}

const STACKS_START = CODES_END

/** The key of the address in A. */
export function addressKey(interpreter: Interpreter): string {
  return interpreter.bytes().latin1Slice(A + 12, A + 32)
}

/** The key of the slot in A. */
export function slotKey(interpreter: Interpreter): string {
  return interpreter.bytes().latin1Slice(A, A + 32)
}

/** A copy of the word in A or B. */
export function wordAt(interpreter: Interpreter, address: typeof A | typeof B): Uint8Array {
  return new Uint8Array(interpreter.bytes().subarray(address, address + 32))
}
