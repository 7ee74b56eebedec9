/** Options of a trace, from the query service's message or from JSON (evm.md §2.10, §2.11; D20, D39). */
import type { TraceConfig as TraceConfigMessage } from '../gen/chain/evm/v1/evm_pb.ts'
import { readObject } from '../modules/evm/hex-json.ts'
import type { TraceConfig } from '../modules/evm/tracing/tracing.ts'
import { needsScripts } from '../modules/evm/tracing/tracing.ts'
import { queryError } from '../primitives/errors.ts'
import { formatDuration, parseDuration, toDuration } from '../primitives/time.ts'
import { wrongField } from '../sdk/request.ts'
import type { GatewayNode } from './gateway.ts'

/** How a trace is to run. */
export interface TraceSettings {
  readonly config: TraceConfig
  readonly timeoutMs: number
  /** What of the request the node did not do as asked; undefined: nothing. */
  readonly notice: string | undefined
}

/** What a trace may take when nobody says otherwise. */
const DEFAULT_TIMEOUT_MS = 5000
const NANOS_PER_MS = 1_000_000n

function readTimeout(text: string, budgetMs: number): Pick<TraceSettings, 'timeoutMs' | 'notice'> {
  if (text === '') return { timeoutMs: Math.min(DEFAULT_TIMEOUT_MS, budgetMs), notice: undefined }
  const nanos = parseDuration(text)
  if (nanos === undefined || nanos <= 0n) {
    const shown = JSON.stringify(text.slice(0, 40))
    throw wrongField('trace_config.timeout', `timeout value: time: invalid duration ${shown}`)
  }
  const askedMs = Number(nanos) / Number(NANOS_PER_MS)
  if (askedMs <= budgetMs) return { timeoutMs: Math.max(1, Math.ceil(askedMs)), notice: undefined }
  const budget = formatDuration(toDuration(BigInt(budgetMs) * NANOS_PER_MS))
  return { timeoutMs: budgetMs, notice: `timeout ${text.slice(0, 40)} is above the budget of this node, ${budget}` }
}

function checkLimit(limit: number): void {
  if (limit < 0) throw wrongField('trace_config.limit', `output limit cannot be negative, got ${limit}`)
}

/** Throws 3 for a negative limit, a duration that is none, and a tracer that there is not. */
export function readTraceConfig(node: GatewayNode, message: TraceConfigMessage | undefined): TraceSettings {
  const config: TraceConfig = {
    tracer: message?.tracer ?? '',
    tracerConfig: message?.tracerConfig?.onlyTopCall ? { onlyTopCall: true } : undefined,
    limit: message?.limit ?? 0,
    disableStack: message?.disableStack ?? false,
    disableStorage: message?.disableStorage ?? false,
    enableMemory: message?.enableMemory ?? false,
    enableReturnData: message?.enableReturnData ?? false,
    debug: message?.debug ?? false,
  }
  checkLimit(config.limit)
  needsScripts(config)
  return { config, ...readTimeout(message?.timeout ?? '', node.settings.evmTimeoutMs) }
}

/** The options of `debug_trace*`: camelCase keys, the tracer's own options whole. Throws as `readTraceConfig`. */
export function readTraceOptions(node: GatewayNode, value: unknown): TraceSettings {
  const object = value === undefined || value === null ? {} : readObject(value, { type: 'tracers.TraceConfig' })
  const of = <T>(key: string, type: string, absent: T): T => {
    const given = object[key] ?? absent
    if (typeof given !== typeof absent) {
      throw queryError(
        'invalidArgument',
        `json: cannot unmarshal ${typeof given} into Go struct field TraceConfig.${key} of type ${type}`,
      )
    }
    return given as T
  }
  const config: TraceConfig = {
    tracer: of('tracer', 'string', ''),
    tracerConfig: object['tracerConfig'] ?? undefined,
    limit: of('limit', 'int', 0),
    disableStack: of('disableStack', 'bool', false),
    disableStorage: of('disableStorage', 'bool', false),
    enableMemory: of('enableMemory', 'bool', false),
    enableReturnData: of('enableReturnData', 'bool', false),
    debug: of('debug', 'bool', false),
  }
  of('reexec', 'uint64', 0)
  if (!Number.isSafeInteger(config.limit)) throw queryError('invalidArgument', 'limit is no integer')
  checkLimit(config.limit)
  needsScripts(config)
  return { config, ...readTimeout(of('timeout', 'string', ''), node.settings.evmTimeoutMs) }
}
