/** Rehearsal of an upgrade on a state that it does not change: the differences, and the queries that would stop answering. */
import * as upgradeModule from '../../modules/upgrade/keeper.ts'
import { equal } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { createContext, createReadContext, createTransient } from '../../sdk/create-context.ts'
import { createBranch } from '../../store/branch.ts'
import { type StoreChanges, withStoreChanges } from '../../store/history/store-changes.ts'
import type { Branch, Reader, RunEntry } from '../../store/types.ts'
import type { QueryTable } from '../query.ts'
import type { OpenBlockOptions } from './opening.ts'
import type { LostOperation, Rehearsal, StoreDifference } from './report.ts'
import { MIGRATED, runUpgrade } from './run.ts'
import { ask, questionsFor } from './samples.ts'
import type { Upgrade } from './types.ts'
import { versionsAfter } from './versions.ts'

type Tally = { -readonly [Name in keyof StoreDifference]: StoreDifference[Name] }

/**
 * Runs an upgrade on the state of a context, as the next block would, and drops its writes. The caller measures the duration.
 * Throws 5 for an upgrade that this build lacks, 9 for an applied one.
 */
export function rehearse(options: OpenBlockOptions, queries: QueryTable, ctx: ReadContext, name: string): Rehearsal {
  const upgrade = options.rules.upgrades.get(name)
  if (!upgrade) {
    const names = [...options.rules.upgrades.keys()].join(', ')
    throw queryError(
      'notFound',
      `this build has no upgrade "${name}"; its upgrades: ${names === '' ? '(none)' : names}`,
    )
  }
  const done = upgradeModule.doneHeight(ctx, name)
  if (done !== undefined) {
    throw queryError(
      'failedPrecondition',
      `"${name}" was applied by block ${done}, and runs once; before it, it can be rehearsed at height ${done - 1n}`,
    )
  }
  const questions = questionsFor(queries, ctx)
  const lines: string[] = []
  const height = ctx.block.height + 1n
  const scheduled = upgradeModule.plan(ctx)
  const plan = scheduled?.name === name ? scheduled : { name, height, info: '' }
  const before = upgradeModule.moduleVersions(ctx)
  const tallies = new Map<string, Tally>()
  const common = { upgrade: name, height, lines }
  try {
    const base = readOnly(ctx.store)
    const view = upgrade.stores ? withStoreChanges(base, upgrade.stores) : base
    const root = createBranch(view)
    const branch = tallied(root, view, tallies)
    const era = options.eras.at(versionsAfter(before, upgrade))
    const block = { ...ctx.block, height, votes: [] }
    const report = options.progress?.(MIGRATED)
    runUpgrade({ upgrade, plan, branch, block, era, log: (line) => lines.push(line), report })
    tallyOverlay(root, view, tallies)
    const facts = { identity: ctx.identity, app: era.machine.router.facts, block }
    upgradeModule.markApplied(createContext({ ...facts, branch: root, transient: createTransient() }), plan)
    const after = createReadContext({ ...facts, store: root })
    return {
      ...common,
      stores: storesOf(upgrade.stores, ctx.store, tallies),
      versions: changedVersions(before, upgradeModule.moduleVersions(after)),
      operations: {
        asked: new Set(questions.map(({ path }) => path)).size,
        questions: questions.length,
        lost: lostOperations(queries, questions, ctx, after, upgrade),
      },
    }
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error)
    return {
      ...common,
      failure,
      stores: storesOf(undefined, ctx.store, tallies),
      versions: [],
      operations: { asked: 0, questions: 0, lost: [] },
    }
  }
}

/** Returns the same state without support for runs of writes, which would bypass the branch. */
function readOnly({ get, has, iterate, stores }: Reader): Reader {
  return { get, has, iterate, ...(stores && { stores }) }
}

function tallyOf(tallies: Map<string, Tally>, store: string): Tally {
  let tally = tallies.get(store)
  if (!tally) {
    tally = { store, fate: 'kept', added: 0, changed: 0, deleted: 0, moved: 0, bytes: 0 }
    tallies.set(store, tally)
  }
  return tally
}

function count(tally: Tally, view: Reader, store: string, key: Uint8Array, value: Uint8Array | undefined): void {
  const old = view.get(store, key)
  if (value === undefined) {
    if (old !== undefined) tally.deleted++
    return
  }
  if (old === undefined) tally.added++
  else if (equal(old, value)) return
  else tally.changed++
  tally.bytes += key.length + value.length
}

/** Returns the same branch, which counts the writes of runs. */
function tallied(branch: Branch, view: Reader, tallies: Map<string, Tally>): Branch {
  return {
    ...branch,
    writeRun(store, entries) {
      const tally = tallyOf(tallies, store)
      branch.writeRun(
        store,
        counted(entries, (key, value) => count(tally, view, store, key, value)),
      )
    },
  }
}

function* counted(
  entries: Iterable<RunEntry>,
  visit: (key: Uint8Array, value: Uint8Array | undefined) => void,
): IterableIterator<RunEntry> {
  for (const entry of entries) {
    visit(entry[0], entry[1])
    yield entry
  }
}

/** Counts the writes of the branch itself. */
function tallyOverlay(branch: Branch, view: Reader, tallies: Map<string, Tally>): void {
  for (const { store, key, value } of branch.changes()) count(tallyOf(tallies, store), view, store, key, value)
}

/** Returns the differences by store, including renamed and deleted stores. */
function storesOf(changes: StoreChanges = {}, before: Reader, tallies: Map<string, Tally>): readonly StoreDifference[] {
  for (const store of changes.added ?? []) tallyOf(tallies, store).fate = 'added'
  for (const { from, to } of changes.renamed ?? []) {
    const tally = tallyOf(tallies, to)
    tally.fate = 'renamed'
    tally.from = from
    for (const [key, value] of before.iterate(from)) {
      tally.moved++
      tally.bytes += key.length + value.length
    }
  }
  for (const store of changes.deleted ?? []) {
    const tally = tallyOf(tallies, store)
    tally.fate = 'deleted'
    for (const _ of before.iterate(store)) tally.deleted++
  }
  return [...tallies.values()].filter(isChange).sort((a, b) => (a.store < b.store ? -1 : 1))
}

function isChange({ fate, added, changed, deleted }: Tally): boolean {
  return fate !== 'kept' || added + changed + deleted > 0
}

function changedVersions(before: upgradeModule.VersionMap, after: upgradeModule.VersionMap): Rehearsal['versions'] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort((a, b) => (a < b ? -1 : 1))
  return names.flatMap((module) => {
    const [old, now] = [before.get(module), after.get(module)]
    if (old === now) return []
    return [{ module, ...(old !== undefined && { before: old }), ...(now !== undefined && { after: now }) }]
  })
}

function lostOperations(
  queries: QueryTable,
  questions: ReturnType<typeof questionsFor>,
  before: ReadContext,
  after: ReadContext,
  { modules = {} }: Upgrade,
): readonly LostOperation[] {
  const removed = Object.entries(modules).flatMap(([name, version]) => (version === 'removed' ? [name] : []))
  const lost = new Map<string, LostOperation>()
  for (const question of questions) {
    const { path } = question
    const now = ask(queries, after, question)
    if (now.kind === 'ok' || lost.has(path)) continue
    const isLost = now.kind === 'bug' || ask(queries, before, question).kind === 'ok'
    if (!isLost) continue
    const isMeant = now.kind === 'refused' && removed.some((name) => path.split('.')[1] === name)
    lost.set(path, { path, message: now.message, isMeant })
  }
  return [...lost.values()]
}
