/** The forms in which modules name an account. */
import type { NodeFacts } from '../api/node.ts'
import { toBech32, toEip55 } from '../format/address.ts'

/** An account in every form that a question needs. */
export interface AccountForms {
  readonly hex: `0x${string}`
  readonly bech32: string
  readonly validator: string
}

export const formsOf = (bytes: Uint8Array, { bech32 }: NodeFacts): AccountForms => ({
  hex: toEip55(bytes) as `0x${string}`,
  bech32: toBech32(bech32.account, bytes),
  validator: toBech32(bech32.validator, bytes),
})
