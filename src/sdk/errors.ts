/** Codespace `sdk`: the failures shared by every module and the transaction path (docs/transactions.md#results). */
import { ChainError, defineErrors } from '../primitives/errors.ts'

export const errors = defineErrors('sdk', {
  txDecode: { code: 2, status: 'failedPrecondition', text: 'tx parse error' },
  invalidSequence: { code: 3, status: 'failedPrecondition', text: 'invalid sequence' },
  unauthorized: { code: 4, status: 'permissionDenied', text: 'unauthorized' },
  insufficientFunds: { code: 5, status: 'failedPrecondition', text: 'insufficient funds' },
  unknownRequest: { code: 6, status: 'invalidArgument', text: 'unknown request' },
  invalidAddress: { code: 7, status: 'invalidArgument', text: 'invalid address' },
  invalidPubKey: { code: 8, status: 'invalidArgument', text: 'invalid pubkey' },
  unknownAddress: { code: 9, status: 'invalidArgument', text: 'unknown address' },
  invalidCoins: { code: 10, status: 'invalidArgument', text: 'invalid coins' },
  outOfGas: { code: 11, status: 'resourceExhausted', text: 'out of gas' },
  memoTooLarge: { code: 12, status: 'failedPrecondition', text: 'memo too large' },
  insufficientFee: { code: 13, status: 'failedPrecondition', text: 'insufficient fee' },
  tooManySignatures: { code: 14, status: 'failedPrecondition', text: 'maximum number of signatures exceeded' },
  noSignatures: { code: 15, status: 'failedPrecondition', text: 'no signatures supplied' },
  jsonMarshal: { code: 16, status: 'failedPrecondition', text: 'failed to marshal JSON bytes' },
  jsonUnmarshal: { code: 17, status: 'failedPrecondition', text: 'failed to unmarshal JSON bytes' },
  invalidRequest: { code: 18, status: 'invalidArgument', text: 'invalid request' },
  txInMempool: { code: 19, status: 'failedPrecondition', text: 'tx already in mempool' },
  mempoolIsFull: { code: 20, status: 'unavailable', text: 'mempool is full' },
  txTooLarge: { code: 21, status: 'failedPrecondition', text: 'tx too large' },
  keyNotFound: { code: 22, status: 'notFound', text: 'key not found' },
  wrongPassword: { code: 23, status: 'failedPrecondition', text: 'invalid account password' },
  invalidSigner: {
    code: 24,
    status: 'failedPrecondition',
    text: 'tx intended signer does not match the given signer',
  },
  invalidGasAdjustment: { code: 25, status: 'failedPrecondition', text: 'invalid gas adjustment' },
  invalidHeight: { code: 26, status: 'invalidArgument', text: 'invalid height' },
  invalidVersion: { code: 27, status: 'failedPrecondition', text: 'invalid version' },
  invalidChainId: { code: 28, status: 'failedPrecondition', text: 'invalid chain-id' },
  invalidType: { code: 29, status: 'failedPrecondition', text: 'invalid type' },
  txTimeoutHeight: { code: 30, status: 'failedPrecondition', text: 'tx timeout height' },
  unknownExtensionOptions: { code: 31, status: 'failedPrecondition', text: 'unknown extension options' },
  wrongSequence: { code: 32, status: 'failedPrecondition', text: 'incorrect account sequence' },
  packAny: { code: 33, status: 'failedPrecondition', text: 'failed packing protobuf message to Any' },
  unpackAny: { code: 34, status: 'failedPrecondition', text: 'failed unpacking protobuf message from Any' },
  logic: { code: 35, status: 'internal', text: 'internal logic error' },
  conflict: { code: 36, status: 'failedPrecondition', text: 'conflict' },
  notSupported: { code: 37, status: 'unimplemented', text: 'feature not supported' },
  notFound: { code: 38, status: 'notFound', text: 'not found' },
  io: { code: 39, status: 'internal', text: 'Internal IO error' },
  appConfig: { code: 40, status: 'failedPrecondition', text: 'error in app.toml' },
  invalidGasLimit: { code: 41, status: 'failedPrecondition', text: 'invalid gas limit' },
})

/** Whether a gas meter threw the error. Its text is reported without the path or index of the message that ran out. */
export function isOutOfGas(error: unknown): boolean {
  return error instanceof ChainError && error.codespace === 'sdk' && error.code === 11
}
