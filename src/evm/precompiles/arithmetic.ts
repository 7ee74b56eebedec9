/** The module built from `evm/precompiles/`: arithmetic that is slow in JavaScript. */
import { loadModule } from '../wasm.ts'
import { once } from './once.ts'

export interface Arithmetic {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number }
  /** The address of the state, message and counter of `compressBlake2b`; the new state replaces the old one. */
  readonly INPUT: { readonly value: number }
  /** Runs a number of rounds (u32) over INPUT. */
  compressBlake2b(rounds: number, isFinal: number): void
  /** The address of the exponent of `powMod64`, which can extend to the end of the memory. */
  readonly EXPONENT: { readonly value: number }
  /**
   * Returns base^exponent mod modulus; base < modulus < 2^64. The exponent is `length` bytes at `exponent`, most
   * significant first, followed by `zeros` zero bits.
   */
  powMod64(base: bigint, exponent: number, length: number, zeros: bigint, modulus: bigint): bigint
}

/** The instance, created on first use. */
export const arithmetic = once((): Arithmetic => {
  const { exports } = new WebAssembly.Instance(loadModule('precompiles'))
  return exports as unknown as Arithmetic
})
