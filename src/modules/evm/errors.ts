/** Codespace `evm`: failures of calls and of the module's messages (docs/modules/evm.md#errors). */
import { defineErrors } from '../../primitives/errors.ts'

export const errors = defineErrors('evm', {
  gasTooLow: { code: 2, status: 'invalidArgument', text: 'out of gas' },
  unimplemented: { code: 3, status: 'unimplemented', text: 'not part of this build' },
  badEncoding: { code: 4, status: 'invalidArgument', text: 'not the ABI encoding expected' },
  callFailed: { code: 5, status: 'failedPrecondition', text: 'call of a contract failed' },
  mapped: { code: 6, status: 'alreadyExists', text: 'the token has a mapping already' },
  unmapped: { code: 7, status: 'notFound', text: 'the token has no mapping' },
  metadata: { code: 8, status: 'failedPrecondition', text: 'the token cannot be mapped' },
  badToken: { code: 9, status: 'failedPrecondition', text: 'the contract did not do what an ERC-20 does' },
  noWrappedNative: { code: 10, status: 'failedPrecondition', text: 'no contract at canonical_wnative' },
})
