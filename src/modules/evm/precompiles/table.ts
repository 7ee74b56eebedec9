/** The precompiles of a chain: the standard ones of its fork, and its own. */
import type { Rules } from '../../../evm/forks.ts'
import { standardPrecompiles } from '../../../evm/precompiles/index.ts'
import type { Precompiles } from '../../../evm/types.ts'
import { encodeUint, toKey } from '../../../primitives/bytes.ts'
import { cachePerObject } from '../../../primitives/cache.ts'
import { earlyP256Precompile } from './early-p256.ts'
import { funTokenPrecompile } from './funtoken.ts'
import { oraclePrecompile } from './oracle.ts'
import { wasmPrecompile } from './wasm.ts'

const keyOf = (address: bigint): string => toKey(encodeUint(address, 20))

const OWN: Precompiles = new Map([
  [keyOf(0x800n), funTokenPrecompile],
  [keyOf(0x801n), oraclePrecompile],
  [keyOf(0x802n), wasmPrecompile],
])

/** Returns the precompiles by `toKey(address)`; the same table for the same rules. */
export const chainPrecompiles: (rules: Rules) => Precompiles = cachePerObject((rules: Rules): Precompiles => {
  const table = new Map([...standardPrecompiles(rules), ...OWN])
  if (rules.earlyP256) table.set(keyOf(0x100n), earlyP256Precompile)
  return table
})
