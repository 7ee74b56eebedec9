/** Shapes of the tracers' output. */
import type { EthLog } from './find.ts'

/** A call of the tracer `callTracer`. */
export interface CallFrame {
  readonly type: string
  readonly from: string
  readonly to?: string
  readonly value?: string
  readonly gas: string
  readonly gasUsed: string
  readonly input: `0x${string}`
  readonly output?: `0x${string}`
  readonly error?: string
  readonly revertReason?: string
  readonly calls?: readonly CallFrame[]
  readonly logs?: readonly Pick<EthLog, 'address' | 'topics' | 'data'>[]
}

export const decodeKey = ({ input, output, error }: CallFrame): string => `${input} ${output} ${error}`

/** An account of the tracer `prestateTracer`. */
export interface AccountState {
  readonly balance?: string
  readonly nonce?: number
  readonly code?: string
  readonly storage?: Readonly<Record<string, string>>
}

export interface StateDifference {
  readonly pre: Readonly<Record<string, AccountState>>
  readonly post: Readonly<Record<string, AccountState>>
}

/** The struct log, one entry for each step. */
export interface StructLog {
  readonly failed: boolean
  readonly structLogs: readonly {
    readonly pc: number
    readonly op: string
    readonly gas: number
    readonly gasCost: number
    readonly depth: number
    readonly stack?: readonly string[]
    readonly storage?: Readonly<Record<string, string>>
    readonly error?: string
  }[]
}
