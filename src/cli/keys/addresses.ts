/** An address in all its forms. */
import type { Identity } from '../../identity/types.ts'
import { decodeBech32, formatBech32, formatEip55 } from '../../primitives/address.ts'
import { formatHex, parseHex } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'

/** Returns the forms of an address of Bech32 or hexadecimal text. Throws `invalidArgument` for any other text. */
export function parseAddress(text: string, { bech32 }: Identity): object {
  const decoded = decodeBech32(text)
  const bytes = 'bytes' in decoded ? decoded.bytes : parseHex(text)
  if (!bytes || bytes.length === 0)
    throw queryError('invalidArgument', `${text}: must be an address in Bech32 or hexadecimal digits`)
  return {
    ...('bytes' in decoded && { human: decoded.prefix }),
    bytes: formatHex(bytes).toUpperCase(),
    formats: [bech32.account, bech32.validator, bech32.consensus].map((prefix) => formatBech32(prefix, bytes)),
    ...(bytes.length === 20 && { address_evm: formatEip55(bytes) }),
  }
}
