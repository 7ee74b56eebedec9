/** Where the field's public test data lies: beside the checkout, never in it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

const conformance = resolve(import.meta.dirname, '../../../shared/conformance')

/** Whether the data is there. Without it its tests cannot run, which is said aloud. */
export const isPresent = existsSync(conformance)
if (!isPresent) console.warn(`${conformance} is not there: its tests are not run`)

export interface DataFile {
  /** Path below the folder asked for. */
  readonly name: string
  readonly content: unknown
}

/** The JSON files below a folder of the data, in order of their paths. */
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
