/** Codespace `distribution`. */
import { defineErrors } from '../../primitives/errors.ts'

export const errors = defineErrors('distribution', {
  noDelegationInfo: { code: 5, status: 'notFound', text: 'no delegation distribution info' },
  noValidatorInfo: { code: 6, status: 'notFound', text: 'no validator distribution info' },
  noCommission: { code: 7, status: 'failedPrecondition', text: 'no validator commission to withdraw' },
  withdrawAddressFixed: { code: 8, status: 'failedPrecondition', text: 'set withdraw address disabled' },
  poolTooSmall: {
    code: 9,
    status: 'failedPrecondition',
    text: 'community pool does not have sufficient coins to distribute',
  },
  noValidator: { code: 12, status: 'notFound', text: 'validator does not exist' },
  noDelegation: { code: 13, status: 'notFound', text: 'delegation does not exist' },
})
