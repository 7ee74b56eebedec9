/** The calls of a transaction as a list of OpenEthereum's traces (`trace_*`). */
import { equal } from '../../../primitives/bytes.ts'
import type { CallFrame } from '../call-frames.ts'
import { type FlatFrame, flatFrames, parityError, placeOf, writeFlatFrame } from '../flat-call.ts'
import type { Output } from '../output.ts'
import type { TraceContext } from '../tracer.ts'
import { SEPARATOR } from './view-options.ts'

/** Calls with their place in the chain: all of them, or those that match. */
export interface FlatView {
  readonly kind: 'flat'
  /** Shows only the call at this path. */
  readonly path?: readonly number[] | undefined
  readonly addresses?: AddressFilter | undefined
}

/** Calls from or to accounts. An empty list matches every account. */
export interface AddressFilter {
  readonly from: readonly Uint8Array[]
  readonly to: readonly Uint8Array[]
  /** Whether a call must match both lists; else one that is not empty. */
  readonly needsBoth: boolean
}

const hasAddress = (list: readonly Uint8Array[], address: Uint8Array | undefined): boolean =>
  address !== undefined && list.some((one) => equal(one, address))

/** Whether a filter matches a call; for a creation, its creator and the contract. */
function matches({ from, to, needsBoth }: AddressFilter, frame: CallFrame): boolean {
  const isFrom = hasAddress(from, frame.from)
  const isTo = hasAddress(to, frame.to)
  if (from.length === 0 && to.length === 0) return true
  return needsBoth ? (from.length === 0 || isFrom) && (to.length === 0 || isTo) : isFrom || isTo
}

function isWanted({ path, addresses }: FlatView, { frame, traceAddress }: FlatFrame): boolean {
  if (path && (path.length !== traceAddress.length || path.some((index, i) => traceAddress[i] !== index))) return false
  return !addresses || matches(addresses, frame)
}

/** Writes the calls that a view shows. */
export function writeFlat(output: Output, top: CallFrame, context: TraceContext, view: FlatView): void {
  writeFlatFrames(output, top, {
    place: placeOf(context),
    between: SEPARATOR,
    isShown: (item) => isWanted(view, item),
  })
}

/** Writes calls as traces. `place` are the fields of their place in the chain. */
export function writeFlatFrames(
  output: Output,
  top: CallFrame,
  {
    place,
    between,
    isShown = () => true,
  }: {
    readonly place: readonly [string, string]
    readonly between: string
    readonly isShown?: (item: FlatFrame) => boolean
  },
): void {
  let separator = ''
  for (const item of flatFrames(top)) {
    if (!isShown(item)) continue
    output.text(separator)
    writeFlatFrame(output, item, { place, errorOf: parityError, namesNoResult: true })
    separator = between
  }
}
