/**
 * The draft of EIP-2537 from the planning of Prague: nine functions at 0x0b to 0x13, at other prices. The public tests named
 * Prague were filled by a client of that time (April 2024) under these rules, which no chain ever had.
 */
import { encodeUint, toKey } from '../../primitives/bytes.ts'
import { type Bls12381, bls12381 } from '../precompiles/bls12-381.ts'
import type { Precompile, Precompiles } from '../types.ts'

/** The last day of the draft; the EIP was finalised later. */
const LAST_DRAFT_DAY = 20241001
const G1_TERM = 160
const G2_TERM = 288
const PAIR = 384

const DISCOUNTS: readonly number[] = [
  1200, 888, 764, 641, 594, 547, 500, 453, 438, 423, 408, 394, 379, 364, 349, 334, 330, 326, 322, 318, 314, 310, 306,
  302, 298, 294, 289, 285, 281, 277, 273, 269, 268, 266, 265, 263, 262, 260, 259, 257, 256, 254, 253, 251, 250, 248,
  247, 245, 244, 242, 241, 239, 238, 236, 235, 233, 232, 231, 229, 228, 226, 225, 223, 222, 221, 220, 219, 219, 218,
  217, 216, 216, 215, 214, 213, 213, 212, 211, 211, 210, 209, 208, 208, 207, 206, 205, 205, 204, 203, 202, 202, 201,
  200, 199, 199, 198, 197, 196, 196, 195, 194, 193, 193, 192, 191, 191, 190, 189, 188, 188, 187, 186, 185, 185, 184,
  183, 182, 182, 181, 180, 179, 179, 178, 177, 176, 176, 175, 174,
]

/** Whether a test was filled under the draft, judged by the name and day of the client that filled it. */
export function isFilledUnderDraft(filledBy: string): boolean {
  const day = /-(20\d{6})\b/.exec(filledBy)?.[1]
  return day !== undefined && Number(day) <= LAST_DRAFT_DAY
}

/** Returns the precompiles of the draft, added to those of the previous fork. */
export function draftPrecompiles(cancun: Precompiles): Precompiles {
  const table = new Map<string, Precompile>(cancun)
  const add = (
    address: number,
    gas: (input: Uint8Array) => bigint,
    operation: (library: Bls12381) => (input: Uint8Array) => Uint8Array | undefined,
    length?: number,
  ) => {
    const run = (input: Uint8Array) =>
      length === undefined || input.length === length ? operation(bls12381())(input) : undefined
    table.set(toKey(encodeUint(BigInt(address), 20)), { kind: 'pure', gas, run })
  }
  add(
    0x0b,
    () => 500n,
    (library) => library.g1Add,
  )
  add(
    0x0c,
    () => 12_000n,
    (library) => library.g1Sum,
    G1_TERM,
  )
  add(
    0x0d,
    (input) => sumGas(input, G1_TERM, 12_000n),
    (library) => library.g1Sum,
  )
  add(
    0x0e,
    () => 800n,
    (library) => library.g2Add,
  )
  add(
    0x0f,
    () => 45_000n,
    (library) => library.g2Sum,
    G2_TERM,
  )
  add(
    0x10,
    (input) => sumGas(input, G2_TERM, 45_000n),
    (library) => library.g2Sum,
  )
  add(
    0x11,
    (input) => 65_000n + 43_000n * BigInt(Math.floor(input.length / PAIR)),
    (library) => library.pairing,
  )
  add(
    0x12,
    () => 5_500n,
    (library) => library.mapToG1,
  )
  add(
    0x13,
    () => 75_000n,
    (library) => library.mapToG2,
  )
  return table
}

function sumGas(input: Uint8Array, termLength: number, product: bigint): bigint {
  const count = Math.floor(input.length / termLength)
  if (count === 0) return 0n
  return (BigInt(count) * product * BigInt(DISCOUNTS[Math.min(count, DISCOUNTS.length) - 1]!)) / 1000n
}
