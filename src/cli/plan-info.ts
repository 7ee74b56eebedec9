/**
 * Checks of a plan's info, from which supervisors download the next build (docs/upgrades.md#the-vote). The messages are those
 * of the Cosmos SDK where it has the same check.
 */
import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { formatUtf8 } from '../primitives/bytes.ts'
import { queryError } from '../primitives/errors.ts'
import { archiveKind, filesInArchive } from './archive.ts'

export interface InfoChecks {
  /** Whether each URL must contain a checksum. */
  readonly checksums: boolean
  /** Whether to download each build, compare its checksum, and look for the program in it. */
  readonly downloads: boolean
  /** Name of the program that an archive must contain, at its root or in `bin/`. */
  readonly program: string
}

/** Downloads a URL. Throws an `Error` with the reason if it cannot. */
type Fetch = (address: string) => Promise<Uint8Array>

/** Number of hexadecimal digits of a checksum, by algorithm. */
const DIGITS = { md5: 32, sha1: 40, sha256: 64, sha512: 128 } as const

/** Query parameters that only the supervisor reads. */
const SUPERVISOR_PARAMETERS = ['checksum', 'archive']

/** Checks the info of a plan. Throws `invalidArgument` with the first error. */
export async function checkPlanInfo(info: string, checks: InfoChecks, fetchBytes: Fetch = download): Promise<void> {
  if (info.trim() === '') throw wrong('plan info must not be blank')
  const text = isUrl(info) ? await fetchInfo(info.trim(), checks, fetchBytes) : info
  for (const [platform, address] of Object.entries(binariesOf(text))) {
    if (platform !== 'any' && !/^[a-zA-Z0-9]+\/[a-zA-Z0-9]+$/.test(platform)) {
      throw wrong(`invalid os/arch format in key "${platform}"`)
    }
    if (typeof address !== 'string' || !isUrl(address)) throw wrong(`invalid url "${address}" in binaries[${platform}]`)
    if (checks.checksums && !checksumOf(address)) {
      throw wrong(`invalid url "${address}" in binaries[${platform}]: missing checksum query parameter`)
    }
    if (!checks.downloads) continue
    try {
      requireProgram(await fetchChecked(address, fetchBytes), address, checks.program)
    } catch (error) {
      throw wrong(`error downloading binary for os/arch ${platform}: ${address}: ${(error as Error).message}`)
    }
  }
}

const wrong = (text: string) => queryError('invalidArgument', text)

function isUrl(text: string): boolean {
  return /^https?:\/\/\S+$/.test(text.trim()) && URL.canParse(text.trim())
}

function checksumOf(address: string): string | null {
  return new URL(address).searchParams.get('checksum')
}

async function fetchInfo(address: string, { checksums }: InfoChecks, fetchBytes: Fetch): Promise<string> {
  if (checksums && !checksumOf(address)) throw wrong(`invalid url "${address}": missing checksum query parameter`)
  try {
    return formatUtf8(await fetchChecked(address, fetchBytes))
  } catch (error) {
    throw wrong(`could not parse plan info: ${address}: ${(error as Error).message}`)
  }
}

function binariesOf(text: string): Readonly<Record<string, unknown>> {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw wrong(`could not parse plan info: ${(error as Error).message}`)
  }
  const { binaries } = (json ?? {}) as { binaries?: Record<string, unknown> }
  if (typeof binaries !== 'object' || binaries === null || Object.keys(binaries).length === 0) {
    throw wrong('no "binaries" entries found')
  }
  return binaries
}

/** Downloads a URL. Throws an `Error` if it cannot, or if the bytes do not match the checksum in the URL. */
async function fetchChecked(address: string, fetchBytes: Fetch): Promise<Uint8Array> {
  const bytes = await fetchBytes(withoutSupervisorParameters(address))
  const named = checksumOf(address)
  if (!named) return bytes
  const { algorithm, expected } = await parseChecksum(named, address, fetchBytes)
  const found = createHash(algorithm).update(bytes).digest('hex')
  if (found !== expected) throw new Error(`${algorithm} is ${found}, but must be ${expected}`)
  return bytes
}

function withoutSupervisorParameters(address: string): string {
  const url = new URL(address)
  for (const name of SUPERVISOR_PARAMETERS) url.searchParams.delete(name)
  return url.href
}

interface Checksum {
  readonly algorithm: keyof typeof DIGITS
  /** Lower-case hexadecimal. */
  readonly expected: string
}

/** Parses a checksum: `sha256:HEX`, `HEX`, or `file:URL` of a file with one line for each build. */
async function parseChecksum(named: string, address: string, fetchBytes: Fetch): Promise<Checksum> {
  if (named.startsWith('file:')) {
    const url = named.slice('file:'.length)
    if (!isUrl(url)) throw new Error(`checksum ${named} must be file: followed by an http(s) URL`)
    return checksumInFile(formatUtf8(await fetchBytes(url)), url, posix.basename(new URL(address).pathname))
  }
  const [algorithm, hex] = named.includes(':') ? (named.split(':') as [string, string]) : [undefined, named]
  const checksum = checksumOfHex(hex)
  if (!checksum || (algorithm !== undefined && algorithm !== checksum.algorithm)) {
    throw new Error(`checksum ${named} must be one of ${Object.keys(DIGITS).join(', ')} in hexadecimal`)
  }
  return checksum
}

function checksumOfHex(hex: string): Checksum | undefined {
  const known = Object.entries(DIGITS).find(([, length]) => length === hex.length)
  if (!known || !/^[0-9a-fA-F]+$/.test(hex)) return undefined
  return { algorithm: known[0] as Checksum['algorithm'], expected: hex.toLowerCase() }
}

/**
 * Returns the checksum of a name from a file in the format of `sha256sum` or of the BSD tools. A checksum without a name always
 * matches.
 */
function checksumInFile(text: string, url: string, name: string): Checksum {
  for (const line of text.split('\n')) {
    const [, hex, of] = /^([0-9a-fA-F]+)(?:\s+\*?(\S.*?))?\s*$/.exec(line) ?? []
    const [, bsdOf, bsdHex] = /^\w+ \((.+)\) = ([0-9a-fA-F]+)\s*$/.exec(line) ?? []
    const named = of ?? bsdOf
    const checksum = checksumOfHex(hex ?? bsdHex ?? '')
    if (checksum && (named === undefined || posix.basename(named) === name)) return checksum
  }
  throw new Error(`${url} contains no checksum of ${name}`)
}

/**
 * Throws an `Error` if an archive does not contain the program at its root or in `bin/`. Any other file is the program itself.
 */
function requireProgram(bytes: Uint8Array, address: string, program: string): void {
  const url = new URL(address)
  const extension = url.searchParams.get('archive') ?? /\.(tar\.\w+|\w+)$/.exec(url.pathname)?.[1] ?? ''
  const kind = archiveKind(extension)
  const files = kind && filesInArchive(bytes, kind)
  if (!files || files.includes(program) || files.includes(`bin/${program}`)) return
  throw new Error(`the archive contains neither ${program} nor bin/${program}, but ${files.slice(0, 5).join(', ')}`)
}

async function download(address: string): Promise<Uint8Array> {
  let response: Response
  try {
    response = await fetch(address)
  } catch (error) {
    const { cause } = error as { cause?: unknown }
    throw new Error(cause instanceof Error ? cause.message : String(error))
  }
  if (!response.ok) throw new Error(`answered ${response.status}`)
  return new Uint8Array(await response.arrayBuffer())
}
