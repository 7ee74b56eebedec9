/** Errors of codespace `devgas` (docs/modules/devgas.md#errors). The texts are those of the reference. */
import { defineErrors } from '../../primitives/errors.ts'

export const errors = defineErrors('devgas', {
  disabled: { code: 1, status: 'failedPrecondition', text: 'feeshare module is disabled by governance' },
  alreadyRegistered: { code: 2, status: 'alreadyExists', text: 'feeshare already exists for given contract' },
  notDeployed: { code: 3, status: 'failedPrecondition', text: 'no contract deployed' },
  notRegistered: { code: 4, status: 'notFound', text: 'no feeshare registered for contract' },
  payment: { code: 5, status: 'failedPrecondition', text: 'feeshare payment error' },
  invalidWithdrawer: { code: 6, status: 'invalidArgument', text: 'invalid withdrawer address' },
})
