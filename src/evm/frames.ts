/**
 * Frames: what calls and creations do around running code. One loop drives all of them, so that no depth of calls is a depth of
 * JavaScript; only a precompile that calls the EVM back nests it.
 */
import { EMPTY, toKey } from '../primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../primitives/hash.ts'
import { delegationTarget } from './access.ts'
import type { Account } from './account.ts'
import { create2Address, createAddress } from './contract-address.ts'
import * as errors from './errors.ts'
import {
  childData,
  childGas,
  childValue,
  type ExecutionContext,
  fail,
  newOutcome,
  type Outcome,
  type Request,
  succeed,
  type Wanting,
} from './execution.ts'
import { failureOf } from './failure.ts'
import { addressKey, type Installed } from './interpreter.ts'
import type { Snapshot } from './journal.ts'
import {
  A,
  DIGEST,
  FRAME,
  FRAME_SIZE,
  FRAMES,
  RETURN_DATA,
  RETURN_DATA_SIZE,
  STACK_SIZE,
  STACKS_END,
  STATUS,
} from './layout.ts'
import { CALL_KINDS, createPrecompileCalls } from './precompile-calls.ts'
import { CODE_DEPOSIT } from './prices.ts'
import type { FrameKind } from './trace.ts'
import { writeAddressBigEndian } from './words.ts'

const CREATE = 0xf0
const DELEGATECALL = 0xf4
const CREATE2 = 0xf5

const MAX_DEPTH = 1025
const MAX_NONCE = (1n << 64n) - 1n
const MAX_CODE_SIZE = 24576
/** About a few milliseconds of code between two questions whether to stop. */
const FUEL = 30_000
/** The same where only light work is wanted: some microseconds, a millisecond at worst. */
const LIGHT_FUEL = 32

interface Frame {
  readonly record: number
  readonly installed: Installed
  readonly parent: number
  readonly depth: number
  /** What its opcodes work on. */
  readonly self: Account
  readonly caller: Account
  readonly snapshot: Snapshot
  readonly creation: boolean
  readonly static: boolean
}

/** The driver of one execution's frames. */
export function createFrames(context: ExecutionContext) {
  const { interpreter, environment, journal, access, options, recorder } = context
  const { rules, precompiles, shouldStop, tracer, light, optimiseAtCall = 2 } = options
  const fuel = light ? LIGHT_FUEL : FUEL
  const { eips } = rules
  const { live } = interpreter
  const callee = tracer?.callee
  const failures = { interpreter, journal, rules, lastCall: access.lastCall }
  let stopped = false

  const runPrecompile = createPrecompileCalls(context)

  const range = (from: number, length: number): Uint8Array => interpreter.slice(from, from + length)

  const asksToStop = (): boolean => {
    if (!stopped && shouldStop?.()) stopped = true
    return stopped
  }

  function refuse(parent: number, outcome: Outcome, error: string): undefined {
    interpreter.exports.refuse(parent)
    fail(outcome, error)
  }

  /** Code in linear memory: in the arena when there is room, else behind the parent. */
  function install(account: Account, code: Uint8Array, parent: number): Installed | undefined {
    const { installed } = account
    if (installed && installed.arena === interpreter.arena()) {
      if (++installed.calls === optimiseAtCall) interpreter.optimise(installed)
      return installed
    }
    const shared = interpreter.install(environment, toKey(account.codeHash), code)
    account.installed = shared
    if (shared && ++shared.calls === optimiseAtCall) interpreter.optimise(shared)
    return shared ?? installBehind(parent, code.length, (at) => interpreter.bytes().set(code, at))
  }

  function installBehind(parent: number, length: number, write: (at: number) => void): Installed | undefined {
    const code = interpreter.exports.placeBehind(parent, length)
    if (code === 0) return undefined
    write(code)
    const jumps = interpreter.exports.install(code, length)
    return { code, length, jumps, blocks: 0, calls: 0, local: true, arena: interpreter.arena() }
  }

  /** The record of the next frame, entered. */
  function push(parent: number, { code, length, jumps, blocks, local }: Installed): number {
    const record = FRAMES + live.length * FRAME_SIZE
    live.push(record)
    interpreter.exports.enter(record, parent, code, length, jumps, blocks, local)
    return record
  }

  /** Whether there is no room for one more frame; the same on every machine, since all have the same regions. */
  const isTooDeep = (wanting: Wanting): boolean =>
    wanting.depth >= MAX_DEPTH ||
    FRAMES + (live.length + 2) * FRAME_SIZE > RETURN_DATA ||
    interpreter.u32(wanting.record + FRAME.sp) + 2 * STACK_SIZE > STACKS_END

  /** Does what `wanting` asks for; returns the frame to run, or undefined when it is settled already. */
  function beginCall(wanting: Wanting, outcome: Outcome, request: Request | undefined): Frame | undefined {
    const { record: parent, depth } = wanting
    const op = interpreter.u32(parent + FRAME.want)
    const target = journal.known(addressKey(interpreter)) ?? journal.account(range(A + 12, 20))
    if (isTooDeep(wanting)) return refuse(parent, outcome, errors.DEPTH)
    const valued = interpreter.u32(parent + FRAME.childValued) !== 0
    const value = valued ? childValue(interpreter, parent) : 0n
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
      installed,
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
    const value = childValue(interpreter, parent)
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
    writeAddressBigEndian(interpreter.bytes(), A, address)
    return {
      record: push(parent, installed),
      installed,
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
    writeAddressBigEndian(interpreter.bytes(), A, frame.self.address)
    interpreter.exports.settleCreate(parent, true, interpreter.i64(record + FRAME.gas), 0, 0)
    succeed(outcome, error ? range(from, length) : frame.self.code!)
    outcome.address = frame.self.address
  }

  /** The output of a frame: what is too large for the machine's buffer stays here, the rest is copied for those who hear of it. */
  function outputOf(record: number, told: boolean): Uint8Array {
    const length = interpreter.u32(record + FRAME.outLength)
    const isLarge = length > RETURN_DATA_SIZE
    if (!told && !isLarge) return EMPTY
    const output = range(interpreter.u32(record + FRAME.out), length)
    if (isLarge) access.largeReturn = output
    return output
  }

  /** `told`: somebody outside the machine hears of output and error. */
  function endFrame(frame: Frame, status: number, outcome: Outcome, told: boolean): void {
    const { record, parent, snapshot } = frame
    if (status === STATUS.revert) {
      const output = outputOf(record, told)
      journal.revert(snapshot)
      interpreter.exports.settleFrame(parent, record, false, true)
      fail(outcome, errors.REVERTED, output)
    } else if (status === STATUS.stop || status === STATUS.return) {
      if (frame.creation) {
        endCreation(frame, outcome)
        return
      }
      const output = outputOf(record, told)
      journal.commit(snapshot)
      interpreter.exports.settleFrame(parent, record, true, true)
      succeed(outcome, output)
    } else {
      const error = told ? failureOf(failures, record, status).error : errors.OUT_OF_GAS
      journal.revert(snapshot)
      fail(outcome, error)
      interpreter.exports.settleFrame(parent, record, false, false)
    }
  }

  function begin(wanting: Wanting, outcome: Outcome, request?: Request): Frame | undefined {
    const { record } = wanting
    const want = interpreter.u32(record + FRAME.want)
    const creates = want === CREATE || want === CREATE2
    if (tracer) traceEnter(wanting, request)
    const before = tracer?.exit ? interpreter.i64(record + FRAME.gas) : 0n
    const frame = creates ? beginCreate(wanting, outcome, request) : beginCall(wanting, outcome, request)
    if (!frame && tracer?.exit) traceExit(wanting, before, outcome)
    return frame
  }

  function traceEnter(wanting: Wanting, request: Request | undefined): void {
    const { record, self, depth } = wanting
    const want = interpreter.u32(record + FRAME.want)
    const creates = want === CREATE || want === CREATE2
    if (callee !== undefined && (creates || addressKey(interpreter) !== callee)) return
    const kind: FrameKind = want === CREATE ? 'CREATE' : want === CREATE2 ? 'CREATE2' : CALL_KINDS[want]!
    const to = creates ? addressOfCreation(wanting, request?.nonce ?? self.nonce) : range(A + 12, 20)
    if (creates) tracer?.account?.(to, journal)
    tracer?.enter?.(
      {
        kind,
        depth: depth + 1,
        from: self.address,
        to,
        input: childData(interpreter, record),
        gas: childGas(interpreter, record),
        valueWei: want === DELEGATECALL ? interpreter.wordAt(record + FRAME.value) : childValue(interpreter, record),
        isPrecompile: !creates && precompiles.has(toKey(to)),
      },
      journal,
    )
  }

  /** `before` is the gas of the caller before the call was settled. */
  function traceExit(wanting: Wanting, before: bigint, { success, error, output }: Outcome): void {
    const { record, depth } = wanting
    const back = interpreter.i64(record + FRAME.gas) - before
    tracer?.exit?.({ depth: depth + 1, success, error, gasUsed: childGas(interpreter, record) - back, output })
  }

  function traceDestruct({ self, depth }: Frame): void {
    const { heir, amount } = access.destructed!
    access.destructed = undefined
    if (callee !== undefined) return
    const to = heir.address
    tracer?.enter?.(
      {
        kind: 'SELFDESTRUCT',
        depth: depth + 1,
        from: self.address,
        to,
        input: EMPTY,
        gas: 0n,
        valueWei: amount,
        isPrecompile: false,
      },
      journal,
    )
    tracer?.exit?.({ depth: depth + 1, success: true, error: undefined, gasUsed: 0n, output: EMPTY })
  }

  function run(frame: Frame): number {
    access.self = frame.self
    recorder?.prepare()
    const status = interpreter.exports.run(frame.record, fuel)
    recorder?.tell(frame, (priced) => failureOf(failures, frame.record, status, priced))
    if (access.destructed) traceDestruct(frame)
    return status
  }

  /** A frame that has run long goes on in the fast loop. */
  function quicken({ record, installed }: Frame): void {
    if (installed.blocks !== 0 || installed.local || recorder) return
    interpreter.optimise(installed)
    if (installed.blocks !== 0) interpreter.exports.quicken(record, installed.blocks)
  }

  function end(frame: Frame, status: number, caller: Wanting, outcome: Outcome, outermost: boolean): void {
    const isTold = tracer?.exit !== undefined
    const before = isTold ? interpreter.i64(frame.parent + FRAME.gas) : 0n
    endFrame(frame, status, outcome, outermost || isTold)
    if (isTold) traceExit(caller, before, outcome)
  }

  /** Does what an outside caller wants, to the end. All frames are gone afterwards; undone if `shouldStop` said so. */
  function execute(wanting: Wanting, request: Request): Outcome {
    const outcome = newOutcome()
    const inner = newOutcome()
    const start = journal.snapshot()
    const frames: Frame[] = []
    const first = asksToStop() ? undefined : begin(wanting, outcome, request)
    if (first) frames.push(first)
    while (frames.length > 0 && !stopped) {
      const frame = frames.at(-1)!
      const status = run(frame)
      if (status === STATUS.yield) {
        if (!asksToStop()) quicken(frame)
      } else if (status === STATUS.call || status === STATUS.create) {
        const child = asksToStop() ? undefined : begin(frame, inner)
        if (child) frames.push(child)
      } else {
        frames.pop()
        const outermost = frames.length === 0
        end(frame, status, frames.at(-1) ?? wanting, outermost ? outcome : inner, outermost)
        live.pop()
      }
    }
    if (stopped) {
      journal.revert(start)
      return { ...newOutcome(), error: errors.STOPPED }
    }
    journal.commit(start)
    return outcome
  }

  return { execute, isStopped: () => stopped }
}
