/** All invariants. */
import { conversionInvariants } from './conversions.ts'
import { distributionInvariants } from './distribution.ts'
import { escrowInvariants } from './escrows.ts'
import { indexInvariants } from './indexes.ts'
import type { Invariant } from './invariant.ts'
import { paymentInvariants } from './payments.ts'
import { recordInvariants } from './records.ts'
import { sequenceInvariants } from './sequences.ts'
import { stakingInvariants } from './staking.ts'
import { supplyInvariants } from './supply.ts'
import { validatorInvariants } from './validators.ts'
import { vestingInvariants } from './vesting.ts'

export const invariants: readonly Invariant[] = [
  ...supplyInvariants,
  ...stakingInvariants,
  ...validatorInvariants,
  ...distributionInvariants,
  ...escrowInvariants,
  ...vestingInvariants,
  ...conversionInvariants,
  ...sequenceInvariants,
  ...paymentInvariants,
  ...indexInvariants,
  ...recordInvariants,
]
