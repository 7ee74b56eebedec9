/** Codespace `evm`: failures of calls and of the module's messages. */
import { defineErrors } from '../../primitives/errors.ts'

export const errors = defineErrors('evm', {
  gasTooLow: { code: 2, status: 'invalidArgument', text: 'out of gas' },
  unimplemented: { code: 3, status: 'unimplemented', text: 'not part of this build' },
})
