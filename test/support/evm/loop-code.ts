/** Code of loops that spend the gas of a transaction, in hexadecimal digits. */
import { formatHex, hex } from '../../../src/primitives/bytes.ts'

const hexOf = (value: bigint | number, bytes: number): string => value.toString(16).padStart(2 * bytes, '0')
/** Returns PUSH of a value in `bytes` bytes. */
export const push = (value: bigint | number, bytes = 3): string => hexOf(0x5f + bytes, 1) + hexOf(value, bytes)
export const pushAddress = (who: Uint8Array): string => `73${formatHex(who)}`
export const GAS_LEFT = '5a'

/** Returns code that repeats `body` while more than `reserve` gas is left. `at` is the position of the code. Unit: bytes. */
function whileGas(body: string, at: number, reserve: number): string {
  return `5b${body}${push(reserve)}5a11${push(at, 2)}57`
}

/** Returns code that copies calldata to memory, then repeats each body in turn, while more gas is left than its reserve. */
export function programOf(...parts: readonly { readonly body: string; readonly reserve: number }[]): Uint8Array {
  let code = '365f5f37'
  for (const { body, reserve } of parts) code += whileGas(body, code.length / 2, reserve)
  return hex(`${code}00`)
}

export type Kind = 'call' | 'static' | 'delegate'

/** Returns code that calls `to` with all memory as input and drops the result. */
export function callOf(to: string, gas: string, kind: Kind = 'call', value = ''): string {
  const frame = '5f5f365f'
  if (kind === 'static') return `${frame}${to}${gas}fa50`
  if (kind === 'delegate') return `${frame}${to}${gas}f450`
  return `${frame}${value || '5f'}${to}${gas}f150`
}
