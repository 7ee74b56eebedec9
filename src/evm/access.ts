/** The opcodes that touch state: their prices, reads and writes, over the journal of one execution. */
import { EMPTY, fromKey, ZERO_WORD } from '../primitives/bytes.ts'
import { type Account, isEmptyAccount, type Word, ZERO_KEY } from './account.ts'
import { addressKey, type Host, type Interpreter } from './interpreter.ts'
import type { Journal } from './journal/journal.ts'
import { A, B, CALL_PRICED, FRAME, TRACE_LAST, TRACE_REFUND } from './layout.ts'
import { NEW_ACCOUNT, type Prices, pricesOf, SSTORE_SET } from './prices.ts'
import type { EvmOptions } from './types.ts'

const DESIGNATOR_LENGTH = 23

/** Returns the account that a delegation designator points to (EIP-7702); undefined for any other code. */
export function delegationTarget(code: Uint8Array): Uint8Array | undefined {
  return code.length === DESIGNATOR_LENGTH && code[0] === 0xef && code[1] === 0x01 && code[2] === 0x00
    ? code.subarray(3)
    : undefined
}

/** The components of the host's part of the last call's price. */
export interface CallPrice {
  isCold: boolean
  /** The price of access to the account that a delegation points to (EIP-7702). Unit: gas. */
  delegate: number
  isNew: boolean
}

/** A value that a recorded step changed, as it was before the step. */
interface Change {
  /** The address of the step's record. */
  readonly record: number
  readonly account: Account
  readonly slot?: { readonly key: Word; readonly value: Word }
  readonly balance?: bigint
}

/** The state access of one execution, shared with its frames. */
export interface Access extends Host {
  /** The account whose storage and balance the running code uses. */
  self: Account
  /** The return data of the last call if it is too large for RETURN_DATA. */
  largeReturn: Uint8Array
  readonly lastCall: CallPrice
  /** The changes of the steps since the list was last cleared, if steps are recorded. */
  readonly changes: Change[]
  /** A SELFDESTRUCT of the running frame that is not yet reported to the tracer. */
  destructed: { readonly beneficiary: Account; readonly amount: bigint } | undefined
}

export function createAccess(
  interpreter: Interpreter,
  journal: Journal,
  { state, rules, block, tx, tracer, light, shouldStop }: EvmOptions,
): Access {
  const prices: Prices = pricesOf(rules)
  const { eips } = rules
  const lists = eips.has(2929)
  const deletesEmpty = eips.has(161)
  const delegates = eips.has(7702)
  const onlyCreated = eips.has(6780)

  const account = (): Account =>
    journal.loadedAccount(addressKey(interpreter)) ?? journal.account(interpreter.slice(A + 12, A + 32))

  const isDead = (target: Account): boolean => !target.exists || (deletesEmpty && isEmptyAccount(target))

  /** Warms an account and returns the price of access to it. */
  const touchPrice = (target: Account, price: number): number =>
    lists && journal.warm(target) ? prices.coldAccount : price

  const wordAt = (address: typeof A | typeof B): Word => interpreter.bytes().latin1Slice(address, address + 32)

  /** Whether the running opcode has gas for this price. */
  const isPaid = (price: number): boolean => interpreter.i64(interpreter.live.at(-1)! + FRAME.gas) >= BigInt(price)

  const reportAccount = (target: Account, price: number): void => {
    if (tracer?.account && isPaid(price)) tracer.account(target.address, journal)
  }

  const reportSlot = (slot: Word, price: number): void => {
    if (tracer?.slot && isPaid(price)) tracer.slot(access.self.address, fromKey(slot), journal)
  }

  const returnWord = (word: Word): void => {
    interpreter.bytes().latin1Write(word, B, 32)
  }

  const returnBytes = (word: Uint8Array): void => {
    interpreter.bytes().set(word, B)
  }

  /** Records balances that the latest recorded step is about to change. */
  function recordBalances(...accounts: readonly Account[]): void {
    const record = interpreter.u32(TRACE_LAST)
    if (record === 0) return
    for (const one of accounts) access.changes.push({ record, account: one, balance: one.balance })
  }

  function sstorePrice(original: Word, current: Word, next: Word): number {
    const { sstoreNoop, sstoreReset, sstoreClearRefund } = prices
    if (sstoreNoop === undefined) {
      if (current === ZERO_KEY) return next === ZERO_KEY ? 5000 : SSTORE_SET
      if (next === ZERO_KEY) journal.addRefund(sstoreClearRefund)
      return 5000
    }
    if (current === next) return sstoreNoop
    const originalZero = original === ZERO_KEY
    if (original === current) {
      if (originalZero) return SSTORE_SET
      if (next === ZERO_KEY) journal.addRefund(sstoreClearRefund)
      return sstoreReset
    }
    let refund = 0
    if (!originalZero) {
      if (current === ZERO_KEY) refund -= sstoreClearRefund
      else if (next === ZERO_KEY) refund += sstoreClearRefund
    }
    if (original === next) refund += (originalZero ? SSTORE_SET : sstoreReset) - sstoreNoop
    if (refund !== 0) journal.addRefund(refund)
    return sstoreNoop
  }

  const access: Access = {
    self: undefined as unknown as Account,
    largeReturn: EMPTY,
    lastCall: { isCold: false, delegate: 0, isNew: false },
    changes: [],
    destructed: undefined,
    sload() {
      const slot = journal.slotOf(access.self, wordAt(A))
      returnWord(slot.value)
      const price = lists && journal.warm(slot) ? prices.coldSlot : prices.sload
      if (tracer) reportSlot(slot.slot, price)
      return price
    },
    sstore() {
      const slot = journal.slotOf(access.self, wordAt(A))
      const next = wordAt(B)
      const cold = lists && journal.warm(slot) ? prices.coldSlot : 0
      const price = sstorePrice(slot.original, slot.value, next)
      if (tracer) {
        reportSlot(slot.slot, price + cold)
        if (tracer.reads) {
          const { value } = slot
          const record = interpreter.u32(TRACE_LAST)
          if (record !== 0) access.changes.push({ record, account: access.self, slot: { key: slot.slot, value } })
          interpreter.setI64(TRACE_REFUND, journal.refund())
        }
      }
      if (slot.value !== next) journal.write(slot, next)
      return price + cold
    },
    tload() {
      returnWord(access.self.transient?.get(wordAt(A)) ?? ZERO_KEY)
    },
    tstore() {
      journal.writeTransient(access.self, wordAt(A), wordAt(B))
    },
    balance() {
      const target = account()
      const price = touchPrice(target, prices.balance)
      if (tracer) reportAccount(target, price)
      interpreter.returnNumber(target.balance)
      return price
    },
    selfbalance() {
      interpreter.returnNumber(access.self.balance)
    },
    extcodehash() {
      const target = account()
      const price = touchPrice(target, prices.codeHash)
      if (tracer) reportAccount(target, price)
      returnBytes(isDead(target) ? ZERO_WORD : target.codeHash)
      return price
    },
    extcodesize() {
      const target = account()
      const price = touchPrice(target, prices.codeSize)
      if (tracer) reportAccount(target, price)
      interpreter.setU32(B, journal.codeOf(target).length)
      return price
    },
    extcodecopy(target, offset, length) {
      const code = journal.codeOf(account())
      const part = code.subarray(Math.min(offset >>> 0, code.length), Math.min((offset >>> 0) + length, code.length))
      const bytes = interpreter.bytes()
      bytes.set(part, target)
      bytes.fill(0, target + part.length, target + length)
    },
    blockhash() {
      const wanted = interpreter.bytes().readBigUInt64BE(A + 24)
      const small = interpreter
        .bytes()
        .subarray(A, A + 24)
        .every((byte) => byte === 0)
      const inWindow = small && wanted < block.number && wanted + 256n >= block.number
      returnBytes(inWindow ? state.blockHash(wanted) : ZERO_WORD)
    },
    blobhash(index) {
      returnBytes(tx.blobHashes[index >>> 0] ?? ZERO_WORD)
    },
    log(data, length, topics, count) {
      const bytes = interpreter.bytes()
      const words: Word[] = []
      for (let i = 0; i < count; i++) words.push(bytes.latin1Slice(topics - 32 * i, topics - 32 * i + 32))
      journal.logRaw(access.self, words, bytes.latin1Slice(data, data + length))
      tracer?.log?.({
        address: access.self.address,
        topics: words.map(fromKey),
        data: interpreter.slice(data, data + length),
      })
    },
    selfdestruct(isStatic) {
      const beneficiary = account()
      const { self } = access
      let price = prices.selfdestruct
      if (lists && journal.warm(beneficiary)) price += prices.coldAccount
      if (eips.has(150) && isDead(beneficiary) && (!deletesEmpty || self.balance > 0n)) price += NEW_ACCOUNT
      if (!self.destructed && prices.selfdestructRefund) journal.addRefund(prices.selfdestructRefund)
      const amount = self.balance
      if (tracer) {
        reportAccount(beneficiary, price)
        if (isPaid(price) && isStatic === 0) access.destructed = { beneficiary, amount }
        if (tracer.reads) recordBalances(self, beneficiary)
      }
      const dies = !onlyCreated || self.created
      if (beneficiary !== self) {
        journal.payBeneficiary(self, beneficiary)
      } else if (dies) {
        journal.subBalance(self.address, amount)
      }
      if (dies) journal.destruct(self)
      return price
    },
    callcost(opcode, valued) {
      const target = account()
      const isCold = lists && journal.warm(target)
      let price = isCold ? prices.coldAccount : prices.call
      let resolution = 0
      let delegate: Account | undefined
      if (delegates) {
        const designated = delegationTarget(journal.codeOf(target))
        if (designated) {
          delegate = journal.account(designated)
          resolution = touchPrice(delegate, prices.call)
          price += resolution
        }
      }
      const isNew = opcode === 0xf1 && isDead(target) && (!deletesEmpty || valued !== 0)
      if (isNew) price += NEW_ACCOUNT
      const { lastCall } = access
      lastCall.isCold = isCold
      lastCall.delegate = resolution
      lastCall.isNew = isNew
      if (tracer?.account) {
        // Before EIP-150 a call that requests more gas than is left fails.
        const record = interpreter.live.at(-1)!
        const wanted = eips.has(150) ? 0n : BigInt.asUintN(64, interpreter.i64(record + FRAME.childGas))
        if (interpreter.i64(CALL_PRICED) >= BigInt(price) + wanted) {
          tracer.account(target.address, journal)
          if (delegate) tracer.account(delegate.address, journal)
        }
      }
      return price
    },
    returndatacopy(target, offset, length) {
      interpreter.bytes().set(access.largeReturn.subarray(offset, offset + length), target)
    },
    pause() {
      if (light && shouldStop?.()) light.giveUp()
    },
  }
  return access
}
