/** The precompiles of a chain: the standard ones of its fork. */
import type { Rules } from '../../evm/forks.ts'
import { standardPrecompiles } from '../../evm/precompiles/index.ts'
import type { Precompiles } from '../../evm/types.ts'

export function chainPrecompiles(rules: Rules): Precompiles {
  return standardPrecompiles(rules)
}
