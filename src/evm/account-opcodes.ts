/** The opcodes that read the balance or code of an account. */
import { ZERO_WORD } from '../primitives/bytes.ts'
import type { AccessContext } from './access-context.ts'
import type { Host } from './interpreter.ts'
import { B } from './layout.ts'

export function createAccountOpcodes({
  interpreter,
  journal,
  running,
  prices,
  accounts,
  reports,
}: AccessContext): Pick<Host, 'balance' | 'selfbalance' | 'extcodehash' | 'extcodesize' | 'extcodecopy'> {
  const { addressed, isDead, touchPrice } = accounts
  return {
    balance() {
      const target = addressed()
      const price = touchPrice(target, prices.balance)
      reports?.account(target, price)
      interpreter.returnNumber(target.balance)
      return price
    },
    selfbalance() {
      interpreter.returnNumber(running.self.balance)
    },
    extcodehash() {
      const target = addressed()
      const price = touchPrice(target, prices.codeHash)
      reports?.account(target, price)
      interpreter.bytes().set(isDead(target) ? ZERO_WORD : target.codeHash, B)
      return price
    },
    extcodesize() {
      const target = addressed()
      const price = touchPrice(target, prices.codeSize)
      reports?.account(target, price)
      interpreter.setU32(B, journal.codeOf(target).length)
      return price
    },
    extcodecopy(target, offset, length) {
      const code = journal.codeOf(addressed())
      const part = code.subarray(Math.min(offset >>> 0, code.length), Math.min((offset >>> 0) + length, code.length))
      const bytes = interpreter.bytes()
      bytes.set(part, target)
      bytes.fill(0, target + part.length, target + length)
    },
  }
}
