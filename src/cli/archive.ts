/** What is packed in the archives that builds are handed out in: tar, tar.gz and zip. Only names are read. */
import { gunzipSync } from 'node:zlib'
import { formatUtf8 } from '../primitives/bytes.ts'

/** `tar.bz2` and `tar.xz` are known to supervisors, and not to this program. */
export type ArchiveKind = 'tar' | 'tar.gz' | 'zip' | 'tar.bz2' | 'tar.xz'

const KINDS: readonly (readonly [RegExp, ArchiveKind])[] = [
  [/^(tar\.gz|tgz)$/, 'tar.gz'],
  [/^tar$/, 'tar'],
  [/^zip$/, 'zip'],
  [/^(tar\.bz2|tbz2)$/, 'tar.bz2'],
  [/^(tar\.xz|txz)$/, 'tar.xz'],
]

/** The kind that an ending such as `tgz` stands for; undefined for a file that is no archive. */
export function archiveKind(ending: string): ArchiveKind | undefined {
  return KINDS.find(([pattern]) => pattern.test(ending))?.[1]
}

/** Most bytes that an archive may be when it is unpacked. */
const MOST_BYTES = 2 ** 31

/**
 * Paths of the files in an archive, without `./` before them; undefined for a kind that this program cannot read. Throws an `Error`
 * for bytes that are no such archive.
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
      return tarNames(gunzipSync(bytes, { maxOutputLength: MOST_BYTES }))
    case 'zip':
      return zipNames(bytes)
    default:
      return undefined
  }
}

const TAR_BLOCK = 512
/** A file, also as the oldest tar marks it. */
const TAR_FILE = new Set(['0', '\0', '7'])
/** The name of the next entry, where it is long, in two dialects. */
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
    if (!(content.length >= size)) throw new Error('the archive is cut off')
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
  if (names.length === 0) throw new Error('the archive holds no file')
  return names
}

/** The name of an entry; of one by POSIX also the folders before it. */
function tarName(header: Uint8Array): string {
  const name = untilZero(header.subarray(0, 100))
  const isPosix = formatUtf8(header.subarray(257, 263)) === 'ustar\0'
  const folder = isPosix ? untilZero(header.subarray(345, 500)) : ''
  return folder === '' ? name : `${folder}/${name}`
}

/** The sum of a header's bytes, those of the sum itself taken as blanks. */
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

/** Signatures of the end of the directory, and of an entry in it; the end is at most a comment away from that of the file. */
const ZIP_END = 0x06054b50
const ZIP_ENTRY = 0x02014b50
const ZIP_END_BYTES = 22
const ZIP_MOST_COMMENT = 65_535

function zipNames(bytes: Uint8Array): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let end = bytes.length - ZIP_END_BYTES
  const least = Math.max(0, end - ZIP_MOST_COMMENT)
  while (end >= least && view.getUint32(end, true) !== ZIP_END) end--
  if (end < least) throw new Error('not a zip archive, or cut off')
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
  if (names.length === 0) throw new Error('the archive holds no file')
  return names
}
