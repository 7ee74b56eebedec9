/**
 * Frames: what calls and creations do around running code. One loop drives all of them, so that no depth of calls is a depth of
 * JavaScript; only a precompile that calls the EVM back nests it.
 */
import { EMPTY } from '../primitives/bytes.ts'
import { delegationTarget } from './access.ts'
import { beginCreate, CREATE, CREATE2, endCreation } from './creations.ts'
import * as errors from './errors.ts'
import {
  childValue,
  type ExecutionContext,
  fail,
  newOutcome,
  type Outcome,
  type Request,
  refuseWanted,
  succeed,
  type Wanting,
} from './execution.ts'
import { failureOf } from './failure.ts'
import { tellDestruct, tellEnter, tellExit } from './frame-events.ts'
import { addressKey } from './interpreter.ts'
import { A, FRAME, RETURN_DATA_SIZE, STATUS } from './layout.ts'
import { enterFrame, type Frame, installCode, isTooDeep } from './placing.ts'
import { createPrecompileCalls } from './precompile-calls.ts'

/** About a few milliseconds of code between two questions whether to stop. */
const FUEL = 30_000
/** The same where only light work is wanted: some microseconds, a millisecond at worst. */
const LIGHT_FUEL = 32

/** The driver of one execution's frames. */
export function createFrames(context: ExecutionContext) {
  const { interpreter, journal, access, options, recorder } = context
  const { rules, precompiles, shouldStop, tracer, light } = options
  const fuel = light ? LIGHT_FUEL : FUEL
  const { eips } = rules
  const { live } = interpreter
  const failures = { interpreter, journal, rules, lastCall: access.lastCall }
  let stopped = false

  const runPrecompile = createPrecompileCalls(context)

  const asksToStop = (): boolean => {
    if (!stopped && shouldStop?.()) stopped = true
    return stopped
  }

  /** Does what `wanting` asks for; returns the frame to run, or undefined when it is settled already. */
  function beginCall(wanting: Wanting, outcome: Outcome, request: Request | undefined): Frame | undefined {
    const { record: parent, depth } = wanting
    const op = interpreter.u32(parent + FRAME.want)
    const target = journal.known(addressKey(interpreter)) ?? journal.account(interpreter.slice(A + 12, A + 32))
    if (isTooDeep(interpreter, wanting)) return refuseWanted(interpreter, parent, outcome, errors.DEPTH)
    const valued = interpreter.u32(parent + FRAME.childValued) !== 0
    const value = valued ? childValue(interpreter, parent) : 0n
    const caller = wanting.self
    if (valued && caller.balance < value) {
      return refuseWanted(interpreter, parent, outcome, errors.INSUFFICIENT_BALANCE)
    }
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
      caller: op === 0xf4 ? wanting.caller : caller,
      snapshot,
      creation: false,
      static: wanting.static || op === 0xfa,
    }
  }

  /** The output of a frame: what is too large for the machine's buffer stays here, the rest is copied for those who hear of it. */
  function outputOf(record: number, told: boolean): Uint8Array {
    const length = interpreter.u32(record + FRAME.outLength)
    const isLarge = length > RETURN_DATA_SIZE
    if (!told && !isLarge) return EMPTY
    const from = interpreter.u32(record + FRAME.out)
    const output = interpreter.slice(from, from + length)
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
        endCreation(context, frame, outcome)
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
    if (tracer) tellEnter(context, tracer, wanting, request)
    const before = tracer?.exit ? interpreter.i64(record + FRAME.gas) : 0n
    const frame = creates ? beginCreate(context, wanting, outcome, request) : beginCall(wanting, outcome, request)
    if (!frame && tracer?.exit) tellExit(context, tracer, wanting, before, outcome)
    return frame
  }

  function run(frame: Frame): number {
    access.self = frame.self
    recorder?.prepare()
    const status = interpreter.exports.run(frame.record, fuel)
    recorder?.tell(frame, (priced) => failureOf(failures, frame.record, status, priced))
    if (access.destructed) tellDestruct(context, tracer, frame)
    return status
  }

  /** A frame that has run long goes on in the fast loop. */
  function quicken({ record, installed }: Frame): void {
    if (installed.blocks !== 0 || installed.local || recorder) return
    interpreter.optimise(installed)
    if (installed.blocks !== 0) interpreter.exports.quicken(record, installed.blocks)
  }

  function end(frame: Frame, status: number, caller: Wanting, outcome: Outcome, outermost: boolean): void {
    const told = tracer?.exit ? tracer : undefined
    const before = told ? interpreter.i64(frame.parent + FRAME.gas) : 0n
    endFrame(frame, status, outcome, outermost || told !== undefined)
    if (told) tellExit(context, told, caller, before, outcome)
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
