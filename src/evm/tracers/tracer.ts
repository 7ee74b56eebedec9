/** What every tracer is to those who run it: someone who listens to an execution and then writes a result, as JSON. */
import { type ChainError, queryError } from '../../primitives/errors.ts'
import type { Tracer } from '../trace.ts'
import type { Output } from './output.ts'

/** Where the traced transaction stands; what is not known is left out. */
export interface TraceContext {
  readonly blockNumber: bigint
  readonly blockHash?: Uint8Array | undefined
  readonly txHash?: Uint8Array | undefined
  readonly txIndex?: number | undefined
  /** The number of the transaction's first log in its block. */
  readonly firstLogIndex?: number | undefined
}

export interface TraceOptions {
  /** Parsed JSON, as the caller gave it; undefined for none. */
  readonly config: unknown
  readonly context: TraceContext
  readonly output: Output
  /** What a tracer may hold in memory; beyond it the trace fails. Unit: bytes. */
  readonly heldBytes: number
  /** What a result that is written as it comes may be long: the struct log. Default: as long as it gets. Unit: bytes. */
  readonly outputBytes?: number | undefined
}

export interface Trace {
  readonly tracer: Tracer
  /** True when the trace cannot become whole any more: the execution may end. */
  isFull(): boolean
  /** Writes what is still to be written, once, after the transaction's end. Throws `resourceExhausted` if it held too much. */
  finish(): void
}

/** Makes the trace of a tracer. */
export type TraceFactory = (options: TraceOptions) => Trace

/** The memory that a tracer's result takes, counted against its budget. */
export interface Holding {
  hold(bytes: number): void
  isFull(): boolean
  /** Throws `resourceExhausted` if more was held than may be. */
  check(): void
}

export function createHolding(budgetBytes: number): Holding {
  let held = 0
  return {
    hold(bytes) {
      held += bytes
    },
    isFull: () => held > budgetBytes,
    check() {
      if (held > budgetBytes) {
        throw queryError('resourceExhausted', `trace is larger than the budget of ${budgetBytes} bytes`)
      }
    },
  }
}

/** The options of a tracer as an object. Throws `invalidArgument` for anything else. */
export function configOf(config: unknown): Readonly<Record<string, unknown>> {
  if (config === undefined || config === null) return {}
  if (typeof config !== 'object' || Array.isArray(config)) throw wrongConfig('not an object')
  return config as Readonly<Record<string, unknown>>
}

/** A switch of a tracer's options. Throws `invalidArgument` if it is no boolean. */
export function flagOf(config: Readonly<Record<string, unknown>>, name: string): boolean {
  const value = config[name]
  if (value === undefined || value === null) return false
  if (typeof value !== 'boolean') throw wrongConfig(`${name} is not true or false`)
  return value
}

export function wrongConfig(reason: string): ChainError {
  return queryError('invalidArgument', `tracer config: ${reason}`)
}

/** A `0x` quantity. */
export function quantity(value: bigint | number): string {
  return `0x${value.toString(16)}`
}
