// Asks the registry for advisories about the packages of the lock file that the program ships with, and exits with 1 if there
// are some. A registry that has no advisories, or that does not answer, fails nothing: the output says so.
import { readFileSync } from 'node:fs'

const TIMEOUT_MS = 20_000

/** Returns the versions of each package of a lock file, without those for development. */
function shippedVersions({ packages }) {
  const versions = {}
  for (const [path, { version, dev, name = path.slice(path.lastIndexOf('node_modules/') + 13) }] of Object.entries(
    packages,
  )) {
    if (path === '' || dev || version === undefined) continue
    versions[name] = [...new Set([...(versions[name] ?? []), version])]
  }
  return versions
}

/**
 * Asks a registry for the advisories about versions. Resolves with `advisories`, one line each, or with the reason why they
 * are not known.
 */
async function findAdvisories(registry, versions) {
  const url = `${registry.replace(/\/$/, '')}/-/npm/v1/security/advisories/bulk`
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(versions),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    if (!answer.ok) return { unknown: `${url} answers ${answer.status}` }
    const found = Object.entries(await answer.json())
    return {
      advisories: found.flatMap(([name, list]) =>
        list.map(
          ({ severity, title, url: more, vulnerable_versions: range }) =>
            `${name} ${range}: ${severity}, ${title} (${more})`,
        ),
      ),
    }
  } catch (error) {
    return { unknown: `${url}: ${error.cause?.code ?? error.message}` }
  }
}

const versions = shippedVersions(JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')))
const registry = process.env.npm_config_registry ?? 'https://registry.npmjs.org'
const { advisories = [], unknown } = await findAdvisories(registry, versions)
if (unknown) console.log(`advisories are not known: ${unknown}`)
else console.log(`${advisories.length} advisories about ${Object.keys(versions).length} packages`)
for (const line of advisories) console.log(`  ${line}`)
process.exitCode = advisories.length > 0 ? 1 : 0
