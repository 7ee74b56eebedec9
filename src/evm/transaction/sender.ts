/** Recovers the signers of transactions and authorizations, and signs transactions. */
import { ofEthSecp256k1 } from '../../primitives/address.ts'
import { decodeUint, encodeUint } from '../../primitives/bytes.ts'
import { authorizationHash, signingHash } from './encode.ts'
import { refuse } from './errors.ts'
import { SECP256K1_ORDER, secp256k1 } from './secp256k1.ts'
import type { Authorization, Transaction, UnsignedTransaction } from './types.ts'

export interface SenderRules {
  /** The chain id that a protected or typed transaction must name. If absent, every id is accepted. */
  readonly chainId?: bigint
  /** Whether s can be in the upper half, as before Homestead (EIP-2). */
  readonly allowHighS?: boolean
}

/**
 * Returns the address of the sender, 20 bytes. Throws `transaction.invalidChainId`, and `transaction.invalidSignature` if
 * r or s is out of range or no key matches the signature.
 */
export function recoverSender(transaction: Transaction, { chainId, allowHighS = false }: SenderRules = {}): Uint8Array {
  if (chainId !== undefined && transaction.chainId !== undefined && transaction.chainId !== chainId) {
    throw refuse('invalidChainId', `have ${transaction.chainId} want ${chainId}`)
  }
  const { r, s, yParity } = transaction.signature
  const sender = recover(signingHash(transaction), r, s, yParity, allowHighS)
  if (!sender) throw refuse('invalidSignature')
  return sender
}

/** Returns the address of the account that signed an authorization; undefined if the signature is invalid (EIP-7702). */
export function recoverAuthority(authorization: Authorization): Uint8Array | undefined {
  const { r, s, yParity } = authorization
  return yParity > 1 ? undefined : recover(authorizationHash(authorization), r, s, yParity, false)
}

/** Returns the transaction with its signature. Throws for an invalid private key (32 bytes). */
export function signTransaction(transaction: UnsignedTransaction, privateKey: Uint8Array): Transaction {
  const { bytes, yParity } = secp256k1.sign(signingHash(transaction), privateKey)
  const signature = { r: decodeUint(bytes.subarray(0, 32)), s: decodeUint(bytes.subarray(32)), yParity }
  return { ...transaction, signature } as Transaction
}

/** Returns the address of a private key's account, 20 bytes. */
export function addressOfPrivateKey(privateKey: Uint8Array): Uint8Array {
  return ofEthSecp256k1(secp256k1.publicKey(privateKey))
}

function recover(hash: Uint8Array, r: bigint, s: bigint, yParity: number, allowHighS: boolean): Uint8Array | undefined {
  const sLimit = allowHighS ? SECP256K1_ORDER - 1n : SECP256K1_ORDER / 2n
  if (r === 0n || s === 0n || r >= SECP256K1_ORDER || s > sLimit) return undefined
  const signature = new Uint8Array(64)
  signature.set(encodeUint(r, 32))
  signature.set(encodeUint(s, 32), 32)
  const key = secp256k1.recover(hash, signature, yParity)
  return key && ofEthSecp256k1(key)
}
