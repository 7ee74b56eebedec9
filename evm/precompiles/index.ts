/** Arithmetic of standard precompiles that is slow in JavaScript. A separate module without imports. */
export { INPUT, compressBlake2b } from './blake2f'
export { EXPONENT, powMod64 } from './modexp'
