/** Token amounts as people read them. */

/** ERC-20 contracts store decimals in eight bits; the metadata of a coin can claim any 32-bit number. */
const MAX_DECIMALS = 255

/** Formats base units as a decimal number without rounding, trailing zeros or separators. Returns empty text beyond 255 decimals. */
export function formatHuman(amount: bigint, decimals: number): string {
  if (decimals > MAX_DECIMALS) return ''
  if (amount === 0n) return '0'
  if (decimals === 0) return amount.toString()
  const digits = amount.toString().padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  const whole = digits.slice(0, -decimals)
  return fraction === '' ? whole : `${whole}.${fraction}`
}
