/** Public test data, in an optional folder beside the checkout. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

const conformance = resolve(import.meta.dirname, '../../../shared/conformance')

/** Whether the data exists. Without it the tests are skipped, with a warning. */
export const isPresent = existsSync(conformance)
if (!isPresent) console.warn(`${conformance} does not exist: its tests are skipped`)

export interface DataFile {
  /** Path below the given folder. */
  readonly name: string
  readonly content: unknown
}

/** Returns the JSON files below a folder of the data, sorted by path. */
export function* jsonFiles(folder: string): Generator<DataFile> {
  const root = join(conformance, folder)
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json') && !name.endsWith('.from.json'))
    .sort((a, b) => (a < b ? -1 : 1))
  for (const name of names) {
    const path = join(root, name)
    yield { name: relative(root, path), content: JSON.parse(readFileSync(path, 'utf8')) }
  }
}
