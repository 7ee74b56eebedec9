/** The end of a call whose client has gone. */
import { queryError } from '../primitives/errors.ts'

/** The error of every such call: one for each would cost more than the rest of its end. It records no frames. */
export const DISCONNECTED = queryError('cancelled', 'the client has disconnected')
