import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const read = (path) => JSON.parse(readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8'))

/** Returns the name of a package at a path of a lock file. */
export const nameAt = (path, { name } = {}) => name ?? path.slice(path.lastIndexOf('node_modules/') + 13)

/**
 * Returns the packages that users of Almanac run, each with its name, its version, its place in the lock file (`path`), the
 * lock file's `entry`, and `way`: `installed` beside the program, or `bundled` into it. Needs a build, for `dist/bundled.json`.
 */
export function shippedPackages() {
  const { packages } = read('package-lock.json')
  const installed = Object.entries(packages)
    .filter(([path, { dev, version }]) => path !== '' && !dev && version !== undefined)
    .map(([path, entry]) => ({ name: nameAt(path, entry), version: entry.version, path, entry, way: 'installed' }))
  const bundled = read('dist/bundled.json').map(({ name, version }) => {
    const path = Object.keys(packages).find(
      (at) => nameAt(at, packages[at]) === name && packages[at].version === version,
    )
    if (path === undefined)
      throw new Error(`the build has ${name} ${version}, the lock file does not: run \`npm run build\``)
    return { name, version, path, entry: packages[path], way: 'bundled' }
  })
  return [...installed, ...bundled]
}
