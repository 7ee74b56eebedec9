/** Gas prices in settings and flags: `0.025unative`, several by comma. */
import * as decimal from '../../primitives/decimal.ts'
import { isValid } from '../../primitives/denom.ts'

export interface GasPrice {
  readonly denom: string
  readonly price: decimal.Decimal
}

/** Parses gas prices; empty text has no prices. Returns undefined for invalid text. */
export function parseGasPrices(text: string): readonly GasPrice[] | undefined {
  if (text.trim() === '') return []
  const prices: GasPrice[] = []
  for (const part of text.split(',')) {
    const match = /^(\d+(?:\.\d{1,18})?)(.+)$/.exec(part.trim())
    const price = match && decimal.parse(match[1]!)
    if (!match || price === null || price === undefined || !isValid(match[2]!)) return undefined
    prices.push({ denom: match[2]!, price })
  }
  return prices
}
