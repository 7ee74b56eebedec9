/** The validators whose keys this process has, and their behaviour. */
import { queryError } from '../primitives/errors.ts'

/** A validator key of this process. */
export interface Signer {
  readonly address: Uint8Array
  sign(message: Uint8Array): Uint8Array
}

/**
 * The behaviour of a validator. `stopped` neither signs nor proposes; the others do both. For prices, `honest` votes for its
 * source's prices, `silent` does not vote, and `liar` votes for prices that are far off.
 */
export const VALIDATOR_BEHAVIOURS = ['honest', 'silent', 'liar', 'stopped'] as const
export type ValidatorBehaviour = (typeof VALIDATOR_BEHAVIOURS)[number]

export interface OwnValidators {
  readonly count: number
  /** Returns the keys that sign the next block. */
  signers(): readonly Signer[]
  /** Returns the behaviour of a validator; `honest` for an unknown index. */
  behaviour(index: number): ValidatorBehaviour
  /** Sets the behaviour from the next block on. Throws `invalidArgument` for an unknown index. */
  setBehaviour(index: number, behaviour: ValidatorBehaviour): void
}

/** Creates validators that are all honest. */
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
          `validator ${index} is not one of the ${signers.length} of this node, which count from 0`,
        )
      }
      behaviours[index] = behaviour
    },
  }
}
