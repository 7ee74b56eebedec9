import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BEHAVIOURS, type BehaviourName } from './behaviours.ts'
import { parseProfile } from './profile-file.ts'
import { almanac } from './profiles/almanac.ts'
import { PROFILES } from './profiles.ts'

const docs = readFileSync('docs/profiles.md', 'utf8')
const names = Object.keys(BEHAVIOURS) as BehaviourName[]

/** Returns the contents of the tests in a folder, or those of the other files. */
function sources(folder: string, tests = false): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'gen' || entry.name === 'identity' ? [] : sources(path, tests)
    return path.endsWith('.ts') && path.endsWith('.test.ts') === tests ? [readFileSync(path, 'utf8')] : []
  })
}

const without = (texts: readonly string[]) => {
  const all = texts.join('\n')
  return (name: string): boolean => !new RegExp(`\\b${name}\\b`).test(all)
}

test('docs/profiles.md lists every behaviour with its difference, source and profiles', () => {
  const rows = names.map((name) => {
    const { about, source } = BEHAVIOURS[name]
    const of = PROFILES.filter(({ behaviours }) => behaviours.includes(name)).map((profile) => `\`${profile.name}\``)
    return `| \`${name}\` | ${about} | ${source} | ${of.join(', ')} |`
  })
  const table = ['| Behaviour | While it is on | Source | Of |', '|---|---|---|---|', ...rows].join('\n')
  expect(docs.split('-->\n')[1]!.trim()).toBe(table)
})

test('every behaviour is used by code and by a profile; one that no recording needs has a test', () => {
  expect(names.filter(without(sources('src')))).toEqual([])
  const unused = names.filter((name) => !PROFILES.some(({ behaviours }) => behaviours.includes(name)))
  expect(unused.filter(without([...sources('src', true), ...sources('test', true)]))).toEqual([])
})

test('the default profile has no behaviour', () => {
  expect(Object.values(almanac.behaviours).some(Boolean)).toBe(false)
})

test('the profile in docs/profiles.md is valid', () => {
  const [, json] = /```json\n([\s\S]*?)```/.exec(docs)!
  expect(parseProfile(json!, 'mine.json')).toMatchObject({ name: 'mine', evmChainIds: { 'mine-1': 4242n } })
})
