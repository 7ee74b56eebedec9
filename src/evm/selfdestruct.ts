/** SELFDESTRUCT: its price and refund, the transfer of the balance, and the end of the account (EIP-6780). */
import type { AccessContext } from './access-context.ts'
import type { Host } from './interpreter.ts'
import { NEW_ACCOUNT } from './prices.ts'

export function createSelfdestruct({
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

  return (isStatic) => {
    const beneficiary = addressed()
    const { self } = running
    let price = prices.selfdestruct + touchPrice(beneficiary, 0)
    if (eips.has(150) && isDead(beneficiary) && (!deletesEmpty || self.balance > 0n)) price += NEW_ACCOUNT
    if (!self.destructed && prices.selfdestructRefund) journal.addRefund(prices.selfdestructRefund)
    reports?.destruct(beneficiary, price, isStatic !== 0)
    const dies = !onlyCreated || self.created
    if (beneficiary !== self) {
      journal.payBeneficiary(self, beneficiary)
    } else if (dies) {
      journal.subBalance(self.address, self.balance)
    }
    if (dies) journal.destruct(self)
    return price
  }
}
