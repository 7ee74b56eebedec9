/** The reasons for refusing a transaction, with geth's texts, which wallets and tests match. */
import { ChainError, type ErrorRow } from '../../primitives/errors.ts'

const CODESPACE = 'transaction'

const rows = {
  malformed: { code: 1, status: 'invalidArgument', text: 'malformed transaction' },
  typeNotSupported: { code: 2, status: 'invalidArgument', text: 'transaction type not supported' },
  invalidSignature: { code: 3, status: 'invalidArgument', text: 'invalid transaction v, r, s values' },
  invalidSender: { code: 4, status: 'invalidArgument', text: 'invalid sender' },
  invalidChainId: { code: 5, status: 'invalidArgument', text: 'invalid chain id for signer' },
  nonceTooLow: { code: 6, status: 'failedPrecondition', text: 'nonce too low' },
  nonceTooHigh: { code: 7, status: 'failedPrecondition', text: 'nonce too high' },
  nonceMax: { code: 8, status: 'invalidArgument', text: 'nonce has max value' },
  gasLimitReached: { code: 9, status: 'resourceExhausted', text: 'gas limit reached' },
  gasLimitTooHigh: { code: 10, status: 'invalidArgument', text: 'transaction gas limit too high' },
  gasOverflow: { code: 11, status: 'invalidArgument', text: 'gas uint64 overflow' },
  intrinsicGas: { code: 12, status: 'invalidArgument', text: 'intrinsic gas too low' },
  floorGas: { code: 13, status: 'invalidArgument', text: 'insufficient gas for floor data gas cost' },
  initCodeSize: { code: 14, status: 'invalidArgument', text: 'max initcode size exceeded' },
  insufficientFunds: {
    code: 15,
    status: 'failedPrecondition',
    text: 'insufficient funds for gas * price + value',
  },
  feeOverflow: { code: 16, status: 'invalidArgument', text: 'gas * price overflows 256 bits' },
  tipAboveFeeCap: {
    code: 17,
    status: 'invalidArgument',
    text: 'max priority fee per gas higher than max fee per gas',
  },
  feeCapTooLow: { code: 18, status: 'failedPrecondition', text: 'max fee per gas less than block base fee' },
  senderNotEoa: { code: 19, status: 'failedPrecondition', text: 'sender not an eoa' },
  missingBlobHashes: { code: 20, status: 'invalidArgument', text: 'blob transaction missing blob hashes' },
  tooManyBlobs: { code: 21, status: 'invalidArgument', text: 'blob transaction has too many blobs' },
  blobHashVersion: { code: 22, status: 'invalidArgument', text: 'blob has invalid hash version' },
  blobCreation: { code: 23, status: 'invalidArgument', text: 'blob transaction of type create' },
  blobFeeCapTooLow: {
    code: 24,
    status: 'failedPrecondition',
    text: 'max fee per blob gas less than block blob gas fee',
  },
  emptyAuthorizations: { code: 25, status: 'invalidArgument', text: 'EIP-7702 transaction with empty auth list' },
  setCodeCreation: {
    code: 26,
    status: 'invalidArgument',
    text: 'EIP-7702 transaction cannot be used to create contract',
  },
  insufficientFundsForTransfer: {
    code: 27,
    status: 'failedPrecondition',
    text: 'insufficient funds for transfer',
  },
  unprotected: {
    code: 28,
    status: 'invalidArgument',
    text: 'only replay-protected (EIP-155) transactions allowed over RPC',
  },
} as const satisfies Record<string, ErrorRow>

export type RefusalName = keyof typeof rows

const names = new Map<number, RefusalName>(
  Object.entries(rows).map(([name, row]) => [row.code, name as RefusalName] as const),
)

/** Returns the error of a refusal. As in geth, and unlike the chain's own errors, the detail follows the text: `text: detail` or `text (detail)`. */
export function refuse(name: RefusalName, detail?: string): ChainError {
  const row = rows[name]
  if (detail === undefined) return new ChainError(CODESPACE, row, row.text)
  return new ChainError(CODESPACE, row, `${row.text}${detail.startsWith('(') ? '' : ':'} ${detail}`)
}

/** Returns the name of a refusal; undefined for any other error. */
export function refusalName(error: unknown): RefusalName | undefined {
  return error instanceof ChainError && error.codespace === CODESPACE ? names.get(error.code) : undefined
}
