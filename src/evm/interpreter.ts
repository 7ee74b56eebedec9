/** The interface to the machine that runs bytecode. Today it is the WebAssembly interpreter; a compiler would implement the same. */
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
  selfdestruct(isStatic: number): number
  callcost(opcode: number, valued: number): number
  returndatacopy(target: number, offset: number, length: number): void
  /** Fuel is used up between two jumps. */
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
  /** What the fast loop needs of it, or 0: see `optimise`. */
  blocks: number
  calls: number
  /** False in the arena, where it stays for later calls; true behind the frame that calls it. */
  readonly local: boolean
  /** The arena it is in: another one does not know it. */
  readonly arena: object
}

/** What opcodes read of rules, block and transaction; bytes are as in linear memory. */
export interface Environment {
  /** Names the opcode table: code analysed under one is not used under another. */
  readonly rulesKey: string
  readonly opcodes: Uint8Array
  readonly cells: Uint32Array
  /** The words behind those of the transaction. */
  readonly block: Uint8Array
  /** 20 bytes. */
  readonly origin: Uint8Array
  /** Unit: wei. */
  readonly gasPrice: bigint
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
  /** A copy of a range. */
  slice(from: number, to: number): Uint8Array
  /** A range itself, as long as memory does not grow. */
  view(from: number, to: number): Uint8Array
  /** A word in memory's order, as a number. */
  wordAt(address: number): bigint
  /** Puts a number into a word in memory's order. */
  setWord(address: number, value: bigint): void
  /** Leaves a number in B. */
  answer(value: bigint): void
  /** Makes a host and its environment the ones in force. */
  attach(host: Host, environment: Environment): void
  /** What `Installed.arena` must be for code to be where it says. */
  arena(): object
  /** Deployed code in the arena, by a key of its content; undefined if there is no room. */
  install(environment: Environment, key: string, code: Uint8Array): Installed | undefined
  /** Prepares code in the arena for the fast loop, if there is room; to be done for code that runs long or often. */
  optimise(installed: Installed): void
  /** To be called when no frame is live: gives back what unusual executions took. */
  tidy(): void
}

const KEPT_BYTES = STACKS_END + (48 << 20)
const KEPT_CODE = 32 << 20
/** Code that found no room for the fast loop: after so many the arenas begin anew. */
const MOST_REFUSED = 64
/** The machine of a build, with the host that `host` gives at that time. */
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
      // Other nodes have the memory: what the transaction comes to cannot depend on it.
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

/** A fresh machine. Throws if the build is missing: `npm run build:evm`. */
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
  /** By the rules that they were analysed under, and by key. */
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
    answer(value) {
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
      if (byteLength <= KEPT_BYTES && top < CODES + KEPT_CODE && refused < MOST_REFUSED) return
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

/** The key of the address in A. */
export function addressKey(interpreter: Interpreter): string {
  return interpreter.bytes().latin1Slice(A + 12, A + 32)
}
