/** The site of the documents: its pages are those of `docs/`, which stay readable as they are. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const docs = join(root, 'docs')
const srcDir = join(root, 'site/pages')

/** Pages that stand beside `docs/`. */
export const ROOT_PAGES = ['ARCHITECTURE', 'CONTRIBUTING', 'CHANGELOG', 'SECURITY']

/** Returns the first heading of a page. */
const titleOf = (path) =>
  /^#\s+(.+)$/m
    .exec(readFileSync(join(ROOT_PAGES.includes(path) ? root : docs, `${path}.md`), 'utf8'))?.[1]
    .replace(/[`*]/g, '') ?? path
const page = (path) => ({ text: titleOf(path), link: `/${path}` })
const group = (text, paths) => ({ text, items: paths.map(page) })
const pagesIn = (folder) =>
  readdirSync(join(docs, folder))
    .filter((name) => name.endsWith('.md') && !name.startsWith('index.'))
    .sort()
    .map((name) => `${folder}/${name.slice(0, -3)}`)

const start = { text: 'Start here', link: '/' }
const decisions = group('Decisions of architecture', ['adr/index', ...pagesIn('adr')])
const groups = [
  group('Developers of apps', [
    ...['recipes', 'dev', 'library', 'json-rpc', 'queries', 'transactions', 'evm-guide', 'tokens', 'devgas-guide'],
    ...['time', 'console', 'api-page', 'compatibility'],
  ]),
  group('Operators', [
    ...['install', 'operating', 'public-node', 'follow', 'network', 'state-sync', 'upgrades', 'metrics', 'keys'],
    ...['governance', 'profiles', 'threat-model', 'security-findings'],
  ]),
  group('Engineers of the chain', [
    ...['evm-internals', 'state-layout', 'cometbft', 'gateways', 'writing-upgrades', 'witness', 'decisions'],
    ...['glossary', 'dependencies'],
  ]),
  group('Reference', ['cli', 'options', 'api', 'errors', 'limits', 'reference', 'performance']),
  group('Modules', pagesIn('modules')),
  group('The project', ROOT_PAGES),
]

/** The list beside a page. That of the decisions has only them: a list that folds its groups has buttons within buttons. */
export const sidebar = { '/adr/': [start, decisions], '/': [start, ...groups, { text: decisions.text, link: '/adr/' }] }

/** Every page, in groups, with its title. */
export const groupsOfPages = [...groups, decisions]
const pages = groupsOfPages.flatMap(({ items }) => items)

/** Writes every page as Markdown beside its HTML, and `llms.txt`, which lists them for programs that read. */
function writePlainPages(outDir) {
  for (const { link } of [{ link: '/index' }, ...pages]) {
    const target = join(outDir, `${link}.md`)
    mkdirSync(dirname(target), { recursive: true })
    copyFileSync(join(srcDir, `${link}.md`), target)
  }
  const sections = groupsOfPages.map(
    ({ text, items }) => `## ${text}\n\n${items.map((one) => `- [${one.text}](${one.link.slice(1)}.md)`).join('\n')}\n`,
  )
  const about = 'A chain node and query service: a chain in one command, and every query at every height.'
  writeFileSync(join(outDir, 'llms.txt'), `# Almanac\n\n> ${about}\n\n${sections.join('\n')}`)
}

/** Shows links that lead out of `docs/` as text: the address of the repository is not known here. */
function plainOutsideLinks(markdown) {
  const plain = (tokens, i, options, _, self) => self.renderToken(tokens, i, options)
  const { link_open: open = plain, link_close: close = plain } = markdown.renderer.rules
  let isPlain = false
  markdown.renderer.rules.link_open = (tokens, i, options, env, self) => {
    isPlain = isOutside(env.relativePath ?? '', tokens[i].attrGet('href') ?? '')
    return isPlain ? '' : open(tokens, i, options, env, self)
  }
  markdown.renderer.rules.link_close = (tokens, i, options, env, self) =>
    isPlain ? '' : close(tokens, i, options, env, self)
}

/** Lets the keyboard scroll code of any kind: the generator does so for fenced code only. */
function focusableCode(markdown) {
  const { code_block: render } = markdown.renderer.rules
  markdown.renderer.rules.code_block = (...given) => render(...given).replace('<pre', '<pre tabindex="0"')
}

/** Returns the anchor of a heading as GitHub makes it, so that a link works here and there. */
export const slugOf = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-')

function isOutside(page, href) {
  if (!/^\.\.?\//.test(href)) return false
  const depth = page.split('/').length - 1
  return (href.match(/\.\.\//g) ?? []).length > depth
}

export default {
  // Copies of the documents: the generator looks for its packages above them.
  srcDir,
  outDir: join(root, 'build/site'),
  cacheDir: join(root, 'build/site-cache'),
  title: 'Almanac',
  description: 'A chain node and query service',
  // Any server and any folder: links have no host, and pages end with .html.
  base: process.env.SITE_BASE ?? '/',
  // No icon, and no request for one.
  head: [
    ['link', { rel: 'icon', href: 'data:,' }],
    // The name of the button does not contain the key that it would show.
    ['style', {}, '.DocSearch-Button .DocSearch-Button-Keys { display: none !important }'],
  ],
  cleanUrls: false,
  lastUpdated: false,
  // Links to files of the repository are no pages. Links between pages and headings are tested with the documents.
  ignoreDeadLinks: true,
  // Angle brackets in the documents are placeholders, and no HTML.
  markdown: {
    html: false,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: slugOf },
    config(markdown) {
      plainOutsideLinks(markdown)
      focusableCode(markdown)
    },
  },
  themeConfig: {
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    docFooter: { prev: 'Before', next: 'Next' },
  },
  buildEnd: ({ outDir }) => writePlainPages(outDir),
}
