/** Shared parts of the methods of development chains: the check for such a chain, prefixes, and lenient numbers. */
import type { Development } from '../../../consensus/driver.ts'
import { parseHex } from '../../../primitives/bytes.ts'
import { queryError } from '../../../primitives/errors.ts'
import type { GatewayNode } from '../../gateway.ts'
import { methodNotFound } from '../errors.ts'
import type { Method, Methods } from '../method.ts'
import type { Param } from '../params.ts'

/** Returns the development functions of the chain. Throws -32601 if it is not a development chain. */
export function developmentOf(node: GatewayNode): Development {
  const { development } = node.driver
  if (!development) throw methodNotFound('a development verb')
  return development
}

const PREFIXES = ['anvil', 'hardhat', 'evm'] as const

/** Returns each method under every prefix. A method without a result answers null under `anvil_`, true under the others. */
export function underPrefixes(verbs: Methods): Methods {
  const methods: Record<string, Method> = {}
  for (const [name, verb] of Object.entries(verbs)) {
    for (const prefix of PREFIXES) {
      methods[`${prefix}_${name}`] = {
        servedBy: 'main',
        async run(call, params) {
          const result = await verb.run(call, params)
          return result === undefined && prefix !== 'anvil' ? true : result
        },
      }
    }
  }
  return methods
}

const MAX_DIGITS = 80
const MAX_WORD = (1n << 256n) - 1n

/** A count of at most 256 bits: a JSON number, decimal digits, or hexadecimal digits after `0x`. */
export const count: Param<bigint> = {
  required: true,
  read: (value) => {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
    if (typeof value === 'string' && value.length <= MAX_DIGITS && /^(\d+|0[xX][0-9a-fA-F]+)$/.test(value)) {
      const wanted = BigInt(value)
      if (wanted <= MAX_WORD) return wanted
    }
    throw queryError('invalidArgument', `${JSON.stringify(value)} is not a count`)
  },
}

/** A word of 32 bytes; shorter input is padded on the left. */
export const word: Param<Uint8Array> = {
  required: true,
  read: (value) => {
    const digits = typeof value === 'string' && /^0[xX]/.test(value) ? value.slice(2) : undefined
    const bytes = digits !== undefined && digits.length <= 64 ? parseHex(digits.padStart(64, '0')) : undefined
    if (!bytes) throw queryError('invalidArgument', `${JSON.stringify(value)} is not a word of 32 bytes`)
    return bytes
  },
}
