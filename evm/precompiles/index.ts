/** Arithmetic of standard precompiles that JavaScript is slow at. A module of its own, without imports. */
export { INPUT, compressBlake2b } from './blake2f'
export { EXPONENT, powMod64 } from './modexp'
