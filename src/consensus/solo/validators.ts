/** The validators whose keys this process has, and how each behaves. */
import { queryError } from '../../primitives/errors.ts'
import type { Signer } from './propose.ts'

/**
 * `stopped` neither signs nor proposes. The others do both; of prices `honest` votes for what it sees, `silent` does not
 * vote and `liar` votes for what is far off.
 */
export const VALIDATOR_BEHAVIOURS = ['honest', 'silent', 'liar', 'stopped'] as const
export type ValidatorBehaviour = (typeof VALIDATOR_BEHAVIOURS)[number]

export interface OwnValidators {
  readonly count: number
  /** Those that sign the next block. */
  signers(): readonly Signer[]
  /** Honest if there is none at the index. */
  behaviour(index: number): ValidatorBehaviour
  /** From the next block on. Throws `invalidArgument` if there is no such validator. */
  setBehaviour(index: number, behaviour: ValidatorBehaviour): void
}

/** All honest at first. */
export function createOwnValidators(signers: readonly Signer[]): OwnValidators {
  const behaviours: ValidatorBehaviour[] = signers.map(() => 'honest')
  return {
    count: signers.length,
    signers: () => signers.filter((_, i) => behaviours[i] !== 'stopped'),
    behaviour: (index) => behaviours[index] ?? 'honest',
    setBehaviour(index, behaviour) {
      if (behaviours[index] === undefined) {
        throw queryError(
          'invalidArgument',
          `no validator ${index}: this node has the keys of ${signers.length}, from 0 on`,
        )
      }
      behaviours[index] = behaviour
    },
  }
}
