/** Room for one more frame in linear memory: its code, and its record. */
import { toKey } from '../primitives/bytes.ts'
import type { Account } from './account.ts'
import type { ExecutionContext, Wanting } from './execution.ts'
import type { Installed, Interpreter } from './interpreter.ts'
import type { Snapshot } from './journal.ts'
import { FRAME, FRAME_SIZE, FRAMES, RETURN_DATA, STACK_SIZE, STACKS_END } from './layout.ts'

const MAX_DEPTH = 1025

/** A frame whose code runs, or waits for what it called. */
export interface Frame {
  readonly record: number
  readonly installed: Installed
  readonly parent: number
  readonly depth: number
  /** What its opcodes work on. */
  readonly self: Account
  readonly caller: Account
  readonly snapshot: Snapshot
  readonly creation: boolean
  readonly static: boolean
}

/** Whether there is no room for one more frame; the same on every machine, since all have the same regions. */
export function isTooDeep(interpreter: Interpreter, wanting: Wanting): boolean {
  return (
    wanting.depth >= MAX_DEPTH ||
    FRAMES + (interpreter.live.length + 2) * FRAME_SIZE > RETURN_DATA ||
    interpreter.u32(wanting.record + FRAME.sp) + 2 * STACK_SIZE > STACKS_END
  )
}

/** Code of an account: in the arena when there is room, else behind the parent; undefined where there is none. */
export function installCode(
  { interpreter, environment, options: { optimiseAtCall = 2 } }: ExecutionContext,
  account: Account,
  code: Uint8Array,
  parent: number,
): Installed | undefined {
  const { installed } = account
  if (installed && installed.arena === interpreter.arena()) {
    if (++installed.calls === optimiseAtCall) interpreter.optimise(installed)
    return installed
  }
  const shared = interpreter.install(environment, toKey(account.codeHash), code)
  account.installed = shared
  if (shared && ++shared.calls === optimiseAtCall) interpreter.optimise(shared)
  return shared ?? installBehind(interpreter, parent, code.length, (at) => interpreter.bytes().set(code, at))
}

/** Code that is seen this once: behind the parent, as long as its frame lives. */
export function installBehind(
  interpreter: Interpreter,
  parent: number,
  length: number,
  write: (at: number) => void,
): Installed | undefined {
  const code = interpreter.exports.placeBehind(parent, length)
  if (code === 0) return undefined
  write(code)
  const jumps = interpreter.exports.install(code, length)
  return { code, length, jumps, blocks: 0, calls: 0, local: true, arena: interpreter.arena() }
}

/** The record of the next frame, entered. */
export function enterFrame(interpreter: Interpreter, parent: number, installed: Installed): number {
  const { live } = interpreter
  const { code, length, jumps, blocks, local } = installed
  const record = FRAMES + live.length * FRAME_SIZE
  live.push(record)
  interpreter.exports.enter(record, parent, code, length, jumps, blocks, local)
  return record
}
