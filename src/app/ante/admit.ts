/** Admission of ordinary transactions: the steps in order (docs/transactions.md#fees). */

import {
  chargeSize,
  limitGasToBlock,
  limitMemo,
  rejectAfterTimeout,
  rejectEthereumMessages,
  rejectUnknownExtensions,
  rejectUnusedFields,
  requireGas,
  requireSignatures,
} from './basic.ts'
import type { AnteContext } from './context.ts'
import { deductFee, requireMinimumFee } from './fee.ts'
import { rejectMixedVotes, settleVotes } from './oracle.ts'
import { chargeSignatures, incrementSequences, limitKeys, setPublicKeys, verifySignatures } from './signatures.ts'
import { countInWasm, readFeeShareParams } from './wasm.ts'

const STEPS: readonly ((ante: AnteContext) => void)[] = [
  rejectEthereumMessages,
  limitGasToBlock,
  countInWasm,
  rejectUnknownExtensions,
  rejectUnusedFields,
  requireSignatures,
  rejectAfterTimeout,
  requireGas,
  limitMemo,
  rejectMixedVotes,
  chargeSize,
  requireMinimumFee,
  deductFee,
  readFeeShareParams,
  setPublicKeys,
  limitKeys,
  chargeSignatures,
  verifySignatures,
  incrementSequences,
  settleVotes,
]

/** Runs every step. Throws the first refusal; the caller then drops the writes of the earlier steps. */
export function admit(ante: AnteContext): void {
  for (const step of STEPS) step(ante)
}
