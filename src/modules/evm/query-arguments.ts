/** Addresses and storage slots in the requests of queries (docs/modules/evm.md#queries). */
import { create } from '@bufbuild/protobuf'
import { FieldViolationSchema } from '../../gen/chain/errors/v1/errors_pb.ts'
import * as address from '../../identity/address.ts'
import { parseEvm } from '../../primitives/address.ts'
import { ChainError, queryError } from '../../primitives/errors.ts'
import type { ReadContext } from '../../sdk/context.ts'

function wrong(field: string, message: string, description: string): ChainError {
  return queryError('invalidArgument', message, [create(FieldViolationSchema, { field, description })])
}

/** Parses a hexadecimal or Bech32 address of 20 bytes, or of 32 for a Wasm contract. Throws 3 with the reasons of both parsers. */
export function parseAccount(ctx: ReadContext, text: string): Uint8Array {
  const evm = parseEvm(text)
  if (evm) return evm
  try {
    const bytes = address.parse(ctx, text)
    if (bytes.length === 20 || bytes.length === 32) return bytes
    throw wrong('address', `invalid address ${JSON.stringify(text)}: ${bytes.length} bytes`, 'neither 20 nor 32 bytes')
  } catch (error) {
    if (!(error instanceof ChainError) || error.codespace !== 'sdk') throw error
    const reason = `not 20 hexadecimal bytes; not Bech32: ${error.message}`
    throw wrong('address', `invalid address ${JSON.stringify(text)}: ${reason}`, reason)
  }
}

/** Parses a hexadecimal address of 20 bytes. Throws 3 with `invalid zero address`, the reference's text. */
export function parseHexOnly(text: string): Uint8Array {
  const bytes = parseEvm(text)
  if (!bytes) throw wrong('address', 'invalid zero address', `${JSON.stringify(text)} is not 20 hexadecimal bytes`)
  return bytes
}

/** Parses a storage slot: hexadecimal digits, `0x` optional; of more than 32 bytes the last 32 count. Throws 3. */
export function parseSlot(text: string): Uint8Array {
  const digits = text.replace(/^0[xX]/, '')
  if (!/^[0-9a-fA-F]*$/.test(digits)) {
    throw wrong('key', `invalid storage key ${JSON.stringify(text)}`, 'not hexadecimal')
  }
  return Uint8Array.from(Buffer.from(digits.padStart(64, '0').slice(-64), 'hex'))
}
