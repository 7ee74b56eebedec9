/** The threat model: each limit names a test that exists. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

test('every limit of the threat model names a test that exists', () => {
  const [, section] = read('docs/threat-model.md').split('## Limits and their tests')
  const rows = section!
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| Threat'))
  expect(rows.length).toBeGreaterThan(20)
  const named = rows.map((row) => /`([\w./-]+\.test\.ts)` › (.+) \|$/.exec(row) ?? [row])
  const missing = named.filter(([, path, name]) => !path || !read(path).includes(`'${name!}'`))
  expect(missing.map(([row]) => row)).toEqual([])
})
