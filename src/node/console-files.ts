/** The built console beside the running program. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ConsoleFiles } from '../api/console/console.ts'

/** Reads the whole console at once, so that a build that replaces it does not mix two. Undefined if it is not built. */
export function readConsoleFiles(): ConsoleFiles | undefined {
  const base = import.meta.url.endsWith('.ts') ? '../../dist/web/' : './web/'
  const folder = fileURLToPath(new URL(base, import.meta.url))
  if (!existsSync(`${folder}index.html`)) return undefined
  const names = ['index.html', ...readdirSync(`${folder}console`).map((name) => `console/${name}`)]
  return new Map(names.map((name) => [name, readFileSync(folder + name, 'utf8')]))
}
