/** Codespace `feegrant`. */
import { defineErrors } from '../../primitives/errors.ts'

export const errors = defineErrors('feegrant', {
  feeLimitExceeded: { code: 2, status: 'failedPrecondition', text: 'fee limit exceeded' },
  feeLimitExpired: { code: 3, status: 'failedPrecondition', text: 'fee allowance expired' },
  invalidDuration: { code: 4, status: 'invalidArgument', text: 'invalid duration' },
  noAllowance: { code: 5, status: 'invalidArgument', text: 'no allowance' },
  noMessages: { code: 6, status: 'invalidArgument', text: 'allowed messages are empty' },
  messageNotAllowed: { code: 7, status: 'failedPrecondition', text: 'message not allowed' },
})
