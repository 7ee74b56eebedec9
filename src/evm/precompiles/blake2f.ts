/** Address 0x09: the compression function of BLAKE2b (EIP-152). */
import { decodeUint } from '../../primitives/bytes.ts'
import type { PurePrecompile } from '../types.ts'
import { arithmetic } from './arithmetic.ts'

const LENGTH = 213
const STATE = 64

export const blake2fPrecompile: PurePrecompile = {
  kind: 'pure',
  gas: (input) => (input.length === LENGTH ? decodeUint(input.subarray(0, 4)) : 0n),
  run(input) {
    const final = input[LENGTH - 1]!
    if (input.length !== LENGTH || final > 1) return undefined
    const { memory, INPUT, compressBlake2b } = arithmetic()
    const data = new Uint8Array(memory.buffer, INPUT.value, LENGTH - 5)
    data.set(input.subarray(4, LENGTH - 1))
    compressBlake2b(Number(decodeUint(input.subarray(0, 4))), final)
    return data.slice(0, STATE)
  },
}
