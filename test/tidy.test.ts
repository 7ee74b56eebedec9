import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { addressTextCompared } from './support/address-text.ts'
import {
  anchorsOf,
  commentOpenings,
  isDocument,
  lineAt,
  proseOf,
  reportFindings,
  root,
  type TextFile,
  textFiles,
} from './support/prose.ts'
import { repeatedGroups, spreadCalls, unboundedRecursion, withSyntaxTrees } from './support/recursion.ts'

const src = join(root, 'src')

/** Layers from left to right: a file imports from its own layer or from one to its left. */
const LAYERS = [
  'gen',
  'primitives',
  'identity',
  'store',
  'evm',
  'sdk',
  'messages',
  'modules',
  'app',
  'indexer',
  'consensus',
  'api',
  'node',
  'cli',
]
/** The last layer that is a pure function of state, block and transactions. */
const LAST_DETERMINISTIC = 'app'
/** The only deterministic files that read a file: each loads its own WebAssembly program, built from `evm/` or `trees/`. */
const READS_OWN_PROGRAM = ['evm/wasm.ts', 'primitives/keccak.ts', 'store/tree/tree-program.ts']

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => path.replaceAll('\\', '/'))
const isTest = (path: string) => path.endsWith('.test.ts')
const sources = files.filter((path) => !isTest(path))
const text = (path: string) => readFileSync(join(src, path), 'utf8')

/** Returns the number of a file's layer. The package entry imports everything, so it counts as the last one. */
const layerOf = (path: string) => (path.includes('/') ? LAYERS.indexOf(path.split('/')[0]!) : LAYERS.length)

/** Returns the relative imports of a file, types included, as paths below `src`. */
function importsOf(path: string): string[] {
  const found: string[] = []
  for (const [, spec] of text(path).matchAll(/(?:from|import)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g)) {
    found.push(relative(src, resolve(src, dirname(path), spec!)).replaceAll('\\', '/'))
  }
  return found
}

test('every source folder is a layer', () => {
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

/** Returns a line without its comment. */
const withoutComment = (line: string): string => (/^\s*(\/?\*|\/\/)/.test(line) ? '' : line)

test('the state machine uses no clock, randomness, file, network or console', () => {
  const forbidden =
    /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bperformance\.now\b|\brandomBytes\b|\bprocess\.|\bconsole\.|\bsetTimeout\b|from 'node:(fs|net|http|https|os|child_process|worker_threads|timers)/
  const wrong = sources
    .filter((path) => layerOf(path) <= LAYERS.indexOf(LAST_DETERMINISTIC) && !path.startsWith('gen/'))
    .filter((path) => !READS_OWN_PROGRAM.includes(path))
    .flatMap((path) =>
      text(path)
        .split('\n')
        .flatMap((line, i) => (forbidden.test(withoutComment(line)) ? [`${path}:${i + 1}: ${line.trim()}`] : [])),
    )
  expect(wrong).toEqual([])
})

test('the state machine sorts by bytes, not by locale', () => {
  const wrong = sources
    .filter((path) => layerOf(path) <= LAYERS.indexOf(LAST_DETERMINISTIC) && !path.startsWith('gen/'))
    .filter((path) => /localeCompare|\.sort\(\)/.test(text(path)))
  expect(wrong).toEqual([])
})

const stateMachine = sources.filter(
  (path) => layerOf(path) <= LAYERS.indexOf(LAST_DETERMINISTIC) && !path.startsWith('gen/') && path.includes('/'),
)

/** Calls with a spread list, whose length no input determines. */
const SHORT_SPREADS: Readonly<Record<string, string>> = {
  'identity/registry.ts': 'the files of the API',
  'sdk/by-version.ts': 'the parameters of a function',
  'store/collections/collections.ts': 'key and value',
  'store/tree/ics23.ts': 'the steps of a path in a balanced tree',
  'store/tree/tree-writes.ts': 'the parameters of a function',
}

test('every recursive function of the state machine states its bound, and no long list or text is put on the stack', () => {
  const wrong: string[] = []
  withSyntaxTrees(stateMachine, (path, tree) => {
    for (const name of unboundedRecursion(tree)) {
      wrong.push(`${path}: ${name} calls itself: bound it or write a loop, and say "Bounded by: …" in its comment`)
    }
    for (const text of repeatedGroups(tree))
      wrong.push(`${path}: ${text}: a long text exhausts the stack of the matcher`)
    if (path in SHORT_SPREADS) return
    for (const call of spreadCalls(tree)) wrong.push(`${path}: ${call}: a spread list is put on the stack`)
  })
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

test('modules do not compare addresses as text', () => {
  const wrong = sources
    .filter((path) => path.startsWith('modules/'))
    .flatMap((path) => addressTextCompared(text(path)).map((place) => `${path}:${place}`))
  expect(
    wrong,
    'An address has two spellings in Bech32: compare bytes with `equal`, use `toKey(bytes)` as the key of a map, or ask `spellingOf` of identity/address.ts',
  ).toEqual([])
})

test('the rule for addresses finds the comparisons that let a second spelling pass', () => {
  const found = [
    "if (share.withdrawerAddress === text) throw errors.alreadyRegistered('')",
    'if (one === text) return true',
    'if (new Set(message.allowList).size < message.allowList.length) return',
    'ballots.set(validator.operatorAddress, {',
    'const own = ballots.get(address.formatValidator(ctx, voter))',
    'const ballot = ballots.get(delegation.validatorAddress)',
    'return new Map(entries.map((entry) => [entry.operatorText, entry]))',
    'const entry = performances.get(voter)',
    `due.set(\`\${delegatorAddress}/\${validatorAddress}\`, pair)`,
    'for (const contract of contracts) listed.add(contract)',
    "if (admin !== text) throw errors.notAdmin('')",
    'if (oldAdmin !== sender) {',
    'if (formatEip55(contract) === formatEip55(known)) return',
  ]
  expect(found.filter((line) => addressTextCompared(line).length === 0)).toEqual([])
  const allowed = [
    'if (equal(admin, sender)) return',
    "if (withdrawer === '') return deployer",
    'if (admin === undefined) return',
    'ballots.get(toKey(voter))',
    'state.votes.set(ctx, voter, vote)',
    'key.set(address, 1)',
  ]
  expect(allowed.flatMap(addressTextCompared)).toEqual([])
})

test('no file has a generic name or re-exports a folder', () => {
  const wrong = sources.filter((path) => /(^|\/)(utils?|helpers?|common|misc|shared)(\.ts|\/)/.test(path))
  const barrels = sources.filter(
    (path) => path.includes('/') && /^export \* from/m.test(text(path)) && !path.startsWith('gen/'),
  )
  expect([...wrong, ...barrels]).toEqual([])
})

test('no type is `any`, and no type error is suppressed', () => {
  const wrong = sources
    .filter((path) => !path.startsWith('gen/'))
    .filter((path) => /:\s*any\b|\bas any\b|<any>|@ts-(ignore|nocheck|expect-error)/.test(text(path)))
  expect(wrong).toEqual([])
})

test('every architecture decision record has its own number and fits on a page', () => {
  const folder = join(root, 'docs/adr')
  const records = readdirSync(folder).filter((name) => /^\d{4}-.+\.md$/.test(name))
  const numbers = records.map((name) => name.slice(0, 4))
  expect(new Set(numbers).size).toBe(numbers.length)
  for (const name of records) expect(readFileSync(join(folder, name), 'utf8').split('\n').length, name).toBeLessThan(60)
})

const texts = textFiles()
const paths = new Set(texts.map(({ path }) => path))

/** Runs a rule over files, and fails with all its findings by file. */
function check(rule: (file: TextFile) => Iterable<string>, files: readonly TextFile[] = texts): void {
  reportFindings(new Map(files.map((file) => [file.path, [...rule(file)]])))
}

/** Words that open a clause or a superlative without its noun (say "Maximum number of …"). */
const OPENERS = /^(What|Who|Whom|Whose|Which|Where|Whoever|Whatever|That|Of|As|Also|By|To whom|Most|Least)\b/

test('a comment opens with a verb or a noun, not with a clause', () => {
  check(
    function* (file) {
      for (const { line, text } of commentOpenings(file)) {
        if (OPENERS.test(text)) yield `${line}: ${text.slice(0, 120)}`
      }
    },
    texts.filter((file) => !isDocument(file) && !file.path.startsWith('proto/')),
  )
})

/** Phrases that stop a reader, with what to say instead. */
const PHRASES: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\b(is|are|has|have|had|be) none\b(?! of)/i, 'there is no …, or: has no …'],
  [/\banew\b/i, 'again, or: rebuild, reopen'],
  [/\bof before\b/i, 'previous, or: earlier'],
  [/\bso many\b(?! (as|that))/i, 'that many, or: the number'],
  [/\bcomes? to (be|have|an end)\b/i, 'becomes, gets, ends'],
  [/\b(left|leaves?|leaving) (it |them )?away\b/i, 'omit'],
  [/\bthere is to say\b/i, 'drop the clause'],
  [/\b(is|are|be) no matter\b/i, 'does not matter'],
  [/\bwhoever\b/i, 'name who: the caller, the client, the process'],
  [/\bwho (pays|has|is|uses|wants|asks|makes) no\b/i, 'name who: a sender without …'],
  [/\b(is|are) to be had\b/i, 'is available'],
  [/\bhears? of\b/i, 'is notified of'],
  [/\bput forward\b/i, 'advance'],
  [/\b(is|are) told (of|with|by)\b/i, 'is reported, or: receives'],
  [/\bof their own time\b/i, 'name the height or the version'],
  [/\bspeaks? for\b/i, 'name what it implies'],
  [/\bbears? it out\b/i, 'confirms'],
  [/\bstands? still\b/i, 'does not change, or: until the next block'],
  [/\ba place of its own\b/i, 'its own file, table or slot'],
  [/\bcan so\b/i, 'can thus, or: this lets …'],
  [/\bfor ever\b/i, 'permanently, or: without end'],
  [/\b(some|any)body\b/i, 'name who: another client, any account'],
  [/\bto be called\b/i, 'call it …'],
  [/\brejects (a )?`/i, 'rejects with …'],
  [/\bat most\./i, 'put "at most" before the number'],
  [/\bWanted \| Seen\b/, 'Target | Measured | Reproduce with'],
]

test('no comment, message or document contains a phrase that stops a reader', () => {
  check(function* (file) {
    for (const { line, text } of proseOf(file)) {
      const found = PHRASES.find(([phrase]) => phrase.test(text))
      if (found) yield `${line}: ${text.slice(0, 140)} -> ${found[1]}`
    }
  })
})

/** Returns the path below the root that a reference means: from the folder of its file, or from the root. */
const resolveReference = (from: string, reference: string): string | undefined =>
  [join(dirname(from), reference), reference]
    .map((path) => path.replace(/\/$/, ''))
    .find((path) => existsSync(join(root, path)))

test('every document that a file refers to exists, and has the heading', () => {
  const anchors = new Map(texts.filter(isDocument).map(({ path, text }) => [path, anchorsOf(text)]))
  check(function* (file) {
    for (const match of file.text.matchAll(/https?:\/\/\S+|([\w./@-]*[\w-]\.md)(?:#([\w-]+))?(?!\w)/g)) {
      const [, reference, anchor] = match
      if (!reference || isPlaceholder(reference)) continue
      const path = resolveReference(file.path, reference)
      const line = lineAt(file.text, match.index)
      if (!path) yield `${line}: ${reference} is no document of this repository`
      else if (anchor && !anchors.get(path)?.has(anchor)) yield `${line}: ${path} has no heading #${anchor}`
    }
  })
})

test('every link of a document leads to a file, a folder or a heading', () => {
  check(function* (file) {
    for (const match of file.text.matchAll(/\]\(([^)\s]+)\)/g)) {
      const target = match[1]!
      if (/^[a-z]+:/.test(target)) continue
      const [path, anchor] = target.split('#') as [string, string | undefined]
      const line = lineAt(file.text, match.index)
      if (path && !existsSync(join(root, dirname(file.path), path))) yield `${line}: ${target} does not exist`
      if (!path && !anchorsOf(file.text).has(anchor ?? '')) yield `${line}: there is no heading ${target}`
    }
  }, texts.filter(isDocument))
})

test('every decision that a file cites is in the list of decisions', () => {
  const listed = new Set([...read('docs/decisions.md').matchAll(/^- \*\*(D\d+)\. /gm)].map(([, number]) => number))
  check(function* ({ text }) {
    for (const match of text.matchAll(/\bD\d{1,2}\b/g)) {
      if (!listed.has(match[0])) yield `${lineAt(text, match.index)}: ${match[0]} is not in docs/decisions.md`
    }
  })
})

test('every architecture decision record that a file cites exists', () => {
  const records = new Set([...paths].map((path) => /^docs\/adr\/(\d{4})-/.exec(path)?.[1]))
  check(function* ({ text }) {
    for (const match of text.matchAll(/\bADRs? (\d+)(?: and (\d+))?\b/g)) {
      for (const number of match.slice(1)) {
        if (number && !records.has(number)) yield `${lineAt(text, match.index)}: there is no ADR ${number}`
      }
    }
  })
})

test('no two documents share a name', () => {
  const names = texts.filter(isDocument).map(({ path }) => path.split('/').at(-1)!)
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
})

test('every source path that a document names exists', () => {
  const named = /^(ARCHITECTURE|CONTRIBUTING|README)\.md$|^docs\//
  check(
    function* ({ path: document, text }) {
      for (const match of text.matchAll(/`([\w.*/-]+\/[\w.*-]+\.(?:ts|md|mjs))`/g)) {
        const name = match[1]!
        if (isPlaceholder(name) || name.startsWith('../')) continue
        const candidates = name.startsWith('src/') ? [name] : [name, `src/${name}`, join(dirname(document), name)]
        const known = candidates.some((path) => (path.includes('*') ? matches(path) : existsSync(join(root, path))))
        if (!known) yield `${lineAt(text, match.index)}: ${name} does not exist`
      }
    },
    texts.filter(({ path }) => named.test(path)),
  )
})

/** Whether a text file fits a path with `*`. */
function matches(path: string): boolean {
  const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`)
  return [...paths].some((one) => pattern.test(one))
}

/** Whether a path is a pattern such as `src/modules/NAME/queries.ts`. */
const isPlaceholder = (path: string): boolean => /\b(MODULE|NAME|VERSION)\b/.test(path)

const read = (path: string): string => readFileSync(join(root, path), 'utf8')
