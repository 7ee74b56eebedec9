/** flatCallTracer: the calls of a transaction as a list, in Parity's form. */
import { formatHex0x } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import * as errors from '../errors.ts'
import { type CallFrame, createCallTree } from './call-frames.ts'
import type { Output } from './output.ts'
import {
  configOf,
  createMemoryBudget,
  flagOf,
  quantity,
  type Trace,
  type TraceContext,
  type TraceOptions,
} from './tracer.ts'

/** Parity's error texts by geth's. */
const PARITY_ERRORS: Readonly<Record<string, string>> = {
  [errors.CODE_STORE_OUT_OF_GAS]: 'Out of gas',
  [errors.OUT_OF_GAS]: 'Out of gas',
  [errors.GAS_OVERFLOW]: 'Out of gas',
  [errors.MAX_CODE_SIZE]: 'Out of gas',
  [errors.INVALID_JUMP]: 'Bad jump destination',
  [errors.REVERTED]: 'Reverted',
  [errors.RETURN_DATA_OUT_OF_BOUNDS]: 'Out of bounds',
  'stack limit reached 1024 (1023)': 'Out of stack',
  [errors.PRECOMPILE_FAILED]: 'Built-in failed',
  'precompiled failed': 'Built-in failed',
  'invalid input length': 'Built-in failed',
}

const PARITY_PREFIXES = [
  ['out of gas:', 'Out of gas'],
  ['invalid opcode:', 'Bad instruction'],
  ['stack underflow', 'Stack underflow'],
] as const

/** Creates flatCallTracer. Options: `convertParityErrors`, `includePrecompiles`. */
export function createFlatCallTrace({ config, context, output, memoryBytes }: TraceOptions): Trace {
  const options = configOf(config)
  const converts = flagOf(options, 'convertParityErrors')
  const includesPrecompiles = flagOf(options, 'includePrecompiles')
  const budget = createMemoryBudget(memoryBytes)
  const tree = createCallTree({
    onlyTopCall: false,
    withLog: false,
    budget,
    firstLogIndex: 0,
    keeps: ({ kind, isPrecompile }) =>
      includesPrecompiles || !isPrecompile || (kind !== 'CALL' && kind !== 'STATICCALL'),
  })
  return {
    tracer: tree.tracer,
    isFull: budget.isFull,
    finish() {
      budget.check()
      const top = tree.top()
      if (!top) throw queryError('internal', 'invalid number of calls')
      output.text('[')
      const place = placeOf(context)
      let separator = ''
      for (const item of flatFrames(top)) {
        output.text(separator)
        writeFlatFrame(output, item, { place, errorOf: (error) => (converts ? parityError(error) : error) })
        separator = ','
      }
      output.text(']')
    },
  }
}

/** Returns the text of a failure in OpenEthereum's words. */
export function parityError(error: string): string {
  const known = PARITY_ERRORS[error]
  if (known !== undefined) return known
  return PARITY_PREFIXES.find(([prefix]) => error.startsWith(prefix))?.[1] ?? error
}

/** The fields with the transaction's block and index, the same for every frame: those before and those after the address. */
type Place = readonly [before: string, after: string]

/** Returns the fields of a place, each with a comma in front. */
export function placeOf({ blockNumber, blockHash, txHash, txIndex }: TraceContext): Place {
  const hash = (bytes: Uint8Array | undefined): string => (bytes ? `"${formatHex0x(bytes)}"` : 'null')
  return [
    `,"blockHash":${hash(blockHash)},"blockNumber":${blockNumber}`,
    `,"transactionHash":${hash(txHash)},"transactionPosition":${txIndex ?? 0}`,
  ]
}

/** A frame, and its path from the outermost one: the index of the call at each depth. */
export interface FlatFrame {
  readonly frame: CallFrame
  readonly traceAddress: readonly number[]
}

/** Yields a frame and the frames inside it, in the order in which they began. */
export function* flatFrames(top: CallFrame): Iterable<FlatFrame> {
  const open: FlatFrame[] = [{ frame: top, traceAddress: [] }]
  for (let next = open.pop(); next; next = open.pop()) {
    yield next
    const { calls } = next.frame
    for (let i = calls.length - 1; i >= 0; i--) {
      open.push({ frame: calls[i]!, traceAddress: [...next.traceAddress, i] })
    }
  }
}

/** Writes one frame. With `namesNoResult` a failed frame has the result null, as in OpenEthereum; else it has no result. */
export function writeFlatFrame(
  output: Output,
  { frame, traceAddress }: FlatFrame,
  {
    place,
    errorOf,
    namesNoResult = false,
  }: { readonly place: Place; readonly errorOf: (error: string) => string; readonly namesNoResult?: boolean },
): void {
  const { error, calls } = frame
  const { type, action, result } = partsOf(frame)
  output.text(`{"action":${action}${place[0]}`)
  if (error !== undefined) output.text(`,"error":${JSON.stringify(errorOf(error))}`)
  if (result && (error === undefined || error === errors.REVERTED)) output.text(`,"result":${result}`)
  else if (namesNoResult) output.text(',"result":null')
  output.text(`,"subtraces":${calls.length},"traceAddress":[${traceAddress.join()}]${place[1]},"type":"${type}"}`)
}

function partsOf(frame: CallFrame): { type: string; action: string; result?: string } {
  const { kind, from, to, gas, gasUsed, input, valueWei } = frame
  const shared = `"from":"${formatHex0x(from)}","gas":"${quantity(gas)}"`
  const value = `"value":"${quantity(kind === 'STATICCALL' ? 0n : valueWei)}"`
  const used = `"gasUsed":"${quantity(gasUsed)}"`
  switch (kind) {
    case 'SELFDESTRUCT':
      return {
        type: 'suicide',
        action: `{"address":"${formatHex0x(from)}","balance":"${quantity(valueWei)}","refundAddress":"${formatHex0x(to!)}"}`,
      }
    case 'CREATE':
    case 'CREATE2':
      return {
        type: 'create',
        action: `{"creationMethod":"${kind.toLowerCase()}",${shared},"init":"${formatHex0x(input)}",${value}}`,
        result: `{${to ? `"address":"${formatHex0x(to)}",` : ''}"code":"${formatHex0x(frame.output)}",${used}}`,
      }
    default:
      return {
        type: 'call',
        action: `{"callType":"${kind.toLowerCase()}",${shared},"input":"${formatHex0x(input)}","to":"${formatHex0x(to!)}",${value}}`,
        result: `{${used},"output":"${formatHex0x(frame.output)}"}`,
      }
  }
}
