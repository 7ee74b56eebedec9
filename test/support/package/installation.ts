/** The packed package, installed into an empty folder as `npm install --ignore-scripts` installs it, without a registry. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../..')

interface LockedPackage {
  readonly dev?: boolean
  readonly hasInstallScript?: boolean
}

/** Packs the built checkout into `folder`. Returns the path of the tarball, and those of its files, without `package/`. */
export function pack(folder: string): { readonly tarball: string; readonly files: readonly string[] } {
  mkdirSync(folder, { recursive: true })
  // A packing of a checkout would build it. Tests run on what is built, and others may run at the same time.
  const flags = ['--ignore-scripts', '--json', '--pack-destination', folder]
  const shell = process.platform === 'win32'
  const output = execFileSync('npm', ['pack', ...flags], { cwd: root, encoding: 'utf8', stdio: 'pipe', shell })
  const described: unknown = JSON.parse(output)
  // npm before 12 prints a list, later versions an object by name.
  const [packed] = Object.values(described as object) as { filename: string; files: { path: string }[] }[]
  return { tarball: join(folder, packed!.filename), files: packed!.files.map(({ path }) => path) }
}

/** Copies an installed package, without those inside it and without what its install script compiled. */
function copyPackage(path: string, target: string, { hasInstallScript }: LockedPackage): void {
  const from = join(root, path)
  const left = new Set(['node_modules', ...(hasInstallScript ? ['build'] : [])])
  cpSync(from, join(target, path), { recursive: true, filter: (file) => !left.has(relative(from, file)) })
}

/**
 * Installs a tarball with its dependencies into `folder`, from the packages of the checkout. Returns the names of the packages
 * beside it.
 */
export function install(tarball: string, folder: string): readonly string[] {
  const almanac = join(folder, 'node_modules/almanac')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(almanac, { recursive: true })
  execFileSync('tar', ['-xzf', tarball, '-C', almanac, '--strip-components=1'])
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>
  }
  const installed = Object.entries(lock.packages).filter(
    ([path, { dev }]) => path !== '' && !dev && existsSync(join(root, path)),
  )
  for (const [path, entry] of installed) copyPackage(path, folder, entry)
  return installed.map(([path]) => path.replace(/^node_modules\//, '').replaceAll('/node_modules/', ' > ')).sort()
}
