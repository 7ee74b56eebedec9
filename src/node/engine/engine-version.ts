/** The versions of CometBFT that this node runs, and the advisories that older ones lack the fix of. */
import { execFileSync } from 'node:child_process'
import { queryError } from '../../primitives/errors.ts'

/** The oldest release of a line without a known vulnerability. */
interface Line {
  /** Minor version, of 0.x. */
  readonly minor: number
  readonly patch: number
  readonly advisory: string
}

const LINES: readonly Line[] = [
  { minor: 38, patch: 21, advisory: 'CSA-2026-001 (Tachyon)' },
  // The tag v0.37.18, which has the fix, calls itself 0.37.16.
  { minor: 37, patch: 16, advisory: 'CSA-2026-001 (Tachyon)' },
]

/** Returns the version that a program names. Throws `failedPrecondition` if it cannot run, or is no CometBFT. */
export function versionOf(path: string): string {
  let text: string
  try {
    text = execFileSync(path, ['version'], { encoding: 'utf8', timeout: 10_000 }).trim()
  } catch (error) {
    throw queryError('failedPrecondition', `cannot run the engine ${path}: ${(error as Error).message.split('\n')[0]}`)
  }
  const found = /^v?(\d+\.\d+\.\d+)/.exec(text)
  if (!found)
    throw queryError('failedPrecondition', `${path} is no CometBFT: \`version\` prints "${text.slice(0, 80)}"`)
  return found[1]!
}

/** Throws `failedPrecondition` for a version of another line, and for one with a known vulnerability. */
export function requireSafeVersion(version: string): void {
  const [major, minor, patch] = version.split('.').map(Number)
  const line = LINES.find((one) => major === 0 && one.minor === minor)
  if (!line) {
    throw queryError(
      'failedPrecondition',
      `CometBFT ${version} is not supported: use 0.38 (or 0.37 beside nodes that run it)`,
    )
  }
  if (patch! >= line.patch) return
  throw queryError(
    'failedPrecondition',
    `CometBFT ${version} lacks the fix of ${line.advisory}: use 0.${line.minor}.${line.patch} or newer`,
  )
}
