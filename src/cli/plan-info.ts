/** The info of a plan as supervisors read it to fetch the next build: what may be wrong with it (upgrade.md §9.3). */
import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { formatUtf8 } from '../primitives/bytes.ts'
import { queryError } from '../primitives/errors.ts'
import { archiveKind, filesInArchive } from './archive.ts'

export interface InfoChecks {
  /** Whether each address must name a checksum. */
  readonly checksums: boolean
  /** Whether each build is fetched, compared with its checksum, and looked into. */
  readonly downloads: boolean
  /** Name of the program that an archive must hold, alone or in its folder `bin`. */
  readonly program: string
}

/** Gets what lies at an address. Throws an `Error` that says why it cannot. */
type Fetch = (address: string) => Promise<Uint8Array>

/** Digits of a checksum in hexadecimal, by algorithm. */
const DIGITS = { md5: 32, sha1: 40, sha256: 64, sha512: 128 } as const

/** Parameters that are for the supervisor alone. */
const OWN_PARAMETERS = ['checksum', 'archive']

/** Throws `invalidArgument` with what is wrong. */
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

/** What lies at an address. Throws an `Error` when it cannot be had, or is not what the checksum says, where one is named. */
async function fetchChecked(address: string, fetchBytes: Fetch): Promise<Uint8Array> {
  const bytes = await fetchBytes(withoutOwnParameters(address))
  const named = checksumOf(address)
  if (!named) return bytes
  const { algorithm, expected } = await checksumNamed(named, address, fetchBytes)
  const found = createHash(algorithm).update(bytes).digest('hex')
  if (found !== expected) throw new Error(`${algorithm} is ${found}, and should be ${expected}`)
  return bytes
}

function withoutOwnParameters(address: string): string {
  const url = new URL(address)
  for (const name of OWN_PARAMETERS) url.searchParams.delete(name)
  return url.href
}

interface Checksum {
  readonly algorithm: keyof typeof DIGITS
  /** Lower-case hexadecimal. */
  readonly expected: string
}

/** `sha256:HEX`, `HEX`, or `file:URL` for a file with a line for each build. */
async function checksumNamed(named: string, address: string, fetchBytes: Fetch): Promise<Checksum> {
  if (named.startsWith('file:')) {
    const url = named.slice('file:'.length)
    if (!isUrl(url)) throw new Error(`checksum ${named} names no address`)
    return checksumInFile(formatUtf8(await fetchBytes(url)), url, posix.basename(new URL(address).pathname))
  }
  const [algorithm, hex] = named.includes(':') ? (named.split(':') as [string, string]) : [undefined, named]
  const checksum = checksumOfHex(hex)
  if (!checksum || (algorithm !== undefined && algorithm !== checksum.algorithm)) {
    throw new Error(`checksum ${named} is none of ${Object.keys(DIGITS).join(', ')} in hexadecimal`)
  }
  return checksum
}

function checksumOfHex(hex: string): Checksum | undefined {
  const known = Object.entries(DIGITS).find(([, length]) => length === hex.length)
  if (!known || !/^[0-9a-fA-F]+$/.test(hex)) return undefined
  return { algorithm: known[0] as Checksum['algorithm'], expected: hex.toLowerCase() }
}

/** The line of a name, as `sha256sum` or the BSD programs write it; a file of one checksum alone needs none. */
function checksumInFile(text: string, url: string, name: string): Checksum {
  for (const line of text.split('\n')) {
    const [, hex, of] = /^([0-9a-fA-F]+)(?:\s+\*?(\S.*?))?\s*$/.exec(line) ?? []
    const [, bsdOf, bsdHex] = /^\w+ \((.+)\) = ([0-9a-fA-F]+)\s*$/.exec(line) ?? []
    const named = of ?? bsdOf
    const checksum = checksumOfHex(hex ?? bsdHex ?? '')
    if (checksum && (named === undefined || posix.basename(named) === name)) return checksum
  }
  throw new Error(`${url} holds no checksum of ${name}`)
}

/** Throws an `Error` for an archive without the program in its place. What is no archive is the program. */
function requireProgram(bytes: Uint8Array, address: string, program: string): void {
  const url = new URL(address)
  const ending = url.searchParams.get('archive') ?? /\.(tar\.\w+|\w+)$/.exec(url.pathname)?.[1] ?? ''
  const kind = archiveKind(ending)
  const files = kind && filesInArchive(bytes, kind)
  if (!files || files.includes(program) || files.includes(`bin/${program}`)) return
  throw new Error(`the archive holds neither ${program} nor bin/${program}, but ${files.slice(0, 5).join(', ')}`)
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
