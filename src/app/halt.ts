/** Blocks that are not made: why the chain stands still, and what the next binary has to know (upgrade.md §4.3, §4.4, §6). */
import type { PlanFacts } from '../modules/upgrade/keeper.ts'
import { htmlSafe } from '../primitives/html-safe.ts'

/** Nothing was written: the chain stands at the block before, and asking again gives the same. */
export interface Halt {
  readonly reason: keyof typeof EXIT_CODES
  /** Of the block that is not made. */
  readonly height: bigint
  readonly plan?: PlanFacts
  /** One line for the log, in the words that supervisors look for. */
  readonly line: string
  /** Whole content of `upgrade-info.json`, where it is to be written first. */
  readonly file?: string
  readonly exitCode: number
}

/** Exit codes of a process that stops: another binary is needed, this one came early, came late, or its handler failed. */
const EXIT_CODES = { needed: 3, tooEarly: 4, wrongVersion: 5, failed: 6 }

/** The block of an outcome, for those who know that nothing halts it. Throws an `Error` with the line of the halt. */
export function madeBlock<Block extends { readonly halt?: undefined }>(
  outcome: Block | { readonly halt: Halt },
): Block {
  if (outcome.halt) throw new Error(outcome.halt.line)
  return outcome
}

function halt(reason: Halt['reason'], height: bigint, line: string, plan?: PlanFacts): Halt {
  return { reason, height, line, exitCode: EXIT_CODES[reason], ...(plan && { plan }) }
}

/** The plan is due and this build has no handler for it. */
export function upgradeNeeded(plan: PlanFacts, height: bigint): Halt {
  const line = `UPGRADE "${oneLine(plan.name)}" NEEDED at height: ${plan.height}: ${oneLine(plan.info)}`
  return { ...halt('needed', height, line, plan), file: upgradeInfo(plan, height) }
}

/** The plan is not due, and this build is the one that comes after it. */
export function upgradedTooEarly(plan: PlanFacts, height: bigint): Halt {
  const line =
    `BINARY UPDATED BEFORE TRIGGER! UPGRADE "${oneLine(plan.name)}" - in binary but not executed on chain. ` +
    'Downgrade your binary'
  return halt('tooEarly', height, line, plan)
}

/** The last upgrade that was applied is not one of this build, which is older. */
export function wrongVersion(name: string, protocolVersion: bigint, height: bigint): Halt {
  const line = `Wrong app version ${protocolVersion}, upgrade handler is missing for ${oneLine(name)} upgrade plan`
  return halt('wrongVersion', height, line)
}

/** The handler of the plan failed. What it had done is forgotten. */
export function upgradeFailed(plan: PlanFacts, height: bigint, error: unknown): Halt {
  const why = error instanceof Error ? error.message : String(error)
  const line = `UPGRADE "${oneLine(plan.name)}" FAILED at height: ${height}: ${oneLine(why)}`
  return halt('failed', height, line, plan)
}

/** A line stays one, whatever a proposal put into it. */
function oneLine(text: string): string {
  return text.replace(/[\r\n\u2028\u2029]+/g, ' ')
}

/** As the chain's own nodes write it: keys in this order, no blanks, a height that is a number, no info that is empty. */
export function upgradeInfo({ name, info }: PlanFacts, height: bigint): string {
  const text = (value: string) => htmlSafe(JSON.stringify(value))
  const ending = info === '' ? '' : `,"info":${text(info)}`
  return `{"name":${text(name)},"time":"0001-01-01T00:00:00Z","height":${height}${ending}}`
}
