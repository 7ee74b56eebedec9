/** Calls of precompiles: pure functions of their input, and those of the chain, which use its state. */
import { EMPTY, toKey } from '../primitives/bytes.ts'
import type { Account } from './account.ts'
import * as errors from './errors.ts'
import {
  childData,
  childGas,
  childValue,
  type ExecutionContext,
  fail,
  type Outcome,
  type Requester,
  succeed,
  viewChildData,
} from './execution.ts'
import type { Snapshot } from './journal/journal.ts'
import { FRAME, RETURN_DATA, RETURN_DATA_SIZE, RETURN_LENGTH } from './layout.ts'
import type { EvmState } from './state.ts'
import type { CallKind, PrecompileContext, StatefulPrecompile } from './types.ts'

/** The maximum nesting of precompiles through calls: each level takes JavaScript stack. */
const MAX_NESTED = 64

export const CALL_KINDS: Readonly<Record<number, CallKind>> = {
  241: 'CALL',
  242: 'CALLCODE',
  244: 'DELEGATECALL',
  250: 'STATICCALL',
}

/** Creates the functions that run a called precompile, and settle the call in the caller's record. */
export function createPrecompileCalls({
  interpreter,
  environment,
  journal,
  access,
  running,
  options,
  recorder,
  callBack,
}: ExecutionContext) {
  const { precompiles } = options
  /** The state as modules see it: slots are read through the journal, which writes them at the end of the transaction. */
  const state: EvmState = Object.assign(Object.create(options.state) as EvmState, { storage: journal.storage })
  let nested = 0

  /**
   * Whether the call of a precompile of the chain has less than its minimum gas, so that nothing need be prepared for it. Those of
   * Ethereum are not asked, because even a failing call touches one of them (EIP-161).
   */
  function cannotPay(parent: number, key: string): boolean {
    const precompile = precompiles.get(key)!
    if (precompile.kind !== 'stateful') return false
    const gas = childGas(interpreter, parent)
    return gas < (precompile.least ?? 0n) || gas < leastGas(precompile, parent)
  }

  function leastGas({ gas }: StatefulPrecompile, parent: number): bigint {
    return gas?.(viewChildData(interpreter, parent), { state, unwritten: journal.unwritten() }) ?? 0n
  }

  /** Settles a call that ran in JavaScript and writes its output to the caller's return data. */
  function settleOutput(parent: number, success: boolean, gas: bigint, output: Uint8Array): void {
    const bytes = interpreter.bytes()
    if (output.length <= RETURN_DATA_SIZE) {
      bytes.set(output, RETURN_DATA)
      interpreter.exports.settleCall(parent, success, gas, RETURN_DATA, output.length)
      return
    }
    running.largeReturn = output
    interpreter.exports.settleCall(parent, success, gas, 0, 0)
    interpreter.setU32(RETURN_LENGTH, output.length)
    const wanted = Math.min(output.length, interpreter.u32(parent + FRAME.childOutLength))
    bytes.set(output.subarray(0, wanted), interpreter.u32(parent + FRAME.childOut))
    if (wanted > 0) recorder?.wrote(parent, interpreter.u32(parent + FRAME.childOut), wanted)
  }

  function runPrecompile(
    requester: Requester,
    address: Uint8Array,
    self: Account,
    op: number,
    snapshot: Snapshot,
    outcome: Outcome,
  ) {
    const parent = requester.record
    const precompile = precompiles.get(toKey(address))!
    const gas = childGas(interpreter, parent)
    if (precompile.kind === 'stateful') return runStateful(requester, precompile, address, self, op, snapshot, outcome)
    const input = viewChildData(interpreter, parent)
    const price = precompile.gas(input)
    const output = price > gas ? undefined : precompile.run(input)
    if (output) {
      journal.commit(snapshot)
      settleOutput(parent, true, gas - price, output)
      return succeed(outcome, output)
    }
    journal.revert(snapshot)
    settleOutput(parent, false, 0n, EMPTY)
    return fail(outcome, price > gas ? errors.OUT_OF_GAS : (precompile.refusal?.(input) ?? errors.PRECOMPILE_FAILED))
  }

  function runStateful(
    requester: Requester,
    precompile: StatefulPrecompile,
    codeAddress: Uint8Array,
    self: Account,
    op: number,
    snapshot: Snapshot,
    outcome: Outcome,
  ) {
    const parent = requester.record
    const gas = childGas(interpreter, parent)
    if (nested >= MAX_NESTED) {
      journal.revert(snapshot)
      interpreter.exports.refuse(parent)
      return fail(outcome, errors.DEPTH)
    }
    if (leastGas(precompile, parent) > gas) {
      journal.revert(snapshot)
      interpreter.exports.settleCall(parent, false, 0n, RETURN_DATA, 0)
      return fail(outcome, errors.OUT_OF_GAS)
    }
    const isStatic = requester.static || op === 0xfa
    const context: PrecompileContext = {
      input: childData(interpreter, parent),
      caller: (op === 0xf4 ? requester.caller : requester.self).address,
      address: self.address,
      codeAddress,
      kind: CALL_KINDS[op]!,
      valueWei: childValue(interpreter, parent),
      gas,
      isStatic,
      origin: options.tx.origin,
      state,
      unwritten: journal.unwritten(),
      call(message) {
        journal.refresh()
        if (message.resetsAccess) journal.resetAccess([message.caller, message.to, options.block.coinbase])
        const result = callBack({ ...message, isStatic: isStatic || message.isStatic === true }, requester.depth + 1)
        journal.flush()
        return result
      },
      log(log) {
        journal.log(log)
        options.tracer?.log?.(log)
      },
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
    return fail(outcome, error, output)
  }

  return { cannotPay, runPrecompile }
}
