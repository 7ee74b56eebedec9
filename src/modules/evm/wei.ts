/** The native coin in its two units (evm.md §3.1). */

/** Wei in one unit of the base denom. */
export const WEI_PER_UNIT: bigint = 10n ** 12n

/** Price of a gas unit below which nobody is charged: one unit of the base denom. Unit: wei. */
export const BASE_FEE_WEI: bigint = 10n ** 12n

/** Tokens count their decimals in eight bits; what describes a coin may claim four thousand million. */
const MOST_DECIMALS = 255

/** Amount of base units as people read it: no rounding, no trailing zeros, no separators (evm.md §2.3). Empty beyond 255 decimals. */
export function formatHuman(amount: bigint, decimals: number): string {
  if (decimals > MOST_DECIMALS) return ''
  if (amount === 0n) return '0'
  if (decimals === 0) return amount.toString()
  const digits = amount.toString().padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  const whole = digits.slice(0, -decimals)
  return fraction === '' ? whole : `${whole}.${fraction}`
}
