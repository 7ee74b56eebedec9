import { describe, expect, test } from 'vitest'
import { formatHex, utf8 } from '../../primitives/bytes.ts'
import type { Module } from '../../sdk/module.ts'
import { modules as builtModules } from '../modules.ts'
import { type TestChain, testChain } from './testing/chain.ts'
import { labBinary, labModules, labUpgrades, labVersions } from './testing/modules.ts'
import type { Upgrade } from './types.ts'

/** Returns a chain after the first upgrades, and the binary that has all of them. */
function lab(to: bigint, count = 0): { readonly chain: TestChain; readonly app: ReturnType<TestChain['build']> } {
  const chain = testChain()
  labUpgrades.slice(0, count).forEach(({ name }, i) => {
    chain.decisions.set(BigInt(2 * i + 2), { name, height: BigInt(2 * i + 3) })
  })
  const app = chain.build({ modules: labModules, upgrades: labUpgrades, firstVersions: labVersions })
  chain.run(app, to)
  return { chain, app }
}

describe('a rehearsal', () => {
  test('reports stores, keys, bytes and versions, and changes nothing', () => {
    const { chain, app } = lab(20n)
    const before = formatHex(chain.store.appHash())
    const rehearsal = app.rehearse(chain.contextAt(app), 'store-added')
    expect(rehearsal).toMatchObject({
      upgrade: 'store-added',
      height: 21n,
      lines: [
        'adding a new module: authz',
        'migrating module devgas from version 1 to version 2',
        'migrating module devgas from version 2 to version 3',
      ],
      versions: [
        { module: 'authz', after: 2 },
        { module: 'devgas', before: 1, after: 3 },
      ],
    })
    expect(rehearsal.failure).toBeUndefined()
    const index = rehearsal.stores.find(({ store }) => store === 'byholder')!
    const records = [...chain.store.at().iterate('devgas', { start: Uint8Array.of(0x11), end: Uint8Array.of(0x12) })]
    expect(index).toMatchObject({ fate: 'added', added: records.length, changed: 0, deleted: 0, moved: 0 })
    // A key is a byte and two texts of 44 characters, each followed by a zero byte; its value is empty.
    expect(index.bytes).toBe(records.length * 91)
    expect(rehearsal.stores.find(({ store }) => store === 'labgrants')).toMatchObject({ fate: 'added', added: 1 })
    expect(rehearsal.stores.find(({ store }) => store === 'devgas')).toMatchObject({ fate: 'kept', changed: 1 })
    // The map has one more entry and one different entry; entries that are written unchanged do not count.
    expect(rehearsal.stores.find(({ store }) => store === 'upgrade')).toMatchObject({ added: 1, changed: 1 })
    expect(rehearsal.operations.lost).toEqual([])
    expect(rehearsal.operations.asked).toBe(app.queries.size)
    expect(rehearsal.operations.questions).toBeGreaterThan(rehearsal.operations.asked)
    expect([formatHex(chain.store.appHash()), chain.store.latestHeight()]).toEqual([before, 20n])
    expect(chain.run(app, 22n)).toBeUndefined()
  })

  test('counts the keys of renamed and deleted stores, and names the operations of a removed module', () => {
    const { chain, app } = lab(8n, 2)
    const count = (store: string) => [...chain.store.at().iterate(store)].length
    const renamed = app.rehearse(chain.contextAt(app), 'store-renamed')
    expect(renamed.stores.find(({ store }) => store === 'shares')).toMatchObject({
      fate: 'renamed',
      from: 'devgas',
      moved: count('devgas'),
    })
    const { stores, operations } = app.rehearse(chain.contextAt(app), 'store-deleted')
    expect(stores.find(({ store }) => store === 'feegrant')).toMatchObject({
      fate: 'deleted',
      deleted: count('feegrant'),
    })
    expect(operations.lost.map(({ path, isMeant }) => [path, isMeant])).toEqual([
      ['/sdk.feegrant.v1beta1.Query/Allowance', true],
      ['/sdk.feegrant.v1beta1.Query/Allowances', true],
      ['/sdk.feegrant.v1beta1.Query/AllowancesByGranter', true],
    ])
  })

  test('counts the writes of runs', () => {
    const { chain, app } = lab(15n)
    const keys = 100
    const streaming: Upgrade = {
      name: 'streaming',
      writes: ['evm'],
      run(ctx, _, from) {
        const entries = Array.from({ length: keys }, (_, i) => [Uint8Array.of(0xee, i), utf8('value')] as const)
        ctx.writeRun('evm', entries)
        ctx.store.set('evm', Uint8Array.of(0xef, 0), utf8('other'))
        return from
      },
    }
    const other = chain.build({
      modules: labModules,
      upgrades: [...labUpgrades, streaming],
      firstVersions: labVersions,
    })
    const { stores } = other.rehearse(chain.contextAt(other), 'streaming')
    // The version map was written unchanged, which does not count.
    expect(stores.map(({ store }) => store)).toEqual(['evm'])
    const [evm] = stores
    expect(evm).toMatchObject({ store: 'evm', changed: 0, added: keys + 1, bytes: (keys + 1) * 7 })
    expect(chain.store.at().has('evm', Uint8Array.of(0xee, 1))).toBe(false)
    expect(chain.run(app, 16n)).toBeUndefined()
  })

  test('names an operation that a handler breaks, with its new answer', () => {
    const { chain } = lab(3n)
    const spoiling: Upgrade = {
      name: 'spoiling',
      writes: ['sudo'],
      run(ctx, _, from) {
        for (const [key] of [...ctx.store.iterate('sudo')]) ctx.store.set('sudo', key, Uint8Array.of(0xff))
        return from
      },
    }
    const app = chain.build({ modules: labModules, upgrades: [...labUpgrades, spoiling], firstVersions: labVersions })
    const { lost } = app.rehearse(chain.contextAt(app), 'spoiling').operations
    expect(lost.map(({ path }) => path)).toContain('/chain.sudo.v1.Query/QuerySudoers')
    expect(lost.every(({ isMeant, message }) => !isMeant && message !== '')).toBe(true)
  })

  test('a rehearsal of an applied upgrade gives its height, and the height at which it can still be rehearsed', () => {
    const { chain, app } = lab(8n, 2)
    const { name } = labUpgrades[1]!
    expect(() => app.rehearse(chain.contextAt(app), name)).toThrow(
      `"${name}" was applied by block 5, and runs once; before it, it can be rehearsed at height 4`,
    )
  })

  test('gives the reason why a handler would halt the chain, and for an unknown handler the known ones', () => {
    const { chain, app } = lab(3n)
    const failing: Upgrade = {
      name: 'failing',
      run() {
        throw new Error('no luck')
      },
    }
    const other = chain.build({ upgrades: [failing] })
    expect(other.rehearse(chain.contextAt(other), 'failing')).toMatchObject({ failure: 'no luck', stores: [] })
    expect(() => other.rehearse(chain.contextAt(other), 'v9')).toThrow(
      'this build has no upgrade "v9"; its upgrades: failing',
    )
    expect(app.rehearse(chain.contextAt(app), 'keys-rewritten').failure).toContain('without declaring it')
  })
})

describe('a preflight', () => {
  const faults = (app: ReturnType<TestChain['build']>, chain: TestChain): string[] =>
    app
      .preflight(chain.store.at(), chain.store.latestHeight())
      .findings.flatMap(({ level, text }) => (level === 'fault' ? [text] : []))

  test('finds nothing wrong with a chain of this build that has no plan', () => {
    const chain = testChain()
    const app = chain.build()
    chain.run(app, 3n)
    const { plan, blocksLeft, findings, versions, halt } = app.preflight(chain.store.at(), 3n)
    expect({ plan, blocksLeft, findings, versions, halt }).toEqual({
      plan: undefined,
      blocksLeft: undefined,
      findings: [{ level: 'fine', text: 'no upgrade is scheduled' }],
      versions: [],
      halt: undefined,
    })
  })

  test('says when to start the binary of a plan, and lists its changes', () => {
    const chain = testChain()
    chain.decisions.set(2n, { name: 'longer-params', height: 9n })
    chain.run(chain.build({ ...labBinary(0), firstVersions: labVersions }), 3n)
    const next = chain.build(labBinary(1))
    const { plan, blocksLeft, findings, versions, halt } = next.preflight(chain.store.at(), 3n)
    expect([plan?.height, blocksLeft]).toEqual([9n, 5n])
    expect(findings.map(({ level, text }) => `${level}: ${text}`)).toEqual([
      'fine: upgrade "longer-params" is scheduled at height 9; the chain is at 3',
      'fine: the handler of "longer-params" is here',
      'note: it does not run in place: start this build after the previous one has halted, not earlier',
      'fine: module devgas migrates from version 1 to 2',
    ])
    expect(versions).toEqual([{ module: 'devgas', onChain: 1, afterPlan: 2, inBuild: 2 }])
    expect(halt?.reason).toBe('tooEarly')
  })

  test('names a missing handler, migration, store or module', () => {
    const chain = testChain()
    chain.decisions.set(2n, { name: 'v2', height: 9n })
    chain.run(chain.build(), 3n)
    const lottery = { ...builtModules[0]!, name: 'lottery', stores: ['lottery'] }
    const of = (upgrades: readonly Upgrade[], modules = builtModules) =>
      faults(chain.build({ upgrades, modules: [...modules] }), chain)
    expect(of([])).toEqual(['this build has no handler "v2": it halts before block 9'])
    const bank = builtModules.map((module) => (module.name === 'bank' ? { ...module, version: 6 } : module))
    expect(of([{ name: 'v2', modules: { bank: 6 } }], bank)).toEqual([
      'module bank has no migration from version 4 to 5',
      'module bank has no migration from version 5 to 6',
    ])
    expect(of([{ name: 'v2' }], bank)).toEqual([
      'module bank is at version 4 on the chain and at version 6 in this build: no upgrade changes it',
    ])
    expect(of([{ name: 'v2', modules: { lottery: 1 } }], [...builtModules, lottery])).toEqual([
      'module lottery needs store lottery, which no upgrade adds',
    ])
    expect(of([{ name: 'v2', modules: { lottery: 1 } }])).toContain(
      'the plan brings module lottery, which this build does not have',
    )
    expect(of([{ name: 'v2', stores: { added: ['bank'] } }])[0]).toContain('bank')
  })

  test('reports a binary that is older than the chain', () => {
    const chain = testChain()
    chain.decisions.set(2n, { name: 'v2', height: 4n })
    chain.run(chain.build({ upgrades: [{ name: 'v2', inPlace: true }] }), 5n)
    expect(faults(chain.build(), chain)).toEqual([
      '"v2", applied at height 4, has no handler in this build, which is older than the chain',
    ])
  })
})

test('misfits of a build are found in the state alone, whatever is planned', () => {
  const chain = testChain()
  chain.run(chain.build(), 3n)
  const lottery = { ...builtModules[0]!, name: 'lottery', stores: ['lottery'] }
  const of = (modules: readonly Module[], upgrades: readonly Upgrade[] = []) =>
    chain.build({ modules, upgrades }).misfits(chain.store.at())
  const brings: Upgrade = { name: 'v2', modules: { lottery: 1 }, stores: { added: ['lottery'] } }
  expect(of(builtModules)).toEqual([])
  expect(of([...builtModules, lottery])).toEqual(['module lottery needs store lottery, which no upgrade adds'])
  expect(of([...builtModules, lottery], [brings])).toEqual([])
  const newer = builtModules.map((module) => (module.name === 'bank' ? { ...module, version: 5 } : module))
  expect(of(newer)).toEqual([
    'module bank is at version 4 on the chain and at version 5 in this build: no upgrade changes it',
  ])
  expect(of(newer, [{ name: 'v2', modules: { bank: 5 } }])).toEqual([])
  const fewer = builtModules.filter(({ name }) => name !== 'inflation')
  expect(of(fewer)).toEqual([
    'module inflation is at version 3 on the chain and absent in this build: no upgrade changes it',
  ])
  expect(of(fewer, [{ name: 'v2', modules: { inflation: 'removed' } }])).toEqual([])
})
