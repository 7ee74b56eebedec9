/**
 * `npm run site`: builds the documents into `build/site`, a folder that any server serves. The generator has its own packages, in
 * `site/`, which nothing else needs.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT_PAGES } from '../site/.vitepress/config.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const site = join(root, 'site')
const pages = join(site, 'pages')
/** Name of the first page, which the generator expects. */
const FIRST = 'index'

/** Runs a command in `site/`, and ends this program with its code if it fails. */
function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: site, stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) process.exit(status ?? 1)
}

if (!existsSync(join(site, 'node_modules/vitepress'))) {
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'])
}
// The generator resolves its packages from the folder of the pages.
rmSync(pages, { recursive: true, force: true })
cpSync(join(root, 'docs'), pages, { recursive: true })
cpSync(join(site, `${FIRST}.md`), join(pages, `${FIRST}.md`))
// Beside the documents there, and so one folder nearer to them.
for (const name of ROOT_PAGES) {
  const text = readFileSync(join(root, `${name}.md`), 'utf8')
  writeFileSync(join(pages, `${name}.md`), text.replaceAll('](docs/', ']('))
}
// Comments of HTML would be text there.
for (const name of readdirSync(pages, { recursive: true })) {
  if (!name.endsWith('.md')) continue
  const text = readFileSync(join(pages, name), 'utf8')
  writeFileSync(join(pages, name), text.replaceAll(/^<!--.*-->\n/gm, ''))
}
run(process.execPath, [join(site, 'node_modules/vitepress/bin/vitepress.js'), 'build'])
