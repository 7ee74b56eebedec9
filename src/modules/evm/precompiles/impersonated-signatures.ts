/** The precompiles of a state: those of its rules, where ECRECOVER knows the signatures that a development chain impersonates. */
import type { Rules } from '../../../evm/forks.ts'
import type { Precompile, Precompiles, PurePrecompile } from '../../../evm/types.ts'
import { concat, encodeUint, padLeft, toKey } from '../../../primitives/bytes.ts'
import type { ReadContext } from '../../../sdk/context.ts'
import { impersonatedSigner, impersonatesSignatures } from '../development/settings.ts'
import { chainPrecompiles } from './table.ts'

const ECRECOVER = toKey(encodeUint(1n, 20))
/** Position of v's last byte, and of r and s, in the input of ECRECOVER. */
const V_AT = 63
const RS_AT = 64
const INPUT_BYTES = 128

/** Returns the signer of a signature of `anvil_impersonateSignature`; that of its key for any other. */
function withImpersonated(ctx: ReadContext, { gas, run }: PurePrecompile): PurePrecompile {
  return {
    kind: 'pure',
    gas,
    run(input) {
      const signature =
        input.length >= INPUT_BYTES && concat(input.subarray(RS_AT, INPUT_BYTES), input.subarray(V_AT, RS_AT))
      const signer = signature && impersonatedSigner(ctx, signature)
      return signer ? padLeft(signer, 32) : run(input)
    },
  }
}

/** Returns the precompiles by `toKey(address)`; the same table for the same rules, unless the chain impersonates signatures. */
export function precompilesOf(ctx: ReadContext, rules: Rules): Precompiles {
  const table = chainPrecompiles(rules)
  if (!impersonatesSignatures(ctx)) return table
  const own = new Map<string, Precompile>(table)
  own.set(ECRECOVER, withImpersonated(ctx, table.get(ECRECOVER) as PurePrecompile))
  return own
}
