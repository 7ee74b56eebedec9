/** The opcodes of storage and transient storage, and the price of an SSTORE. */
import type { AccessContext } from './access-context.ts'
import { type Word, ZERO_KEY } from './account.ts'
import type { Host } from './interpreter.ts'
import type { Journal } from './journal/journal.ts'
import { A, B } from './layout.ts'
import { type Prices, SSTORE_SET } from './prices.ts'

export function createStorageOpcodes({
  interpreter,
  journal,
  running,
  rules,
  prices,
  reports,
}: AccessContext): Pick<Host, 'sload' | 'sstore' | 'tload' | 'tstore'> {
  const lists = rules.eips.has(2929)

  const wordAt = (address: typeof A | typeof B): Word => interpreter.bytes().latin1Slice(address, address + 32)

  const returnWord = (word: Word): void => {
    interpreter.bytes().latin1Write(word, B, 32)
  }

  return {
    sload() {
      const slot = journal.slotOf(running.self, wordAt(A))
      returnWord(slot.value)
      const price = lists && journal.warm(slot) ? prices.coldSlot : prices.sload
      reports?.slot(slot, price)
      return price
    },
    sstore() {
      const slot = journal.slotOf(running.self, wordAt(A))
      const next = wordAt(B)
      const cold = lists && journal.warm(slot) ? prices.coldSlot : 0
      const price = sstorePrice(prices, journal, slot.original, slot.value, next) + cold
      reports?.write(slot, price)
      if (slot.value !== next) journal.write(slot, next)
      return price
    },
    tload() {
      returnWord(running.self.transient?.get(wordAt(A)) ?? ZERO_KEY)
    },
    tstore() {
      journal.writeTransient(running.self, wordAt(A), wordAt(B))
    },
  }
}

/** Returns the price of writing `next` to a warm slot, and adds its refund to the journal. Unit: gas. */
function sstorePrice(prices: Prices, journal: Journal, original: Word, current: Word, next: Word): number {
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
