/** Codespace `authz`. */
import { defineErrors } from '../../primitives/errors.ts'

export const errors = defineErrors('authz', {
  noAuthorizationFound: { code: 2, status: 'notFound', text: 'authorization not found' },
  invalidExpirationTime: {
    code: 3,
    status: 'invalidArgument',
    text: 'expiration time of authorization should be more than current time',
  },
  unknownAuthorizationType: { code: 4, status: 'invalidArgument', text: 'unknown authorization type' },
  authorizationExpired: { code: 6, status: 'failedPrecondition', text: 'authorization expired' },
  granteeIsGranter: { code: 7, status: 'invalidArgument', text: 'grantee and granter should be different' },
  numberOfSigners: {
    code: 9,
    status: 'invalidArgument',
    text: 'authorization can be given to msg with only one signer',
  },
  negativeMaxTokens: { code: 12, status: 'invalidArgument', text: 'max tokens should be positive' },
})
