/**
 * Frames: the parts of calls and creations around running code. One loop drives all frames, so that nested calls take no JavaScript
 * stack; only a precompile that calls the EVM back nests the loop.
 */
import { EMPTY } from '../primitives/bytes.ts'
import { beginCreate, CREATE, CREATE2, endCreation } from './creations.ts'
import { delegationTarget } from './delegation.ts'
import * as errors from './errors.ts'
import {
  childValue,
  type ExecutionContext,
  fail,
  newOutcome,
  type Outcome,
  type Request,
  type Requester,
  refuseRequest,
  succeed,
} from './execution.ts'
import { failureOf } from './failure.ts'
import { reportDestruct, reportEnter, reportExit } from './frame-events.ts'
import { enterFrame, type Frame, installCode, isTooDeep } from './frame-memory.ts'
import { addressKey } from './interpreter.ts'
import { A, FRAME, RETURN_DATA_SIZE, STATUS } from './layout.ts'
import { createPrecompileCalls } from './precompile-calls.ts'

/** The fuel of one run: a few milliseconds of code between two checks of `shouldStop`. */
const FUEL = 30_000
/** The fuel of one run in light mode: a few microseconds of code, a millisecond at worst. */
const LIGHT_FUEL = 32

/** Creates the driver of one execution's frames. */
export function createFrames(context: ExecutionContext) {
  const { interpreter, journal, running, options, recorder } = context
  const { rules, precompiles, shouldStop, tracer, light } = options
  const fuel = light ? LIGHT_FUEL : FUEL
  const { eips } = rules
  const { live } = interpreter
  const failures = { interpreter, journal, rules, running }
  let stopped = false

  const { cannotPay, runPrecompile } = createPrecompileCalls(context)

  const mustStop = (): boolean => {
    if (!stopped && shouldStop?.()) stopped = true
    return stopped
  }

  /** Begins the call that `requester` requests. Returns the frame to run, or undefined if the call is settled already. */
  function beginCall(requester: Requester, outcome: Outcome, request: Request | undefined): Frame | undefined {
    const { record: parent, depth } = requester
    const op = interpreter.u32(parent + FRAME.want)
    const target = journal.loadedAccount(addressKey(interpreter)) ?? journal.account(interpreter.slice(A + 12, A + 32))
    if (isTooDeep(interpreter, requester)) return refuseRequest(interpreter, parent, outcome, errors.DEPTH)
    const valued = interpreter.u32(parent + FRAME.childValued) !== 0
    const value = valued ? childValue(interpreter, parent) : 0n
    const caller = requester.self
    const own = op === 0xf1 || op === 0xfa
    const self = own ? target : caller
    const refusal = valued ? journal.valueRefusal(caller, self, value) : undefined
    if (refusal !== undefined) return refuseRequest(interpreter, parent, outcome, refusal)
    const source = request?.code ?? target
    const isPrecompile = precompiles.has(source.key)
    if (isPrecompile && cannotPay(parent, source.key)) {
      interpreter.exports.settleCall(parent, false, 0n, 0, 0)
      return fail(outcome, errors.OUT_OF_GAS)
    }
    const snapshot = journal.snapshot()
    if (own) {
      if (valued) journal.transfer(caller, target, value)
      else journal.touchAccount(target)
    }
    if (isPrecompile) {
      return runPrecompile(requester, source.address, self, op, snapshot, outcome)
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
    const installed = installCode(context, codeAccount, code, parent)
    if (!installed) {
      journal.revert(snapshot)
      interpreter.exports.settleCall(parent, false, 0n, 0, 0)
      return fail(outcome, errors.OUT_OF_GAS)
    }
    return {
      record: enterFrame(interpreter, parent, installed),
      installed,
      parent,
      depth: depth + 1,
      self,
      caller: op === 0xf4 ? requester.caller : caller,
      snapshot,
      creation: false,
      static: requester.static || op === 0xfa,
    }
  }

  /** Returns the output of a frame, copied if `reported` or if it is too large for RETURN_DATA; else empty. */
  function outputOf(record: number, reported: boolean): Uint8Array {
    const length = interpreter.u32(record + FRAME.outLength)
    const isLarge = length > RETURN_DATA_SIZE
    if (!reported && !isLarge) return EMPTY
    const from = interpreter.u32(record + FRAME.out)
    const output = interpreter.slice(from, from + length)
    if (isLarge) running.largeReturn = output
    return output
  }

  /** Settles a frame that has ended. `reported`: a tracer or the caller outside reads output and error. */
  function endFrame(frame: Frame, status: number, outcome: Outcome, reported: boolean): void {
    const { record, parent, snapshot } = frame
    if (status === STATUS.revert) {
      const output = outputOf(record, reported)
      journal.revert(snapshot)
      interpreter.exports.settleFrame(parent, record, false, true)
      fail(outcome, errors.REVERTED, output)
    } else if (status === STATUS.stop || status === STATUS.return) {
      if (frame.creation) {
        endCreation(context, frame, outcome)
        return
      }
      const output = outputOf(record, reported)
      journal.commit(snapshot)
      interpreter.exports.settleFrame(parent, record, true, true)
      succeed(outcome, output)
    } else {
      const error = reported ? failureOf(failures, record, status).error : errors.OUT_OF_GAS
      journal.revert(snapshot)
      fail(outcome, error)
      interpreter.exports.settleFrame(parent, record, false, false)
    }
  }

  function begin(requester: Requester, outcome: Outcome, request?: Request): Frame | undefined {
    const { record } = requester
    const want = interpreter.u32(record + FRAME.want)
    const creates = want === CREATE || want === CREATE2
    if (tracer) reportEnter(context, tracer, requester, request)
    const before = tracer?.exit ? interpreter.i64(record + FRAME.gas) : 0n
    const frame = creates ? beginCreate(context, requester, outcome, request) : beginCall(requester, outcome, request)
    if (!frame && tracer?.exit) reportExit(context, tracer, requester, before, outcome)
    return frame
  }

  function run(frame: Frame): number {
    running.self = frame.self
    running.refusal = undefined
    recorder?.prepare()
    const status = interpreter.exports.run(frame.record, fuel)
    recorder?.report(frame, (priced) => failureOf(failures, frame.record, status, priced))
    if (running.destructed) reportDestruct(context, tracer, frame)
    return status
  }

  /** Makes a frame that has run long continue in the fast loop. */
  function quicken({ record, installed }: Frame): void {
    if (installed.blocks !== 0 || installed.local || recorder) return
    interpreter.optimise(installed)
    if (installed.blocks !== 0) interpreter.exports.quicken(record, installed.blocks)
  }

  function end(frame: Frame, status: number, caller: Requester, outcome: Outcome, outermost: boolean): void {
    const listener = tracer?.exit ? tracer : undefined
    const before = listener ? interpreter.i64(frame.parent + FRAME.gas) : 0n
    endFrame(frame, status, outcome, outermost || listener !== undefined)
    if (listener) reportExit(context, listener, caller, before, outcome)
  }

  /** Runs the request of a caller from outside to its end. If `shouldStop` ends it, everything is reverted. */
  function execute(requester: Requester, request: Request): Outcome {
    const outcome = newOutcome()
    const inner = newOutcome()
    const start = journal.snapshot()
    const frames: Frame[] = []
    const first = mustStop() ? undefined : begin(requester, outcome, request)
    if (first) frames.push(first)
    while (frames.length > 0 && !stopped) {
      const frame = frames.at(-1)!
      const status = run(frame)
      if (status === STATUS.yield) {
        if (!mustStop()) quicken(frame)
      } else if (status === STATUS.call || status === STATUS.create) {
        const child = mustStop() ? undefined : begin(frame, inner)
        if (child) frames.push(child)
      } else {
        frames.pop()
        const outermost = frames.length === 0
        end(frame, status, frames.at(-1) ?? requester, outermost ? outcome : inner, outermost)
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
