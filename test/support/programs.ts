/** Programs of the system that some tests run if they are installed. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the path of the first installed program. Without one it prints that the tests of `subject` are left out. */
export function findProgram(names: readonly string[], subject: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/bin', '/usr/sbin', '/usr/local/bin']
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path))
  if (!found) console.log(`${names[0]} is not installed: the tests of ${subject} are left out`)
  return found
}
