/** Addresses 0x02 to 0x04: SHA-256, RIPEMD-160 and the copy. */
import { padLeft } from '../../primitives/bytes.ts'
import { ripemd160, sha256 } from '../../primitives/hash.ts'
import type { PurePrecompile } from '../types.ts'
import { words } from './input.ts'

export const sha256Precompile: PurePrecompile = {
  kind: 'pure',
  gas: (input) => 60n + 12n * words(input),
  run: sha256,
}

export const ripemd160Precompile: PurePrecompile = {
  kind: 'pure',
  gas: (input) => 600n + 120n * words(input),
  run: (input) => padLeft(ripemd160(input), 32),
}

export const identityPrecompile: PurePrecompile = {
  kind: 'pure',
  gas: (input) => 15n + 3n * words(input),
  run: (input) => input.slice(),
}
