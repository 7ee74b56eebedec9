/** Decodes transactions. Only the canonical encoding is accepted, so encoding returns the same bytes. */
import { decodeUint } from '../../primitives/bytes.ts'
import { ChainError } from '../../primitives/errors.ts'
import { decode, type RlpItem } from '../../primitives/rlp.ts'
import { refuse } from './errors.ts'
import type { AccessList, Authorization, Signature, Transaction } from './types.ts'

const FIELDS: Readonly<Record<0 | 1 | 2 | 3 | 4, number>> = { 0: 9, 1: 11, 2: 12, 3: 14, 4: 13 }

/**
 * Decodes a transaction of type 0 to 4; its byte strings are views of `bytes`. Checks only the sizes of signature and
 * fields: see `recoverSender` and `validateTransaction`. Throws `transaction.malformed`, `typeNotSupported`,
 * `invalidSignature`.
 */
export function decodeTransaction(bytes: Uint8Array): Transaction {
  const first = bytes[0]
  if (first === undefined) throw refuse('malformed', 'no bytes')
  if (first >= 0xc0) return decodeLegacy(fields(bytes, 0))
  if (first >= 0x80) throw refuse('malformed', 'neither a list nor a typed envelope')
  if (bytes.length === 1) throw refuse('malformed', 'typed transaction too short')
  switch (first) {
    case 1:
    case 2:
    case 3:
    case 4:
      return decodeTyped(first, fields(bytes.subarray(1), first))
    default:
      throw refuse('typeNotSupported')
  }
}

function fields(bytes: Uint8Array, type: 0 | 1 | 2 | 3 | 4): readonly RlpItem[] {
  let item: RlpItem
  try {
    item = decode(bytes)
  } catch (error) {
    if (error instanceof ChainError) throw refuse('malformed', error.message)
    throw error
  }
  if (item instanceof Uint8Array) throw refuse('malformed', 'not a list')
  if (item.length !== FIELDS[type]) {
    throw refuse('malformed', `${item.length} fields in a transaction of type ${type}, which has ${FIELDS[type]}`)
  }
  return item
}

function decodeLegacy(items: readonly RlpItem[]): Transaction {
  const v = uint(items[6]!, 32, 'v')
  if (v !== 27n && v !== 28n && v < 35n) throw refuse('invalidSignature')
  const chainId = v < 35n ? undefined : (v - 35n) / 2n
  return {
    type: 0,
    nonce: uint(items[0]!, 8, 'nonce'),
    gasPriceWei: uint(items[1]!, 32, 'gas price'),
    gasLimit: uint(items[2]!, 8, 'gas limit'),
    to: recipient(items[3]!),
    valueWei: uint(items[4]!, 32, 'value'),
    data: byteString(items[5]!, 'data'),
    chainId,
    signature: signature(chainId === undefined ? v - 27n : (v - 35n) % 2n, items[7]!, items[8]!),
  }
}

function decodeTyped(type: 1 | 2 | 3 | 4, items: readonly RlpItem[]): Transaction {
  let at = 0
  const next = () => items[at++]!
  const chainId = uint(next(), 32, 'chain id')
  const nonce = uint(next(), 8, 'nonce')
  const firstPrice = uint(next(), 32, type === 1 ? 'gas price' : 'max priority fee per gas')
  const maxFeePerGasWei = type === 1 ? firstPrice : uint(next(), 32, 'max fee per gas')
  const common = {
    chainId,
    nonce,
    gasLimit: uint(next(), 8, 'gas limit'),
    to: recipient(next()),
    valueWei: uint(next(), 32, 'value'),
    data: byteString(next(), 'data'),
    accessList: decodeAccessList(next()),
  }
  const dynamic = { ...common, maxPriorityFeePerGasWei: firstPrice, maxFeePerGasWei }
  const signed = () => signature(uint(next(), 8, 'y parity'), next(), next())
  switch (type) {
    case 1:
      return { ...common, type, gasPriceWei: firstPrice, signature: signed() }
    case 2:
      return { ...dynamic, type, signature: signed() }
    case 3: {
      if (!common.to) throw refuse('blobCreation')
      const maxFeePerBlobGasWei = uint(next(), 32, 'max fee per blob gas')
      const blobHashes = list(next(), 'blob hashes').map((item) => fixed(item, 32, 'blob hash'))
      return { ...dynamic, type, maxFeePerBlobGasWei, blobHashes, signature: signed() }
    }
    case 4: {
      if (!common.to) throw refuse('setCodeCreation')
      const authorizations = list(next(), 'authorization list').map(decodeAuthorization)
      return { ...dynamic, type, authorizations, signature: signed() }
    }
  }
}

function decodeAccessList(item: RlpItem): AccessList {
  return list(item, 'access list').map((entry) => {
    const parts = list(entry, 'access list entry')
    if (parts.length !== 2) throw refuse('malformed', `access list entry of ${parts.length} fields`)
    return {
      address: fixed(parts[0]!, 20, 'access list address'),
      storageKeys: list(parts[1]!, 'storage keys').map((key) => fixed(key, 32, 'storage key')),
    }
  })
}

function decodeAuthorization(item: RlpItem): Authorization {
  const parts = list(item, 'authorization')
  if (parts.length !== 6) throw refuse('malformed', `authorization of ${parts.length} fields`)
  return {
    chainId: uint(parts[0]!, 32, 'authorization chain id'),
    address: fixed(parts[1]!, 20, 'authorization address'),
    nonce: uint(parts[2]!, 8, 'authorization nonce'),
    yParity: Number(uint(parts[3]!, 1, 'authorization y parity')),
    r: uint(parts[4]!, 32, 'authorization r'),
    s: uint(parts[5]!, 32, 'authorization s'),
  }
}

function signature(yParity: bigint, r: RlpItem, s: RlpItem): Signature {
  if (yParity > 1n) throw refuse('invalidSignature')
  return { yParity: yParity === 0n ? 0 : 1, r: uint(r, 32, 'r'), s: uint(s, 32, 's') }
}

function list(item: RlpItem, name: string): readonly RlpItem[] {
  if (item instanceof Uint8Array) throw refuse('malformed', `${name} is not a list`)
  return item
}

function byteString(item: RlpItem, name: string): Uint8Array {
  if (!(item instanceof Uint8Array)) throw refuse('malformed', `${name} is a list`)
  return item
}

function fixed(item: RlpItem, length: number, name: string): Uint8Array {
  const bytes = byteString(item, name)
  if (bytes.length !== length) throw refuse('malformed', `${name} of ${bytes.length} bytes, not ${length}`)
  return bytes
}

function recipient(item: RlpItem): Uint8Array | undefined {
  const bytes = byteString(item, 'to')
  return bytes.length === 0 ? undefined : fixed(bytes, 20, 'to')
}

function uint(item: RlpItem, maxLength: number, name: string): bigint {
  const bytes = byteString(item, name)
  if (bytes.length > maxLength) throw refuse('malformed', `${name} above ${maxLength * 8} bits`)
  if (bytes[0] === 0) throw refuse('malformed', `${name} has leading zero bytes`)
  return decodeUint(bytes)
}
