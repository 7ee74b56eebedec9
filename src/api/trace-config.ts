/** Options of a trace, from the message of the query service or from JSON (docs/queries.md#traces; D20, D39). */
import type { TraceConfig as TraceConfigMessage } from '../gen/chain/evm/v1/evm_pb.ts'
import { readObject } from '../modules/evm/calls/hex-json.ts'
import type { TraceConfig } from '../modules/evm/tracing/trace-config.ts'
import { needsScripts } from '../modules/evm/tracing/trace-config.ts'
import { queryError } from '../primitives/errors.ts'
import { formatDuration, NS_PER_MS, parseDuration, toDuration } from '../primitives/time.ts'
import { wrongField } from '../sdk/request.ts'
import type { GatewayNode } from './gateway.ts'

/** The options and the time limit of a trace. */
export interface TraceSettings {
  readonly config: TraceConfig
  readonly timeoutMs: number
  /** Text about an option that the node changed; undefined if it changed no option. */
  readonly notice: string | undefined
}

/** Time of a trace without an option `timeout`, at most `evm.timeout`. Beyond: it is truncated and says so, or fails. */
const DEFAULT_TIMEOUT_MS = 5000

function readTimeout(text: string, budgetMs: number): Pick<TraceSettings, 'timeoutMs' | 'notice'> {
  if (text === '') return { timeoutMs: Math.min(DEFAULT_TIMEOUT_MS, budgetMs), notice: undefined }
  const nanos = parseDuration(text)
  if (nanos === undefined || nanos <= 0n) {
    const shown = JSON.stringify(text.slice(0, 40))
    throw wrongField('trace_config.timeout', `timeout value: time: invalid duration ${shown}`)
  }
  const askedMs = Number(nanos) / Number(NS_PER_MS)
  if (askedMs <= budgetMs) return { timeoutMs: Math.max(1, Math.ceil(askedMs)), notice: undefined }
  const budget = formatDuration(toDuration(BigInt(budgetMs) * NS_PER_MS))
  return { timeoutMs: budgetMs, notice: `timeout ${text.slice(0, 40)} is above the budget of this node, ${budget}` }
}

function checkLimit(limit: number): void {
  if (limit < 0) throw wrongField('trace_config.limit', `output limit cannot be negative, got ${limit}`)
}

/** Reads the options of a query. Throws `invalidArgument` for a negative limit, a bad duration or an unknown tracer. */
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

/** Reads the options of `debug_trace*`: camelCase keys, and `tracerConfig` as given. Throws the errors of `readTraceConfig`. */
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
  if (!Number.isSafeInteger(config.limit)) throw queryError('invalidArgument', 'limit is not an integer')
  checkLimit(config.limit)
  needsScripts(config)
  return { config, ...readTimeout(of('timeout', 'string', ''), node.settings.evmTimeoutMs) }
}
