/** Blob gas (EIP-4844): the price of blobs, from the excess over the target so far. */
import type { Rules } from '../forks.ts'

export const GAS_PER_BLOB = 131_072n
const MIN_BASE_FEE_PER_BLOB_GAS = 1n
const UPDATE_FRACTION_CANCUN = 3_338_477n
const UPDATE_FRACTION_PRAGUE = 5_007_716n
/** The maximum number of blobs of one transaction from Osaka on (EIP-7594). */
const MAX_BLOBS_PER_TRANSACTION = 6

/** Returns the price of a unit of blob gas in a block with this excess. Unit: wei. */
export function blobBaseFee(excessBlobGas: bigint, { eips }: Rules): bigint {
  return fakeExponential(
    MIN_BASE_FEE_PER_BLOB_GAS,
    excessBlobGas,
    eips.has(7691) ? UPDATE_FRACTION_PRAGUE : UPDATE_FRACTION_CANCUN,
  )
}

/** Returns the maximum number of blobs of a transaction: the maximum of a block, and fewer from Osaka on. */
export function maxBlobs({ eips }: Rules): number {
  if (eips.has(7825)) return MAX_BLOBS_PER_TRANSACTION
  return eips.has(7691) ? 9 : 6
}

/** Returns factor · e^(numerator / denominator) by its Taylor series, rounded as in EIP-4844. */
function fakeExponential(factor: bigint, numerator: bigint, denominator: bigint): bigint {
  let output = 0n
  let term = factor * denominator
  for (let i = 1n; term > 0n; i++) {
    output += term
    term = (term * numerator) / (denominator * i)
  }
  return output / denominator
}
