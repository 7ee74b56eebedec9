/** Address 0x100 as the reference has it at every fork (evm.md §3.7): verifies signatures over the curve P-256. */
import { p256Precompile } from '../../../evm/precompiles/p256.ts'
import type { PurePrecompile } from '../../../evm/types.ts'

/** Hash, r, s, x, y. */
const LENGTH = 160
const FALSE = new Uint8Array(32)

export const earlyP256Precompile: PurePrecompile = {
  kind: 'pure',
  gas: () => 3_400n,
  run(input) {
    if (input.length !== LENGTH) return undefined
    const verified = p256Precompile.run(input)
    return verified?.length === FALSE.length ? verified : FALSE
  },
}
