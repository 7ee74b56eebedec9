/** The info of a plan as supervisors read it to fetch the next build: what may be wrong with it (upgrade.md §9.3). */
import { createHash, getHashes } from 'node:crypto'
import { queryError } from '../primitives/errors.ts'

export interface InfoChecks {
  /** Whether each address must name a checksum. */
  readonly checksums: boolean
  /** Whether each build is fetched, and compared with its checksum. */
  readonly downloads: boolean
}

const ALGORITHMS = ['md5', 'sha1', 'sha256', 'sha512']

/** Throws `invalidArgument` with what is wrong; `fetchBytes` gets what lies at an address. */
export async function checkPlanInfo(info: string, checks: InfoChecks, fetchBytes = download): Promise<void> {
  if (info.trim() === '') throw wrong('plan info must not be blank')
  const text = isUrl(info) ? await fetchInfo(info, checks, fetchBytes) : info
  for (const [platform, address] of Object.entries(binariesOf(text))) {
    if (platform !== 'any' && !/^[a-zA-Z0-9]+\/[a-zA-Z0-9]+$/.test(platform)) {
      throw wrong(`invalid os/arch format in key "${platform}"`)
    }
    if (typeof address !== 'string' || !isUrl(address)) throw wrong(`invalid url "${address}" in binaries[${platform}]`)
    if (checks.checksums && !checksumOf(address)) {
      throw wrong(`invalid url "${address}" in binaries[${platform}]: missing checksum query parameter`)
    }
    if (!checks.downloads) continue
    const fault = await faultOf(address, fetchBytes)
    if (fault !== undefined) throw wrong(`error downloading binary for os/arch ${platform}: ${fault}`)
  }
}

const wrong = (text: string) => queryError('invalidArgument', text)

function isUrl(text: string): boolean {
  return /^https?:\/\/\S+$/.test(text.trim())
}

function checksumOf(address: string): string | null {
  return new URL(address).searchParams.get('checksum')
}

async function fetchInfo(address: string, { checksums }: InfoChecks, fetchBytes: typeof download): Promise<string> {
  if (checksums && !checksumOf(address)) throw wrong(`invalid url "${address}": missing checksum query parameter`)
  const fault = await faultOf(address, fetchBytes)
  if (fault !== undefined) throw wrong(`could not parse plan info: ${fault}`)
  return new TextDecoder().decode(await fetchBytes(address))
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

/** What stands against fetching from an address; undefined if its checksum, where it names one, is right. */
async function faultOf(address: string, fetchBytes: typeof download): Promise<string | undefined> {
  let bytes: Uint8Array
  try {
    bytes = await fetchBytes(address)
  } catch (error) {
    return `${address}: ${(error as Error).message}`
  }
  const named = checksumOf(address)
  if (!named || named.startsWith('file:')) return undefined
  const [algorithm = '', expected = ''] = named.includes(':') ? named.split(':') : ['sha256', named]
  if (!ALGORITHMS.includes(algorithm) || !getHashes().includes(algorithm)) return `unknown checksum ${algorithm}`
  const found = createHash(algorithm).update(bytes).digest('hex')
  return found === expected.toLowerCase() ? undefined : `${algorithm} is ${found}, and the plan says ${expected}`
}

async function download(address: string): Promise<Uint8Array> {
  const response = await fetch(address)
  if (!response.ok) throw new Error(`answered ${response.status}`)
  return new Uint8Array(await response.arrayBuffer())
}
