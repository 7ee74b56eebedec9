/** Halts: the reason why a block is not executed, and the information for the next binary (docs/modules/upgrade.md). */
import type { PlanFacts } from '../modules/upgrade/keeper.ts'
import { htmlSafe } from '../primitives/html-safe.ts'

/** A halt. Nothing was written: the chain stays at the previous block, and a retry halts again. */
export interface Halt {
  readonly reason: keyof typeof EXIT_CODES
  /** Height of the block that is not executed. */
  readonly height: bigint
  readonly plan?: PlanFacts
  /** One line for the log, with the text that supervisors match on. */
  readonly line: string
  /** Content of `upgrade-info.json`, to be written before the log line; absent if no file is needed. */
  readonly file?: string
  readonly exitCode: number
}

/** Exit codes: another binary is needed; this one started too early; it is older than the chain; its handler failed. */
const EXIT_CODES = { needed: 3, tooEarly: 4, wrongVersion: 5, failed: 6 }

/** Returns the block of an outcome that must not be a halt. Throws an `Error` with the line of a halt. */
export function requireBlock<Block extends { readonly halt?: undefined }>(
  outcome: Block | { readonly halt: Halt },
): Block {
  if (outcome.halt) throw new Error(outcome.halt.line)
  return outcome
}

function halt(reason: Halt['reason'], height: bigint, line: string, plan?: PlanFacts): Halt {
  return { reason, height, line, exitCode: EXIT_CODES[reason], ...(plan && { plan }) }
}

/** Returns the halt for a due plan without a handler in this build. */
export function upgradeNeeded(plan: PlanFacts, height: bigint): Halt {
  const line = `UPGRADE "${oneLine(plan.name)}" NEEDED at height: ${plan.height}: ${oneLine(plan.info)}`
  return { ...halt('needed', height, line, plan), file: upgradeInfo(plan, height) }
}

/** Returns the halt for a build that belongs after a plan that is not due yet. */
export function upgradedTooEarly(plan: PlanFacts, height: bigint): Halt {
  const line =
    `BINARY UPDATED BEFORE TRIGGER! UPGRADE "${oneLine(plan.name)}" - in binary but not executed on chain. ` +
    'Downgrade your binary'
  return halt('tooEarly', height, line, plan)
}

/** Returns the halt for a build that is older than the last applied upgrade. */
export function wrongVersion(name: string, protocolVersion: bigint, height: bigint): Halt {
  const line = `Wrong app version ${protocolVersion}, upgrade handler is missing for ${oneLine(name)} upgrade plan`
  return halt('wrongVersion', height, line)
}

/** Returns the halt for a handler that failed, and whose writes were dropped. */
export function upgradeFailed(plan: PlanFacts, height: bigint, error: unknown): Halt {
  const why = error instanceof Error ? error.message : String(error)
  const line = `UPGRADE "${oneLine(plan.name)}" FAILED at height: ${height}: ${oneLine(why)}`
  return halt('failed', height, line, plan)
}

/** Replaces line breaks, which the text of a proposal can contain. */
function oneLine(text: string): string {
  return text.replace(/[\r\n\u2028\u2029]+/g, ' ')
}

/** Formats `upgrade-info.json` as the reference does: keys in this order, no blanks, `height` as a number, no empty `info`. */
export function upgradeInfo({ name, info }: PlanFacts, height: bigint): string {
  const text = (value: string) => htmlSafe(JSON.stringify(value))
  const ending = info === '' ? '' : `,"info":${text(info)}`
  return `{"name":${text(name)},"time":"0001-01-01T00:00:00Z","height":${height}${ending}}`
}
