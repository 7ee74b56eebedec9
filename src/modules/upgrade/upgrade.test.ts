import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import { MsgCancelUpgradeSchema, MsgSoftwareUpgradeSchema } from '../../gen/sdk/upgrade/v1beta1/tx_pb.ts'
import { PlanSchema } from '../../gen/sdk/upgrade/v1beta1/upgrade_pb.ts'
import { complete } from '../../identity/complete.ts'
import { createIdentity } from '../../identity/identity.ts'
import { nibiru } from '../../identity/profiles/nibiru.ts'
import { formatHex, formatUtf8, utf8 } from '../../primitives/bytes.ts'
import { toTimestamp, ZERO_TIME_NS } from '../../primitives/time.ts'
import type { Context } from '../../sdk/context.ts'
import { type TestOptions, testContext } from '../../sdk/testing.ts'
import { upgrade as module } from './index.ts'
import * as upgrade from './keeper.ts'
import { messages } from './messages.ts'
import { queries } from './queries.ts'
import * as state from './state.ts'

const gov = 'chain10d07y265gmmuvt4z0w9aw880jnsr700j0q8wax'
const alice = 'chain1qfjqsfs08rfugwex7d549lecaja23p5jcejn57'
const reference = createIdentity(nibiru)

const at = (height: bigint, options: TestOptions = {}) => testContext({ ...options, block: { height } })

function schedule(ctx: Context, name: string, height: bigint, info = ''): void {
  messages.softwareUpgrade(ctx, { authority: gov, plan: { name, height, info } })
}

const stored = (ctx: Context) =>
  [...ctx.store.iterate('upgrade')].map(([key, value]) => [formatHex(key), formatHex(value)])

const thrown = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    const { codespace, code, message } = error as { codespace: string; code: number; message: string }
    return `${codespace} ${code}: ${message}`
  }
  return 'nothing'
}

describe('keys and values are those of the API document', () => {
  test('plan, done marker, module versions and protocol version', () => {
    const ctx = at(100n)
    schedule(ctx, 'v2.0.0', 123456n)
    expect(stored(ctx)).toEqual([['00', '0a0676322e302e30120b088092b8c398feffffff0118c0c407']])
    ctx.block.height = 123456n
    upgrade.markApplied(ctx, upgrade.plan(ctx)!)
    upgrade.setModuleVersions(ctx, new Map([['bank', 4]]))
    expect(stored(ctx)).toEqual([
      ['0176322e302e30', '000000000001e240'],
      ['0262616e6b', '0000000000000004'],
      ['03', '0000000000000001'],
    ])
  })

  test('under the reference profile the key of a done marker is height and name', () => {
    const ctx = at(123456n, { identity: reference })
    upgrade.markApplied(ctx, { name: 'v2.0.0', height: 123456n, info: '' })
    expect(stored(ctx)[0]).toEqual(['01000000000001e24076322e302e30', '01'])
    expect(upgrade.doneHeight(ctx, 'v2.0.0')).toBe(123456n)
    expect(upgrade.doneHeight(ctx, 'v2.0')).toBeUndefined()
  })

  test.each([
    ['the API document', {}],
    ['the reference', { identity: reference }],
  ])('the upgrade with the greater height was applied last, in the layout of %s', (_, options) => {
    const ctx = at(100n, options)
    expect(upgrade.lastApplied(ctx)).toBeUndefined()
    for (const [name, height] of [
      ['b', 100n],
      ['a', 200n],
    ] as const) {
      ctx.block.height = height
      upgrade.markApplied(ctx, { name, height, info: '' })
    }
    expect(upgrade.lastApplied(ctx)).toEqual({ name: 'a', height: 200n })
    expect(upgrade.protocolVersion(ctx)).toBe(2n)
  })

  test('messages have the bytes of the reference', () => {
    const message = create(MsgSoftwareUpgradeSchema, { authority: gov, plan: { name: 'v2.0.0', height: 123456n } })
    const bytes = toBinary(MsgSoftwareUpgradeSchema, complete(MsgSoftwareUpgradeSchema, message))
    expect(formatHex(bytes)).toBe(
      '0a2c636861696e313064303779323635676d6d757674347a30773961773838306a6e73723730306a30713877617812190a0676322e302e30120b088092b8c398feffffff0118c0c407',
    )
    const cancel = toBinary(MsgCancelUpgradeSchema, create(MsgCancelUpgradeSchema, { authority: gov }))
    expect(formatHex(cancel)).toBe(
      '0a2c636861696e313064303779323635676d6d757674347a30773961773838306a6e73723730306a307138776178',
    )
  })
})

describe('scheduling', () => {
  test('a plan replaces the scheduled one, whatever its name', () => {
    const ctx = at(10n)
    schedule(ctx, 'v2', 100n)
    schedule(ctx, 'v2', 120n, 'later')
    expect(upgrade.plan(ctx)).toEqual({ name: 'v2', height: 120n, info: 'later' })
    schedule(ctx, 'v3', 90n)
    expect(upgrade.plan(ctx)).toEqual({ name: 'v3', height: 90n, info: '' })
  })

  test('cancelling removes the plan and its light client state, and succeeds without a plan', () => {
    const ctx = at(10n)
    messages.cancelUpgrade(ctx, { authority: gov })
    schedule(ctx, 'v2', 100n)
    state.upgradedClient(100n).set(ctx, utf8('client'))
    state.upgradedConsensusState(100n).set(ctx, utf8('state'))
    expect(stored(ctx).map(([key]) => key)).toContain(formatHex(utf8('upgradedIBCState/100/upgradedClient')))
    messages.cancelUpgrade(ctx, { authority: gov })
    expect(stored(ctx)).toEqual([])
  })

  test('a plan for the current block is accepted, an earlier one is refused', () => {
    const ctx = at(200n)
    expect(thrown(() => schedule(ctx, 'v2', 199n))).toBe(
      'sdk 18: upgrade cannot be scheduled in the past: invalid request',
    )
    schedule(ctx, 'v2', 200n)
    schedule(ctx, 'v2', 201n)
  })

  test('an applied name cannot be scheduled again', () => {
    const ctx = at(100n)
    upgrade.markApplied(ctx, { name: 'v2', height: 100n, info: '' })
    expect(thrown(() => schedule(ctx, 'v2', 300n))).toBe(
      'sdk 18: upgrade with name v2 has already been completed: invalid request',
    )
  })

  test('only governance schedules and cancels', () => {
    const ctx = at(1n)
    const plan = { name: 'v2', height: 10n }
    expect(thrown(() => messages.softwareUpgrade(ctx, { authority: alice, plan }))).toContain(
      `gov 13: expected ${gov} got ${alice}: expected gov account as only signer for proposal message`,
    )
    expect(thrown(() => messages.cancelUpgrade(ctx, { authority: alice }))).toContain('gov 13')
    expect(thrown(() => messages.softwareUpgrade(ctx, { authority: 'nobody', plan }))).toContain('sdk 7')
  })

  test.each([
    [{ name: '' }, 'name cannot be empty'],
    [{ height: 0n }, 'height must be greater than 0'],
    [{ height: -5n }, 'height must be greater than 0'],
    [{ time: toTimestamp(0n) }, 'time-based upgrades have been deprecated in the SDK'],
    [
      { upgradedClientState: { typeUrl: '/x', value: new Uint8Array(0) } },
      'upgrade logic for IBC has been moved to the IBC module',
    ],
    [{ name: 'a/b' }, 'name cannot contain / or \\: it becomes the name of a directory'],
    [{ name: 'a\\b' }, 'name cannot contain / or \\: it becomes the name of a directory'],
    [{ name: '..' }, 'name cannot be ..: it becomes the name of a directory'],
    [{ name: ' v2' }, 'name cannot begin or end with blanks'],
    [{ name: 'v\u00012' }, 'name cannot contain control characters'],
    [{ name: 'v'.repeat(141) }, 'name cannot be longer than 140 bytes'],
    [{ info: 'x'.repeat(10_001) }, 'info cannot be longer than 10000 bytes'],
  ])('a plan with %o is refused at submission and at scheduling', (part, text) => {
    const ctx = at(1n)
    const plan = create(PlanSchema, { name: 'v2', height: 10n, ...part })
    expect(thrown(() => messages.softwareUpgrade(ctx, { authority: gov, plan }))).toBe(
      `sdk 18: ${text}: invalid request`,
    )
    const check = module.validations.find(({ schema }) => schema === MsgSoftwareUpgradeSchema)!
    const message = create(MsgSoftwareUpgradeSchema, { authority: gov, plan })
    expect(thrown(() => check.check(ctx, message))).toBe(`sdk 18: ${text}: invalid request`)
    expect(stored(ctx)).toEqual([])
  })

  test('a time of the year 1 and an absent time are both zero', () => {
    const ctx = at(1n)
    const plan = create(PlanSchema, { name: 'v2', height: 10n, time: toTimestamp(ZERO_TIME_NS) })
    messages.softwareUpgrade(ctx, { authority: gov, plan })
    const bytes = ctx.store.get('upgrade', Uint8Array.of(0))!
    expect(fromBinary(PlanSchema, bytes).time?.seconds).toBe(-62_135_596_800n)
  })

  test('under the reference profile governance has the address of that chain', () => {
    const ctx = at(1n, { identity: reference })
    expect(queries.authority(ctx, {}).address).toMatch(/^nibi10d07y265gmmuvt4z0w9aw880jnsr700j/)
    expect(queries.authority(at(1n), {}).address).toBe(gov)
    const plan = { name: 'v2', height: 10n }
    expect(thrown(() => messages.softwareUpgrade(ctx, { authority: gov, plan }))).toContain('sdk 7')
  })
})

describe('queries', () => {
  test('the plan is null if none is scheduled', () => {
    const ctx = at(1n)
    expect(queries.currentPlan(ctx, {}).plan).toBeUndefined()
    schedule(ctx, 'v2', 50n, 'i')
    expect(queries.currentPlan(ctx, {}).plan).toMatchObject({ name: 'v2', height: 50n, info: 'i' })
  })

  test('an applied plan has its height, an unknown one 0, and an empty name is refused', () => {
    const ctx = at(77n)
    upgrade.markApplied(ctx, { name: 'v2/a', height: 77n, info: '' })
    expect(queries.appliedPlan(ctx, { name: 'v2/a' }).height).toBe(77n)
    expect(queries.appliedPlan(ctx, { name: 'v2' }).height).toBe(0n)
    expect(() => queries.appliedPlan(ctx, { name: '' })).toThrow('name cannot be empty')
  })

  test('module versions are sorted or filtered, and an unknown module is not found', () => {
    const ctx = at(1n)
    upgrade.setModuleVersions(
      ctx,
      new Map([
        ['bank', 4],
        ['auth', 4],
      ]),
    )
    const of = (moduleName: string) =>
      queries.moduleVersions(ctx, { moduleName }).moduleVersions.map(({ name, version }) => `${name} ${version}`)
    expect(of('')).toEqual(['auth 4', 'bank 4'])
    expect(of('bank')).toEqual(['bank 4'])
    expect(thrown(() => of('nosuch'))).toBe('sdk 38: x/upgrade: QueryModuleVersions module nosuch not found: not found')
    upgrade.setModuleVersions(ctx, new Map([['auth', 5]]))
    expect(of('')).toEqual(['auth 5'])
  })

  test('an upgraded consensus state is the stored bytes, or empty', () => {
    const ctx = at(1n)
    expect(queries.upgradedConsensusState(ctx, { lastHeight: 9n }).upgradedConsensusState).toHaveLength(0)
    state.upgradedConsensusState(9n).set(ctx, utf8('state'))
    expect(formatUtf8(queries.upgradedConsensusState(ctx, { lastHeight: 9n }).upgradedConsensusState)).toBe('state')
  })
})
