/** Creations: the address, the frame of the init code, and the deployed code. */
import { EMPTY_CODE_HASH } from '../primitives/hash.ts'
import { create2Address, createAddress } from './contract-address.ts'
import * as errors from './errors.ts'
import {
  childValue,
  type ExecutionContext,
  fail,
  type Outcome,
  type Request,
  type Requester,
  refuseRequest,
  succeed,
} from './execution.ts'
import { maxCodeSize } from './forks.ts'
import { enterFrame, type Frame, installAfter, isTooDeep } from './frame-memory.ts'
import { A, DIGEST, FRAME } from './layout.ts'
import { CODE_DEPOSIT } from './prices.ts'
import { writeAddressBigEndian } from './words.ts'

export const CREATE = 0xf0
export const CREATE2 = 0xf5

const MAX_NONCE = (1n << 64n) - 1n

/** Returns the address of the requested contract, 20 bytes. `nonce` is the creator's; CREATE2 ignores it. */
export function addressOfCreation({ interpreter }: ExecutionContext, requester: Requester, nonce: bigint): Uint8Array {
  const { record: parent, self } = requester
  if (interpreter.u32(parent + FRAME.want) === CREATE) return createAddress(self.address, nonce)
  const salt = interpreter.slice(A, A + 32)
  interpreter.exports.hash(interpreter.u32(parent + FRAME.childData), interpreter.u32(parent + FRAME.childDataLength))
  return create2Address(self.address, salt, interpreter.slice(DIGEST, DIGEST + 32))
}

/** Begins the creation that `requester` requests. Returns the frame of the init code, or undefined if the creation is settled already. */
export function beginCreate(
  context: ExecutionContext,
  requester: Requester,
  outcome: Outcome,
  request: Request | undefined,
): Frame | undefined {
  const { interpreter, journal, options } = context
  const { eips } = options.rules
  const { record: parent, depth, self: creator } = requester
  if (isTooDeep(interpreter, requester)) return refuseRequest(interpreter, parent, outcome, errors.DEPTH)
  const value = childValue(interpreter, parent)
  const refusal = journal.valueRefusal(creator, undefined, value)
  if (refusal !== undefined) return refuseRequest(interpreter, parent, outcome, refusal)
  const nonce = request?.nonce ?? creator.nonce
  if (request?.nonce === undefined) {
    if (nonce === MAX_NONCE) return refuseRequest(interpreter, parent, outcome, errors.NONCE_OVERFLOW)
    journal.setNonce(creator.address, nonce + 1n)
  }
  const address = addressOfCreation(context, requester, nonce)
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
  const installed = installAfter(interpreter, parent, length, (at) =>
    interpreter.bytes().copyWithin(at, from, from + length),
  )
  if (!installed) {
    journal.revert(snapshot)
    interpreter.exports.settleCall(parent, false, 0n, 0, 0)
    return fail(outcome, errors.OUT_OF_GAS)
  }
  writeAddressBigEndian(interpreter.bytes(), A, address)
  return {
    record: enterFrame(interpreter, parent, installed),
    installed,
    parent,
    depth: depth + 1,
    self,
    caller: creator,
    snapshot,
    creation: true,
    static: requester.static,
  }
}

/** Stores the code that a creation returned. Returns the error if it cannot be stored. */
function deposit(
  { interpreter, journal, options: { rules } }: ExecutionContext,
  frame: Frame,
  from: number,
  length: number,
): string | undefined {
  const { eips } = rules
  if (length > maxCodeSize(rules)) return errors.MAX_CODE_SIZE
  if (length > 0 && eips.has(3541) && interpreter.bytes()[from] === 0xef) return errors.INVALID_CODE
  const gas = interpreter.i64(frame.record + FRAME.gas)
  const price = CODE_DEPOSIT * BigInt(length)
  if (price > gas) return errors.CODE_STORE_OUT_OF_GAS
  interpreter.setI64(frame.record + FRAME.gas, gas - price)
  interpreter.exports.hash(from, length)
  const hash = length === 0 ? EMPTY_CODE_HASH : interpreter.slice(DIGEST, DIGEST + 32)
  journal.setCode(frame.self.address, interpreter.slice(from, from + length), hash)
  return undefined
}

/** Ends a creation whose init code has returned. */
export function endCreation(context: ExecutionContext, frame: Frame, outcome: Outcome): void {
  const { interpreter, journal, options } = context
  const { record, parent, snapshot } = frame
  const length = interpreter.u32(record + FRAME.outLength)
  const from = interpreter.u32(record + FRAME.out)
  const error = deposit(context, frame, from, length)
  // In Frontier, if gas runs out for the code, the contract exists without code.
  if (error && (options.rules.eips.has(2) || error !== errors.CODE_STORE_OUT_OF_GAS)) {
    journal.revert(snapshot)
    interpreter.exports.settleCreate(parent, false, 0n, 0, 0)
    fail(outcome, error)
    return
  }
  journal.commit(snapshot)
  writeAddressBigEndian(interpreter.bytes(), A, frame.self.address)
  interpreter.exports.settleCreate(parent, true, interpreter.i64(record + FRAME.gas), 0, 0)
  succeed(outcome, error ? interpreter.slice(from, from + length) : frame.self.code!)
  outcome.address = frame.self.address
}
