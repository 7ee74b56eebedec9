/** The accounts that opcodes address, and the price of access to them. */
import { type Account, isEmptyAccount } from './account.ts'
import type { Rules } from './forks.ts'
import { addressKey, type Interpreter } from './interpreter.ts'
import type { Journal } from './journal/journal.ts'
import { A } from './layout.ts'
import type { Prices } from './prices.ts'

export interface AccountAccess {
  /** Returns the account whose address is in A. */
  addressed(): Account
  /** Whether the account does not exist, or counts as such because it is empty (EIP-161). */
  isDead(target: Account): boolean
  /** Warms an account. Returns the price of a cold access if it was cold, and `price` otherwise. Unit: gas. */
  touchPrice(target: Account, price: number): number
}

export function createAccountAccess(
  interpreter: Interpreter,
  journal: Journal,
  { eips }: Rules,
  { coldAccount }: Prices,
): AccountAccess {
  const lists = eips.has(2929)
  const deletesEmpty = eips.has(161)
  return {
    addressed: () =>
      journal.loadedAccount(addressKey(interpreter)) ?? journal.account(interpreter.slice(A + 12, A + 32)),
    isDead: (target) => !target.exists || (deletesEmpty && isEmptyAccount(target)),
    touchPrice: (target, price) => (lists && journal.warm(target) ? coldAccount : price),
  }
}
