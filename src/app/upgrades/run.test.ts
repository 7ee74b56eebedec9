import { beforeEach, describe, expect, test } from 'vitest'
import { utf8 } from '../../primitives/bytes.ts'
import type { Context } from '../../sdk/context.ts'
import { defineModule, type Module } from '../../sdk/module.ts'
import { modules as builtModules } from '../modules.ts'
import { type ChainWishes, type TestChain, testChain } from './testing/chain.ts'
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
    expect(chain.bugs).toHaveLength(1)
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
