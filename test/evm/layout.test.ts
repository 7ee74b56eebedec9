import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const generator = (await import(pathToFileURL(join(root, 'scripts/evm-layout.mjs')).href)) as {
  hostLayout(text: string): string
}

test("the host's layout of memory is generated from the interpreter's", () => {
  expect(read('src/evm/layout.ts')).toBe(generator.hostLayout(read('evm/layout.ts')))
})

test('a line of the layout that cannot be translated is refused', () => {
  expect(() => generator.hostLayout('export const A: usize = B << 1\n')).toThrow('"B << 1"')
  expect(() => generator.hostLayout('const A = 1\n')).toThrow('"const A = 1"')
})
