/** Validation of denom metadata, with the texts of the Cosmos SDK (docs/modules/bank.md#errors). */
import type { Metadata } from '../../gen/sdk/bank/v1beta1/bank_pb.ts'
import { isValid } from '../../primitives/denom.ts'

/** Returns the first fault of a metadata record; undefined if it is valid. */
export function metadataFault(metadata: Metadata): string | undefined {
  const { name, symbol, base, display, denomUnits } = metadata
  if (name.trim() === '') return 'name field cannot be blank'
  if (symbol.trim() === '') return 'symbol field cannot be blank'
  if (!isValid(base)) return `invalid metadata base denom: invalid denom: ${base}`
  if (!isValid(display)) return `invalid metadata display denom: invalid denom: ${display}`
  const seen = new Set<string>()
  let hasDisplay = false
  let exponent = 0
  for (const [i, unit] of denomUnits.entries()) {
    if (i === 0) {
      if (unit.denom !== base) return `metadata's first denomination unit must be the one with base denom '${base}'`
      if (unit.exponent !== 0) return `the exponent for base denomination unit ${base} must be 0`
    } else if (exponent >= unit.exponent) return 'denom units should be sorted asc by exponent'
    exponent = unit.exponent
    if (seen.has(unit.denom)) return `duplicate denomination unit ${unit.denom}`
    seen.add(unit.denom)
    if (unit.denom === display) hasDisplay = true
    const fault = unitFault(unit)
    if (fault) return fault
  }
  return hasDisplay ? undefined : `metadata must contain a denomination unit with display denom '${display}'`
}

function unitFault({ denom, aliases }: { denom: string; aliases: readonly string[] }): string | undefined {
  if (!isValid(denom)) return `invalid denom unit: invalid denom: ${denom}`
  const seen = new Set<string>()
  for (const alias of aliases) {
    if (alias.trim() === '') return `alias for denom unit ${denom} cannot be blank`
    if (seen.has(alias)) return `duplicate denomination unit alias ${alias}`
    seen.add(alias)
  }
  return undefined
}
