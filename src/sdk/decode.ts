/** Decoding of messages that others wrote. */
import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf'
import { type ScanRules, scan } from './wire-scan.ts'

const NO_TYPES: ScanRules = { typeOf: () => undefined, refuse: 'critical' }

/**
 * Decodes a message. Throws sdk 2 for bytes that `scan` refuses; the decoder accepts all others. By default contents of `Any`
 * values are not scanned.
 */
export function decodeMessage<Desc extends DescMessage>(
  schema: Desc,
  bytes: Uint8Array,
  rules: ScanRules = NO_TYPES,
): MessageShape<Desc> {
  scan(schema, bytes, rules)
  return fromBinary(schema, bytes)
}
