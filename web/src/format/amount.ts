/** Amounts as text. Digits are grouped, and never rounded: all of them are shown. */

/** A thin space between groups of three digits, which copies as a space and does not break the line. */
const GROUP = '\u202f'

const grouped = (digits: string): string => digits.replace(/\B(?=(\d{3})+(?!\d))/g, GROUP)

/** Formats an integer of any size: `1 234 567`. */
export function formatInteger(value: bigint | number | string): string {
  const text = String(value)
  return text.startsWith('-') ? `-${grouped(text.slice(1))}` : grouped(text)
}

/** Formats a number of things: `1 block`, `7 blocks`. */
export const formatCount = (count: bigint | number | string, thing: string): string =>
  `${formatInteger(count)} ${thing}${String(count) === '1' ? '' : 's'}`

/** Formats a decimal text such as `0.050000000000000000` with grouped digits, without the zeros at its end. */
export function formatDecimal(text: string): string {
  const [whole = '0', fraction = ''] = text.split('.')
  const rest = fraction.replace(/0+$/, '')
  return `${formatInteger(whole)}${rest && `.${rest}`}`
}

/** Returns a number of base units as a decimal text of whole units: 1500000 with 6 decimals is `1.5`. Exact. */
export function toUnits(base: bigint, decimals: number): string {
  const sign = base < 0n ? '-' : ''
  const digits = (base < 0n ? -base : base).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return `${sign}${whole}${fraction && `.${fraction}`}`
}

/** Decimals of the native coin in the EVM: 1 is 10^18 wei. */
export const WEI_DECIMALS = 18

/** Formats a number of base units as whole units, with grouped digits. Exact. */
export const formatUnits = (base: bigint, decimals: number): string => formatDecimal(toUnits(base, decimals))

/** Parses a decimal text into base units. Returns undefined for a text that is no number or has too many decimals. */
export function parseUnits(text: string, decimals: number): bigint | undefined {
  const match = /^(\d+)(?:\.(\d*))?$/.exec(text.trim())
  if (!match || (match[2] ?? '').length > decimals) return undefined
  return BigInt(match[1]! + (match[2] ?? '').padEnd(decimals, '0'))
}

/** Formats a share of the whole in percent, with two digits that are cut, not rounded. */
export function formatShare(part: bigint, whole: bigint): string {
  return whole === 0n ? '0 %' : `${formatUnits((part * 10_000n) / whole, 2)} %`
}

/** Formats a size. Unit of the argument: bytes. */
export const formatBytes = (bytes: number | bigint | string): string => formatCount(bytes, 'byte')
