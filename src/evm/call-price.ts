/** The host's part of a call's price: access to the account and its delegation (EIP-7702), and a new account. */
import type { AccessContext } from './access-context.ts'
import type { Account } from './account.ts'
import { delegationTarget } from './delegation.ts'
import type { Host } from './interpreter.ts'
import { FRAME } from './layout.ts'
import { NEW_ACCOUNT } from './prices.ts'

export function createCallPrice({
  interpreter,
  journal,
  running,
  rules: { eips },
  prices,
  accounts,
  reports,
}: AccessContext): Host['callcost'] {
  const { addressed, isDead, touchPrice } = accounts
  const { lastCall } = running
  const lists = eips.has(2929)
  const deletesEmpty = eips.has(161)
  const delegates = eips.has(7702)

  return (opcode, valued) => {
    const target = addressed()
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
    lastCall.isCold = isCold
    lastCall.delegate = resolution
    lastCall.isNew = isNew
    if (reports) {
      // Before EIP-150 a call that requests more gas than is left fails.
      const record = interpreter.live.at(-1)!
      const requested = eips.has(150) ? 0n : BigInt.asUintN(64, interpreter.i64(record + FRAME.childGas))
      reports.call(target, delegate, price, requested)
    }
    return price
  }
}
