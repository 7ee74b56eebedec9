/** The calls of a transaction in the forms of Otterscan (`ots_*`). */
import { equal, formatHex0x } from '../../../primitives/bytes.ts'
import type { CallFrame } from '../call-frames.ts'
import { flatFrames } from '../flat-call.ts'
import type { Output } from '../output.ts'
import { quantity, type TraceContext } from '../tracer.ts'
import { SEPARATOR } from './view-options.ts'

function* succeeded(top: CallFrame): Iterable<CallFrame> {
  const open: CallFrame[] = [top]
  for (let next = open.pop(); next; next = open.pop()) {
    // A failed call undoes everything inside it.
    if (next.error !== undefined) continue
    yield next
    for (let i = next.calls.length - 1; i >= 0; i--) open.push(next.calls[i]!)
  }
}

function writeList(output: Output, items: Iterable<string>): void {
  let separator = ''
  for (const item of items) {
    output.text(separator)
    output.text(item)
    separator = SEPARATOR
  }
}

const addressText = (address: Uint8Array | undefined): string => (address ? `"${formatHex0x(address)}"` : 'null')

function entryOf(frame: CallFrame, depth: number): string {
  const { kind, from, target, input, output, valueWei } = frame
  const value = kind === 'DELEGATECALL' || kind === 'STATICCALL' ? 0n : valueWei
  return (
    `{"type":"${kind}","depth":${depth},"from":${addressText(from)},"to":${addressText(target)},` +
    `"value":"${quantity(value)}","input":"${formatHex0x(input)}","output":"${formatHex0x(output)}"}`
  )
}

function* entries(top: CallFrame): Iterable<string> {
  for (const { frame, traceAddress } of flatFrames(top)) yield entryOf(frame, traceAddress.length)
}

/** Writes every call with its depth. The value of a delegated or static call, which moves nothing, is 0. */
export const writeEntries = (output: Output, top: CallFrame): void => writeList(output, entries(top))

/** Numbers of operations in Otterscan's interface. */
const OPERATIONS: Readonly<Partial<Record<CallFrame['kind'], number>>> = {
  CALL: 0,
  SELFDESTRUCT: 1,
  CREATE: 2,
  CREATE2: 3,
}

function* operations(top: CallFrame): Iterable<string> {
  for (const frame of succeeded(top)) {
    const { kind, from, to, valueWei } = frame
    const type = OPERATIONS[kind]
    if (frame === top || type === undefined || (kind === 'CALL' && valueWei === 0n)) continue
    yield `{"type":${type},"from":${addressText(from)},"to":${addressText(to)},"value":"${quantity(valueWei)}"}`
  }
}

/** Writes the transfers, creations and self-destructs inside a transaction that took effect, in order. */
export const writeOperations = (output: Output, top: CallFrame): void => writeList(output, operations(top))

/** Writes the bytes that a failed transaction returned; no bytes for a success and for any failure but a revert. */
export function writeOutput(output: Output, { error, output: bytes }: CallFrame): void {
  output.text(`"${error === undefined ? '0x' : formatHex0x(bytes)}"`)
}

/** Writes the hash of the transaction and the creator of a contract; nothing if the transaction did not create it. */
export function writeCreator(output: Output, top: CallFrame, { txHash }: TraceContext, contract: Uint8Array): void {
  for (const { kind, from, to } of succeeded(top)) {
    if ((kind !== 'CREATE' && kind !== 'CREATE2') || !to || !equal(to, contract)) continue
    output.text(`{"hash":${addressText(txHash)},"creator":${addressText(from)}}`)
    return
  }
}
