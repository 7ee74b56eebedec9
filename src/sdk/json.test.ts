import { create, toBinary } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { ParamsSchema as EvmParamsSchema } from '../gen/chain/evm/v1/evm_pb.ts'
import { BaseAccountSchema } from '../gen/sdk/auth/v1beta1/auth_pb.ts'
import { GenesisStateSchema } from '../gen/sdk/staking/v1beta1/genesis_pb.ts'
import { ParamsSchema, ValidatorSchema } from '../gen/sdk/staking/v1beta1/staking_pb.ts'
import { formatHex, hex, utf8 } from '../primitives/bytes.ts'
import { fromJson, toJson } from './json.ts'
import { testContext } from './testing.ts'
import { typedEvent } from './typed-event.ts'

const ctx = testContext()

test('defaults are written, absent messages are null, and decimals and durations have their own text', () => {
  const params = create(ParamsSchema, {
    unbondingTime: { seconds: 1_814_400n },
    minCommissionRate: '50000000000000000',
  })
  expect(toJson(ctx, ParamsSchema, params)).toEqual({
    unbonding_time: '1814400s',
    max_validators: 0,
    max_entries: 0,
    historical_entries: 0,
    bond_denom: '',
    min_commission_rate: '0.050000000000000000',
  })
  expect(toJson(ctx, BaseAccountSchema, create(BaseAccountSchema, { sequence: 3n }))).toEqual({
    address: '',
    pub_key: null,
    account_number: '0',
    sequence: '3',
  })
  const evm = create(EvmParamsSchema, { canonicalWnative: hex('0cacf669f8446beca826913a3c6b96acd4b02a97') })
  expect(toJson(ctx, EvmParamsSchema, evm)).toMatchObject({
    canonical_wnative: '0x0CaCF669f8446BeCA826913a3c6B96aCD4b02a97',
    create_funtoken_fee: '0',
    extra_eips: [],
  })
})

test('written JSON reads back to the same message, packed keys and integer bytes included', () => {
  const validator = create(ValidatorSchema, {
    consensusPubkey: { typeUrl: '/cosmos.crypto.ed25519.PubKey', value: hex(`0a20${'07'.repeat(32)}`) },
    status: 3,
    tokens: '5',
    delegatorShares: `5${'0'.repeat(18)}`,
    description: {},
    unbondingTime: { seconds: 1n, nanos: 500_000_000 },
    commission: { commissionRates: { rate: '1', maxRate: '2', maxChangeRate: '3' }, updateTime: {} },
    minSelfDelegation: '1',
    unbondingIds: [1n, 2n],
  })
  const state = create(GenesisStateSchema, { lastTotalPower: utf8('42'), validators: [validator] })
  const json = toJson(ctx, GenesisStateSchema, state)
  expect(json).toMatchObject({
    last_total_power: '42',
    validators: [
      {
        status: 'BOND_STATUS_BONDED',
        unbonding_time: '1970-01-01T00:00:01.500Z',
        consensus_pubkey: { '@type': '/cosmos.crypto.ed25519.PubKey' },
      },
    ],
  })
  const again = fromJson(ctx, GenesisStateSchema, json)
  expect(formatHex(again.lastTotalPower)).toBe('3432')
  expect(formatHex(toBinary(ValidatorSchema, again.validators[0]!))).toBe(
    formatHex(toBinary(ValidatorSchema, validator)),
  )
})

test('a value that does not fit its field is refused with its path', () => {
  const read = (json: object) => () => fromJson(ctx, ParamsSchema, json as never, 'staking')
  expect(read({ max_validator: 1 })).toThrow('staking: unknown field max_validator')
  expect(read({ unbonding_time: 5 })).toThrow('staking.unbonding_time: a duration expected')
  expect(read({ min_commission_rate: '1,5' })).toThrow('staking.min_commission_rate: a decimal expected')
  expect(read({ bond_denom: 5 })).toThrow('staking.bond_denom: text expected')
  const state = (json: object) => () => fromJson(ctx, GenesisStateSchema, json as never, 'staking')
  expect(state({ validators: {} })).toThrow('staking.validators: a list expected')
  expect(state({ validators: [{ status: 'BONDED' }] })).toThrow('staking.validators[0].status')
  expect(state({ validators: [{ consensus_pubkey: { '@type': '/x.Y' } }] })).toThrow('unable to resolve type URL /x.Y')
})

test('integers out of range and values that are not integers are refused', () => {
  const params = (value: unknown) => () => fromJson(ctx, ParamsSchema, { max_validators: value } as never, 'staking')
  for (const wrong of [-1, 2 ** 32, '4294967296', '9'.repeat(19)]) {
    expect(params(wrong)).toThrow('staking.max_validators: an integer from 0 to 4294967295 expected')
  }
  for (const wrong of [1.5, 1e300, '', ' 1', 'x', true, [5], {}]) {
    expect(params(wrong)).toThrow('staking.max_validators: an integer expected')
  }
  expect([params(0)().maxValidators, params('4294967295')().maxValidators]).toEqual([0, 4_294_967_295])
  const account = (value: unknown) => () => fromJson(ctx, BaseAccountSchema, { sequence: value } as never, 'auth')
  expect(account('-1')).toThrow('auth.sequence: an integer from 0 to 18446744073709551615 expected')
  expect(account('18446744073709551616')).toThrow('auth.sequence: an integer from 0')
  expect(account('18446744073709551615')().sequence).toBe(2n ** 64n - 1n)
  const unbonding = (text: string) => () => fromJson(ctx, ParamsSchema, { unbonding_time: text }, 'staking')
  expect(unbonding('9223372036.854775808s')).toThrow('staking.unbonding_time: a duration expected')
  expect(unbonding('9223372036.854775807s')().unbondingTime).toMatchObject({ nanos: 854_775_807 })
})

test('a typed event has its attributes sorted by key, each as JSON', () => {
  const event = typedEvent(ctx, BaseAccountSchema, create(BaseAccountSchema, { address: 'a"b', accountNumber: 7n }))
  expect(event).toEqual({
    type: 'cosmos.auth.v1beta1.BaseAccount',
    attributes: [
      { key: 'account_number', value: '"7"' },
      { key: 'address', value: '"a\\"b"' },
      { key: 'pub_key', value: 'null' },
      { key: 'sequence', value: '"0"' },
    ],
  })
})
