/** The ASCII armor of OpenPGP (RFC 4880, section 6), in which the family exports keys. */
import { formatBase64, parseBase64 } from '../primitives/bytes.ts'
import { queryError } from '../primitives/errors.ts'

export interface Armored {
  /** `TENDERMINT PRIVATE KEY`. */
  readonly type: string
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
}

const LINE_CHARACTERS = 64
const CRC_START = 0xb704ce
const CRC_POLYNOMIAL = 0x1864cfb

/** Returns the checksum of OpenPGP, 3 bytes. */
function crc24(bytes: Uint8Array): Uint8Array {
  let crc = CRC_START
  for (const byte of bytes) {
    crc ^= byte << 16
    for (let bit = 0; bit < 8; bit++) {
      crc <<= 1
      if (crc & 0x1000000) crc ^= CRC_POLYNOMIAL
    }
  }
  return Uint8Array.of((crc >> 16) & 0xff, (crc >> 8) & 0xff, crc & 0xff)
}

/** Formats bytes as armor, without a newline at the end. */
export function formatArmor({ type, headers, bytes }: Armored): string {
  const base64 = formatBase64(bytes)
  const lines: string[] = []
  for (let at = 0; at < base64.length; at += LINE_CHARACTERS) lines.push(base64.slice(at, at + LINE_CHARACTERS))
  return [
    `-----BEGIN ${type}-----`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    ...lines,
    `=${formatBase64(crc24(bytes))}`,
    `-----END ${type}-----`,
  ].join('\n')
}

/** Parses armor. Throws `invalidArgument` with the part that is missing, cut off or damaged. */
export function parseArmor(text: string): Armored {
  const fault = (reason: string) => queryError('invalidArgument', `not an armored key: ${reason}`)
  const lines = text.trim().split(/\r?\n/)
  const type = /^-----BEGIN (.+)-----$/.exec(lines[0] ?? '')?.[1]
  if (type === undefined) throw fault('the first line is not -----BEGIN …-----')
  if (lines.at(-1)?.trim() !== `-----END ${type}-----`) throw fault(`the last line is not -----END ${type}-----`)
  const blank = lines.findIndex((line) => line.trim() === '')
  if (blank < 0) throw fault('no blank line after the headers')
  const headers: Record<string, string> = {}
  for (const line of lines.slice(1, blank)) {
    const [, name, value] = /^([^:]+): (.*)$/.exec(line) ?? []
    if (name === undefined || value === undefined) throw fault(`the header ${JSON.stringify(line)} is not NAME: VALUE`)
    headers[name] = value.trim()
  }
  const body = lines.slice(blank + 1, -1).map((line) => line.trim())
  const checksum = body.at(-1)?.startsWith('=') ? body.pop()?.slice(1) : undefined
  const bytes = parseBase64(body.join(''))
  if (!bytes) throw fault('the body is not base64')
  if (checksum !== undefined && checksum !== formatBase64(crc24(bytes))) throw fault('the checksum does not match')
  return { type, headers, bytes }
}
