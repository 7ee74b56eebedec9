/**
 * Prints the bill of materials of the package as CycloneDX 1.5: what is installed beside Almanac, and what is bundled into it,
 * with the digests of the lock file. `npm sbom` alone leaves out what is bundled, which it takes for tools of development.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { shippedPackages } from './shipped.mjs'

const flags = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only']
const { stdout, stderr, status } = spawnSync('npm', ['sbom', ...flags], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  encoding: 'utf8',
  maxBuffer: 100_000_000,
  shell: process.platform === 'win32',
})
if (status !== 0) {
  process.stderr.write(stderr)
  process.exit(status ?? 1)
}
const document = JSON.parse(stdout)
const ways = new Map(shippedPackages().map(({ name, version, way }) => [`${name}@${version}`, way]))
const idOf = ({ name, group, version }) => `${group ? `${group}/` : ''}${name}@${version}`

const components = document.components.flatMap((component) => {
  const way = ways.get(idOf(component))
  if (!way) return []
  // A property of npm says that a bundled package is for development.
  const { properties: [...properties] = [], ...rest } = component
  const kept = properties.filter(({ name }) => name !== 'cdx:npm:package:development')
  return [{ ...rest, properties: [...kept, { name: 'almanac:way', value: way }] }]
})
const kept = new Set([document.metadata.component['bom-ref'], ...components.map((component) => component['bom-ref'])])
const dependencies = document.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) }))
// Two runs for one lock file give the same text.
const { serialNumber: _, ...rest } = document
const { timestamp: __, ...metadata } = document.metadata
process.stdout.write(`${JSON.stringify({ ...rest, metadata, components, dependencies }, null, 2)}\n`)
