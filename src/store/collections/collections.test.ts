import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import { FeeShareSchema } from '../../gen/chain/devgas/v1/devgas_pb.ts'
import { EpochInfoSchema } from '../../gen/chain/epochs/v1beta1/epochs_pb.ts'
import { FunTokenSchema, ParamsSchema } from '../../gen/chain/evm/v1/evm_pb.ts'
import { ExchangeRateAtBlockSchema } from '../../gen/chain/oracle/v1beta1/oracle_pb.ts'
import {
  DenomAuthorityMetadataSchema,
  ModuleParamsSchema,
  TFDenomSchema,
} from '../../gen/chain/tokenfactory/v1/state_pb.ts'
import { parseEvm } from '../../primitives/address.ts'
import { formatHex, hex, utf8 } from '../../primitives/bytes.ts'
import { fromRaw } from '../../primitives/decimal.ts'
import { createEmptyBranch } from '../branch.ts'
import { createInfiniteGasMeter, metered } from '../gas.ts'
import * as codecs from './codecs.ts'
import { bareItem, item, keySet, map, sequence } from './collections.ts'
import { indexedMap, multiIndex } from './indexed-map.ts'
import * as keys from './key-codecs.ts'

const identity = { bech32: { account: 'chain', validator: 'chainvaloper', consensus: 'chainvalcons' } }
const testState = () => ({ store: createEmptyBranch(), identity })
const raw = codecs.bytesValue

/** Accounts of the examples. */
const A = hex('026408260f38d3c43b26f36952ff38ecbaa88692')
const E = hex('029fd89ee90c50d2eb01feae57cbabcb97db0d9a')
const C = parseEvm('0xAEf9437FF23D48D73271a41a8A094DEc9ac71477')!
const consensus = hex('630dcd2966c4336691125448bbb25b4ff412a49c')
const denom = 'factory/chain1qfjqsfs08rfugwex7d549lecaja23p5jcejn57/gold'
const id = hex('5b4f2ed0bcd28eea52f2d1d85a77aaded3c013e00fdc59f92537dfe0c6fa72ee')

const storage = map('evm', 2, keys.pairKey(keys.evmAddressKey, keys.hashKey), raw)
const funtokensByDenom = keySet('evm', 7, keys.pairKey(keys.stringKey, keys.hashKey))
const funtokensByErc20 = keySet('evm', 6, keys.pairKey(keys.evmAddressKey, keys.hashKey))
const rates = map('oracle', 1, keys.stringKey, raw)
const snapshots = map('oracle', 0x0a, keys.pairKey(keys.stringKey, keys.timeKey), raw)
const feeders = map('oracle', 2, keys.validatorTextKey, raw)
const misses = map('oracle', 3, keys.validatorTextKey, codecs.uint64Value)
const rewardIds = sequence('oracle', 9)
const period = item('inflation', 0, codecs.uint64Value)
const creators = keySet('tokenfactory', 2, keys.accountTextKey)
const denomsByCreator = keySet('tokenfactory', 5, keys.pairKey(keys.accountTextKey, keys.stringKey))
const applied = map('upgrade', 1, keys.pairKey(keys.uint64Key, keys.bareStringKey), raw)
const balances = map('bank', 2, keys.pairKey(keys.addressKey, keys.bareStringKey), codecs.intTextValue)
const owners = map('bank', 3, keys.pairKey(keys.stringKey, keys.addressKey), raw)
const supply = map('bank', 0, keys.bareStringKey, codecs.intTextValue)
const sendEnabled = map('bank', 4, keys.bareStringKey, codecs.wrappedBoolValue)
const remainders = map('bank', 0x0f, keys.accountTextKey, codecs.uint256Value)
const accountNumbers = map('acc', 'accountNumber', keys.uint64Key, raw)
const nextAccountNumber = bareItem('acc', 'globalAccountNumber', codecs.wrappedUint64Value)
const operators = map('staking', 0x22, keys.addressKey, raw)
const lastPowers = map('staking', 0x11, keys.addressKey, codecs.wrappedInt64Value)
const totalPower = bareItem('staking', 0x12, codecs.wrappedIntValue)
const delegations = map('staking', 0x31, keys.pairKey(keys.addressKey, keys.addressKey), raw)
const historical = map('staking', 0x50, keys.decimalTextKey, raw)
const missed = map('slashing', 2, keys.pairKey(keys.addressKey, keys.uint64LittleEndianKey), codecs.wrappedBoolValue)
const activeProposals = map('gov', 1, keys.pairKey(keys.timeKey, keys.uint64Key), codecs.uint64Value)

/** Recorded entries of the reference chain: number, the write that makes it, store, key and value in hexadecimal. */
const ROWS: readonly (readonly [number, (ctx: ReturnType<typeof testState>) => void, string, string, string])[] = [
  [
    1,
    (ctx) => storage.set(ctx, [C, hex('00'.repeat(32))], hex('2a'.padStart(64, '0'))),
    'evm',
    `02aef9437ff23d48d73271a41a8a094dec9ac71477${'00'.repeat(32)}`,
    '2a'.padStart(64, '0'),
  ],
  [
    5,
    (ctx) => funtokensByErc20.add(ctx, [C, id]),
    'evm',
    '06aef9437ff23d48d73271a41a8a094dec9ac714775b4f2ed0bcd28eea52f2d1d85a77aaded3c013e00fdc59f92537dfe0c6fa72ee',
    '',
  ],
  [
    6,
    (ctx) => funtokensByDenom.add(ctx, ['unative', id]),
    'evm',
    '07756e6174697665005b4f2ed0bcd28eea52f2d1d85a77aaded3c013e00fdc59f92537dfe0c6fa72ee',
    '',
  ],
  [7, (ctx) => rates.set(ctx, 'ubtc:uusd', hex('0a')), 'oracle', '01756274633a7575736400', '0a'],
  [
    8,
    (ctx) => snapshots.set(ctx, ['ubtc:uusd', 1_700_000_000_123_000_000n], hex('0a')),
    'oracle',
    '0a756274633a7575736400323032332d31312d31345432323a31333a32302e313233303030303030',
    '0a',
  ],
  [
    9,
    (ctx) => feeders.set(ctx, A, E),
    'oracle',
    '02636861696e76616c6f7065723171666a7173667330387266756777657837643534396c6563616a61323370356a7a336e35327900',
    '029fd89ee90c50d2eb01feae57cbabcb97db0d9a',
  ],
  [
    10,
    (ctx) => misses.set(ctx, A, 5n),
    'oracle',
    '03636861696e76616c6f7065723171666a7173667330387266756777657837643534396c6563616a61323370356a7a336e35327900',
    '0000000000000005',
  ],
  [12, (ctx) => rewardIds.set(ctx, 3n), 'oracle', '090000000000000000', '0000000000000003'],
  [13, (ctx) => period.set(ctx, 12n), 'inflation', '000000000000000000', '000000000000000c'],
  [
    22,
    (ctx) => creators.add(ctx, A),
    'tokenfactory',
    '02636861696e3171666a7173667330387266756777657837643534396c6563616a61323370356a63656a6e353700',
    '',
  ],
  [
    26,
    (ctx) => denomsByCreator.add(ctx, [A, denom]),
    'tokenfactory',
    '05636861696e3171666a7173667330387266756777657837643534396c6563616a61323370356a63656a6e353700666163746f72792f636861696e3171666a7173667330387266756777657837643534396c6563616a61323370356a63656a6e35372f676f6c6400',
    '',
  ],
  [27, (ctx) => applied.set(ctx, [123456n, 'v2.0.0'], hex('01')), 'upgrade', '01000000000001e24076322e302e30', '01'],
  [
    30,
    (ctx) => balances.set(ctx, [A, 'unative'], 1_234_567n),
    'bank',
    '0214026408260f38d3c43b26f36952ff38ecbaa88692756e6174697665',
    '31323334353637',
  ],
  [
    31,
    (ctx) => owners.set(ctx, ['unative', A], hex('00')),
    'bank',
    '03756e61746976650014026408260f38d3c43b26f36952ff38ecbaa88692',
    '00',
  ],
  [
    32,
    (ctx) => supply.set(ctx, 'unative', 1_500_000_000_000_000n),
    'bank',
    '00756e6174697665',
    '31353030303030303030303030303030',
  ],
  [33, (ctx) => sendEnabled.set(ctx, 'ufoo', false), 'bank', '0475666f6f', ''],
  [34, (ctx) => sendEnabled.set(ctx, 'ubar', true), 'bank', '0475626172', '0801'],
  [
    35,
    (ctx) => remainders.set(ctx, E, 999_999_999_999n),
    'bank',
    '0f636861696e31713230613338686670336764393663706c366839306a6174657774616b727636306a6874756500',
    '000000000000000000000000000000000000000000000000000000e8d4a50fff',
  ],
  [
    38,
    (ctx) => accountNumbers.set(ctx, 7n, E),
    'acc',
    '6163636f756e744e756d6265720000000000000007',
    '029fd89ee90c50d2eb01feae57cbabcb97db0d9a',
  ],
  [39, (ctx) => nextAccountNumber.set(ctx, 9n), 'acc', '676c6f62616c4163636f756e744e756d626572', '0809'],
  [
    40,
    (ctx) => operators.set(ctx, consensus, A),
    'staking',
    '2214630dcd2966c4336691125448bbb25b4ff412a49c',
    '026408260f38d3c43b26f36952ff38ecbaa88692',
  ],
  [43, (ctx) => lastPowers.set(ctx, A, 5n), 'staking', '1114026408260f38d3c43b26f36952ff38ecbaa88692', '0805'],
  [44, (ctx) => totalPower.set(ctx, 5n), 'staking', '12', '0a0135'],
  [
    45,
    (ctx) => delegations.set(ctx, [E, A], hex('0a')),
    'staking',
    '3114029fd89ee90c50d2eb01feae57cbabcb97db0d9a14026408260f38d3c43b26f36952ff38ecbaa88692',
    '0a',
  ],
  [46, (ctx) => historical.set(ctx, 123456n, hex('0a')), 'staking', '50313233343536', '0a'],
  [
    47,
    (ctx) => missed.set(ctx, [consensus, 7n], false),
    'slashing',
    '0214630dcd2966c4336691125448bbb25b4ff412a49c0700000000000000',
    '',
  ],
  [
    50,
    (ctx) => activeProposals.set(ctx, [1_704_700_800_000_000_000n, 9n], 9n),
    'gov',
    '01323032342d30312d30385430383a30303a30302e3030303030303030300000000000000009',
    '0000000000000009',
  ],
]

test.each(ROWS)("entry %i has the chain's key and value", (_row, write, store, key, value) => {
  const ctx = testState()
  write(ctx)
  expect(ctx.store.changes().map((c) => [c.store, formatHex(c.key), c.value && formatHex(c.value)])).toEqual([
    [store, key, value],
  ])
})

test('messages are stored with the bytes that the chain writes', () => {
  const ctx = testState()
  const encode = <Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>) =>
    formatHex(codecs.protoValue(schema).encode(ctx, create(schema, init)))
  const [owner, other] = [
    'chain1qfjqsfs08rfugwex7d549lecaja23p5jcejn57',
    'chain1q20a38hfp3gd96cpl6h90jatewtakrv60jhtue',
  ]
  expect(encode(ParamsSchema, { createFuntokenFee: '10000000000', canonicalWnative: C })).toBe(
    '4a0b31303030303030303030305214aef9437ff23d48d73271a41a8a094dec9ac71477',
  )
  expect(encode(FunTokenSchema, { erc20Addr: C, bankDenom: 'unative', isMadeFromCoin: true })).toBe(
    '0a14aef9437ff23d48d73271a41a8a094dec9ac714771207756e61746976651801',
  )
  const rate = { exchangeRate: '60000500000000000000000', createdBlock: 1000n, blockTimestampMs: 1_700_000_000_000n }
  expect(encode(ExchangeRateAtBlockSchema, rate)).toBe(
    '0a17363030303035303030303030303030303030303030303010e8071880d095ffbc31',
  )
  const epoch = {
    identifier: 'day',
    startTime: { seconds: 1_704_067_200n, nanos: 0 },
    duration: { seconds: 86_400n, nanos: 0 },
    currentEpoch: 3n,
    currentEpochStartTime: { seconds: 1_704_240_000n, nanos: 0 },
    epochCountingStarted: true,
    currentEpochStartHeight: 4321n,
  }
  expect(encode(EpochInfoSchema, epoch)).toBe('0a036461791206088081c8ac061a040880a30520032a060880c7d2ac06300138e121')
  const contract = 'chain1ejpjr43ht3y56pplm5pxpusmcrk9rkkvna4tklusnnwdxpqm0zlshspffs'
  expect(encode(FeeShareSchema, { contractAddress: contract, deployerAddress: owner, withdrawerAddress: other })).toBe(
    `0a40${formatHex(utf8(contract))}122c${formatHex(utf8(owner))}1a2c${formatHex(utf8(other))}`,
  )
  expect(encode(TFDenomSchema, { creator: owner, subdenom: 'gold' })).toBe(`0a2c${formatHex(utf8(owner))}1204676f6c64`)
  expect(encode(ModuleParamsSchema, { denomCreationGasConsume: 4_000_000n })).toBe('088092f401')
  expect(encode(DenomAuthorityMetadataSchema, { admin: owner })).toBe(`0a2c${formatHex(utf8(owner))}`)
  expect(encode(DenomAuthorityMetadataSchema, {})).toBe('')
})

test('keys decode to the values that were encoded', () => {
  const ctx = testState()
  storage.set(ctx, [C, id], hex('01'))
  snapshots.set(ctx, ['a:b', 1_700_000_000_123_456_789n], hex('02'))
  remainders.set(ctx, E, 5n)
  delegations.set(ctx, [E, A], hex('03'))
  missed.set(ctx, [consensus, 1n << 40n], true)
  historical.set(ctx, 77n, hex('04'))
  expect([...storage.iterate(ctx)]).toEqual([[[C, id], hex('01')]])
  expect([...snapshots.iterate(ctx)]).toEqual([[['a:b', 1_700_000_000_123_456_789n], hex('02')]])
  expect([...remainders.iterate(ctx)]).toEqual([[E, 5n]])
  expect([...delegations.keys(ctx)]).toEqual([[E, A]])
  expect([...missed.iterate(ctx)]).toEqual([[[consensus, 1n << 40n], true]])
  expect([...historical.keys(ctx)]).toEqual([77n])
})

test('components without terminator, and of fixed length, decode next to others', () => {
  const ctx = testState()
  const owners = map('s', 1, keys.tripleKey(keys.consensusTextKey, keys.uint256Key, keys.bytesKey), codecs.decimalValue)
  const key = [consensus, 2n ** 255n, hex('00ff00')] as const
  owners.set(ctx, key, fromRaw(-5n))
  owners.set(ctx, [consensus, 7n, hex('')], fromRaw(10n ** 18n))
  expect([...owners.iterate(ctx, { prefix: [consensus, 2n ** 255n] })]).toEqual([[key, -5n]])
  expect([...owners.keys(ctx, { prefix: [consensus] })]).toEqual([[consensus, 7n, hex('')], key])
  expect(formatHex(ctx.store.changes()[0]!.value!)).toBe('31303030303030303030303030303030303030')
})

test('wrapped bytes are field 1 of a message, and zero bytes if empty', () => {
  const ctx = testState()
  const { encode, decode } = codecs.wrappedBytesValue
  expect(formatHex(encode(ctx, hex('aabb')))).toBe('0a02aabb')
  expect(encode(ctx, hex(''))).toEqual(hex(''))
  expect(decode(ctx, hex('0a02aabb'))).toEqual(hex('aabb'))
})

test.each([
  [codecs.wrappedInt64Value, -1n, '08ffffffffffffffffff01'],
  [codecs.wrappedUint64Value, 0n, ''],
  [codecs.wrappedIntValue, 0n, '0a0130'],
  [codecs.wrappedIntValue, -5n, '0a022d35'],
  [codecs.intTextValue, -42n, '2d3432'],
])('wrapped and textual numbers keep their sign and their zero', (codec, value, encoded) => {
  const ctx = testState()
  expect(formatHex(codec.encode(ctx, value))).toBe(encoded)
  expect(codec.decode(ctx, hex(encoded))).toBe(value)
})

describe('ranges', () => {
  const ctx = testState()
  for (const pair of ['ab', 'abc', 'b'])
    for (const t of [1n, 2n, 3n]) snapshots.set(ctx, [pair, t], utf8(`${pair}${t}`))

  test('a prefix matches whole components only', () => {
    expect([...snapshots.keys(ctx, { prefix: 'ab' })].map(([pair]) => pair)).toEqual(['ab', 'ab', 'ab'])
    expect([...snapshots.keys(ctx, { prefix: 'a' })]).toEqual([])
  })

  test('a start is included and an end is not, in both directions', () => {
    const range = { prefix: 'abc', start: ['abc', 1n], end: ['abc', 3n] } as const
    expect([...snapshots.keys(ctx, range)].map(([, t]) => t)).toEqual([1n, 2n])
    expect([...snapshots.keys(ctx, { ...range, reverse: true })].map(([, t]) => t)).toEqual([2n, 1n])
  })
})

test('a text with a NUL byte is refused as a key', () => {
  expect(() => rates.set(testState(), 'a\0b', hex('00'))).toThrow('NUL')
})

test('delete does not read; remove pays for a check and returns whether the key existed', () => {
  const meter = createInfiniteGasMeter()
  const ctx = { store: metered(createEmptyBranch(), meter), identity }
  supply.delete(ctx, 'x')
  expect(meter.used).toBe(1000n)
  expect(supply.remove(ctx, 'x')).toBe(false)
  expect(meter.used).toBe(2000n)
  supply.set(ctx, 'x', 1n)
  const before = meter.used
  expect(supply.remove(ctx, 'x')).toBe(true)
  expect(meter.used - before).toBe(2000n)
})

test('a sequence returns 0 first and stores the next number', () => {
  const ctx = testState()
  expect([rewardIds.next(ctx), rewardIds.next(ctx), rewardIds.peek(ctx)]).toEqual([0n, 1n, 2n])
})

test('an indexed map moves an entry in its indexes when its value changes, and removes it from them', () => {
  const byColour = multiIndex('s', 2, keys.stringKey, keys.uint64Key, (_key: bigint, value: string) => value)
  const things = indexedMap('s', 1, keys.uint64Key, codecs.stringValue, { byColour })
  const ctx = testState()
  things.set(ctx, 1n, 'red')
  things.set(ctx, 2n, 'red')
  things.set(ctx, 1n, 'blue')
  expect([...things.indexes.byColour.keysOf(ctx, 'red')]).toEqual([2n])
  expect([...things.indexes.byColour.keysOf(ctx, 'blue')]).toEqual([1n])
  expect(things.remove(ctx, 1n)).toBe(true)
  expect(things.remove(ctx, 2n)).toBe(true)
  expect(things.remove(ctx, 2n)).toBe(false)
  expect([...ctx.store.iterate('s')]).toEqual([])
})

describe('pages', () => {
  const ctx = testState()
  const numbers = map('s', 1, keys.pairKey(keys.stringKey, keys.uint64Key), codecs.uint64Value)
  for (let i = 0n; i < 250n; i++) numbers.set(ctx, ['a', i], i)
  numbers.set(ctx, ['b', 0n], 1000n)
  const page = (request?: Parameters<typeof numbers.page>[1], filter?: (key: readonly [string, bigint]) => boolean) => {
    const { entries, nextKey, total } = numbers.page(ctx, request, { prefix: 'a', ...(filter && { filter }) })
    return { values: entries.map(([, value]) => value), nextKey: formatHex(nextKey), total }
  }
  const be8 = (n: number) => n.toString(16).padStart(16, '0')

  test('without a limit a page has 100 entries and a total', () => {
    const { values, nextKey, total } = page()
    expect([values.length, values[0], values[99], nextKey, total]).toEqual([100, 0n, 99n, be8(100), 250n])
  })

  test('the next keys, relative to the prefix, lead through the whole list; the last is empty', () => {
    let key = hex('')
    const all: bigint[] = []
    const sizes: number[] = []
    do {
      const { entries, nextKey, total } = numbers.page(ctx, { key, limit: 120n }, { prefix: 'a' })
      all.push(...entries.map(([, value]) => value))
      sizes.push(entries.length)
      expect(total).toBe(0n)
      key = nextKey
    } while (key.length > 0)
    expect(sizes).toEqual([120, 120, 10])
    expect(all).toEqual(Array.from({ length: 250 }, (_, i) => BigInt(i)))
  })

  test('in reverse, the next key is also part of the next page', () => {
    const first = numbers.page(ctx, { limit: 2n, reverse: true }, { prefix: 'a' })
    expect(first.entries.map(([, value]) => value)).toEqual([249n, 248n])
    expect(formatHex(first.nextKey)).toBe(be8(247))
    const second = numbers.page(ctx, { key: first.nextKey, limit: 2n, reverse: true }, { prefix: 'a' })
    expect(second.entries.map(([, value]) => value)).toEqual([247n, 246n])
  })

  test('an offset skips entries, and the total is counted on request', () => {
    expect(page({ offset: 248n, limit: 5n, countTotal: true })).toEqual({
      values: [248n, 249n],
      nextKey: '',
      total: 250n,
    })
    expect(page({ offset: 300n, limit: 5n })).toEqual({ values: [], nextKey: '', total: 0n })
  })

  test('a filtered list counts and returns only entries that pass', () => {
    const even = ([, n]: readonly [string, bigint]) => n % 2n === 0n
    expect(page({ limit: 2n, offset: 1n, countTotal: true }, even)).toEqual({
      values: [2n, 4n],
      nextKey: be8(6),
      total: 125n,
    })
  })

  test('the total of a long list is counted once for each state, and that of a filtered list every time', () => {
    const long = testState()
    for (let i = 0n; i < 1500n; i++) numbers.set(long, ['a', i], i)
    let read = 0
    const stateOf = (revision: object) => ({
      identity,
      store: {
        ...long.store,
        revision,
        *iterate(...range: Parameters<typeof long.store.iterate>) {
          for (const entry of long.store.iterate(...range)) {
            read++
            yield entry
          }
        },
      },
    })
    const [one, other] = [{}, {}]
    const request = { limit: 10n, offset: 20n, countTotal: true }
    const totalAt = (revision: object, filter?: () => boolean): readonly [bigint, number] => {
      read = 0
      const found = numbers.page(stateOf(revision), request, { prefix: 'a', ...(filter && { filter }) })
      expect(found.entries[0]).toEqual([['a', 20n], 20n])
      expect(formatHex(found.nextKey)).toBe(be8(30))
      return [found.total, read]
    }
    expect(totalAt(one)).toEqual([1500n, 1500])
    expect(totalAt(one)).toEqual([1500n, 31])
    expect(totalAt(one, () => true)).toEqual([1500n, 1500])
    expect(totalAt(other)).toEqual([1500n, 1500])
  })

  test('a key together with an offset is refused, and so is too large a limit', () => {
    expect(() => page({ key: hex('01'), offset: 1n })).toThrow(
      'invalid request, either offset or key is expected, got both',
    )
    expect(() => page({ limit: 1001n })).toThrow('limit 1001 is above the maximum of 1000')
  })
})
