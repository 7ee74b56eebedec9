/** Signed transactions of a dump: JSON-RPC's fields, and those of an impersonated sender. */
import { impersonate, impersonatedSender } from '../../../../app/evm/impersonation.ts'
import { encodeTransaction, signatureV } from '../../../../evm/transaction/encode.ts'
import type { AccessList, Authorization, Signature, Transaction } from '../../../../evm/transaction/types.ts'
import { concat, formatHex0x } from '../../../../primitives/bytes.ts'
import { keccak256 } from '../../../../primitives/hash.ts'
import {
  type Field,
  fieldError,
  fieldOf,
  isPresent,
  itemsOf,
  readAddressText,
  readHex,
  readUint,
  readWord,
} from '../../../../primitives/json-fields.ts'
import { encode } from '../../../../primitives/rlp.ts'
import { formatUnsigned, type JsonObject, quantity } from '../../format.ts'

/** A transaction of a dump. */
export interface DumpedTransaction {
  readonly transaction: Transaction
  /** Absent if the signature tells the sender. */
  readonly impersonated: Uint8Array | undefined
  /** The hash inside the transaction, which is not always that of its receipt. */
  readonly hash: Field
}

function readSignature(field: Field, yParity: bigint): Signature {
  if (yParity > 1n) throw fieldError(fieldOf(field, 'yParity'), '0 or 1')
  return {
    r: readUint(fieldOf(field, 'r'), 256),
    s: readUint(fieldOf(field, 's'), 256),
    yParity: yParity === 1n ? 1 : 0,
  }
}

function readAccessList(field: Field): AccessList {
  return itemsOf(field).map((entry) => ({
    address: readAddressText(fieldOf(entry, 'address')),
    storageKeys: itemsOf(fieldOf(entry, 'storageKeys')).map(readWord),
  }))
}

function readAuthorization(field: Field): Authorization {
  return {
    chainId: readUint(fieldOf(field, 'chainId'), 256),
    address: readAddressText(fieldOf(field, 'address')),
    nonce: readUint(fieldOf(field, 'nonce'), 64),
    yParity: Number(readUint(fieldOf(field, 'yParity'), 8)),
    r: readUint(fieldOf(field, 'r'), 256),
    s: readUint(fieldOf(field, 's'), 256),
  }
}

function readLegacy(field: Field, common: ReturnType<typeof readCommon>): Transaction {
  const v = readUint(fieldOf(field, 'v'), 256)
  // Anvil signs for impersonated accounts with zeros.
  const isProtected = v >= 35n
  const parity = isProtected ? (v - 35n) % 2n : v >= 27n ? v - 27n : v
  const stated = fieldOf(field, 'chainId')
  const chainId = isProtected ? (v - 35n) / 2n : v < 27n && isPresent(stated) ? readUint(stated, 256) : undefined
  return {
    ...common,
    type: 0,
    chainId,
    gasPriceWei: readUint(fieldOf(field, 'gasPrice'), 256),
    signature: readSignature(field, parity),
  }
}

function readCommon(field: Field) {
  const to = fieldOf(field, 'to')
  return {
    nonce: readUint(fieldOf(field, 'nonce'), 64),
    gasLimit: readUint(fieldOf(field, 'gas'), 64),
    to: isPresent(to) ? readAddressText(to) : undefined,
    valueWei: readUint(fieldOf(field, 'value'), 256),
    data: readHex(fieldOf(field, 'input')),
  }
}

function readSigned(field: Field): Transaction {
  const typeField = fieldOf(field, 'type')
  const type = isPresent(typeField) ? readUint(typeField, 64) : 0n
  const common = readCommon(field)
  if (type === 0n) return readLegacy(field, common)
  if (type !== 1n && type !== 2n && type !== 4n) {
    throw fieldError(typeField, '0x0, 0x1, 0x2 or 0x4: this chain has no other types, such as blob transactions')
  }
  const typed = {
    ...common,
    chainId: readUint(fieldOf(field, 'chainId'), 256),
    accessList: readAccessList(fieldOf(field, 'accessList')),
    signature: readSignature(field, readUint(fieldOf(field, 'yParity'), 8)),
  }
  if (type === 1n) return { ...typed, type: 1, gasPriceWei: readUint(fieldOf(field, 'gasPrice'), 256) }
  const dynamic = {
    ...typed,
    maxPriorityFeePerGasWei: readUint(fieldOf(field, 'maxPriorityFeePerGas'), 256),
    maxFeePerGasWei: readUint(fieldOf(field, 'maxFeePerGas'), 256),
  }
  if (type === 2n) return { ...dynamic, type: 2 }
  const authorizations = itemsOf(fieldOf(field, 'authorizationList')).map(readAuthorization)
  return { ...dynamic, type: 4, authorizations }
}

/** Reads a transaction of a dump; in dumps of old versions it has no envelope that names an impersonated sender. */
export function readTransaction(field: Field): DumpedTransaction {
  const inner = fieldOf(field, 'transaction')
  if (!isPresent(inner))
    return { transaction: readSigned(field), impersonated: undefined, hash: fieldOf(field, 'hash') }
  const sender = fieldOf(field, 'impersonated_sender')
  const impersonated = isPresent(sender) ? readAddressText(sender) : undefined
  const transaction = readSigned(inner)
  return {
    transaction: impersonated ? impersonate(transaction, impersonated) : transaction,
    impersonated,
    hash: fieldOf(inner, 'hash'),
  }
}

/** The signature of an impersonated sender in dumps. */
const NO_SIGNATURE: Signature = { r: 0n, s: 0n, yParity: 0 }

/** Returns the hash by which anvil knows a transaction: that of an impersonated sender contains the sender. */
export function dumpedHash(tx: Transaction, hash: Uint8Array): Uint8Array {
  const sender = impersonatedSender(tx)
  if (!sender) return hash
  const raw = encodeTransaction({ ...tx, signature: NO_SIGNATURE })
  return keccak256(concat(tx.type === 0 ? raw : encode(raw), sender))
}

/** Formats a transaction for a dump. */
export function formatTransaction(signed: Transaction, hash: Uint8Array): JsonObject {
  const sender = impersonatedSender(signed)
  const tx: Transaction = sender ? { ...signed, signature: NO_SIGNATURE } : signed
  const { gasPrice, ...unsigned } = formatUnsigned(tx)
  return {
    transaction: {
      ...unsigned,
      ...(tx.type < 2 && { gasPrice }),
      r: quantity(tx.signature.r),
      s: quantity(tx.signature.s),
      ...(tx.type > 0 && { yParity: quantity(tx.signature.yParity) }),
      v: quantity(signatureV(tx)),
      hash: formatHex0x(hash),
    },
    impersonated_sender: sender ? formatHex0x(sender) : null,
  }
}
