/** SELFDESTRUCT: its price and refund, the transfer of the balance, and the end of the account (EIP-6780). */
import type { AccessContext } from './access-context.ts'
import type { Account } from './account.ts'
import { INSUFFICIENT_BALANCE } from './errors.ts'
import type { Host } from './interpreter.ts'
import { FRAME } from './layout.ts'
import { NEW_ACCOUNT } from './prices.ts'

export function createSelfdestruct({
  interpreter,
  journal,
  running,
  rules: { eips },
  prices,
  accounts,
  reports,
}: AccessContext): Host['selfdestruct'] {
  const { addressed, isDead, touchPrice } = accounts
  const deletesEmpty = eips.has(161)
  const onlyCreated = eips.has(6780)

  /** Returns the reason why the whole balance cannot move. An account that dies loses also coins that it receives later. */
  function refusalOf(self: Account, beneficiary: Account, dies: boolean): string | undefined {
    if (beneficiary === self && !dies) return undefined
    if (self.locked > 0n) return INSUFFICIENT_BALANCE
    return beneficiary === self ? undefined : journal.valueRefusal(self, beneficiary, self.balance)
  }

  return (isStatic) => {
    const beneficiary = addressed()
    const { self } = running
    let price = prices.selfdestruct + touchPrice(beneficiary, 0)
    if (eips.has(150) && isDead(beneficiary) && (!deletesEmpty || self.balance > 0n)) price += NEW_ACCOUNT
    if (!self.destructed && prices.selfdestructRefund) journal.addRefund(prices.selfdestructRefund)
    const dies = !onlyCreated || self.created
    const refusal = isStatic ? undefined : refusalOf(self, beneficiary, dies)
    reports?.destruct(beneficiary, price, isStatic !== 0 || refusal !== undefined)
    if (refusal !== undefined) {
      running.refusal = refusal
      // The interpreter reads the flag after this call, and fails the frame as it fails one in a static call.
      interpreter.setU32(interpreter.live.at(-1)! + FRAME.static, 1)
      return price
    }
    if (beneficiary !== self) {
      journal.payBeneficiary(self, beneficiary)
    } else if (dies) {
      journal.subBalance(self.address, self.balance)
    }
    if (dies) journal.destruct(self)
    return price
  }
}
