/** Codespace `oracle` (oracle.md §5.5). */
import { defineErrors } from '../../primitives/errors.ts'

export const errors = defineErrors('oracle', {
  unknownPair: { code: 13, status: 'notFound', text: 'unknown pair' },
  invalidPair: { code: 16, status: 'invalidArgument', text: 'invalid token pair' },
  vintage: { code: 17, status: 'failedPrecondition', text: 'the price is too old' },
})
