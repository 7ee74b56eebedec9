import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { requireFork, statetestLines } from './statetest.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'almanac-statetest-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

const sample = (name: string) =>
  JSON.stringify({
    [name]: { env: {}, pre: {}, transaction: { sender: `0x${'11'.repeat(20)}` }, post: { Berlin: [{ indexes: {} }] } },
  })

test('a folder is searched recursively, in the order of names', () => {
  const root = folder()
  mkdirSync(join(root, 'b'))
  writeFileSync(join(root, 'c.json'), sample('last'))
  writeFileSync(join(root, 'b', 'a.json'), sample('first'))
  writeFileSync(join(root, 'b', 'notes.txt'), 'no test')
  const lines = [...statetestLines('Berlin', [root])].map((line) => JSON.parse(line) as { name: string; error: string })
  expect(lines.map(({ name }) => name)).toEqual(['first', 'last'])
  expect(lines[0]!.error).toContain('intrinsic gas too low: have 0, want')
})

test('an unreadable file or folder is an error that names it', () => {
  const root = folder()
  writeFileSync(join(root, 'x.json'), '{')
  expect(() => [...statetestLines('Berlin', [root])]).toThrow(join(root, 'x.json'))
  expect(() => [...statetestLines('Berlin', [join(root, 'absent')])]).toThrow('no such file or folder')
})

test('forks have the names of the public tests', () => {
  expect(['EIP150', 'EIP158', 'ConstantinopleFix', 'Merge', 'paris'].map(requireFork)).toEqual([
    'TangerineWhistle',
    'SpuriousDragon',
    'Petersburg',
    'Paris',
    'Paris',
  ])
  expect(() => requireFork('Nowhere')).toThrow('unknown fork Nowhere: must be one of Frontier,')
})
