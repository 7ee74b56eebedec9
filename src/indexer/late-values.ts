/** Values of stored results that are built from the receipts when they are read, whole or in pieces. */
import type { TxResult } from '../app/records.ts'
import type { ChainEvent, EventAttribute } from '../store/types.ts'

const LATE = Symbol('late')

/** A text that is built when it is read. */
export interface LateText {
  /** Approximate length. Unit: characters. */
  readonly size: number
  readonly pieces: () => Iterable<string>
}

/** Returns an attribute whose value is built at each read. */
export function lateAttribute(key: string, text: LateText): EventAttribute {
  const attribute = {
    key,
    get value() {
      return [...text.pieces()].join('')
    },
  }
  return Object.defineProperty(attribute, LATE, { value: text })
}

/** Returns the text of an attribute that is built when it is read; undefined for any other. */
export function lateTextOf(attribute: EventAttribute): LateText | undefined {
  return (attribute as { readonly [LATE]?: LateText })[LATE]
}

/** Returns a result whose data is built at each read. */
export function withLateData(result: TxResult, events: readonly ChainEvent[], data: () => Uint8Array): TxResult {
  const late = Object.defineProperty({ ...result, events }, 'data', { get: data, enumerable: true })
  return Object.defineProperty(late, LATE, { value: true })
}

/** Whether the data of a result is built when it is read. */
export function hasLateData(result: TxResult): boolean {
  return LATE in result
}

/** Returns a result with all its values built. */
export function wholeResult(result: TxResult): TxResult {
  const events = result.events.map(({ type, attributes }) => ({
    type,
    attributes: attributes.map(({ key, value }) => ({ key, value })),
  }))
  return { ...result, events }
}
