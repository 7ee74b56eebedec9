/**
 * Builds and packs the last commit twice, in two folders of different names, and compares the tarballs. Exits with 1 if their
 * bytes differ. Uses the packages of this checkout, which an installation by the lock file has verified.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'almanac-reproduce-'))
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }))

/** Builds in a clone and returns the name and the SHA-256 of its tarball. */
function packIn(name) {
  const clone = join(scratch, name)
  const run = (command, ...args) =>
    execFileSync(command, args, { cwd: clone, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  execFileSync('git', ['clone', '-q', root, clone])
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
  run(process.execPath, 'scripts/setup.mjs')
  const file = run('npm', 'pack', '--silent').trim().split('\n').at(-1)
  return `${createHash('sha256')
    .update(readFileSync(join(clone, file)))
    .digest('hex')}  ${file}`
}

const [first, second] = [packIn('first'), packIn('another-place')]
console.log(first)
console.log(second)
if (first !== second) {
  console.log('the two tarballs differ')
  process.exitCode = 1
}
