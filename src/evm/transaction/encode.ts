/** The canonical bytes of transactions and authorizations, the hashes that are signed, and the transaction hash. */
import { concat, EMPTY } from '../../primitives/bytes.ts'
import { keccak256 } from '../../primitives/hash.ts'
import { encode, fromUint, type RlpItem } from '../../primitives/rlp.ts'
import type { AccessList, Authorization, Transaction, UnsignedTransaction } from './types.ts'

/** Encodes a transaction: RLP for legacy, else the type and RLP (EIP-2718), without blobs. */
export function encodeTransaction(transaction: Transaction): Uint8Array {
  const { yParity, r, s } = transaction.signature
  const signature = [fromUint(r), fromUint(s)]
  if (transaction.type === 0) return encode([...payload(transaction), fromUint(legacyV(transaction)), ...signature])
  return envelope(transaction.type, [...payload(transaction), fromUint(BigInt(yParity)), ...signature])
}

/** Returns the transaction hash: the Keccak-256 of its canonical bytes. */
export function transactionHash(transaction: Transaction): Uint8Array {
  return keccak256(encodeTransaction(transaction))
}

/** Returns the hash that the sender signs: the Keccak-256 of the fields without the signature, with the chain id if protected (EIP-155). */
export function signingHash(transaction: UnsignedTransaction): Uint8Array {
  if (transaction.type !== 0) return keccak256(envelope(transaction.type, payload(transaction)))
  const { chainId } = transaction
  const tail = chainId === undefined ? [] : [fromUint(chainId), EMPTY, EMPTY]
  return keccak256(encode([...payload(transaction), ...tail]))
}

/** Returns the hash that the authority of a set-code authorization signs (EIP-7702). */
export function authorizationHash({ chainId, address, nonce }: Authorization): Uint8Array {
  return keccak256(envelope(5, [fromUint(chainId), address, fromUint(nonce)]))
}

/** Returns the `v` of a transaction's signature in JSON-RPC: for protected legacy transactions it contains the chain id. */
export function signatureV(transaction: Transaction): bigint {
  return transaction.type === 0 ? legacyV(transaction) : BigInt(transaction.signature.yParity)
}

function legacyV({ chainId, signature }: Transaction & { type: 0 }): bigint {
  return BigInt(signature.yParity) + (chainId === undefined ? 27n : chainId * 2n + 35n)
}

function envelope(type: number, items: readonly RlpItem[]): Uint8Array {
  return concat(new Uint8Array([type]), encode(items))
}

/** Returns the fields before the signature, in order. */
function payload(transaction: UnsignedTransaction): RlpItem[] {
  const { nonce, gasLimit, to = EMPTY, valueWei, data } = transaction
  const call: RlpItem[] = [fromUint(gasLimit), to, fromUint(valueWei), data]
  if (transaction.type === 0) return [fromUint(nonce), fromUint(transaction.gasPriceWei), ...call]
  const head = [fromUint(transaction.chainId), fromUint(nonce)]
  const accessList = encodeAccessList(transaction.accessList)
  if (transaction.type === 1) return [...head, fromUint(transaction.gasPriceWei), ...call, accessList]
  const fees = [fromUint(transaction.maxPriorityFeePerGasWei), fromUint(transaction.maxFeePerGasWei)]
  const items = [...head, ...fees, ...call, accessList]
  if (transaction.type === 3) items.push(fromUint(transaction.maxFeePerBlobGasWei), transaction.blobHashes)
  if (transaction.type === 4) items.push(transaction.authorizations.map(encodeAuthorization))
  return items
}

function encodeAccessList(accessList: AccessList): RlpItem {
  return accessList.map(({ address, storageKeys }) => [address, storageKeys])
}

function encodeAuthorization({ chainId, address, nonce, yParity, r, s }: Authorization): RlpItem {
  return [fromUint(chainId), address, fromUint(nonce), fromUint(BigInt(yParity)), fromUint(r), fromUint(s)]
}
