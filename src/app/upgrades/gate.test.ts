import { beforeEach, describe, expect, test } from 'vitest'
import * as upgradeModule from '../../modules/upgrade/keeper.ts'
import type { Application } from '../types.ts'
import { type TestChain, testChain } from './testing/chain.ts'
import type { Upgrade } from './types.ts'

let chain: TestChain

beforeEach(() => {
  chain = testChain()
})

describe('the block of a plan', () => {
  let old: Application

  beforeEach(() => {
    old = chain.build()
  })

  test('a plan runs once, at its height, in the binary that has the handler', () => {
    chain.decisions.set(3n, { name: 'v2', height: 6n, info: 'i' })
    expect(chain.run(old, 3n)).toBeUndefined()
    expect(chain.planAt(old)).toEqual({ name: 'v2', height: 6n, info: 'i' })
    // The old binary halts before the block, also on every retry.
    const halt = chain.run(old, 10n)!
    expect(halt).toEqual({
      reason: 'needed',
      height: 6n,
      plan: { name: 'v2', height: 6n, info: 'i' },
      line: 'UPGRADE "v2" NEEDED at height: 6: i',
      file: '{"name":"v2","time":"0001-01-01T00:00:00Z","height":6,"info":"i"}',
      exitCode: 3,
    })
    expect(chain.store.latestHeight()).toBe(5n)
    expect(chain.build().haltBefore(chain.store.at(), 6n)).toEqual(halt)
    expect(chain.run(chain.build(), 10n)).toEqual(halt)
    // The new one runs the plan, and a later restart does not run it again.
    let runs = 0
    const handler: Upgrade = {
      name: 'v2',
      run(_, __, from) {
        runs++
        return from
      },
    }
    expect(chain.run(chain.build({ upgrades: [handler] }), 8n)).toBeUndefined()
    const again = chain.build({ upgrades: [handler] })
    expect(chain.run(again, 9n)).toBeUndefined()
    expect(runs).toBe(1)
    expect(chain.lines).toContain('applying upgrade "v2" at height: 6')
    expect([
      chain.planAt(again, 5n)?.name,
      chain.planAt(again, 6n),
      chain.doneAt(again, 'v2', 5n),
      chain.doneAt(again, 'v2', 6n),
    ]).toEqual(['v2', undefined, undefined, 6n])
    expect(upgradeModule.protocolVersion(chain.contextAt(again))).toBe(1n)
    // A binary without the handler of the last applied plan is too old.
    expect(chain.run(chain.build(), 10n)).toEqual({
      reason: 'wrongVersion',
      height: 10n,
      line: 'Wrong app version 1, upgrade handler is missing for v2 upgrade plan',
      exitCode: 5,
    })
    // The name is already applied.
    chain.decisions.set(10n, { name: 'v2', height: 20n })
    expect(() => chain.run(again, 10n)).toThrow('upgrade with name v2 has already been completed')
  })

  test('blocks are made without a plan, before a plan, and after its cancellation', () => {
    chain.decisions.set(2n, { name: 'v2', height: 5n })
    chain.decisions.set(4n, 'cancel')
    expect(chain.run(old, 8n)).toBeUndefined()
    expect([
      chain.planAt(old, 1n),
      chain.planAt(old, 3n)?.height,
      chain.planAt(old, 4n),
      chain.doneAt(old, 'v2'),
    ]).toEqual([undefined, 5n, undefined, undefined])
  })

  test('a plan is postponed, and moved to an earlier height under another name', () => {
    chain.decisions.set(2n, { name: 'v2', height: 5n })
    chain.decisions.set(3n, { name: 'v2', height: 9n })
    expect(chain.run(old, 6n)).toBeUndefined()
    chain.decisions.set(7n, { name: 'v3', height: 8n })
    expect(chain.run(old, 9n)).toMatchObject({ reason: 'needed', height: 8n, plan: { name: 'v3' } })
  })

  test('the later of two plans at one height replaces the other, and only its handler runs', () => {
    const ran: string[] = []
    const handler = (name: string): Upgrade => ({
      name,
      inPlace: true,
      run(_, __, from) {
        ran.push(name)
        return from
      },
    })
    chain.decisions.set(2n, { name: 'first', height: 5n })
    chain.decisions.set(3n, { name: 'second', height: 5n })
    const app = chain.build({ upgrades: [handler('first'), handler('second')] })
    expect(chain.run(app, 6n)).toBeUndefined()
    expect([ran, chain.doneAt(app, 'first'), chain.doneAt(app, 'second')]).toEqual([['second'], undefined, 5n])
  })

  test('a plan decided in the block of its own height runs in the next block, which the marker names', () => {
    chain.decisions.set(4n, { name: 'v2', height: 4n })
    const app = chain.build({ upgrades: [{ name: 'v2', inPlace: true }] })
    expect(chain.run(app, 6n)).toBeUndefined()
    expect(chain.doneAt(app, 'v2')).toBe(5n)
    chain.decisions.set(8n, { name: 'v3', height: 8n })
    expect(chain.run(app, 9n)).toMatchObject({
      height: 9n,
      line: 'UPGRADE "v3" NEEDED at height: 8: ',
      file: '{"name":"v3","time":"0001-01-01T00:00:00Z","height":9}',
    })
  })

  test('the next binary halts before the plan is due, unless it also runs the chain before the plan', () => {
    chain.decisions.set(2n, { name: 'v2', height: 9n })
    expect(chain.run(old, 4n)).toBeUndefined()
    const early = chain.build({ upgrades: [{ name: 'v2' }] })
    expect(chain.run(early, 9n)).toEqual({
      reason: 'tooEarly',
      height: 5n,
      plan: { name: 'v2', height: 9n, info: '' },
      line: 'BINARY UPDATED BEFORE TRIGGER! UPGRADE "v2" - in binary but not executed on chain. Downgrade your binary',
      exitCode: 4,
    })
    expect(early.haltBefore(chain.store.at(), 5n)?.exitCode).toBe(4)
    expect(chain.run(old, 5n)).toBeUndefined()
    const inPlace = chain.build({ upgrades: [{ name: 'v2', inPlace: true }] })
    expect(chain.run(inPlace, 10n)).toBeUndefined()
    expect(chain.doneAt(inPlace, 'v2')).toBe(9n)
  })

  test('a height on the skip list drops the plan: no handler runs, no marker is set, and the chain continues', () => {
    chain.decisions.set(2n, { name: 'v2', height: 5n, info: 'why' })
    const skipping = chain.build({ skipUpgrades: [5n], upgrades: [{ name: 'v2', inPlace: true }] })
    expect(chain.run(skipping, 7n)).toBeUndefined()
    expect(chain.lines).toEqual(['UPGRADE "v2" SKIPPED at 5: why'])
    expect([chain.planAt(skipping, 4n)?.name, chain.planAt(skipping, 5n), chain.doneAt(skipping, 'v2')]).toEqual([
      'v2',
      undefined,
      undefined,
    ])
    expect(upgradeModule.protocolVersion(chain.contextAt(skipping))).toBe(0n)
  })

  test('a skip list that names another height changes nothing', () => {
    chain.decisions.set(2n, { name: 'v2', height: 5n })
    expect(chain.run(chain.build({ skipUpgrades: [4n, 6n] }), 7n)).toMatchObject({ reason: 'needed', height: 5n })
  })

  test('an old binary that skips a plan still needs the handler of the last applied plan', () => {
    chain.decisions.set(2n, { name: 'v2', height: 4n })
    chain.decisions.set(5n, { name: 'v3', height: 8n })
    expect(chain.run(chain.build({ upgrades: [{ name: 'v2', inPlace: true }] }), 7n)).toBeUndefined()
    expect(chain.run(chain.build({ skipUpgrades: [8n] }), 9n)).toMatchObject({
      reason: 'wrongVersion',
      height: 8n,
      exitCode: 5,
    })
  })
})
