import { beforeEach, describe, expect, test } from 'vitest'
import { formatHex, utf8 } from '../../primitives/bytes.ts'
import type { Context } from '../../sdk/context.ts'
import { defineModule, type Module } from '../../sdk/module.ts'
import { modules as builtModules } from '../modules.ts'
import { type ChainWishes, inputOf, type TestChain, testChain } from './testing/chain.ts'
import type { Upgrade } from './types.ts'

let chain: TestChain

beforeEach(() => {
  chain = testChain()
})

describe('a handler', () => {
  const firstVersions = new Map(builtModules.map(({ name, version }) => [name, version]))
  const write = (ctx: Context, name: string): void => ctx.store.set(name, utf8('key'), utf8('value'))

  /** Runs one upgrade at height 4 of a chain of this build. */
  function upgraded(upgrade: Omit<Upgrade, 'name'>, wishes: ChainWishes = {}) {
    chain.decisions.set(2n, { name: 'v2', height: 4n })
    const app = chain.build({ upgrades: [{ name: 'v2', inPlace: true, ...upgrade }], ...wishes })
    const halt = chain.run(app, 6n)
    return { app, halt }
  }

  test('a handler that throws leaves no writes, and the halt gives the reason', () => {
    const { halt } = upgraded({
      writes: ['bank'],
      run(ctx) {
        write(ctx, 'bank')
        throw new Error('no such\nthing')
      },
    })
    expect(halt).toMatchObject({
      reason: 'failed',
      height: 4n,
      exitCode: 6,
      line: 'UPGRADE "v2" FAILED at height: 4: no such thing',
    })
    expect(chain.bugs).toEqual([{ error: new Error('no such\nthing'), upgrade: 'v2' }])
    expect(chain.store.latestHeight()).toBe(3n)
    expect(chain.store.at().has('bank', utf8('key'))).toBe(false)
    // A binary with a correct handler continues from there.
    const repaired = chain.build({ upgrades: [{ name: 'v2', inPlace: true }] })
    expect(chain.run(repaired, 5n)).toBeUndefined()
    expect(chain.doneAt(repaired, 'v2')).toBe(4n)
  })

  test('writes to its declared stores, on the state that the whole block then reads', () => {
    const { app, halt } = upgraded({
      writes: ['bank'],
      run(ctx, plan, from) {
        expect([plan.name, ctx.block.height, from.get('bank')]).toEqual(['v2', 4n, 4])
        write(ctx, 'bank')
        return from
      },
    })
    expect(halt).toBeUndefined()
    expect([chain.store.at(3n), chain.store.at(4n)].map((at) => at.has('bank', utf8('key')))).toEqual([false, true])
    expect(chain.doneAt(app, 'v2')).toBe(4n)
  })

  test.each([
    ['set', (ctx: Context) => write(ctx, 'evm')],
    ['delete', (ctx: Context) => ctx.store.delete('evm', utf8('key'))],
    [
      'nested set',
      (ctx: Context) => {
        const nested = ctx.branch()
        write(nested, 'evm')
        nested.merge()
      },
    ],
  ])('halts the chain if it writes to an undeclared store (%s)', (_, act) => {
    const { halt } = upgraded({
      writes: ['bank'],
      run(ctx, __, from) {
        act(ctx)
        return from
      },
    })
    expect(halt?.line).toBe(
      'UPGRADE "v2" FAILED at height: 4: the handler of v2 writes to store evm without declaring it: ' +
        'an upgrade names the stores that it writes to in `writes`, `stores` or `modules`',
    )
    expect(chain.store.latestHeight()).toBe(3n)
  })

  test.each<[string, Omit<Upgrade, 'name'>, string]>([
    [
      'a version it did not declare',
      { run: (_, __, from) => new Map([...from, ['bank', 5]]) },
      'the handler of v2 leaves module bank at version 5; it declares version 4',
    ],
    [
      'fewer modules than there were',
      { run: (_, __, from) => new Map([...from].filter(([name]) => name !== 'oracle')) },
      'the handler of v2 leaves module oracle without a version; it declares version 1',
    ],
    [
      'a declared version that it did not reach',
      { modules: { bank: 5 }, run: (_, __, from) => from },
      'the handler of v2 leaves module bank at version 4; it declares version 5',
    ],
    [
      'a module that it took away and kept',
      { modules: { oracle: 'removed' }, run: (_, __, from) => from },
      'the handler of v2 leaves module oracle at version 1; it declares no version',
    ],
    ['no migration at all', { modules: { bank: 5 } }, 'no migrations found for module bank: not found'],
    ['a module that is not in the build', { modules: { lottery: 1 } }, 'this build has no module lottery: not found'],
  ])('halts the chain if it leaves %s', (_, upgrade, text) => {
    const { halt } = upgraded(upgrade, { firstVersions })
    expect(halt?.line).toBe(`UPGRADE "v2" FAILED at height: 4: ${text}`)
    expect(chain.store.latestHeight()).toBe(3n)
  })

  test.each<[string, Upgrade['stores'], string]>([
    ['added', { added: ['bank'] }, 'bank'],
    ['renamed onto one that is there', { renamed: [{ from: 'evm', to: 'bank' }] }, 'bank'],
    ['deleted', { deleted: ['nosuch'] }, 'nosuch'],
    ['renamed', { renamed: [{ from: 'nosuch', to: 'other' }] }, 'nosuch'],
  ])('halts the chain if a store cannot be %s', (_, stores, name) => {
    const { halt } = upgraded({ ...(stores && { stores }) })
    expect(halt?.line).toMatch(new RegExp(`^UPGRADE "v2" FAILED at height: 4: .*${name}`))
    expect(chain.store.latestHeight()).toBe(3n)
  })

  test('migrates one version after another, accounts last, and logs each step', () => {
    const seen: string[] = []
    const step = (name: string) => (ctx: Context) => {
      seen.push(name)
      write(ctx, name)
    }
    const modules: readonly Module[] = builtModules.map((module) =>
      module.name === 'auth'
        ? { ...module, version: 5, migrations: { 4: (ctx: Context) => write(ctx, 'acc') } }
        : module.name === 'bank'
          ? { ...module, version: 6, migrations: { 4: step('bank'), 5: step('bank') } }
          : module,
    )
    const { app, halt } = upgraded({ modules: { auth: 5, bank: 6 } }, { modules, firstVersions })
    expect(halt).toBeUndefined()
    expect(chain.lines).toEqual([
      'applying upgrade "v2" at height: 4',
      'migrating module bank from version 4 to version 5',
      'migrating module bank from version 5 to version 6',
      'migrating module auth from version 4 to version 5',
    ])
    expect([
      chain.versionsAt(app, 3n).get('bank'),
      chain.versionsAt(app, 4n).get('bank'),
      chain.versionsAt(app, 4n).get('auth'),
    ]).toEqual([4, 6, 5])
    expect(seen).toEqual(['bank', 'bank'])
  })

  /** Returns a progress that records what it shows. */
  function recorder() {
    const shown: { what: string; counts: (readonly [done: number, total: number, keys: number])[] }[] = []
    const progress: ChainWishes['progress'] = (what) => {
      const counts: (typeof shown)[number]['counts'] = []
      shown.push({ what, counts })
      return (done, total, also) => counts.push([done, total, also!['keys']!])
    }
    return { shown, progress }
  }

  /** Two steps of bank: the first sets two keys, the second writes a run of three and deletes one. */
  const longer = (last: (ctx: Context) => void): readonly Module[] =>
    builtModules.map((module) => {
      if (module.name !== 'bank') return module
      const migrations: Module['migrations'] = {
        4(ctx) {
          ctx.store.set('bank', utf8('a'), utf8('1'))
          ctx.store.set('bank', utf8('b'), utf8('1'))
        },
        5(ctx) {
          ctx.writeRun(
            'bank',
            ['c', 'd', 'e'].map((key) => [utf8(key), utf8('2')] as const),
          )
          ctx.store.delete('bank', utf8('a'))
          last(ctx)
        },
      }
      return { ...module, version: 6, migrations }
    })

  test('its progress counts the steps that are done, and the keys that they write', () => {
    const { shown, progress } = recorder()
    const { halt } = upgraded({ modules: { bank: 6 } }, { modules: longer(() => {}), firstVersions, progress })
    expect(halt).toBeUndefined()
    expect(shown).toEqual([
      {
        what: 'steps migrated',
        counts: [
          [0, 2, 1],
          [0, 2, 2],
          [1, 2, 2],
          [1, 2, 3],
          [1, 2, 4],
          [1, 2, 5],
          [1, 2, 6],
          [1, 2, 6],
          [2, 2, 6],
        ],
      },
    ])
  })

  test('its progress has shares of a step that says how many keys it writes, and never more', () => {
    const { shown, progress } = recorder()
    const modules = builtModules.map((module) => {
      if (module.name !== 'bank') return module
      const put = (ctx: Context, keys: string) => {
        for (const key of keys) ctx.store.set('bank', utf8(key), utf8('1'))
      }
      const migrations: Module['migrations'] = {
        4(ctx) {
          ctx.expectKeys?.(4)
          put(ctx, 'abcd')
        },
        5(ctx) {
          ctx.expectKeys?.(2)
          put(ctx, 'efg')
        },
        6: (ctx) => put(ctx, 'h'),
      }
      return { ...module, version: 7, migrations }
    })
    const { halt } = upgraded({ modules: { bank: 7 } }, { modules, firstVersions, progress })
    expect(halt).toBeUndefined()
    expect(shown[0]!.counts.map(([done]) => done)).toEqual([0.25, 0.5, 0.75, 1, 1, 1.5, 2, 2, 2, 2, 2, 3])
  })

  test('its own handler is a step after the migrations, and a new module is one', () => {
    const { shown, progress } = recorder()
    const modules = [
      ...builtModules,
      defineModule({
        name: 'lab',
        genesis: { defaults: () => ({}), init: (ctx) => write(ctx, 'lab'), export: () => ({}) },
      }),
    ]
    const { halt } = upgraded(
      {
        modules: { lab: 1 },
        stores: { added: ['lab'] },
        run(ctx, _plan, from) {
          const to = ctx.migrate(from)
          ctx.store.delete('lab', utf8('key'))
          return to
        },
      },
      { modules, firstVersions, progress },
    )
    expect(halt).toBeUndefined()
    expect(shown[0]!.counts).toEqual([
      [0, 2, 1],
      [1, 2, 1],
      [1, 2, 2],
      [2, 2, 2],
    ])
  })

  test('its progress stops before the end if it fails, and the state is the same with and without progress', () => {
    const { shown, progress } = recorder()
    const fails = (): never => {
      throw new Error('no such thing')
    }
    const { halt } = upgraded({ modules: { bank: 6 } }, { modules: longer(fails), firstVersions, progress })
    expect(halt?.reason).toBe('failed')
    expect(shown[0]!.counts.at(-1)).toEqual([1, 2, 6])
    const hashOf = (wishes: ChainWishes): string => {
      chain = testChain()
      upgraded({ modules: { bank: 6 } }, { modules: longer(() => {}), firstVersions, ...wishes })
      return formatHex(chain.store.appHash())
    }
    expect(hashOf({ progress })).toBe(hashOf({}))
  })

  test('a block that is executed again shows no progress, and a rehearsal does', () => {
    const { shown, progress } = recorder()
    const { app } = upgraded({ modules: { bank: 6 } }, { modules: longer(() => {}), firstVersions, progress })
    const watch = { before: () => undefined, after: () => {}, shouldStop: () => false }
    app.traceBlock(chain.contextAt(app, 3n), inputOf(4n), watch)
    expect(shown).toHaveLength(1)
    app.rehearse(chain.contextAt(app, 3n), 'v2')
    expect(shown).toHaveLength(2)
    expect(shown[1]).toEqual(shown[0])
  })

  test('a missing migration between two versions halts the chain', () => {
    const modules = builtModules.map((module) =>
      module.name === 'bank' ? { ...module, version: 6, migrations: { 4: () => {} } } : module,
    )
    const { halt } = upgraded({ modules: { bank: 6 } }, { modules, firstVersions })
    expect(halt?.line).toContain('no migration found for module bank from version 5 to version 6')
  })

  test('skips the genesis of a new module whose version it sets beforehand', () => {
    const begun: string[] = []
    const modules: readonly Module[] = [
      ...builtModules,
      defineModule({
        name: 'lab',
        stores: ['lab'],
        genesis: { defaults: () => ({}), init: () => void begun.push('lab'), export: () => ({}) },
      }),
    ]
    const stores = { added: ['lab'] }
    const { app, halt } = upgraded(
      { modules: { lab: 1 }, stores, run: (ctx, _, from) => ctx.migrate(new Map([...from, ['lab', 1]])) },
      { modules, firstVersions },
    )
    expect([halt, begun, chain.versionsAt(app).get('lab'), chain.versionsAt(app, 3n).get('lab')]).toEqual([
      undefined,
      [],
      1,
      undefined,
    ])
  })
})
