/** The errors of a damaged or foreign home, with their remedies. */
import { type ChainError, queryError } from '../primitives/errors.ts'
import type { HomePaths } from './home-paths.ts'

/** The first remedy, by the kind of problem. */
const FIRST_REMEDY = {
  choice: 'omit the setting: the chain continues with its own',
  build: 'start it with the build that created it; `almanac export` there prints its state as a genesis document',
  damage: 'restore the file from a copy',
  document: '--genesis FILE   begins a new chain with this document, or move it away',
}

/** Returns a `failedPrecondition` with the reason and the remedies, the one for this kind of problem first. */
export function homeError({ root }: HomePaths, reason: string, first: keyof typeof FIRST_REMEDY): ChainError {
  return queryError(
    'failedPrecondition',
    `${reason}.\nThe genesis choices of a chain cannot change. Remedies:\n` +
      `  ${FIRST_REMEDY[first]}\n` +
      '  --home DIR   uses another home, with a chain of its own\n' +
      `  almanac reset --home ${root}   deletes this chain; the next start creates a new one` +
      (first === 'choice' ? `\n  almanac export --home ${root}   prints its state as a genesis document first` : ''),
  )
}
