/** The standard precompiles of each fork. */
import { encodeUint, toKey } from '../../primitives/bytes.ts'
import { cachePerObject } from '../../primitives/cache.ts'
import type { Rules } from '../forks.ts'
import type { Precompile, Precompiles, PurePrecompile } from '../types.ts'
import { blake2fPrecompile } from './blake2f.ts'
import { blsG1Add, blsG1Sum, blsG2Add, blsG2Sum, blsMapToG1, blsMapToG2, blsPairing } from './bls12-381.ts'
import { bn254Add, bn254Mul, bn254Pairing } from './bn254.ts'
import { ecrecoverPrecompile } from './ecrecover.ts'
import { identityPrecompile, ripemd160Precompile, sha256Precompile } from './hashes.ts'
import { kzgPrecompile } from './kzg.ts'
import { modexpPrecompile } from './modexp.ts'
import { p256Precompile } from './p256.ts'
import { REFUSALS } from './refusals.ts'

/** Returns the precompiles of a fork by `toKey(address)`, with that fork's prices. */
export const standardPrecompiles: (rules: Rules) => Precompiles = cachePerObject((rules: Rules): Precompiles => {
  const { eips } = rules
  const table = new Map<string, Precompile>()
  const add = (address: number, precompile: PurePrecompile): void => {
    const refusal = REFUSALS.get(address)
    table.set(toKey(encodeUint(BigInt(address), 20)), refusal ? { ...precompile, refusal } : precompile)
  }
  add(0x01, ecrecoverPrecompile)
  add(0x02, sha256Precompile)
  add(0x03, ripemd160Precompile)
  add(0x04, identityPrecompile)
  if (eips.has(198)) add(0x05, modexpPrecompile(rules))
  if (eips.has(196)) {
    add(0x06, bn254Add(rules))
    add(0x07, bn254Mul(rules))
  }
  if (eips.has(197)) add(0x08, bn254Pairing(rules))
  if (eips.has(152)) add(0x09, blake2fPrecompile)
  if (eips.has(4844)) add(0x0a, kzgPrecompile)
  if (eips.has(2537)) {
    add(0x0b, blsG1Add)
    add(0x0c, blsG1Sum)
    add(0x0d, blsG2Add)
    add(0x0e, blsG2Sum)
    add(0x0f, blsPairing)
    add(0x10, blsMapToG1)
    add(0x11, blsMapToG2)
  }
  if (eips.has(7951)) add(0x100, p256Precompile)
  return table
})
