/** The error and cost of a failed step, as geth reports them: derived afterwards, because only tracers and outermost calls need them. */
import { delegationTarget } from './delegation.ts'
import * as errors from './errors.ts'
import type { Rules } from './forks.ts'
import type { Interpreter } from './interpreter.ts'
import type { Journal } from './journal/journal.ts'
import { CALL_GAS, CALL_PRICED, FRAME, STATUS, UNPRICED } from './layout.ts'
import { OPCODES, opcodeOf, traceName } from './opcodes.ts'
import { NEW_ACCOUNT, pricesOf } from './prices.ts'
import type { RunningState } from './running.ts'

export interface FailureContext {
  readonly interpreter: Interpreter
  readonly journal: Journal
  readonly rules: Rules
  readonly running: RunningState
}

export interface Failure {
  readonly error: string
  /** The cost of the step as far as it is priced before it fails. */
  readonly cost: bigint
}

const UINT64 = 1n << 64n
const MAX_PRICED_MEMORY = 0x1fffffffe0n
const CALL_VALUE = 9000n
const LOG = 375n

const isCall = (op: number): boolean => op === 0xf1 || op === 0xf2 || op === 0xf4 || op === 0xfa

/** Returns the failure of the frame at `record`, which a run has just ended with `status`; `priced` is the cost that the interpreter recorded for its last step. */
export function failureOf(context: FailureContext, record: number, status: number, priced = 0n): Failure {
  const { interpreter, rules } = context
  const op = interpreter.bytes()[interpreter.u32(record + FRAME.pc)]!
  const constant = () => constantGas(rules, op)
  switch (status) {
    case STATUS.revert:
      return { error: errors.REVERTED, cost: priced }
    case STATUS.outOfGas:
      return outOfGas(context, record, op, priced)
    case STATUS.stack: {
      const height = (interpreter.u32(record + FRAME.sp) - interpreter.u32(record + FRAME.stack)) / 32
      const { pops, pushes } = opcodeOf(rules, op)!
      const error =
        height < pops
          ? `stack underflow (${height} <=> ${pops})`
          : `stack limit reached ${height} (${1024 + pops - pushes})`
      return { error, cost: constant() }
    }
    case STATUS.initCodeSize:
      return {
        error: initCodeError(operand(interpreter, record, 1), operand(interpreter, record, 2)),
        cost: constant(),
      }
    case STATUS.invalidJump:
      return { error: errors.INVALID_JUMP, cost: priced }
    case STATUS.invalidOpcode:
      return { error: `invalid opcode: ${traceName(op)}`, cost: 0n }
    case STATUS.writeProtection:
      return { error: context.running.refusal ?? errors.WRITE_PROTECTION, cost: priced }
    default:
      return { error: errors.RETURN_DATA_OUT_OF_BOUNDS, cost: priced }
  }
}

/** Returns an operand of the failed step; index 0 is the top of the stack. */
function operand(interpreter: Interpreter, record: number, index: number): bigint {
  return interpreter.wordAt(interpreter.u32(record + FRAME.sp) - 32 * index)
}

function initCodeError(offset: bigint, length: bigint): string {
  const end = memoryEnd(offset, length)
  if (end === undefined) return errors.GAS_OVERFLOW
  if (end > MAX_PRICED_MEMORY) return `${errors.OUT_OF_GAS}: ${errors.GAS_OVERFLOW}`
  return `${errors.OUT_OF_GAS}: ${errors.MAX_INIT_CODE_SIZE}: size ${length}`
}

function outOfGas(context: FailureContext, record: number, op: number, priced: bigint): Failure {
  const { interpreter, rules } = context
  const left = interpreter.i64(record + FRAME.gas)
  const plain = (cost: bigint): Failure => ({ error: errors.OUT_OF_GAS, cost })
  switch (left) {
    case UNPRICED.sizeOverflow:
      return { error: errors.GAS_OVERFLOW, cost: constantGas(rules, op) }
    case UNPRICED.priceOverflow:
      return { error: `${errors.OUT_OF_GAS}: ${errors.GAS_OVERFLOW}`, cost: constantGas(rules, op) }
    case UNPRICED.belowSentry:
      return { error: `${errors.OUT_OF_GAS}: not enough gas for reentrancy sentry`, cost: 0n }
    case UNPRICED.memoryFull:
      return plain(constantGas(rules, op))
  }
  if (isCall(op)) return callOutOfGas(context, record, op)
  // EXP and LOG have no constant part in geth: their cost is derived even if the interpreter stopped before pricing it.
  if (op === 0x0a) {
    const bytes = BigInt(Math.ceil(operand(interpreter, record, 1).toString(16).length / 2))
    const perByte = rules.eips.has(160) ? 50n : 10n
    return plain(10n + (operand(interpreter, record, 1) === 0n ? 0n : bytes * perByte))
  }
  if (op >= 0xa0 && op <= 0xa4) return logOutOfGas(interpreter, record, BigInt(op - 0xa0), priced)
  const constant = constantGas(rules, op)
  return plain(left + priced < constant ? constant : priced)
}

function logOutOfGas(interpreter: Interpreter, record: number, topics: bigint, priced: bigint): Failure {
  const length = operand(interpreter, record, 1)
  const end = memoryEnd(operand(interpreter, record, 0), length)
  const growth = memoryCost(interpreter.u32(record + FRAME.memorySize), end)
  if (typeof growth === 'string') return { error: growth, cost: 0n }
  const cost = LOG * (topics + 1n) + 8n * length + growth
  // If the memory has already grown, `growth` is zero here.
  return { error: errors.OUT_OF_GAS, cost: cost > priced ? cost : priced }
}

/** Returns the failure of a call. Calls are priced in several steps, and geth's error names the step that failed. */
function callOutOfGas(context: FailureContext, record: number, op: number): Failure {
  const { interpreter, rules } = context
  const before = interpreter.i64(CALL_GAS)
  const constant = BigInt(pricesOf(rules).call)
  if (before < constant) return { error: errors.OUT_OF_GAS, cost: constant }
  const hasValue = op === 0xf1 || op === 0xf2
  const word = (index: number) => operand(interpreter, record, index)
  const value = hasValue && word(2) !== 0n ? CALL_VALUE : 0n
  const { cold, delegate, isNew } = partsOf(context, record, op, value !== 0n)
  if (cold > before - constant || delegate > before - constant - cold) {
    return { error: `${errors.OUT_OF_GAS}: ${errors.OUT_OF_GAS}`, cost: constant }
  }
  const growth = callGrowth(interpreter, record, before - value, hasValue ? 3 : 2)
  const paid = constant + cold + delegate + growth + value + (isNew ? BigInt(NEW_ACCOUNT) : 0n)
  const wanted = word(0)
  if (!rules.eips.has(150)) {
    if (wanted >= UINT64) return { error: `${errors.OUT_OF_GAS}: ${errors.GAS_OVERFLOW}`, cost: constant }
    return { error: errors.OUT_OF_GAS, cost: paid + wanted }
  }
  // Geth subtracts without a check, so that a call without enough gas seems to have almost 2^64 gas.
  const available = BigInt.asUintN(64, before - paid)
  const most = available - available / 64n
  return { error: errors.OUT_OF_GAS, cost: BigInt.asUintN(64, paid + (wanted < most ? wanted : most)) }
}

/** Returns the cost of a failed call's memory; `before` is the gas at its start, less the price of its value. */
function callGrowth(interpreter: Interpreter, record: number, before: bigint, first: number): bigint {
  const priced = interpreter.i64(CALL_PRICED)
  if (priced !== -1n) return before - priced
  const end = (index: number) => memoryEnd(operand(interpreter, record, index), operand(interpreter, record, index + 1))
  const [input = 0n, output = 0n] = [end(first), end(first + 2)]
  const growth = memoryCost(interpreter.u32(record + FRAME.memorySize), input > output ? input : output)
  return typeof growth === 'string' ? 0n : growth
}

/** Returns the parts of a failed call's price that depend on the account called. Unit: gas. */
function partsOf(
  { interpreter, journal, rules, running }: FailureContext,
  record: number,
  op: number,
  isValued: boolean,
): { cold: bigint; delegate: bigint; isNew: boolean } {
  const { call, coldAccount } = pricesOf(rules)
  const cold = coldAccount === 0 ? 0n : BigInt(coldAccount - call)
  if (interpreter.i64(CALL_PRICED) !== -1n) {
    const { isCold, delegate, isNew } = running.lastCall
    return { cold: isCold ? cold : 0n, delegate: BigInt(delegate), isNew }
  }
  // There was too little gas for its memory, and the account was not accessed.
  const at = interpreter.u32(record + FRAME.sp) - 32
  const address = interpreter.slice(at, at + 20).reverse()
  const target = journal.account(address)
  const designated = rules.eips.has(7702) ? delegationTarget(journal.code(address)) : undefined
  const deletesEmpty = rules.eips.has(161)
  return {
    cold: target.warm ? 0n : cold,
    delegate: designated ? BigInt(journal.account(designated).warm ? call : coldAccount) : 0n,
    isNew: op === 0xf1 && (!target.exists || (deletesEmpty && journal.isEmpty(address))) && (!deletesEmpty || isValued),
  }
}

/** Returns the end of a range; undefined if it exceeds geth's 64-bit arithmetic. Unit: bytes. */
function memoryEnd(offset: bigint, length: bigint): bigint | undefined {
  if (length === 0n) return 0n
  const end = offset + length
  return offset >= UINT64 || length >= UINT64 || end > UINT64 - 32n ? undefined : end
}

/** Returns the cost of growth to `end`, or the error if it has no price. */
function memoryCost(size: number, end: bigint | undefined): bigint | string {
  if (end === undefined) return errors.GAS_OVERFLOW
  if (end > MAX_PRICED_MEMORY) return `${errors.OUT_OF_GAS}: ${errors.GAS_OVERFLOW}`
  const price = (words: bigint): bigint => 3n * words + (words * words) / 512n
  const before = BigInt(size) / 32n
  const after = (end + 31n) / 32n
  return after <= before ? 0n : price(after) - price(before)
}

/** Returns the part of an opcode's gas that geth charges before it reads operands. */
function constantGas(rules: Rules, op: number): bigint {
  const prices = pricesOf(rules)
  if ((op >= 0xa0 && op <= 0xa4) || op === 0x0a) return 0n
  const { eips } = rules
  switch (op) {
    case 0x31:
      return BigInt(prices.balance)
    case 0x3b:
    case 0x3c:
      return BigInt(prices.codeSize)
    case 0x3f:
      return BigInt(prices.codeHash)
    case 0x54:
      return BigInt(eips.has(2929) ? 0 : prices.sload)
    case 0xff:
      return BigInt(prices.selfdestruct)
  }
  return isCall(op) ? BigInt(prices.call) : BigInt(OPCODES[op]?.gas ?? 0)
}
