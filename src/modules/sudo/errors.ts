/** Errors of codespace `sudo`. The texts are those of the reference. */
import { defineErrors } from '../../primitives/errors.ts'

export const errors = defineErrors('sudo', {
  unauthorized: { code: 2, status: 'permissionDenied', text: 'unauthorized: missing sudo permissions' },
})
