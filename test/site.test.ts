/** The site of the documents (`npm run site`) leads to every page. */
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { anchorsOf, isDocument, textFiles, withoutCode } from './support/prose.ts'

interface Entry {
  readonly text: string
  readonly link?: string
  readonly items?: readonly Entry[]
}

const root = resolve(import.meta.dirname, '..')
const { groupsOfPages, slugOf, ROOT_PAGES } = (await import(
  pathToFileURL(join(root, 'site/.vitepress/config.mjs')).href
)) as {
  readonly groupsOfPages: readonly Entry[]
  readonly slugOf: (heading: string) => string
  readonly ROOT_PAGES: readonly string[]
}
const linked = groupsOfPages.flatMap(({ items = [] }) => items)

test('the navigation has every document once', () => {
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `/${name.replaceAll('\\', '/').slice(0, -3)}`)
  const all = [...pages, ...ROOT_PAGES.map((name) => `/${name}`)]
  expect(linked.map(({ link }) => link).sort()).toEqual(all.sort())
})

test('headings have the anchors that links in the documents name', () => {
  for (const { path, text } of textFiles().filter(isDocument)) {
    const headings = [...withoutCode(text).matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading]) => heading!)
    const plain = headings.map((heading) => heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, ''))
    const anchors = anchorsOf(text)
    expect(
      plain.map(slugOf).filter((slug) => !anchors.has(slug)),
      path,
    ).toEqual([])
  }
})

test('every entry has the title of its page, without marks', () => {
  expect(linked.filter(({ text, link }) => text === '' || /[`*#]/.test(text) || `/${text}` === link)).toEqual([])
})
