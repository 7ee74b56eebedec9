/** The file `data/upgrade-info.json`, which a build that stopped at a plan writes for the supervisor and the next build. */
import { join } from 'node:path'
import type { Files } from './files.ts'

const ZERO_TIME = '0001-01-01T00:00:00Z'

export interface UpgradeInfo {
  readonly name: string
  /** Height of the block that was not made. */
  readonly height: bigint
  readonly info: string
}

/** The result of reading the file. */
export type FoundUpgradeInfo =
  | { readonly kind: 'missing' }
  | { readonly kind: 'whole'; readonly upgrade: UpgradeInfo }
  /** The file is truncated, or of another kind. */
  | { readonly kind: 'damaged'; readonly reason: string }

export function upgradeInfoPath(data: string): string {
  return join(data, 'upgrade-info.json')
}

/** Writes the file over any earlier one: atomically, readable by its owner only, and durable when this returns. */
export function writeUpgradeInfo(data: string, text: string, files: Files): void {
  files.write(upgradeInfoPath(data), text, { secret: true, durable: true })
}

export function readUpgradeInfo(data: string, files: Files): FoundUpgradeInfo {
  let text: string | undefined
  try {
    text = files.read(upgradeInfoPath(data))
  } catch (error) {
    return { kind: 'damaged', reason: (error as Error).message }
  }
  if (text === undefined) return { kind: 'missing' }
  const read = parseUpgradeInfo(text)
  return typeof read === 'string' ? { kind: 'damaged', reason: read } : { kind: 'whole', upgrade: read }
}

/** Returns the upgrade, or the fault of the text. A height can be a number or a text. */
function parseUpgradeInfo(text: string): UpgradeInfo | string {
  if (text.trim() === '') return 'the file is empty'
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    return `no JSON, or cut off: ${(error as Error).message}`
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return 'not a JSON object'
  const { name, time = ZERO_TIME, height, info = '' } = json as Readonly<Record<string, unknown>>
  if (typeof name !== 'string' || name === '') return 'name cannot be empty'
  if (time !== ZERO_TIME) return 'time-based upgrades have been deprecated in the SDK'
  if (!/^\d{1,18}$/.test(String(height)) || BigInt(String(height)) === 0n) return 'height must be greater than 0'
  if (typeof info !== 'string') return 'info must be a text'
  return { name, height: BigInt(String(height)), info }
}
