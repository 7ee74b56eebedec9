/** The module that `evm/precompiles/` is built to: arithmetic that JavaScript is slow at. */
import { loadModule } from '../wasm.ts'
import { once } from './once.ts'

export interface Arithmetic {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number }
  /** Where `compressBlake2b` finds state, message and counter, and leaves the state. */
  readonly INPUT: { readonly value: number }
  /** Runs a number of rounds (u32) over INPUT. */
  compressBlake2b(rounds: number, isFinal: number): void
  /** Where an exponent for `powMod64` may lie: from here to the end of the memory. */
  readonly EXPONENT: { readonly value: number }
  /**
   * base^exponent mod modulus; base < modulus < 2^64. The exponent is `length` bytes at `exponent`, most significant
   * first, and `zeros` further zero bits.
   */
  powMod64(base: bigint, exponent: number, length: number, zeros: bigint, modulus: bigint): bigint
}

/** Instantiated at the first use. */
export const arithmetic = once((): Arithmetic => {
  const { exports } = new WebAssembly.Instance(loadModule('precompiles'))
  return exports as unknown as Arithmetic
})
