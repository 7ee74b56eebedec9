/** The EVM of one transaction: calls and creations from outside, over one journal. */
import { EMPTY, ZERO_ADDRESS } from '../primitives/bytes.ts'
import { MAX_INT64 } from '../primitives/integers.ts'
import { createAccess } from './access.ts'
import type { Account } from './account.ts'
import { environmentOf } from './environment.ts'
import * as errors from './errors.ts'
import type { Outcome, Request } from './execution.ts'
import { createFrames } from './frames.ts'
import { type Interpreter, openCaller, sharedInterpreter } from './interpreter.ts'
import { createJournal, type Journal } from './journal/journal.ts'
import { A, FRAME } from './layout.ts'
import { clearTrace, createRecorder } from './recorder.ts'
import { createRunningState } from './running.ts'
import type { CallMessage, CallResult, CreateMessage, CreateResult, EvmOptions } from './types.ts'
import { writeAddress, writeAddressBigEndian } from './words.ts'

export interface Evm {
  readonly options: EvmOptions
  readonly journal: Journal
  /** Runs a call from outside to its end. Failing code never throws; an error thrown by the state or a precompile is rethrown after a revert. */
  call(message: CallMessage): CallResult
  /** Runs a creation from outside to its end: nonce, address, init code, code deposit. */
  create(message: CreateMessage): CreateResult
}

interface Opening {
  readonly want: number
  readonly caller: Account
  readonly address: Uint8Array
  readonly valueWei: bigint
  readonly data: Uint8Array
  readonly gas: bigint
  readonly isStatic: boolean
  readonly depth: number
  readonly salt?: Uint8Array | undefined
}

/** Creates the EVM of one transaction over a state. */
export function createEvm(
  options: EvmOptions,
  interpreter: Interpreter = sharedInterpreter(options.tracer?.reads ? 'traced' : 'plain'),
): Evm {
  const environment = environmentOf(options)
  const journal = createJournal(options.state, options.rules, options.precompiles)
  const running = createRunningState()
  const access = createAccess(interpreter, journal, running, options)
  const recorder = createRecorder(interpreter, journal, running, options.tracer)
  const frames = createFrames({ interpreter, environment, journal, access, running, options, recorder, callBack })

  /** Opens a record for the caller, runs its request, and closes the record even after an error. */
  function run(opening: Opening, request: Request): { outcome: Outcome; gasLeft: bigint } {
    const { live } = interpreter
    const base = live.length
    if (base === 0) interpreter.tidy()
    const self = running.self
    const start = journal.snapshot()
    interpreter.attach(access, environment)
    try {
      if (recorder && base === 0) clearTrace(interpreter)
      const record = openCaller(interpreter, opening.data)
      const paid = opening.gas > MAX_INT64 ? MAX_INT64 : opening.gas
      if (record === undefined) {
        journal.commit(start)
        return { outcome: { success: false, error: errors.OUT_OF_GAS, output: EMPTY, address: undefined }, gasLeft: 0n }
      }
      const bytes = interpreter.bytes()
      interpreter.setU32(record + FRAME.want, opening.want)
      interpreter.setU32(record + FRAME.static, opening.isStatic ? 1 : 0)
      interpreter.setU32(record + FRAME.depth, opening.depth)
      interpreter.setU32(record + FRAME.childValued, opening.valueWei > 0n ? 1 : 0)
      interpreter.setI64(record + FRAME.childGas, paid)
      if (opening.valueWei > 0n) interpreter.setWord(record + FRAME.childValue, opening.valueWei)
      writeAddress(bytes, record + FRAME.address, opening.caller.address)
      writeAddress(bytes, record + FRAME.childAddress, opening.address)
      if (opening.salt) bytes.set(opening.salt, A)
      else writeAddressBigEndian(bytes, A, opening.address)
      const outcome = frames.execute(
        { record, depth: opening.depth, self: opening.caller, caller: opening.caller, static: opening.isStatic },
        request,
      )
      const left = interpreter.i64(record + FRAME.gas)
      journal.commit(start)
      const keepsRest = outcome.success || left > 0n
      return { outcome, gasLeft: frames.isStopped() ? 0n : keepsRest ? left + opening.gas - paid : 0n }
    } catch (error) {
      journal.revert(start)
      throw error
    } finally {
      live.length = base
      running.self = self
    }
  }

  function callAt(message: CallMessage, depth: number): CallResult {
    const { caller, to, codeAddress, valueWei, data, gas, isStatic } = message
    const { outcome, gasLeft } = run(
      {
        want: 0xf1,
        caller: journal.account(caller),
        address: to,
        valueWei,
        data,
        gas,
        isStatic: isStatic === true,
        depth,
      },
      codeAddress ? { code: journal.account(codeAddress) } : {},
    )
    return result(outcome, gasLeft)
  }

  function callBack(message: CallMessage, depth: number): CallResult {
    return callAt(message, depth)
  }

  function result({ success, error, output, address }: Outcome, gasLeft: bigint): CreateResult {
    return { success, gasLeft, output, error, address, stopped: frames.isStopped() }
  }

  return {
    options,
    journal,
    call: (message) => callAt(message, 0),
    create({ caller, valueWei, initCode, gas, salt, nonce }) {
      const { outcome, gasLeft } = run(
        {
          want: salt ? 0xf5 : 0xf0,
          caller: journal.account(caller),
          address: ZERO_ADDRESS,
          valueWei,
          data: initCode,
          gas,
          isStatic: false,
          depth: 0,
          salt,
        },
        nonce === undefined ? {} : { nonce },
      )
      return result(outcome, gasLeft)
    },
  }
}
