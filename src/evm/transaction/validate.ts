/** The rules that depend only on the transaction and the fork. */
import { maxInitCodeSize, type Rules } from '../forks.ts'
import { maxBlobs } from './blob.ts'
import { refuse } from './errors.ts'
import { ownGas } from './gas.ts'
import { feeCapOf, type UnsignedTransaction } from './types.ts'

const MAX_UINT64 = (1n << 64n) - 1n
const MAX_UINT256 = (1n << 256n) - 1n
/** The maximum gas limit of a transaction from Osaka on (EIP-7825). */
const TRANSACTION_GAS_CAP = 1n << 24n
const BLOB_HASH_VERSION = 1

/** Returns the maximum gas limit of a transaction; undefined without one. */
export function transactionGasCap({ eips, hasNoTxGasLimit }: Rules): bigint | undefined {
  return eips.has(7825) && !hasNoTxGasLimit ? TRANSACTION_GAS_CAP : undefined
}

/** The EIP that introduced each type. */
const TYPE_EIPS = { 1: 2930, 2: 1559, 3: 4844, 4: 7702 } as const

/**
 * Checks type, nonce, fees, gas limit and the fields of the type against the rules of a fork; returns the intrinsic gas.
 * Throws a refusal (errors.ts). Checks against state or block are made when the transaction runs.
 */
export function validateTransaction(transaction: UnsignedTransaction, rules: Rules): bigint {
  const { eips, freeInitCode } = rules
  checkType(transaction, rules)
  if (transaction.nonce >= MAX_UINT64) throw refuse('nonceMax', `nonce: ${transaction.nonce}`)
  if (feeCapOf(transaction) * transaction.gasLimit > MAX_UINT256) throw refuse('feeOverflow')
  if (transaction.type !== 0 && transaction.type !== 1) {
    const { maxPriorityFeePerGasWei: tip, maxFeePerGasWei: cap } = transaction
    if (tip > cap) throw refuse('tipAboveFeeCap', `maxPriorityFeePerGas: ${tip}, maxFeePerGas: ${cap}`)
  }
  const cap = transactionGasCap(rules)
  if (cap !== undefined && transaction.gasLimit > cap) {
    throw refuse('gasLimitTooHigh', `(cap: ${cap}, tx: ${transaction.gasLimit})`)
  }
  const mostInitCode = maxInitCodeSize(rules)
  if (transaction.to === undefined && eips.has(3860) && !freeInitCode && transaction.data.length > mostInitCode) {
    throw refuse('initCodeSize', `code size ${transaction.data.length} limit ${mostInitCode}`)
  }
  if (transaction.type === 3) checkBlobs(transaction, rules)
  if (transaction.type === 4) {
    if (!transaction.to) throw refuse('setCodeCreation')
    if (transaction.authorizations.length === 0) throw refuse('emptyAuthorizations')
  }
  const { intrinsic, floor } = ownGas(transaction, rules)
  if (transaction.gasLimit < intrinsic) {
    throw refuse('intrinsicGas', `have ${transaction.gasLimit}, want ${intrinsic}`)
  }
  if (transaction.gasLimit < floor) throw refuse('floorGas', `have ${transaction.gasLimit}, want ${floor}`)
  return intrinsic
}

function checkType(transaction: UnsignedTransaction, { eips }: Rules): void {
  if (transaction.type !== 0) {
    if (!eips.has(TYPE_EIPS[transaction.type])) throw refuse('typeNotSupported')
  } else if (transaction.chainId !== undefined && !eips.has(155)) {
    throw refuse('invalidSignature', 'replay protection before EIP-155')
  }
}

function checkBlobs({ to, blobHashes }: UnsignedTransaction & { type: 3 }, rules: Rules): void {
  if (!to) throw refuse('blobCreation')
  if (blobHashes.length === 0) throw refuse('missingBlobHashes')
  if (blobHashes.length > maxBlobs(rules)) {
    throw refuse('tooManyBlobs', `have ${blobHashes.length}, permitted ${maxBlobs(rules)}`)
  }
  const wrong = blobHashes.findIndex((hash) => hash[0] !== BLOB_HASH_VERSION)
  if (wrong >= 0) throw refuse('blobHashVersion', `blob ${wrong}`)
}
