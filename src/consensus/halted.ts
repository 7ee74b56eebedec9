/** The texts of a halt: its reason, and the operator's next step. */
import type { Halt } from '../app/halt.ts'
import { type ChainError, queryError } from '../primitives/errors.ts'
import type { Halted } from './driver.ts'

/** Returns the halt of a block that could not be executed or written, because of a bug or of the host. */
export function haltedByFailure(error: unknown, height: bigint): Halted {
  const reason = error instanceof Error ? error.message : String(error)
  const next = `nothing of block ${height} was written: fix the cause, which the log names, and start the node again`
  return { reason, next, height }
}

/** Returns the halt of a build that must not make the next block. */
export function haltedByUpgrade({ reason: kind, height, plan, line }: Halt): Halted {
  if (!plan) return { reason: line, next: 'run the release with this handler, or a later one', height }
  const upgrade = plan.name
  const name = JSON.stringify(upgrade)
  const skip = `if all validators agree to drop the upgrade, --unsafe-skip-upgrades ${height}`
  switch (kind) {
    case 'needed':
      return {
        reason: `upgrade ${name} is needed at height ${height}, and this build has no handler for it`,
        next: `run the release with the handler ${name} on the same home; ${skip}`,
        height,
        upgrade,
      }
    case 'tooEarly':
      return {
        reason: `upgrade ${name} is planned for height ${plan.height}, and this build cannot run the chain before that height`,
        next: 'run the previous release until that height',
        height,
        upgrade,
      }
    default:
      return {
        reason: line,
        next: `nothing of block ${height} was written: run a release whose handler ${name} works; ${skip}`,
        height,
        upgrade,
      }
  }
}

/** Returns the error for requests that need a block of a node that stops. */
export const stoppingError = (): ChainError => queryError('unavailable', 'the node is stopping')

/** Returns the error for requests that need a block. */
export function haltedError({ reason, next }: Halted): ChainError {
  return queryError('unavailable', `the chain has halted: ${reason}; ${next}`)
}
