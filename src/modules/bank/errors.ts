/** Codespace `bank`. */
import { defineErrors } from '../../primitives/errors.ts'

export const errors = defineErrors('bank', {
  noInputs: { code: 2, status: 'failedPrecondition', text: 'no inputs to send transaction' },
  noOutputs: { code: 3, status: 'failedPrecondition', text: 'no outputs to send transaction' },
  inputOutputMismatch: { code: 4, status: 'failedPrecondition', text: 'sum inputs != sum outputs' },
  sendDisabled: { code: 5, status: 'failedPrecondition', text: 'send transactions are disabled' },
  metadataNotFound: { code: 6, status: 'notFound', text: 'client denom metadata not found' },
  invalidKey: { code: 7, status: 'failedPrecondition', text: 'invalid key' },
  duplicateEntry: { code: 8, status: 'failedPrecondition', text: 'duplicate entry' },
  multipleSenders: { code: 9, status: 'failedPrecondition', text: 'multiple senders not allowed' },
})
