import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'

interface Layout {
  readonly source: string
  readonly target: string
}

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const { LAYOUTS, hostLayout } = (await import(pathToFileURL(join(root, 'scripts/host-layouts.mjs')).href)) as {
  LAYOUTS: readonly Layout[]
  hostLayout(layout: Layout, text: string): string
}

test.each(LAYOUTS)('$target is generated from $source', (layout) => {
  expect(read(layout.target)).toBe(hostLayout(layout, read(layout.source)))
})

test('a line of a layout that cannot be translated is refused', () => {
  const layout = LAYOUTS[0]!
  expect(() => hostLayout(layout, 'export const A: usize = B << 1\n')).toThrow('"B << 1"')
  expect(() => hostLayout(layout, 'const A = 1\n')).toThrow('"const A = 1"')
})
