import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BEHAVIOURS, type BehaviourName } from './behaviours.ts'
import { parseProfile } from './profile-file.ts'
import { almanac } from './profiles/almanac.ts'
import { PROFILES } from './profiles.ts'

const docs = readFileSync('docs/profiles.md', 'utf8')
const names = Object.keys(BEHAVIOURS) as BehaviourName[]

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'gen' || entry.name === 'identity' ? [] : sources(path)
    return path.endsWith('.ts') && !path.endsWith('.test.ts') ? [readFileSync(path, 'utf8')] : []
  })
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

test('every behaviour is used by code and by a profile', () => {
  const code = sources('src').join('\n')
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(code))).toEqual([])
  expect(names.filter((name) => !PROFILES.some(({ behaviours }) => behaviours.includes(name)))).toEqual([])
})

test('the default profile has no behaviour', () => {
  expect(Object.values(almanac.behaviours).some(Boolean)).toBe(false)
})

test('the profile in docs/profiles.md is valid', () => {
  const [, json] = /```json\n([\s\S]*?)```/.exec(docs)!
  expect(parseProfile(json!, 'mine.json')).toMatchObject({ name: 'mine', evmChainIds: { 'mine-1': 4242n } })
})
