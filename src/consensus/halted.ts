/** Why a chain makes no further block, and what to do about it, in words. */
import type { Halt } from '../app/halt.ts'
import { type ChainError, queryError } from '../primitives/errors.ts'
import type { Halted } from './driver.ts'

/** A block could not be executed or written because of a bug, or of the machine. */
export function haltedByFailure(error: unknown, height: bigint): Halted {
  const reason = error instanceof Error ? error.message : String(error)
  const next = `nothing of block ${height} was written: start the node again when the cause, which its log names, is gone`
  return { reason, next, height }
}

/** This build must not make the next block. */
export function haltedByUpgrade({ reason: kind, height, plan, line }: Halt): Halted {
  if (!plan) return { reason: line, next: 'start the build that has this handler, or a later one', height }
  const upgrade = plan.name
  const name = JSON.stringify(upgrade)
  const skip = `if all validators agree to drop the upgrade, --unsafe-skip-upgrades ${height}`
  switch (kind) {
    case 'needed':
      return {
        reason: `upgrade ${name} is needed at height ${height}, and this build has no handler for it`,
        next: `start the build that has the handler ${name} on the same home; ${skip}`,
        height,
        upgrade,
      }
    case 'tooEarly':
      return {
        reason: `upgrade ${name} is planned for height ${plan.height}, and this build runs the chain only from there on`,
        next: 'start the build of before until that height',
        height,
        upgrade,
      }
    default:
      return {
        reason: line,
        next: `nothing of block ${height} was written: start a build whose handler ${name} works; ${skip}`,
        height,
        upgrade,
      }
  }
}

/** What whoever wants a block is told. */
export function haltedError({ reason, next }: Halted): ChainError {
  return queryError('unavailable', `the chain has halted: ${reason}; ${next}`)
}
