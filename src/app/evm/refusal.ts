/** The chain's error codes for Ethereum transactions that are not admitted. */
import { type RefusalName, refusalName } from '../../evm/transaction/errors.ts'
import { ChainError, type ErrorFactory } from '../../primitives/errors.ts'
import { errors } from '../../sdk/errors.ts'

/** Errors of codespace `sdk` by refusal. A refusal without a row is an invalid request. */
const SDK_ERRORS: Partial<Record<RefusalName, ErrorFactory>> = {
  invalidSignature: errors.invalidSigner,
  invalidSender: errors.invalidSigner,
  invalidChainId: errors.invalidSigner,
  nonceTooLow: errors.wrongSequence,
  nonceTooHigh: errors.wrongSequence,
  nonceMax: errors.wrongSequence,
  insufficientFunds: errors.insufficientFunds,
  insufficientFundsForTransfer: errors.insufficientFunds,
  intrinsicGas: errors.outOfGas,
  floorGas: errors.outOfGas,
  feeCapTooLow: errors.insufficientFee,
  senderNotEoa: errors.invalidType,
  typeNotSupported: errors.invalidType,
  unprotected: errors.notSupported,
}

/** Returns a failure as results show it. Rethrows anything unexpected, which is a bug. */
export function chainErrorOf(error: unknown): ChainError {
  const name = refusalName(error)
  if (name) return (SDK_ERRORS[name] ?? errors.invalidRequest)((error as Error).message)
  if (error instanceof ChainError) return error
  throw error
}
