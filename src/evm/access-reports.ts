/** The reports of state access to a tracer. An opcode reports an account or slot only if it can pay for the access. */
import { fromKey } from '../primitives/bytes.ts'
import type { Account, Slot } from './account.ts'
import type { Interpreter } from './interpreter.ts'
import type { Journal } from './journal/journal.ts'
import { CALL_PRICED, FRAME, TRACE_LAST, TRACE_REFUND } from './layout.ts'
import type { RunningState } from './running.ts'
import type { Tracer } from './trace.ts'

export interface AccessReports {
  account(target: Account, price: number): void
  /** Reports the accounts of a call. `requested`: the gas that the rules demand in addition to the price. */
  call(target: Account, delegate: Account | undefined, price: number, requested: bigint): void
  slot(slot: Slot, price: number): void
  /** Reports and records a slot that an SSTORE is about to write. */
  write(slot: Slot, price: number): void
  /** Reports and records a SELFDESTRUCT that is about to move the balance. */
  destruct(beneficiary: Account, price: number, isStatic: boolean): void
}

/** Creates the reports of one execution; undefined without a tracer. */
export function createAccessReports(
  interpreter: Interpreter,
  journal: Journal,
  running: RunningState,
  tracer: Tracer | undefined,
): AccessReports | undefined {
  if (!tracer) return undefined

  /** Whether the running opcode has gas for this price. */
  const isPaid = (price: number): boolean => interpreter.i64(interpreter.live.at(-1)! + FRAME.gas) >= BigInt(price)

  function account(target: Account, price: number): void {
    if (tracer?.account && isPaid(price)) tracer.account(target.address, journal)
  }

  function slot({ slot: key }: Slot, price: number): void {
    if (tracer?.slot && isPaid(price)) tracer.slot(running.self.address, fromKey(key), journal)
  }

  /** Records balances that the latest recorded step is about to change. */
  function recordBalances(...accounts: readonly Account[]): void {
    const record = interpreter.u32(TRACE_LAST)
    if (record === 0) return
    for (const one of accounts) running.changes.push({ record, account: one, balance: one.balance })
  }

  return {
    account,
    call(target, delegate, price, requested) {
      if (!tracer.account || interpreter.i64(CALL_PRICED) < BigInt(price) + requested) return
      tracer.account(target.address, journal)
      if (delegate) tracer.account(delegate.address, journal)
    },
    slot,
    write(written, price) {
      slot(written, price)
      if (!tracer.reads) return
      const record = interpreter.u32(TRACE_LAST)
      const { slot: key, value } = written
      if (record !== 0) running.changes.push({ record, account: running.self, slot: { key, value } })
      interpreter.setI64(TRACE_REFUND, journal.refund())
    },
    destruct(beneficiary, price, isStatic) {
      const { self } = running
      account(beneficiary, price)
      if (isPaid(price) && !isStatic) running.destructed = { beneficiary, amount: self.balance }
      if (tracer.reads) recordBalances(self, beneficiary)
    },
  }
}
