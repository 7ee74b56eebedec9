/** Opcodes that touch state: what they cost, what they read, what they write. One per execution, over its journal. */
import { EMPTY, fromKey } from '../primitives/bytes.ts'
import { type Account, isEmptyAccount, type Word, ZERO_KEY, ZERO_WORD } from './account.ts'
import { addressKey, type Host, type Interpreter } from './interpreter.ts'
import type { Journal } from './journal.ts'
import { A, B, CALL_PRICED, FRAME, TRACE_LAST, TRACE_REFUND } from './layout.ts'
import { NEW_ACCOUNT, type Prices, pricesOf, SSTORE_SET } from './prices.ts'
import type { EvmOptions } from './types.ts'

const DESIGNATOR_LENGTH = 23

/** The account a delegation designator points to (EIP-7702); undefined for any other code. */
export function delegationTarget(code: Uint8Array): Uint8Array | undefined {
  return code.length === DESIGNATOR_LENGTH && code[0] === 0xef && code[1] === 0x01 && code[2] === 0x00
    ? code.subarray(3)
    : undefined
}

/** What the host's part of the last call's price is made of. */
export interface CallPrice {
  isCold: boolean
  /** For the account a delegation points to (EIP-7702). */
  delegate: number
  isNew: boolean
}

/** What a recorded step changed, as it was before. */
interface Change {
  /** Where the step is recorded. */
  readonly record: number
  readonly account: Account
  readonly slot?: { readonly key: Word; readonly value: Word }
  readonly balance?: bigint
}

/** What the frames of an execution share with its state access. */
export interface Access extends Host {
  /** The account that the running code works on. */
  self: Account
  /** Return data of the last call when it is too large for the machine's own buffer. */
  largeReturn: Uint8Array
  readonly lastCall: CallPrice
  /** Of the steps since the list was last emptied, if steps are recorded. */
  readonly changes: Change[]
  /** A SELFDESTRUCT of the frame that runs, which the tracer has not been told of. */
  destructed: { readonly heir: Account; readonly amount: bigint } | undefined
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
    journal.known(addressKey(interpreter)) ?? journal.account(interpreter.slice(A + 12, A + 32))

  const isDead = (target: Account): boolean => !target.exists || (deletesEmpty && isEmptyAccount(target))

  /** The price of access to an account, which is warm from now on. */
  const touchPrice = (target: Account, price: number): number =>
    lists && journal.warm(target) ? prices.coldAccount : price

  const wordAt = (address: typeof A | typeof B): Word => interpreter.bytes().latin1Slice(address, address + 32)

  /** Whether the opcode that asks has gas for this. */
  const isPaid = (price: number): boolean => interpreter.i64(interpreter.live.at(-1)! + FRAME.gas) >= BigInt(price)

  const tellAccount = (target: Account, price: number): void => {
    if (tracer?.account && isPaid(price)) tracer.account(target.address, journal)
  }

  const tellSlot = (slot: Word, price: number): void => {
    if (tracer?.slot && isPaid(price)) tracer.slot(access.self.address, fromKey(slot), journal)
  }

  const answerWord = (word: Word): void => {
    interpreter.bytes().latin1Write(word, B, 32)
  }

  const answerBytes = (word: Uint8Array): void => {
    interpreter.bytes().set(word, B)
  }

  /** Remembers balances that the step recorded last is about to change. */
  function noteBalances(...accounts: readonly Account[]): void {
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
      answerWord(slot.value)
      const price = lists && journal.warm(slot) ? prices.coldSlot : prices.sload
      if (tracer) tellSlot(slot.slot, price)
      return price
    },
    sstore() {
      const slot = journal.slotOf(access.self, wordAt(A))
      const next = wordAt(B)
      const cold = lists && journal.warm(slot) ? prices.coldSlot : 0
      const price = sstorePrice(slot.original, slot.value, next)
      if (tracer) {
        tellSlot(slot.slot, price + cold)
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
      answerWord(access.self.transient?.get(wordAt(A)) ?? ZERO_KEY)
    },
    tstore() {
      journal.writeTransient(access.self, wordAt(A), wordAt(B))
    },
    balance() {
      const target = account()
      const price = touchPrice(target, prices.balance)
      if (tracer) tellAccount(target, price)
      interpreter.answer(target.balance)
      return price
    },
    selfbalance() {
      interpreter.answer(access.self.balance)
    },
    extcodehash() {
      const target = account()
      const price = touchPrice(target, prices.codeHash)
      if (tracer) tellAccount(target, price)
      answerBytes(isDead(target) ? ZERO_WORD : target.codeHash)
      return price
    },
    extcodesize() {
      const target = account()
      const price = touchPrice(target, prices.codeSize)
      if (tracer) tellAccount(target, price)
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
      answerBytes(inWindow ? state.blockHash(wanted) : ZERO_WORD)
    },
    blobhash(index) {
      answerBytes(tx.blobHashes[index >>> 0] ?? ZERO_WORD)
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
      const heir = account()
      const { self } = access
      let price = prices.selfdestruct
      if (lists && journal.warm(heir)) price += prices.coldAccount
      if (eips.has(150) && isDead(heir) && (!deletesEmpty || self.balance > 0n)) price += NEW_ACCOUNT
      if (!self.destructed && prices.selfdestructRefund) journal.addRefund(prices.selfdestructRefund)
      const amount = self.balance
      if (tracer) {
        tellAccount(heir, price)
        if (isPaid(price) && isStatic === 0) access.destructed = { heir, amount }
        if (tracer.reads) noteBalances(self, heir)
      }
      const dies = !onlyCreated || self.created
      if (heir !== self) {
        journal.bequeath(self, heir)
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
        // Before EIP-150 a call that asks for more gas than there is fails.
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
