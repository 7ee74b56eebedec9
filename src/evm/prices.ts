/** The prices of access to state, by rules. Unit: gas. */
import type { Rules } from './forks.ts'

export interface Prices {
  readonly balance: number
  readonly codeSize: number
  readonly codeHash: number
  readonly call: number
  readonly sload: number
  readonly selfdestruct: number
  /** The price of a cold account or slot (EIP-2929); 0 before it, when the prices above apply to every access. */
  readonly coldAccount: number
  readonly coldSlot: number
  /** The price of an SSTORE without effect, under net metering (EIP-1283, 2200); undefined before it. */
  readonly sstoreNoop: number | undefined
  readonly sstoreReset: number
  readonly sstoreClearRefund: number
  /** SSTORE fails if no more gas than this is left (EIP-2200); -1 before it. */
  readonly sstoreSentry: number
  readonly selfdestructRefund: number
}

export const SSTORE_SET = 20000
export const NEW_ACCOUNT = 25000
export const CODE_DEPOSIT = 200n

export function pricesOf({ eips }: Rules): Prices {
  const lists = eips.has(2929)
  const repriced = eips.has(1884)
  const tangerine = eips.has(150)
  return {
    balance: lists ? 100 : repriced ? 700 : tangerine ? 400 : 20,
    codeSize: lists ? 100 : tangerine ? 700 : 20,
    codeHash: lists ? 100 : repriced ? 700 : 400,
    call: lists ? 100 : tangerine ? 700 : 40,
    sload: lists ? 100 : repriced ? 800 : tangerine ? 200 : 50,
    selfdestruct: tangerine ? 5000 : 0,
    coldAccount: lists ? 2600 : 0,
    coldSlot: lists ? 2100 : 0,
    sstoreNoop: lists ? 100 : eips.has(2200) ? 800 : eips.has(1283) ? 200 : undefined,
    sstoreReset: lists ? 2900 : 5000,
    sstoreClearRefund: eips.has(3529) ? 4800 : 15000,
    sstoreSentry: eips.has(2200) ? 2300 : -1,
    selfdestructRefund: eips.has(3529) ? 0 : 24000,
  }
}
