/**
 * Frames: what calls and creations do around running code. One loop drives all of them, so that no depth of calls is a depth of
 * JavaScript; only a precompile that calls the EVM back nests it.
 */
import { concat, EMPTY, encodeUint, encodeUintMinimal, toKey } from '../primitives/bytes.ts'
import { EMPTY_CODE_HASH, keccak256 } from '../primitives/hash.ts'
import { type Access, delegationTarget } from './access.ts'
import * as errors from './errors.ts'
import { addressKey, type Environment, type Installed, type Interpreter } from './interpreter.ts'
import type { Account, Journal, Snapshot } from './journal.ts'
import {
  A,
  DIGEST,
  FRAME,
  FRAME_SIZE,
  FRAMES,
  RETURN_DATA,
  RETURN_DATA_SIZE,
  RETURN_LENGTH,
  STACK_SIZE,
  STACKS_END,
  STATUS,
} from './layout.ts'
import { opcodeOf } from './opcodes.ts'
import { CODE_DEPOSIT } from './prices.ts'
import type { CallKind, CallMessage, CallResult, EvmOptions, PrecompileContext, StatefulPrecompile } from './types.ts'

const MAX_DEPTH = 1025
const MAX_NONCE = (1n << 64n) - 1n
export const MAX_CODE_SIZE = 24576
/** Precompiles inside precompiles, through calls: each level takes JavaScript stack. */
const MAX_NESTED = 64
/** About a few milliseconds of code between two questions whether to stop. */
const FUEL = 30_000

const CALL_KINDS: Readonly<Record<number, CallKind>> = {
  241: 'CALL',
  242: 'CALLCODE',
  244: 'DELEGATECALL',
  250: 'STATICCALL',
}

interface Frame {
  readonly record: number
  readonly parent: number
  readonly depth: number
  /** What its opcodes work on. */
  readonly self: Account
  readonly caller: Account
  readonly snapshot: Snapshot
  readonly creation: boolean
  readonly static: boolean
}

/** Someone who wants a frame: a running frame, or a caller outside. */
interface Wanting {
  readonly record: number
  readonly depth: number
  readonly self: Account
  /** Whom DELEGATECALL shows as the caller. */
  readonly caller: Account
  readonly static: boolean
}

/** Where the code of an outermost call comes from, when it is not the account called. */
export interface Request {
  readonly code?: Account
  /** The nonce for the address of a creation; the creator's is then left alone. */
  readonly nonce?: bigint
}

export interface FramesContext {
  readonly interpreter: Interpreter
  readonly environment: Environment
  readonly journal: Journal
  readonly access: Access
  readonly options: EvmOptions
  /** A whole call from outside, for precompiles that call back. */
  callBack(message: CallMessage, depth: number): CallResult
}

export interface Outcome {
  success: boolean
  error: string | undefined
  output: Uint8Array
  address: Uint8Array | undefined
}

/** `keccak256(rlp([creator, nonce]))[12:]`. */
export function createAddress(creator: Uint8Array, nonce: bigint): Uint8Array {
  const digits = encodeUintMinimal(nonce)
  const item = digits.length === 1 && digits[0]! < 0x80 ? digits : concat(Uint8Array.of(0x80 + digits.length), digits)
  return keccak256(concat(Uint8Array.of(0xc0 + 21 + item.length, 0x94), creator, item)).slice(12)
}

/** `keccak256(0xff ‖ creator ‖ salt ‖ keccak256(init code))[12:]` (EIP-1014). */
export function create2Address(creator: Uint8Array, salt: Uint8Array, initCodeHash: Uint8Array): Uint8Array {
  return keccak256(concat(Uint8Array.of(0xff), creator, salt, initCodeHash)).slice(12)
}

/** The driver of one execution's frames. */
export function createFrames({ interpreter, environment, journal, access, options, callBack }: FramesContext) {
  const { rules, precompiles, shouldStop } = options
  const { eips } = rules
  const { live } = interpreter
  let stopped = false
  let nested = 0

  const childGas = (parent: number): bigint => interpreter.i64(parent + FRAME.childGas)
  const childValue = (parent: number): bigint => {
    return interpreter.u32(parent + FRAME.childValued) === 0 ? 0n : interpreter.wordAt(parent + FRAME.childValue)
  }
  const range = (from: number, length: number): Uint8Array => interpreter.slice(from, from + length)

  const asksToStop = (): boolean => {
    if (!stopped && shouldStop?.()) stopped = true
    return stopped
  }

  function refuse(parent: number, outcome: Outcome, error: string): undefined {
    interpreter.exports.refuse(parent)
    fail(outcome, error)
  }

  function fail(outcome: Outcome, error: string): undefined {
    outcome.success = false
    outcome.error = error
    outcome.output = EMPTY
  }

  function succeed(outcome: Outcome, output: Uint8Array): undefined {
    outcome.success = true
    outcome.error = undefined
    outcome.output = output
  }

  /** Code in linear memory: in the arena when there is room, else behind the parent. */
  function install(account: Account, code: Uint8Array, parent: number): Installed | undefined {
    const { installed } = account
    if (installed && installed.arena === interpreter.arena()) return installed
    const shared = interpreter.install(environment, toKey(account.codeHash), code)
    account.installed = shared
    return shared ?? installBehind(parent, code.length, (at) => interpreter.bytes().set(code, at))
  }

  function installBehind(parent: number, length: number, write: (at: number) => void): Installed | undefined {
    const code = interpreter.exports.placeBehind(parent, length)
    if (code === 0) return undefined
    write(code)
    const blocks = interpreter.exports.install(code, length)
    return { code, length, blocks, local: true, arena: interpreter.arena() }
  }

  /** The record of the next frame, entered. */
  function push(parent: number, { code, length, blocks, local }: Installed): number {
    const record = FRAMES + live.length * FRAME_SIZE
    live.push(record)
    interpreter.exports.enter(record, parent, code, length, blocks, local)
    return record
  }

  /** Whether there is no room for one more frame; the same on every machine, since all have the same regions. */
  const isTooDeep = (wanting: Wanting): boolean =>
    wanting.depth >= MAX_DEPTH ||
    FRAMES + (live.length + 2) * FRAME_SIZE > RETURN_DATA ||
    interpreter.u32(wanting.record + FRAME.sp) + 2 * STACK_SIZE > STACKS_END

  /** Puts the output of something that ran in JavaScript where the caller looks for return data. */
  function settleOutput(parent: number, success: boolean, gas: bigint, output: Uint8Array): void {
    const bytes = interpreter.bytes()
    if (output.length <= RETURN_DATA_SIZE) {
      bytes.set(output, RETURN_DATA)
      interpreter.exports.settleCall(parent, success, gas, RETURN_DATA, output.length)
      return
    }
    access.largeReturn = output
    interpreter.exports.settleCall(parent, success, gas, 0, 0)
    interpreter.setU32(RETURN_LENGTH, output.length)
    const wanted = Math.min(output.length, interpreter.u32(parent + FRAME.childOutLength))
    bytes.set(output.subarray(0, wanted), interpreter.u32(parent + FRAME.childOut))
  }

  function runPrecompile(
    wanting: Wanting,
    address: Uint8Array,
    self: Account,
    op: number,
    snapshot: Snapshot,
    outcome: Outcome,
  ) {
    const parent = wanting.record
    const precompile = precompiles.get(toKey(address))!
    const gas = childGas(parent)
    const input = range(interpreter.u32(parent + FRAME.childData), interpreter.u32(parent + FRAME.childDataLength))
    if (precompile.kind === 'stateful')
      return runStateful(wanting, precompile, address, self, op, input, snapshot, outcome)
    const price = precompile.gas(input)
    const output = price > gas ? undefined : precompile.run(input)
    if (output) {
      journal.commit(snapshot)
      settleOutput(parent, true, gas - price, output)
      return succeed(outcome, output)
    }
    journal.revert(snapshot)
    settleOutput(parent, false, 0n, EMPTY)
    return fail(outcome, price > gas ? errors.OUT_OF_GAS : errors.PRECOMPILE_FAILED)
  }

  function runStateful(
    wanting: Wanting,
    precompile: StatefulPrecompile,
    codeAddress: Uint8Array,
    self: Account,
    op: number,
    input: Uint8Array,
    snapshot: Snapshot,
    outcome: Outcome,
  ) {
    const parent = wanting.record
    const gas = childGas(parent)
    if (nested >= MAX_NESTED) {
      journal.revert(snapshot)
      return refuse(parent, outcome, errors.DEPTH)
    }
    const isStatic = wanting.static || op === 0xfa
    const context: PrecompileContext = {
      input,
      caller: (op === 0xf4 ? wanting.caller : wanting.self).address,
      address: self.address,
      codeAddress,
      kind: CALL_KINDS[op]!,
      valueWei: childValue(parent),
      gas,
      isStatic,
      origin: options.tx.origin,
      state: options.state,
      call(message) {
        journal.refresh()
        const result = callBack({ ...message, isStatic: isStatic || message.isStatic === true }, wanting.depth + 1)
        journal.flush()
        return result
      },
      log: (log) => journal.log(log),
    }
    journal.openBranch()
    nested++
    let result: ReturnType<StatefulPrecompile['run']>
    try {
      result = precompile.run(context)
    } finally {
      nested--
    }
    interpreter.attach(access, environment)
    const { success, gasUsed, output } = result
    if (success && gasUsed <= gas) {
      journal.refresh()
      journal.commit(snapshot)
      settleOutput(parent, true, gas - gasUsed, output)
      return succeed(outcome, output)
    }
    journal.revert(snapshot)
    const error = gasUsed > gas ? errors.OUT_OF_GAS : (result.error ?? errors.REVERTED)
    if (error !== errors.REVERTED) {
      settleOutput(parent, false, 0n, EMPTY)
      return fail(outcome, error)
    }
    settleOutput(parent, false, gas - gasUsed, output)
    fail(outcome, error)
    outcome.output = output
  }

  /** Does what `wanting` asks for; returns the frame to run, or undefined when it is settled already. */
  function beginCall(wanting: Wanting, outcome: Outcome, request: Request | undefined): Frame | undefined {
    const { record: parent, depth } = wanting
    const op = interpreter.u32(parent + FRAME.want)
    const target = journal.byKey(addressKey(interpreter), () => range(A + 12, 20))
    if (isTooDeep(wanting)) return refuse(parent, outcome, errors.DEPTH)
    const valued = interpreter.u32(parent + FRAME.childValued) !== 0
    const value = valued ? childValue(parent) : 0n
    const caller = wanting.self
    if (valued && caller.balance < value) return refuse(parent, outcome, errors.INSUFFICIENT_BALANCE)
    const snapshot = journal.snapshot()
    const own = op === 0xf1 || op === 0xfa
    const self = own ? target : caller
    if (own) {
      if (valued) journal.transfer(caller, target, value)
      else journal.touchAccount(target)
    }
    const source = request?.code ?? target
    if (precompiles.has(source.key)) {
      return runPrecompile(wanting, source.address, self, op, snapshot, outcome)
    }
    let codeAccount = source
    let code = journal.codeOf(codeAccount)
    if (eips.has(7702)) {
      const delegate = delegationTarget(code)
      if (delegate) {
        codeAccount = journal.account(delegate)
        code = journal.codeOf(codeAccount)
      }
    }
    if (code.length === 0) {
      journal.commit(snapshot)
      interpreter.exports.pass(parent)
      return succeed(outcome, EMPTY)
    }
    const installed = install(codeAccount, code, parent)
    if (!installed) {
      journal.revert(snapshot)
      interpreter.exports.settleCall(parent, false, 0n, 0, 0)
      return fail(outcome, errors.OUT_OF_GAS)
    }
    return {
      record: push(parent, installed),
      parent,
      depth: depth + 1,
      self,
      caller: op === 0xf4 ? wanting.caller : caller,
      snapshot,
      creation: false,
      static: wanting.static || op === 0xfa,
    }
  }

  function addressOfCreation(wanting: Wanting, nonce: bigint): Uint8Array {
    const { record: parent, self } = wanting
    if (interpreter.u32(parent + FRAME.want) === 0xf0) return createAddress(self.address, nonce)
    const salt = range(A, 32)
    interpreter.exports.hash(interpreter.u32(parent + FRAME.childData), interpreter.u32(parent + FRAME.childDataLength))
    return create2Address(self.address, salt, range(DIGEST, 32))
  }

  function beginCreate(wanting: Wanting, outcome: Outcome, request: Request | undefined): Frame | undefined {
    const { record: parent, depth, self: creator } = wanting
    if (isTooDeep(wanting)) return refuse(parent, outcome, errors.DEPTH)
    const value = childValue(parent)
    if (creator.balance < value) return refuse(parent, outcome, errors.INSUFFICIENT_BALANCE)
    const nonce = request?.nonce ?? creator.nonce
    if (request?.nonce === undefined) {
      if (nonce === MAX_NONCE) return refuse(parent, outcome, errors.NONCE_OVERFLOW)
      journal.setNonce(creator.address, nonce + 1n)
    }
    const address = addressOfCreation(wanting, nonce)
    outcome.address = address
    if (eips.has(2929)) journal.warmAddress(address)
    if (journal.collides(address)) {
      interpreter.exports.settleCall(parent, false, 0n, 0, 0)
      return fail(outcome, errors.COLLISION)
    }
    const snapshot = journal.snapshot()
    const self = journal.account(address)
    journal.create(self, creator.address)
    if (eips.has(161)) journal.setNonce(address, 1n)
    if (value > 0n) journal.transfer(creator, self, value)
    const length = interpreter.u32(parent + FRAME.childDataLength)
    const from = interpreter.u32(parent + FRAME.childData)
    const installed = installBehind(parent, length, (at) => interpreter.bytes().copyWithin(at, from, from + length))
    if (!installed) {
      journal.revert(snapshot)
      interpreter.exports.settleCall(parent, false, 0n, 0, 0)
      return fail(outcome, errors.OUT_OF_GAS)
    }
    interpreter.bytes().set(encodeAddress(address), A)
    return {
      record: push(parent, installed),
      parent,
      depth: depth + 1,
      self,
      caller: creator,
      snapshot,
      creation: true,
      static: wanting.static,
    }
  }

  /** Stores the code that a creation returned. Returns the error, if it may not. */
  function deposit(frame: Frame, from: number, length: number): string | undefined {
    if (length > MAX_CODE_SIZE && eips.has(170)) return errors.MAX_CODE_SIZE
    if (length > 0 && eips.has(3541) && interpreter.bytes()[from] === 0xef) return errors.INVALID_CODE
    const gas = interpreter.i64(frame.record + FRAME.gas)
    const price = CODE_DEPOSIT * BigInt(length)
    if (price > gas) return errors.CODE_STORE_OUT_OF_GAS
    interpreter.setI64(frame.record + FRAME.gas, gas - price)
    interpreter.exports.hash(from, length)
    journal.setCode(frame.self.address, range(from, length), length === 0 ? EMPTY_CODE_HASH : range(DIGEST, 32))
    return undefined
  }

  function endCreation(frame: Frame, outcome: Outcome): void {
    const { record, parent, snapshot } = frame
    const length = interpreter.u32(record + FRAME.outLength)
    const from = interpreter.u32(record + FRAME.out)
    const error = deposit(frame, from, length)
    // In Frontier a contract whose code cannot be paid for exists without code.
    if (error && (eips.has(2) || error !== errors.CODE_STORE_OUT_OF_GAS)) {
      journal.revert(snapshot)
      interpreter.exports.settleCreate(parent, false, 0n, 0, 0)
      fail(outcome, error)
      return
    }
    journal.commit(snapshot)
    interpreter.bytes().set(encodeAddress(frame.self.address), A)
    interpreter.exports.settleCreate(parent, true, interpreter.i64(record + FRAME.gas), 0, 0)
    succeed(outcome, error ? EMPTY : frame.self.code!)
    outcome.address = frame.self.address
  }

  /** Output too large for the machine's buffer stays here. */
  function keepLarge(record: number): Uint8Array | undefined {
    const length = interpreter.u32(record + FRAME.outLength)
    if (length <= RETURN_DATA_SIZE) return undefined
    access.largeReturn = range(interpreter.u32(record + FRAME.out), length)
    return access.largeReturn
  }

  function endFrame(frame: Frame, status: number, outcome: Outcome, outermost: boolean): void {
    const { record, parent, snapshot } = frame
    if (status === STATUS.revert) {
      const large = keepLarge(record)
      journal.revert(snapshot)
      interpreter.exports.settleFrame(parent, record, false, true)
      fail(outcome, errors.REVERTED)
      if (outermost)
        outcome.output = large ?? range(interpreter.u32(record + FRAME.out), interpreter.u32(record + FRAME.outLength))
    } else if (status === STATUS.stop || status === STATUS.return) {
      if (frame.creation) {
        endCreation(frame, outcome)
        return
      }
      const large = keepLarge(record)
      journal.commit(snapshot)
      interpreter.exports.settleFrame(parent, record, true, true)
      const output = outermost
        ? (large ?? range(interpreter.u32(record + FRAME.out), interpreter.u32(record + FRAME.outLength)))
        : EMPTY
      succeed(outcome, output)
    } else {
      journal.revert(snapshot)
      fail(outcome, outermost ? describe(record, status) : errors.OUT_OF_GAS)
      interpreter.exports.settleFrame(parent, record, false, false)
    }
  }

  function describe(record: number, status: number): string {
    const code = interpreter.bytes()[interpreter.u32(record + FRAME.pc)]!
    switch (status) {
      case STATUS.outOfGas:
        return errors.OUT_OF_GAS
      case STATUS.stack: {
        const height = (interpreter.u32(record + FRAME.sp) - interpreter.u32(record + FRAME.stack)) / 32
        const { pops, pushes } = opcodeOf(rules, code)!
        if (height < pops) return `stack underflow (${height} <=> ${pops})`
        return `stack limit reached ${height} (${1024 + pops - pushes})`
      }
      case STATUS.invalidJump:
        return errors.INVALID_JUMP
      case STATUS.invalidOpcode:
        return code === 0xfe ? 'invalid opcode: INVALID' : `invalid opcode: opcode 0x${code.toString(16)} not defined`
      case STATUS.writeProtection:
        return errors.WRITE_PROTECTION
      case STATUS.returnData:
        return errors.RETURN_DATA_OUT_OF_BOUNDS
      case STATUS.initCodeSize:
        return errors.MAX_INIT_CODE_SIZE
      default:
        return errors.GAS_OVERFLOW
    }
  }

  const begin = (wanting: Wanting, outcome: Outcome, request?: Request): Frame | undefined => {
    const want = interpreter.u32(wanting.record + FRAME.want)
    return want === 0xf0 || want === 0xf5
      ? beginCreate(wanting, outcome, request)
      : beginCall(wanting, outcome, request)
  }

  /** Does what an outside caller wants, to the end. All frames are gone afterwards; undone if `shouldStop` said so. */
  function execute(wanting: Wanting, request: Request): Outcome {
    const outcome: Outcome = { success: false, error: undefined, output: EMPTY, address: undefined }
    const start = journal.snapshot()
    const frames: Frame[] = []
    const first = asksToStop() ? undefined : begin(wanting, outcome, request)
    if (first) frames.push(first)
    const inner: Outcome = { success: false, error: undefined, output: EMPTY, address: undefined }
    while (frames.length > 0) {
      const frame = frames.at(-1)!
      access.self = frame.self
      const status = interpreter.exports.run(frame.record, FUEL)
      if (status === STATUS.yield) {
        if (asksToStop()) break
      } else if (status === STATUS.call || status === STATUS.create) {
        if (asksToStop()) break
        const child = begin(frame, inner)
        if (child) frames.push(child)
        if (stopped) break
      } else {
        frames.pop()
        endFrame(frame, status, frames.length > 0 ? inner : outcome, frames.length === 0)
        live.pop()
      }
    }
    if (stopped) {
      journal.revert(start)
      return { success: false, error: errors.STOPPED, output: EMPTY, address: undefined }
    }
    journal.commit(start)
    return outcome
  }

  return { execute, isStopped: () => stopped }
}

export type Frames = ReturnType<typeof createFrames>

const ADDRESS_PADDING = new Uint8Array(12)

/** An address as the word in A. */
export function encodeAddress(address: Uint8Array): Uint8Array {
  return concat(ADDRESS_PADDING, address)
}

/** A number as a little-endian word. */
export function encodeWordLittleEndian(value: bigint): Uint8Array {
  return encodeUint(value, 32).reverse()
}
