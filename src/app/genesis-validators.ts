/** The first validator set: computed by staking, and compared with the list of a document. */
import { equal, formatHex, toKey } from '../primitives/bytes.ts'
import { errors } from '../sdk/errors.ts'
import type { Validator } from './records.ts'
import type { GenesisDocument } from './types.ts'

/** Returns the set after the updates: the last update of a validator counts, and power 0 removes it. */
export function genesisValidators(updates: readonly Validator[]): readonly Validator[] {
  const byAddress = new Map(updates.map((update) => [toKey(update.address), update]))
  return [...byAddress.values()].filter(({ power }) => power > 0n)
}

interface Listed {
  readonly pub_key?: { readonly value?: unknown }
  readonly power?: unknown
}

/** Throws sdk 18 if the list of a document differs from the set of its staking section. */
export function requireListed({ validators: list = [] }: GenesisDocument, validators: readonly Validator[]): void {
  if (list.length === 0) return
  const left = new Set(validators)
  for (const [i, entry] of list.entries()) {
    const { pub_key: key, power } = (entry ?? {}) as Listed
    const publicKey = typeof key?.value === 'string' ? new Uint8Array(Buffer.from(key.value, 'base64')) : undefined
    const found = publicKey && validators.find((validator) => equal(validator.publicKey, publicKey))
    if (!found) throw errors.invalidRequest(`validators[${i}]: staking has no bonded validator with this pub_key`)
    if (found.power.toString() !== String(power)) {
      throw errors.invalidRequest(`validators[${i}]: power is ${String(power)}, but ${found.power} in staking`)
    }
    left.delete(found)
  }
  for (const { address } of left) {
    throw errors.invalidRequest(
      `validators: ${formatHex(address).toUpperCase()} is bonded in staking, but not in the list`,
    )
  }
}
