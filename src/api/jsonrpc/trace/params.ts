/** Parameters of `trace_` methods. */
import type { AddressFilter } from '../../../evm/tracers/views/flat.ts'
import type { ReplayView } from '../../../evm/tracers/views/replay.ts'
import type { CallArgs } from '../../../modules/evm/calls/call-args.ts'
import { cannotUnmarshal, jsonKind, readObject } from '../../../modules/evm/calls/hex-json.ts'
import { queryError } from '../../../primitives/errors.ts'
import { callArgs } from '../eth/calls.ts'
import { type BlockRef, decimalOrQuantity, type Param, readAddresses, readBlockNumber } from '../params.ts'

const PARTS = ['trace', 'stateDiff', 'vmTrace'] as const

/** Calls in one `trace_callMany`. Beyond: -32602. */
const MAX_CALLS = 1_000

const invalid = (text: string): Error => queryError('invalidArgument', text)

function readParts(value: unknown): ReplayView {
  if (!Array.isArray(value)) throw cannotUnmarshal(jsonKind(value), { type: '[]string' })
  const unknown = value.find((part: unknown) => !PARTS.some((name) => name === part))
  if (unknown !== undefined) {
    throw invalid(`trace type ${JSON.stringify(unknown).slice(0, 60)} is not one of ${PARTS.join(', ')}`)
  }
  const [trace, stateDiff, vmTrace] = PARTS.map((part) => value.includes(part)) as [boolean, boolean, boolean]
  return { kind: 'replay', trace, stateDiff, vmTrace, withHash: false }
}

/** The list of the parts that a replay shows. */
export const parts: Param<ReplayView> = { required: true, read: readParts }

/** Pairs of a call and its parts. */
export const callsWithParts: Param<readonly { readonly args: CallArgs; readonly view: ReplayView }[]> = {
  required: true,
  read(value) {
    if (!Array.isArray(value)) throw cannotUnmarshal(jsonKind(value), { type: '[]call' })
    if (value.length > MAX_CALLS) throw invalid(`${value.length} calls, at most ${MAX_CALLS}`)
    return value.map((pair: unknown, i) => {
      if (!Array.isArray(pair) || pair.length !== 2) throw invalid(`call ${i} is not a pair of a call and trace types`)
      return { args: callArgs.read(pair[0]), view: readParts(pair[1]) }
    })
  },
}

/** The path of a trace: the index of the call at each depth. */
export const tracePath: Param<readonly number[]> = {
  required: true,
  read(value) {
    if (!Array.isArray(value)) throw cannotUnmarshal(jsonKind(value), { type: '[]hexutil.Uint64' })
    return value.map((index: unknown) => Number(decimalOrQuantity.read(index)))
  },
}

/** A search for traces. */
export interface TraceFilter {
  readonly from: BlockRef | undefined
  readonly to: BlockRef | undefined
  readonly addresses: AddressFilter
  /** Traces that are passed over. */
  readonly after: bigint
  /** Traces in the answer; undefined for all. */
  readonly count: bigint | undefined
}

/** The object of `trace_filter`. */
export const traceFilter: Param<TraceFilter> = {
  required: true,
  read(value) {
    const { fromBlock, toBlock, fromAddress, toAddress, after, count, mode } = readObject(value, {
      type: 'TraceFilter',
    })
    if (mode !== undefined && mode !== null && mode !== 'union' && mode !== 'intersection') {
      throw invalid(`mode ${JSON.stringify(mode).slice(0, 60)} is neither "union" nor "intersection"`)
    }
    const ref = (given: unknown): BlockRef | undefined =>
      given === undefined || given === null ? undefined : readBlockNumber(given)
    const number = (given: unknown): bigint | undefined =>
      given === undefined || given === null ? undefined : decimalOrQuantity.read(given)
    return {
      from: ref(fromBlock),
      to: ref(toBlock),
      addresses: {
        from: readAddresses(fromAddress),
        to: readAddresses(toAddress),
        needsBoth: mode === 'intersection',
      },
      after: number(after) ?? 0n,
      count: number(count),
    }
  },
}
