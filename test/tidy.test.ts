import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const src = join(root, 'src')

/** Left to right: a file imports from its own layer or from one to its left. */
const LAYERS = [
  'gen',
  'primitives',
  'identity',
  'store',
  'evm',
  'sdk',
  'modules',
  'app',
  'indexer',
  'consensus',
  'api',
  'node',
  'cli',
]
/** Everything up to here is a pure function of state, block and transactions. */
const LAST_DETERMINISTIC = 'app'
/** The only files left of the line that read a file: their own programs, built from `evm/` or `trees/`. */
const READ_THEIR_OWN_PROGRAM = ['evm/wasm.ts', 'primitives/keccak.ts', 'store/tree/tree-program.ts']

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => path.replaceAll('\\', '/'))
const isTest = (path: string) => path.endsWith('.test.ts')
const sources = files.filter((path) => !isTest(path))
const text = (path: string) => readFileSync(join(src, path), 'utf8')

/** The entry of the package stands on everything, so it counts as the last layer. */
const layerOf = (path: string) => (path.includes('/') ? LAYERS.indexOf(path.split('/')[0]!) : LAYERS.length)

/** Relative imports of a file, types included, as paths below `src`. */
function importsOf(path: string): string[] {
  const found: string[] = []
  for (const [, spec] of text(path).matchAll(/(?:from|import)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g)) {
    found.push(relative(src, resolve(src, dirname(path), spec!)).replaceAll('\\', '/'))
  }
  return found
}

test('every folder of the sources is a layer', () => {
  const folders = new Set(sources.filter((path) => path.includes('/')).map((path) => path.split('/')[0]))
  expect([...folders].filter((folder) => !LAYERS.includes(folder!))).toEqual([])
})

test('imports run from right to left only', () => {
  const wrong = sources.flatMap((path) =>
    importsOf(path)
      .filter((target) => layerOf(target) > layerOf(path))
      .map((target) => `${path} imports ${target}`),
  )
  expect(wrong).toEqual([])
})

test('no files import each other in a ring', () => {
  const state = new Map<string, 'open' | 'done'>()
  const rings: string[] = []
  const visit = (path: string, trail: readonly string[]) => {
    if (state.get(path) === 'done' || path.startsWith('gen/')) return
    if (state.get(path) === 'open') {
      rings.push([...trail.slice(trail.indexOf(path)), path].join(' -> '))
      return
    }
    state.set(path, 'open')
    for (const target of importsOf(path)) if (files.includes(target)) visit(target, [...trail, path])
    state.set(path, 'done')
  }
  for (const path of sources) visit(path, [])
  expect(rings).toEqual([])
})

test('the state machine knows no clock, chance, file, network or console', () => {
  const forbidden =
    /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bperformance\.now\b|\brandomBytes\b|\bprocess\.|\bconsole\.|\bsetTimeout\b|from 'node:(fs|net|http|https|os|child_process|worker_threads|timers)/
  const wrong = sources
    .filter((path) => layerOf(path) <= LAYERS.indexOf(LAST_DETERMINISTIC) && !path.startsWith('gen/'))
    .filter((path) => !READ_THEIR_OWN_PROGRAM.includes(path))
    .flatMap((path) =>
      text(path)
        .split('\n')
        .flatMap((line, i) => (forbidden.test(line) ? [`${path}:${i + 1}: ${line.trim()}`] : [])),
    )
  expect(wrong).toEqual([])
})

test('the state machine sorts by bytes, never by locale', () => {
  const wrong = sources
    .filter((path) => layerOf(path) <= LAYERS.indexOf(LAST_DETERMINISTIC) && !path.startsWith('gen/'))
    .filter((path) => /localeCompare|\.sort\(\)/.test(text(path)))
  expect(wrong).toEqual([])
})

test('a module reaches another module through its keeper, hooks or errors only', () => {
  const wrong = sources.flatMap((path) => {
    const own = /^modules\/([^/]+)\//.exec(path)?.[1]
    if (!own) return []
    return importsOf(path).flatMap((target) => {
      const other = /^modules\/([^/]+)\/(.+)$/.exec(target)
      if (!other || other[1] === own) return []
      return ['keeper.ts', 'hooks.ts', 'errors.ts'].includes(other[2]!) ? [] : [`${path} imports ${target}`]
    })
  })
  expect(wrong).toEqual([])
})

test('no file is a dumping ground, and none re-exports a folder', () => {
  const wrong = sources.filter((path) => /(^|\/)(utils?|helpers?|common|misc|shared)(\.ts|\/)/.test(path))
  const barrels = sources.filter(
    (path) => path.includes('/') && /^export \* from/m.test(text(path)) && !path.startsWith('gen/'),
  )
  expect([...wrong, ...barrels]).toEqual([])
})

test('types are never given up', () => {
  const wrong = sources
    .filter((path) => !path.startsWith('gen/'))
    .filter((path) => /:\s*any\b|\bas any\b|<any>|@ts-(ignore|nocheck|expect-error)/.test(text(path)))
  expect(wrong).toEqual([])
})

test('every decision record is numbered once, and keeps to a page', () => {
  const folder = join(root, 'docs/adr')
  const records = readdirSync(folder).filter((name) => name.endsWith('.md'))
  const numbers = records.map((name) => name.slice(0, 4))
  expect(new Set(numbers).size).toBe(numbers.length)
  for (const name of records) expect(readFileSync(join(folder, name), 'utf8').split('\n').length, name).toBeLessThan(60)
})
