import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Finds relative imports of a file of types: `from './a.ts'` and `import('./a.ts')`. */
const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*)['"](\.[^'"]+)['"]/g

/** Deletes the files of types below `folder` that `entries` do not reach. Folders that this empties stay. */
export function pruneTypes(folder, entries) {
  const reached = new Set()
  const visit = (file) => {
    if (reached.has(file)) return
    reached.add(file)
    for (const [, path] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      visit(resolve(dirname(file), path.replace(/\.[jt]s$/, '.d.ts')))
    }
  }
  for (const entry of entries) visit(join(folder, entry))
  for (const name of readdirSync(folder, { recursive: true })) {
    const file = join(folder, name)
    if (name.endsWith('.ts') && !reached.has(file)) rmSync(file)
  }
}
