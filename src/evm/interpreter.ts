/** The interface to the WebAssembly interpreter, which runs bytecode. A compiler of bytecode would implement the same interface. */
import {
  A,
  B,
  BLOCKS,
  BLOCKS_END,
  CODES,
  CODES_END,
  ENVIRONMENT,
  FRAME,
  FRAME_SIZE,
  FRAMES,
  OPCODES,
  RULES,
  STACKS,
  STACKS_END,
} from './layout.ts'
import { type Build, loadModule } from './wasm.ts'
import { writeAddress, writeNumber } from './words.ts'

/** The functions that running code calls. Addresses and slots are passed in A, values in B; a number returned is the gas to pay. */
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
  selfdestruct(isStatic: number): number
  callcost(opcode: number, valued: number): number
  returndatacopy(target: number, offset: number, length: number): void
  /** Called when fuel is used up between two jumps. */
  pause(): void
}

interface Exports {
  readonly memory: WebAssembly.Memory
  run(frame: number, fuel: number): number
  enter(
    frame: number,
    parent: number,
    code: number,
    length: number,
    jumps: number,
    blocks: number,
    local: boolean,
  ): void
  optimise(code: number, length: number, blocks: number): void
  optimisedSize(length: number): number
  quicken(frame: number, blocks: number): void
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
  format(from: number, end: number, flags: number, most: number): void
}

/** Code in linear memory, ready to run. */
export interface Installed {
  readonly code: number
  readonly length: number
  /** The bitmap of its jump destinations. */
  readonly jumps: number
  /** The address of its analysis for the fast loop, or 0: see `optimise`. */
  blocks: number
  calls: number
  /** False in the arena, where it stays for later calls; true after the memory of the frame that calls it. */
  readonly local: boolean
  /** The identity of its arena; in another arena its addresses are invalid. */
  readonly arena: object
}

/** The parts of rules, block and transaction that opcodes read; bytes are in the encoding of linear memory. */
export interface Environment {
  /** The identity of the opcode table: analyses of code are cached per table. */
  readonly rulesKey: string
  readonly opcodes: Uint8Array
  readonly cells: Uint32Array
  /** The words of the block, which follow those of the transaction. */
  readonly block: Uint8Array
  /** 20 bytes. */
  readonly origin: Uint8Array
  /** Unit: wei. */
  readonly gasPrice: bigint
}

/** One instance with its memory. It can contain frames of several executions, the later ones on top. */
export interface Interpreter {
  readonly exports: Exports
  /** Returns all of linear memory, until it grows. */
  bytes(): Buffer
  u32(address: number): number
  setU32(address: number, value: number): void
  i64(address: number): bigint
  setI64(address: number, value: bigint): void
  /** The record addresses of live frames, including the records of callers from outside. */
  readonly live: number[]
  /** Returns a copy of a range. */
  slice(from: number, to: number): Uint8Array
  /** Returns a view of a range, valid until memory grows. */
  view(from: number, to: number): Uint8Array
  /** Reads a little-endian word. */
  wordAt(address: number): bigint
  /** Writes a little-endian word. */
  setWord(address: number, value: bigint): void
  /** Writes a number to B, big-endian. */
  returnNumber(value: bigint): void
  /** Makes a host and its environment the current ones. */
  attach(host: Host, environment: Environment): void
  /** Returns the identity of the current arena: installed code is valid if its `arena` is the same object. */
  arena(): object
  /** Installs deployed code in the arena, cached by a key of its content; undefined if there is no space. */
  install(environment: Environment, key: string, code: Uint8Array): Installed | undefined
  /** Prepares code in the arena for the fast loop, if there is space. For code that runs long or often. */
  optimise(installed: Installed): void
  /** Releases the memory of unusual executions. Call it only while no frame is live. */
  tidy(): void
}

const KEPT_BYTES = STACKS_END + (48 << 20)
const KEPT_CODE = 32 << 20
/** The number of codes without space in the block arena at which `tidy` clears the arenas. */
const MAX_REFUSED = 64

/** Instantiates a build. Its imports call the host that `host` returns at the time of the call. */
export function instantiate(module: WebAssembly.Module, host: () => Host): Exports {
  const imports = {
    host: {
      sload: () => host().sload(),
      sstore: () => host().sstore(),
      tload: () => host().tload(),
      tstore: () => host().tstore(),
      balance: () => host().balance(),
      selfbalance: () => host().selfbalance(),
      extcodehash: () => host().extcodehash(),
      extcodesize: () => host().extcodesize(),
      extcodecopy: (target: number, offset: number, length: number) => host().extcodecopy(target, offset, length),
      blockhash: () => host().blockhash(),
      blobhash: (index: number) => host().blobhash(index),
      log: (data: number, length: number, topics: number, count: number) => host().log(data, length, topics, count),
      selfdestruct: (isStatic: number) => host().selfdestruct(isStatic),
      callcost: (opcode: number, valued: number) => host().callcost(opcode, valued),
      returndatacopy: (target: number, offset: number, length: number) => host().returndatacopy(target, offset, length),
      pause: () => host().pause(),
      // Other nodes have enough memory: the result of the transaction must not depend on this machine.
      noMemory: () => {
        throw new RangeError('could not allocate memory for the EVM')
      },
    },
    env: {
      abort: () => {
        throw new Error('the interpreter aborted')
      },
    },
  }
  return new WebAssembly.Instance(module, imports).exports as unknown as Exports
}

/** Creates an instance. Throws if the build is missing: run `npm run build:evm`. */
function createInterpreter(build: Build): Interpreter {
  let host: Host
  let environment: Environment | undefined
  let opcodes: Uint8Array | undefined
  let block: Uint8Array | undefined
  let exports = instantiate(loadModule(build), () => host)
  let bytes = Buffer.from(exports.memory.buffer)
  let plain = new Uint8Array(exports.memory.buffer)
  let view = new DataView(exports.memory.buffer)
  let arena = {}
  let top = CODES
  let blocksTop = BLOCKS
  let refused = 0
  /** The installed codes by the identity of the opcode table, then by key. */
  let codes = new Map<string, Map<string, Installed>>()

  function renew(): void {
    bytes = Buffer.from(exports.memory.buffer)
    plain = new Uint8Array(exports.memory.buffer)
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
    slice(from, to) {
      if (bytes.length === 0) renew()
      return plain.slice(from, to)
    },
    view(from, to) {
      if (bytes.length === 0) renew()
      return plain.subarray(from, to)
    },
    wordAt(address) {
      const at = currentView()
      const low = at.getBigUint64(address, true)
      const second = at.getBigUint64(address + 8, true)
      const third = at.getBigUint64(address + 16, true)
      const fourth = at.getBigUint64(address + 24, true)
      if (second === 0n && third === 0n && fourth === 0n) return low
      return low | (second << 64n) | (third << 128n) | (fourth << 192n)
    },
    setWord: (address, value) => writeNumber(currentView(), address, value),
    returnNumber(value) {
      const at = currentView()
      const wide = value >> 64n !== 0n
      at.setBigUint64(B, wide ? BigInt.asUintN(64, value >> 192n) : 0n)
      at.setBigUint64(B + 8, wide ? BigInt.asUintN(64, value >> 128n) : 0n)
      at.setBigUint64(B + 16, wide ? BigInt.asUintN(64, value >> 64n) : 0n)
      at.setBigUint64(B + 24, BigInt.asUintN(64, value))
    },
    attach(nextHost, nextEnvironment) {
      host = nextHost
      if (environment === nextEnvironment) return
      environment = nextEnvironment
      const memory = current()
      writeAddress(memory, ENVIRONMENT, nextEnvironment.origin)
      writeNumber(view, ENVIRONMENT + 32, nextEnvironment.gasPrice)
      if (block !== nextEnvironment.block) {
        block = nextEnvironment.block
        memory.set(block, ENVIRONMENT + 64)
      }
      if (opcodes === nextEnvironment.opcodes) return
      opcodes = nextEnvironment.opcodes
      memory.set(opcodes, OPCODES)
      nextEnvironment.cells.forEach((cell, i) => {
        view.setUint32(RULES + 4 * i, cell, true)
      })
    },
    arena: () => arena,
    install({ rulesKey }, key, code) {
      let installedCodes = codes.get(rulesKey)
      if (!installedCodes) {
        installedCodes = new Map()
        codes.set(rulesKey, installedCodes)
      }
      const known = installedCodes.get(key)
      if (known) return known
      const { length } = code
      const size = exports.installedSize(length)
      if (top + 32 + size > CODES_END) return undefined
      const at = top + 32
      current().set(code, at)
      const installed = {
        code: at,
        length,
        jumps: exports.install(at, length),
        blocks: 0,
        calls: 0,
        local: false,
        arena,
      }
      top = (at + size + 31) & ~31
      installedCodes.set(key, installed)
      return installed
    },
    optimise(installed) {
      const { code, length, blocks, local } = installed
      const size = exports.optimisedSize(length)
      if (local || blocks !== 0) return
      if (blocksTop + size > BLOCKS_END) {
        refused++
        return
      }
      exports.optimise(code, length, blocksTop)
      installed.blocks = blocksTop
      blocksTop = (blocksTop + size + 31) & ~31
    },
    tidy() {
      const { byteLength } = exports.memory.buffer
      if (byteLength <= KEPT_BYTES && top < CODES + KEPT_CODE && refused < MAX_REFUSED) return
      exports = instantiate(loadModule(build), () => host)
      environment = undefined
      block = undefined
      opcodes = undefined
      renew()
      arena = {}
      top = CODES
      blocksTop = BLOCKS
      refused = 0
      codes = new Map()
    },
  }
}

const shared = new Map<Build, Interpreter>()

/** Returns the instance that all executions of this thread share. */
export function sharedInterpreter(build: Build): Interpreter {
  let interpreter = shared.get(build)
  if (!interpreter) {
    interpreter = createInterpreter(build)
    shared.set(build, interpreter)
  }
  return interpreter
}

/** Opens the record of a caller from outside, from which the first frame of an execution is entered. Undefined if memory is full. */
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
  const sp = last === undefined ? STACKS : interpreter.u32(last + FRAME.sp) + 32
  interpreter.setU32(record + FRAME.sp, sp)
  interpreter.setU32(record + FRAME.stack, sp)
  interpreter.setU32(record + FRAME.memory, memory)
  interpreter.setU32(record + FRAME.memorySize, size)
  interpreter.setU32(record + FRAME.childData, memory)
  interpreter.setU32(record + FRAME.childDataLength, data.length)
  live.push(record)
  return record
}

/** Returns the key of the address in A. */
export function addressKey(interpreter: Interpreter): string {
  return interpreter.bytes().latin1Slice(A + 12, A + 32)
}
