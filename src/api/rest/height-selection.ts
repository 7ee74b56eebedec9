/** The height that a request selects, and the headers that name the height of an answer (docs/gateways.md#heights, D17). */
import type { Identity } from '../../identity/types.ts'
import { MAX_INT64 } from '../../primitives/integers.ts'
import { violation } from '../errors.ts'

/** Request headers that name a height. */
export const HEIGHT_HEADERS = [
  'x-sdk-block-height',
  'x-cosmos-block-height',
  'grpc-metadata-x-sdk-block-height',
  'grpc-metadata-x-cosmos-block-height',
] as const

/** Parses a height from decimal digits. Throws `invalidArgument` naming `source`. */
function parseHeight(text: string, source: string): bigint {
  if (!/^\d{1,19}$/.test(text)) throw violation(source, 'not a block height')
  const height = BigInt(text)
  if (height > MAX_INT64) throw violation(source, 'not a block height')
  return height
}

/**
 * Returns the height that the headers and `?height=` name; undefined for the latest. Throws `invalidArgument` if one of them
 * is not a height, or if two differ.
 */
export function selectHeight(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  parameter: string | undefined,
): bigint | undefined {
  let selected: bigint | undefined
  for (const name of HEIGHT_HEADERS) {
    const value = headers[name]
    if (value === undefined) continue
    // Node.js joins the values of a repeated header.
    for (const text of String(value).split(', ')) selected = agree(selected, text, name)
  }
  if (parameter !== undefined) selected = agree(selected, parameter, 'height')
  return selected === 0n ? undefined : selected
}

/**
 * Parses a height, which must be the one selected before, if any; 0 means latest. Throws `invalidArgument` naming
 * `source`.
 */
export function agree(selected: bigint | undefined, text: string, source: string): bigint {
  const height = parseHeight(text, source)
  if (selected !== undefined && selected !== height) throw violation(source, 'two different heights are named')
  return height
}

/** Returns the names of the response headers that carry the height: neutral, and the profile's if they differ. */
export function heightHeaderNames(identity: Identity): readonly string[] {
  const families = new Set(['sdk', identity.toProfilePath('/sdk').slice(1)])
  return [...families].flatMap((family) => {
    const name = `X-${family[0]!.toUpperCase()}${family.slice(1)}-Block-Height`
    return [`Grpc-Metadata-${name}`, name]
  })
}
