/** The interface of a tracer to its caller: it listens to an execution and then writes its result as JSON. */
import { type ChainError, queryError } from '../../primitives/errors.ts'
import type { Tracer } from '../trace.ts'
import type { Output } from './output.ts'

/** The position of the traced transaction in its block; unknown fields are absent. */
export interface TraceContext {
  readonly blockNumber: bigint
  readonly blockHash?: Uint8Array | undefined
  readonly txHash?: Uint8Array | undefined
  readonly txIndex?: number | undefined
  /** The index of the transaction's first log in its block. */
  readonly firstLogIndex?: number | undefined
}

export interface TraceOptions {
  /** The options of the tracer as parsed JSON; undefined if absent. */
  readonly config: unknown
  readonly context: TraceContext
  readonly output: Output
  /** The memory budget of a tracer; the trace fails beyond it. Unit: bytes. */
  readonly memoryBytes: number
  /** The maximum length of a result that is written while the code runs (struct log). Default: no limit. Unit: bytes. */
  readonly outputBytes?: number | undefined
}

export interface Trace {
  readonly tracer: Tracer
  /** Whether the trace has exceeded its budget: the execution can be ended. */
  isFull(): boolean
  /** Writes the rest of the result, once, after the end of the transaction. Throws `resourceExhausted` if the memory budget was exceeded. */
  finish(): void
}

/** A function that creates the trace of a tracer. */
export type TraceFactory = (options: TraceOptions) => Trace

/** The memory used by a tracer's result, counted against its budget. */
export interface MemoryBudget {
  use(bytes: number): void
  isFull(): boolean
  /** Throws `resourceExhausted` if the budget was exceeded. */
  check(): void
}

export function createMemoryBudget(budgetBytes: number): MemoryBudget {
  let used = 0
  return {
    use(bytes) {
      used += bytes
    },
    isFull: () => used > budgetBytes,
    check() {
      if (used > budgetBytes) {
        throw queryError('resourceExhausted', `trace is larger than the budget of ${budgetBytes} bytes`)
      }
    },
  }
}

/** Returns the options of a tracer; an empty object if they are absent. Throws `invalidArgument` if they are not an object. */
export function configOf(config: unknown): Readonly<Record<string, unknown>> {
  if (config === undefined || config === null) return {}
  if (typeof config !== 'object' || Array.isArray(config)) throw wrongConfig('must be an object')
  return config as Readonly<Record<string, unknown>>
}

/** Returns a boolean option of a tracer; false if it is absent. Throws `invalidArgument` if it is not a boolean. */
export function flagOf(config: Readonly<Record<string, unknown>>, name: string): boolean {
  const value = config[name]
  if (value === undefined || value === null) return false
  if (typeof value !== 'boolean') throw wrongConfig(`${name} must be true or false, got a ${typeof value}`)
  return value
}

export function wrongConfig(reason: string): ChainError {
  return queryError('invalidArgument', `tracer config: ${reason}`)
}

/** Formats a `0x` quantity. */
export function quantity(value: bigint | number): string {
  return `0x${value.toString(16)}`
}
