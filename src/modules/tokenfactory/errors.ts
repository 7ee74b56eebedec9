/** Errors of codespace `tokenfactory` (docs/modules/tokenfactory.md#errors). The texts are those of the reference. */
import { defineErrors } from '../../primitives/errors.ts'

export const errors = defineErrors('tokenfactory', {
  invalidGenesis: { code: 2, status: 'invalidArgument', text: 'invalid genesis' },
  invalidDenom: { code: 3, status: 'invalidArgument', text: 'invalid token factory denom' },
  invalidCreator: { code: 4, status: 'invalidArgument', text: 'invalid creator' },
  invalidSubdenom: { code: 5, status: 'invalidArgument', text: 'invalid subdenom' },
  invalidAdmin: { code: 6, status: 'invalidArgument', text: 'invalid denom admin' },
  isRegistered: {
    code: 7,
    status: 'alreadyExists',
    text: 'attempting to create denom that is already registered (has bank metadata)',
  },
  invalidSender: { code: 8, status: 'permissionDenied', text: 'invalid msg sender' },
  invalidParams: { code: 9, status: 'invalidArgument', text: 'invalid module params' },
  noAdmin: { code: 10, status: 'notFound', text: 'failed to find admin for denom' },
  notAdmin: { code: 12, status: 'permissionDenied', text: 'sender must be admin' },
  blocked: { code: 13, status: 'failedPrecondition', text: 'blocked address' },
})
