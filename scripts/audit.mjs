// Asks the registry for advisories about the packages that ship, installed or bundled, and exits with 1 if there are some. A registry that has no advisories, or that does not answer, fails nothing: the output says so.
import { shippedPackages } from './shipped.mjs'

const TIMEOUT_MS = 20_000

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

const versions = {}
for (const { name, version } of shippedPackages()) versions[name] = [...new Set([...(versions[name] ?? []), version])]
const registry = process.env.npm_config_registry ?? 'https://registry.npmjs.org'
const { advisories = [], unknown } = await findAdvisories(registry, versions)
if (unknown) console.log(`advisories are not known: ${unknown}`)
else console.log(`${advisories.length} advisories about ${Object.keys(versions).length} packages`)
for (const line of advisories) console.log(`  ${line}`)
process.exitCode = advisories.length > 0 ? 1 : 0
