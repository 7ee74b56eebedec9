/** Stateless checks of a plan (docs/modules/upgrade.md#messages). */
import type { Timestamp } from '@bufbuild/protobuf/wkt'
import type { Plan } from '../../gen/sdk/upgrade/v1beta1/upgrade_pb.ts'
import { utf8 } from '../../primitives/bytes.ts'
import { fromTimestamp, ZERO_TIME_NS } from '../../primitives/time.ts'
import { errors } from '../../sdk/errors.ts'

const MAX_NAME_BYTES = 140
const MAX_INFO_BYTES = 10_000

/** The fields of a plan that handlers and operators use. */
export interface PlanFacts {
  readonly name: string
  /** Height of the block that runs the upgrade. */
  readonly height: bigint
  readonly info: string
}

export function factsOf({ name, height, info }: Plan): PlanFacts {
  return { name, height, info }
}

function isZeroTime(time: Timestamp | undefined): boolean {
  return time === undefined || fromTimestamp(time) === ZERO_TIME_NS
}

/** Returns the reason why a name is invalid; undefined for a valid name. A name becomes the name of a directory. */
function nameFault(name: string): string | undefined {
  if (name === '') return 'name cannot be empty'
  if (utf8(name).length > MAX_NAME_BYTES) return `name cannot be longer than ${MAX_NAME_BYTES} bytes`
  if (name !== name.trim()) return 'name cannot begin or end with blanks'
  if (/[/\\]/.test(name)) return 'name cannot contain / or \\: it becomes the name of a directory'
  if (name === '.' || name === '..') return `name cannot be ${name}: it becomes the name of a directory`
  return /\p{Cc}/u.test(name) ? 'name cannot contain control characters' : undefined
}

/** Throws sdk 18 for the first invalid field. */
export function validatePlan(plan: Plan): void {
  if (!isZeroTime(plan.time)) {
    throw errors.invalidRequest('time-based upgrades have been deprecated in the SDK')
  }
  if (plan.upgradedClientState) {
    throw errors.invalidRequest('upgrade logic for IBC has been moved to the IBC module')
  }
  const fault = nameFault(plan.name)
  if (fault !== undefined) throw errors.invalidRequest(fault)
  if (plan.height <= 0n) throw errors.invalidRequest('height must be greater than 0')
  if (utf8(plan.info).length > MAX_INFO_BYTES) {
    throw errors.invalidRequest(`info cannot be longer than ${MAX_INFO_BYTES} bytes`)
  }
}
