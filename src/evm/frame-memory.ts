/** The placement of a new frame in linear memory: its code and its record. */
import { toKey } from '../primitives/bytes.ts'
import type { Account } from './account.ts'
import type { ExecutionContext, Requester } from './execution.ts'
import type { Installed, Interpreter } from './interpreter.ts'
import type { Snapshot } from './journal/journal.ts'
import { FRAME, FRAME_SIZE, FRAMES, RETURN_DATA, STACK_SIZE, STACKS_END } from './layout.ts'

const MAX_DEPTH = 1025

/** A frame whose code runs, or waits for the result of its call. */
export interface Frame {
  readonly record: number
  readonly installed: Installed
  readonly parent: number
  readonly depth: number
  /** The account whose storage and balance its opcodes use. */
  readonly self: Account
  readonly caller: Account
  readonly snapshot: Snapshot
  readonly creation: boolean
  readonly static: boolean
}

/** Whether there is no space for another frame. The answer is the same on every machine, since the regions are fixed. */
export function isTooDeep(interpreter: Interpreter, requester: Requester): boolean {
  return (
    requester.depth >= MAX_DEPTH ||
    FRAMES + (interpreter.live.length + 2) * FRAME_SIZE > RETURN_DATA ||
    interpreter.u32(requester.record + FRAME.sp) + 2 * STACK_SIZE > STACKS_END
  )
}

/** Installs the code of an account: in the arena if there is space, else after the parent's memory; undefined if memory is full. */
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
  return shared ?? installAfter(interpreter, parent, code.length, (at) => interpreter.bytes().set(code, at))
}

/** Installs code for one frame only, after the parent's memory; undefined if memory is full. */
export function installAfter(
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

/** Enters the next frame and returns its record. */
export function enterFrame(interpreter: Interpreter, parent: number, installed: Installed): number {
  const { live } = interpreter
  const { code, length, jumps, blocks, local } = installed
  const record = FRAMES + live.length * FRAME_SIZE
  live.push(record)
  interpreter.exports.enter(record, parent, code, length, jumps, blocks, local)
  return record
}
