import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  EpochInfoSchema,
  EventEpochEndSchema,
  EventEpochStartSchema,
} from '../../gen/chain/epochs/v1beta1/epochs_pb.ts'
import {
  QueryCurrentEpochRequestSchema,
  QueryCurrentEpochResponseSchema,
} from '../../gen/chain/epochs/v1beta1/query_pb.ts'
import { complete } from '../../identity/complete.ts'
import { identityOf } from '../../identity/profiles.ts'
import { formatHex, hex } from '../../primitives/bytes.ts'
import { NS_PER_SECOND, parseRfc3339 } from '../../primitives/time.ts'
import type { BranchedContext } from '../../sdk/context.ts'
import { errors } from '../../sdk/errors.ts'
import { defineModule } from '../../sdk/module.ts'
import { testContext } from '../../sdk/testing.ts'
import { followMovedClock } from './epochs.ts'
import { genesis } from './genesis.ts'
import { afterEpochEnd, type Epoch } from './hooks.ts'
import { epochs as module } from './index.ts'
import { queries } from './queries.ts'

const T0 = parseRfc3339('2024-01-01T00:00:00Z')!
const DAY = 86_400n

let ctx: BranchedContext
let heard: Epoch[]
const listener = defineModule({
  name: 'listener',
  stores: [],
  hooks: [afterEpochEnd.on((_ctx, epoch) => void heard.push(epoch))],
})

function begin(profile?: string): void {
  heard = []
  const identity = profile === undefined ? {} : { identity: identityOf(profile) }
  ctx = testContext({ modules: [module, listener], block: { height: 0n, timeNs: T0 }, ...identity })
  genesis.init(ctx, genesis.defaults(ctx))
}
beforeEach(() => begin())

/** Runs the start of a block and returns one text for each event. */
function block(height: bigint, offset: bigint | { readonly ns: bigint }): string[] {
  ctx.block.height = height
  ctx.block.timeNs = T0 + (typeof offset === 'bigint' ? offset * NS_PER_SECOND : offset.ns)
  module.beginBlock!(ctx)
  return ctx.branchStore.events.splice(0).map(({ type, attributes }) => {
    const value = (name: string) => attributes.find(({ key }) => key === name)?.value.replaceAll('"', '')
    return `${type.split('.').pop()} ${value('identifier')} ${value('epoch_number')}`
  })
}

function record(identifier: string) {
  const json = genesis.export(ctx) as { epochs: Record<string, unknown>[] }
  const found = json.epochs.find((one) => one['identifier'] === identifier)!
  return [found['current_epoch'], found['current_epoch_start_time'], found['current_epoch_start_height']]
}

describe('epochs on a fixed schedule', () => {
  test('all four records start with the first block, in byte order, and none ends', () => {
    const started = ['30 min', 'day', 'month', 'week'].map((name) => `EventEpochStart ${name} 1`)
    expect(block(1n, 0n)).toEqual(started)
    expect(record('day')).toEqual(['1', '2024-01-01T00:00:00Z', '1'])
    expect(heard).toEqual([])
  })

  test('an epoch ends at its time, not a nanosecond earlier', () => {
    block(1n, 0n)
    expect(block(2n, { ns: 1800n * NS_PER_SECOND - 1n })).toEqual([])
    expect(block(3n, 1800n)).toEqual(['EventEpochEnd 30 min 1', 'EventEpochStart 30 min 2'])
    expect(record('30 min')).toEqual(['2', '2024-01-01T00:30:00Z', '3'])
    expect(heard).toEqual([{ identifier: '30 min', number: 1n }])
  })

  test('a late block does not move the schedule', () => {
    block(1n, 0n)
    block(2n, 1804n)
    expect(record('30 min')).toEqual(['2', '2024-01-01T00:30:00Z', '2'])
    block(3n, 3600n)
    expect(record('30 min')).toEqual(['3', '2024-01-01T01:00:00Z', '3'])
  })

  test.each([
    [
      '5: 6 s',
      6_000n,
      [
        [301, '30 min', 2, '00:30:00'],
        [601, '30 min', 3, '01:00:00'],
        [14_401, '30 min', 49, '24:00:00'],
        [14_401, 'day', 2, '24:00:00'],
      ],
    ],
    [
      '6: 7 s',
      7_000n,
      [
        [259, '30 min', 2, '00:30:00'],
        [516, '30 min', 3, '01:00:00'],
        [12_087, '30 min', 48, '23:30:00'],
        [12_344, '30 min', 49, '24:00:00'],
        [12_344, 'day', 2, '24:00:00'],
      ],
    ],
    [
      '7: 1.3 s',
      1_300n,
      [
        [1_386, '30 min', 2, '00:30:00'],
        [2_771, '30 min', 3, '01:00:00'],
        [65_078, '30 min', 48, '23:30:00'],
        [66_463, 'day', 2, '24:00:00'],
      ],
    ],
  ] as const)('%s blocks', (_, stepMs, expected) => {
    const last = expected.at(-1)![0]
    for (let height = 1; height <= last; height++) {
      block(BigInt(height), { ns: BigInt(height - 1) * stepMs * 1_000_000n })
      for (const [at, identifier, number, start] of expected) {
        if (at !== height) continue
        const text = start === '24:00:00' ? '2024-01-02T00:00:00Z' : `2024-01-01T${start}Z`
        expect(record(identifier), `${identifier} at ${height}`).toEqual([`${number}`, text, `${height}`])
      }
    }
  })

  test('after an outage each block ends one epoch, and listeners see every end once', () => {
    const ends = () => heard.filter(({ identifier }) => identifier === 'day').map(({ number }) => number)
    block(1n, 0n)
    block(2n, 1800n)
    const late = 3n * DAY + 300n
    for (const [i, offset] of [late, late + 6n, late + 12n, late + 18n].entries()) block(BigInt(3 + i), offset)
    expect(record('day')).toEqual(['4', '2024-01-04T00:00:00Z', '5'])
    expect(ends()).toEqual([1n, 2n, 3n])
    block(7n, 3n * DAY + 2100n)
    expect(record('day')[0]).toBe('4')
    block(8n, 4n * DAY + 240n)
    expect(record('day')).toEqual(['5', '2024-01-05T00:00:00Z', '8'])
    expect(record('30 min')).toEqual(['8', '2024-01-01T03:30:00Z', '8'])
    expect(ends()).toEqual([1n, 2n, 3n, 4n])
  })

  test('a late chain catches up until no epoch is due', () => {
    block(1n, 0n)
    block(2n, 1800n)
    for (let height = 3n; height <= 253n; height++) {
      block(height, 3n * DAY + 300n + (height - 3n) * 6n)
      if (height === 145n) expect(record('30 min')).toEqual(['145', '2024-01-04T00:00:00Z', '145'])
      if (height === 252n) expect(record('30 min')[0]).toBe('145')
    }
    expect(record('30 min')).toEqual(['146', '2024-01-04T00:30:00Z', '253'])
  })

  test('where verbs move the clock, the next block ends every epoch that is over, by their times, and listeners see each once', () => {
    const ends = () => heard.filter(({ identifier }) => identifier === 'day').map(({ number }) => number)
    followMovedClock(ctx)
    block(1n, 0n)
    block(2n, 1800n)
    const events = block(3n, DAY + 1900n)
    expect(record('day')).toEqual(['2', '2024-01-02T00:00:00Z', '3'])
    expect(record('30 min')).toEqual(['50', '2024-01-02T00:30:00Z', '3'])
    // The day ends with its last half hour; records that are due at one time advance in byte order.
    expect(events.slice(-6)).toEqual([
      'EventEpochEnd 30 min 48',
      'EventEpochStart 30 min 49',
      'EventEpochEnd day 1',
      'EventEpochStart day 2',
      'EventEpochEnd 30 min 49',
      'EventEpochStart 30 min 50',
    ])
    block(4n, 3n * DAY + 300n)
    expect(record('day')).toEqual(['4', '2024-01-04T00:00:00Z', '4'])
    expect(ends()).toEqual([1n, 2n, 3n])
    expect(block(5n, 3n * DAY + 306n)).toEqual([])
  })

  test('a block opens at most 20,000 epochs, and the next one continues', () => {
    followMovedClock(ctx)
    block(1n, 0n)
    const late = 450n * DAY
    expect(block(2n, late).filter((event) => event.startsWith('EventEpochStart'))).toHaveLength(20_000)
    expect(record('30 min')[0]).not.toBe('21601')
    block(3n, late + 6n)
    expect([record('30 min'), record('day')]).toEqual([
      ['21601', '2025-03-26T00:00:00Z', '3'],
      ['451', '2025-03-26T00:00:00Z', '3'],
    ])
    expect(block(4n, late + 12n)).toEqual([])
  })

  const imported = (part: object) => {
    const json = {
      identifier: 'daily',
      start_time: '2024-01-31T00:00:00Z',
      duration: '86400s',
      current_epoch: '0',
      current_epoch_start_time: '0001-01-01T00:00:00Z',
      epoch_counting_started: false,
      current_epoch_start_height: '0',
      ...part,
    }
    ctx = testContext({ modules: [module, listener], block: { height: 0n, timeNs: T0 } })
    genesis.init(ctx, { epochs: [json] })
  }

  test('counting starts at the start time with 1 and catches up from there', () => {
    imported({ current_epoch: '5' })
    expect(block(2n, 7n * DAY)).toEqual([])
    expect(block(3n, 32n * DAY + 5n)).toEqual(['EventEpochStart daily 1'])
    expect(record('daily')).toEqual(['1', '2024-01-31T00:00:00Z', '3'])
    block(4n, 32n * DAY + 11n)
    block(5n, 32n * DAY + 17n)
    expect(record('daily')).toEqual(['3', '2024-02-02T00:00:00Z', '5'])
    expect(block(6n, 32n * DAY + 23n)).toEqual([])
  })

  test('an imported started record continues, with any duration', () => {
    const started = {
      epoch_counting_started: true,
      current_epoch: '5',
      current_epoch_start_time: '2024-01-01T00:00:00Z',
    }
    imported({ ...started, duration: '3600s' })
    expect(block(2n, 3605n)).toEqual(['EventEpochEnd daily 5', 'EventEpochStart daily 6'])
    expect(record('daily')).toEqual(['6', '2024-01-01T01:00:00Z', '2'])
    imported({ ...started, current_epoch: '1', duration: '2678400s' })
    expect(block(2n, 1n)).toEqual([])
    block(3n, 32n * DAY)
    expect(record('daily')).toEqual(['2', '2024-02-01T00:00:00Z', '3'])
  })

  test('an epoch is found by its exact identifier', () => {
    block(1n, 0n)
    expect(queries.currentEpoch(ctx, { identifier: '30 min' }).currentEpoch).toBe(1n)
    expect(() => queries.currentEpoch(ctx, { identifier: '30 Min' })).toThrow('epoch with identifier 30 Min not found')
    const status = (identifier: string) => {
      try {
        return queries.currentEpoch(ctx, { identifier })
      } catch (error) {
        return (error as { status: string }).status
      }
    }
    expect(['none', '', 'a\0b'].map(status)).toEqual(['notFound', 'invalidArgument', 'invalidArgument'])
    expect(queries.epochInfos(ctx, {}).epochs.map(({ identifier }) => identifier)).toEqual([
      '30 min',
      'day',
      'month',
      'week',
    ])
  })

  test('a record without a start time starts with the chain', () => {
    imported({ start_time: null })
    expect(block(1n, 0n)).toEqual(['EventEpochStart daily 1'])
    expect(record('daily')).toEqual(['1', '2024-01-01T00:00:00Z', '1'])
  })

  test('an invalid record is refused with its index', () => {
    const start =
      (...parts: object[]) =>
      () => {
        const base = { identifier: 'a', start_time: '0001-01-01T00:00:00Z', duration: '1s' }
        genesis.init(testContext({ modules: [module] }), {
          epochs: parts.map((part) => ({ ...base, ...part })),
        } as never)
      }
    expect(start({}, { identifier: 'b' }, {})).toThrow('epochs[2]: epoch identifier should be unique')
    expect(start({ duration: '0s' })).toThrow('epochs[0]: epoch duration should NOT be 0')
    expect(start({ duration: '-5s' })).toThrow('epoch duration should NOT be 0')
    expect(start({ identifier: ' ' })).toThrow('epoch identifier should NOT be empty')
    expect(start({ current_epoch_start_height: '-1' })).toThrow('Start Height must be non-negative')
    expect(start({ epoch_counting_started: true })).toThrow(
      'current_epoch_start_time must be set if epoch_counting_started is true',
    )
  })

  test('messages have the bytes of the reference', () => {
    const current = create(QueryCurrentEpochRequestSchema, { identifier: '30 min' })
    expect(formatHex(toBinary(QueryCurrentEpochRequestSchema, current))).toBe('0a063330206d696e')
    const answer = create(QueryCurrentEpochResponseSchema, { currentEpoch: 2n })
    expect(formatHex(toBinary(QueryCurrentEpochResponseSchema, answer))).toBe('0802')
    const example = '0a063330206d696e1206088081c8ac061a0308880e20022a0608888fc8ac063001388707'
    const again = complete(EpochInfoSchema, fromBinary(EpochInfoSchema, hex(example)))
    expect(formatHex(toBinary(EpochInfoSchema, again))).toBe(example)
    const start = { epochNumber: 2n, epochStartTime: { seconds: 1_704_067_200n + 1800n }, identifier: '30 min' }
    expect(formatHex(toBinary(EventEpochStartSchema, create(EventEpochStartSchema, start)))).toBe(
      '0802120608888fc8ac061a063330206d696e',
    )
    const end = create(EventEpochEndSchema, { epochNumber: 1n, identifier: '30 min' })
    expect(formatHex(toBinary(EventEpochEndSchema, end))).toBe('080112063330206d696e')
  })
})

test('event attributes are sorted, and values are JSON with quotes', () => {
  ctx.block.height = 1n
  module.beginBlock!(ctx)
  expect(ctx.events[0]).toEqual({
    type: 'chain.epochs.v1beta1.EventEpochStart',
    attributes: [
      { key: 'epoch_number', value: '"1"' },
      { key: 'epoch_start_time', value: '"2024-01-01T00:00:00Z"' },
      { key: 'identifier', value: '"30 min"' },
    ],
  })
})

test('under the reference profile an epoch starts at its block time, and events have no identifier', () => {
  begin('nibiru')
  expect(block(1n, 3n)[0]).toBe('EventEpochStart undefined 1')
  expect(record('30 min')).toEqual(['1', '2024-01-01T00:00:03Z', '1'])
  block(2n, 1804n)
  expect(record('30 min')).toEqual(['2', '2024-01-01T00:30:04Z', '2'])
  block(3n, 3600n)
  expect(record('30 min')[0]).toBe('2')
  block(4n, 10n * 3600n)
  block(5n, 10n * 3600n + 6n)
  expect(record('30 min')).toEqual(['3', '2024-01-01T10:00:00Z', '4'])
})

test('a failing listener is rolled back alone and the epoch advances', () => {
  const refusing = defineModule({
    name: 'refusing',
    stores: [],
    hooks: [
      afterEpochEnd.on((branch) => {
        branch.store.set('mine', hex('01'), hex('02'))
        branch.emitEvent('gone', {})
        throw errors.invalidRequest('no')
      }),
    ],
  })
  heard = []
  ctx = testContext({ modules: [module, refusing, listener], block: { height: 0n, timeNs: T0 } })
  genesis.init(ctx, genesis.defaults(ctx))
  block(1n, 0n)
  expect(block(2n, 1800n)).toEqual(['EventEpochEnd 30 min 1', 'epoch_hook_failed 30 min 1', 'EventEpochStart 30 min 2'])
  expect(ctx.store.get('mine', hex('01'))).toBeUndefined()
  expect(heard).toEqual([{ identifier: '30 min', number: 1n }])
})
