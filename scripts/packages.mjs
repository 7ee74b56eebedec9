/** Files of npm packages that are needed once, at a pinned version and digest: they are downloaded to a temporary folder. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const scratch = mkdtempSync(join(tmpdir(), 'packages-'))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))

/** Downloads a package and returns the path of one of its files. Throws if the digest of the package is another. */
export function fileOfPackage({ name, version, integrity, file }) {
  const folder = join(scratch, `${name}-${version}`.replaceAll('/', '-'))
  if (!existsSync(folder)) {
    mkdirSync(folder)
    const [packed] = JSON.parse(
      execFileSync('npm', ['pack', '--json', '--pack-destination', folder, `${name}@${version}`], { encoding: 'utf8' }),
    )
    const archive = join(folder, packed.filename)
    const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`
    if (found !== integrity) throw new Error(`${name}@${version} is ${found}, not ${integrity}`)
    execFileSync('tar', ['xzf', archive, '-C', folder])
  }
  return join(folder, 'package', file)
}

/** Downloads a package and returns the text of one of its files. */
export const readPackage = (source) => readFileSync(fileOfPackage(source), 'utf8')
