/** P-256 signature verification at 0x100, as the reference implements it at every fork (docs/modules/evm.md#precompiles). */

import { p256Precompile } from '../../../evm/precompiles/p256.ts'
import type { PurePrecompile } from '../../../evm/types.ts'
import { ZERO_WORD } from '../../../primitives/bytes.ts'

/** Hash, r, s, x, y. */
const LENGTH = 160
const FALSE = ZERO_WORD

export const earlyP256Precompile: PurePrecompile = {
  kind: 'pure',
  gas: () => 3_400n,
  run(input) {
    if (input.length !== LENGTH) return undefined
    const verified = p256Precompile.run(input)
    return verified?.length === FALSE.length ? verified : FALSE
  },
}
