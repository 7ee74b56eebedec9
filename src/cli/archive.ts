/** The file names in tar, tar.gz and zip archives, the formats in which builds are distributed. Contents are not unpacked. */
import { gunzipSync } from 'node:zlib'
import { formatUtf8 } from '../primitives/bytes.ts'

/** An archive format that supervisors accept. This program cannot read `tar.bz2` and `tar.xz`. */
export type ArchiveKind = 'tar' | 'tar.gz' | 'zip' | 'tar.bz2' | 'tar.xz'

const KINDS: readonly (readonly [RegExp, ArchiveKind])[] = [
  [/^(tar\.gz|tgz)$/, 'tar.gz'],
  [/^tar$/, 'tar'],
  [/^zip$/, 'zip'],
  [/^(tar\.bz2|tbz2)$/, 'tar.bz2'],
  [/^(tar\.xz|txz)$/, 'tar.xz'],
]

/** Returns the format of a file extension such as `tgz`; undefined if it is not an archive. */
export function archiveKind(extension: string): ArchiveKind | undefined {
  return KINDS.find(([pattern]) => pattern.test(extension))?.[1]
}

/** Limit of an unpacked archive. Unit: bytes. */
const MAX_UNPACKED_BYTES = 2 ** 31

/**
 * Returns the paths of the files in an archive, without a leading `./` or `/`; undefined for a format that this program cannot
 * read. Throws an `Error` if the bytes are not an archive of that format.
 */
export function filesInArchive(bytes: Uint8Array, kind: ArchiveKind): string[] | undefined {
  const names = namesOf(bytes, kind)
  return names?.map((name) => name.replace(/^(\.?\/)+/, ''))
}

function namesOf(bytes: Uint8Array, kind: ArchiveKind): string[] | undefined {
  switch (kind) {
    case 'tar':
      return tarNames(bytes)
    case 'tar.gz':
      return tarNames(gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED_BYTES }))
    case 'zip':
      return zipNames(bytes)
    default:
      return undefined
  }
}

const TAR_BLOCK = 512
/** Type flags of a regular file: POSIX, old tar, and contiguous. */
const TAR_FILE = new Set(['0', '\0', '7'])
/** Type flags of an entry with the long name of the next one: of GNU tar, and of POSIX (pax attributes). */
const TAR_LONG_NAME = 'L'
const TAR_ATTRIBUTES = 'x'

function tarNames(bytes: Uint8Array): string[] {
  if (bytes.length < TAR_BLOCK) throw new Error('not a tar archive')
  const names: string[] = []
  let longName: string | undefined
  for (let at = 0; at + TAR_BLOCK <= bytes.length; ) {
    const header = bytes.subarray(at, at + TAR_BLOCK)
    if (header.every((byte) => byte === 0)) break
    if (octal(header, 148, 8) !== tarChecksum(header)) throw new Error('not a tar archive')
    const size = octal(header, 124, 12)
    const content = bytes.subarray(at + TAR_BLOCK, at + TAR_BLOCK + size)
    if (!(content.length >= size)) throw new Error('the archive is truncated')
    const type = String.fromCharCode(header[156]!)
    if (type === TAR_LONG_NAME) longName = untilZero(content)
    else if (type === TAR_ATTRIBUTES)
      longName = /(?:^|\n)\d+ path=([^\n]*)\n/.exec(formatUtf8(content))?.[1] ?? longName
    else {
      const name = longName ?? tarName(header)
      if (TAR_FILE.has(type) && !name.endsWith('/')) names.push(name)
      longName = undefined
    }
    at += TAR_BLOCK + Math.ceil(size / TAR_BLOCK) * TAR_BLOCK
  }
  if (names.length === 0) throw new Error('the archive contains no file')
  return names
}

/** Returns the path of an entry. In the POSIX format the header stores a prefix of folders separately. */
function tarName(header: Uint8Array): string {
  const name = untilZero(header.subarray(0, 100))
  const isPosix = formatUtf8(header.subarray(257, 263)) === 'ustar\0'
  const prefix = isPosix ? untilZero(header.subarray(345, 500)) : ''
  return prefix === '' ? name : `${prefix}/${name}`
}

/** Returns the sum of a header's bytes, with the checksum field itself counted as spaces. */
function tarChecksum(header: Uint8Array): number {
  return header.reduce((sum, byte, i) => sum + (i >= 148 && i < 156 ? 0x20 : byte), 0)
}

function octal(header: Uint8Array, start: number, length: number): number {
  const text = untilZero(header.subarray(start, start + length)).trim()
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN
}

function untilZero(bytes: Uint8Array): string {
  const end = bytes.indexOf(0)
  return formatUtf8(end < 0 ? bytes : bytes.subarray(0, end))
}

/**
 * Signatures of the end record of the central directory, and of an entry in it. Only a comment can follow the end record.
 */
const ZIP_END = 0x06054b50
const ZIP_ENTRY = 0x02014b50
const ZIP_END_BYTES = 22
const ZIP_MAX_COMMENT_BYTES = 65_535

function zipNames(bytes: Uint8Array): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let end = bytes.length - ZIP_END_BYTES
  const first = Math.max(0, end - ZIP_MAX_COMMENT_BYTES)
  while (end >= first && view.getUint32(end, true) !== ZIP_END) end--
  if (end < first) throw new Error('not a zip archive, or truncated')
  const count = view.getUint16(end + 10, true)
  let at = view.getUint32(end + 16, true)
  const names: string[] = []
  for (let i = 0; i < count; i++) {
    if (at + 46 > end || view.getUint32(at, true) !== ZIP_ENTRY) throw new Error('the directory of the zip is damaged')
    const length = view.getUint16(at + 28, true)
    const name = formatUtf8(bytes.subarray(at + 46, at + 46 + length))
    if (!name.endsWith('/')) names.push(name)
    at += 46 + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  if (names.length === 0) throw new Error('the archive contains no file')
  return names
}
