/** Writes the notices that the licences of bundled packages require, and a list of these packages. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PARTS_OF } from './parts.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const FOLDER = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/

/** Returns the folders, relative to the checkout, of the packages that went into bundles. */
function foldersOf(metafiles) {
  const inputs = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
    ),
  )
  // A checkout can have its packages elsewhere, behind a link.
  const folders = inputs.flatMap((path) => FOLDER.exec(path.slice(path.indexOf('node_modules/')))?.[0] ?? [])
  return [...new Set([...folders, ...PARTS_OF.map((name) => `node_modules/${name}`)])].sort()
}

const read = (folder, name) => readFileSync(join(root, folder, name), 'utf8')

function licenceTexts(folder) {
  const names = readdirSync(join(root, folder)).filter((name) => /^(licen[cs]e|notice|copying)/i.test(name))
  return names.sort().map((name) => read(folder, name).trim().replaceAll('\r\n', '\n'))
}

const authorOf = ({ author }) => (typeof author === 'object' ? author.name : author)

/** Writes `dist/bundled.json` and `dist/licenses.txt` for the bundles that esbuild describes. */
export function writeNotices(metafiles) {
  const packages = foldersOf(metafiles).map((folder) => ({ folder, about: JSON.parse(read(folder, 'package.json')) }))
  const list = packages.map(({ about: { name, version, license } }) => ({ name, version, license }))
  writeFileSync(join(root, 'dist/bundled.json'), `${JSON.stringify(list, null, 2)}\n`)
  const withText = new Map()
  for (const { folder, about } of packages) {
    const text =
      licenceTexts(folder).join('\n\n') || `Licence: ${about.license}. Copyright: ${authorOf(about) ?? 'its authors'}.`
    withText.set(text, [...(withText.get(text) ?? []), `${about.name} ${about.version}`])
  }
  const parts = [...withText].map(([text, names]) => `${names.join('\n')}\n\n${text}\n`)
  const head = 'Almanac contains code of these packages, under their licences.\n'
  writeFileSync(join(root, 'dist/licenses.txt'), [head, ...parts].join(`\n${'-'.repeat(80)}\n\n`))
}
