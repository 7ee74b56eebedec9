/** Codespace `slashing`. */
import { defineErrors } from '../../primitives/errors.ts'

export const errors = defineErrors('slashing', {
  noValidatorForAddress: {
    code: 2,
    status: 'notFound',
    text: 'address is not associated with any known validator',
  },
  stillJailed: { code: 4, status: 'failedPrecondition', text: 'validator still jailed; cannot be unjailed' },
  notJailed: { code: 5, status: 'failedPrecondition', text: 'validator not jailed; cannot be unjailed' },
  missingSelfDelegation: {
    code: 6,
    status: 'failedPrecondition',
    text: 'validator has no self-delegation; cannot be unjailed',
  },
  selfDelegationTooLow: {
    code: 7,
    status: 'failedPrecondition',
    text: "validator's self delegation less than minimum; cannot be unjailed",
  },
  noSigningInfo: { code: 8, status: 'notFound', text: 'no validator signing info found' },
})
