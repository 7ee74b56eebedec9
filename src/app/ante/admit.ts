/** Admission of ordinary transactions: the steps, in their order (support-modules.md §4.3). */

import {
  chargeSize,
  limitGasToBlock,
  limitMemo,
  rejectEthereumMessages,
  rejectUnknownExtensions,
  requireGas,
  requireSignatures,
  requireTimely,
} from './basic.ts'
import type { AnteContext } from './context.ts'
import { deductFee, requireMinimumFee } from './fee.ts'
import { rejectMixedVotes } from './oracle.ts'
import { admitAtOtherMachine, lookAtShares } from './other-machine.ts'
import { chargeSignatures, incrementSequences, limitKeys, setPublicKeys, verifySignatures } from './signatures.ts'

const STEPS: readonly ((ante: AnteContext) => void)[] = [
  rejectEthereumMessages,
  limitGasToBlock,
  admitAtOtherMachine,
  rejectUnknownExtensions,
  requireSignatures,
  requireTimely,
  requireGas,
  limitMemo,
  rejectMixedVotes,
  chargeSize,
  requireMinimumFee,
  deductFee,
  lookAtShares,
  setPublicKeys,
  limitKeys,
  chargeSignatures,
  verifySignatures,
  incrementSequences,
]

/** Runs every step. Throws the first refusal; what was written until then is the caller's to drop. */
export function admit(ante: AnteContext): void {
  for (const step of STEPS) step(ante)
}
