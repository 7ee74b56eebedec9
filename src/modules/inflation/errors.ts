/** Codespace `inflation`. */
import { defineErrors } from '../../primitives/errors.ts'

export const errors = defineErrors('inflation', {
  supplyTooLarge: { code: 2, status: 'failedPrecondition', text: 'the supply would be too large' },
})
