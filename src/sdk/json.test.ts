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

test('defaults are written, absent messages are null, and values take their own text', () => {
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

test('what was written is read again, packed keys and integer bytes included', () => {
  const validator = create(ValidatorSchema, {
    consensusPubkey: { typeUrl: '/sdk.crypto.ed25519.PubKey', value: hex(`0a20${'07'.repeat(32)}`) },
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
        consensus_pubkey: { '@type': '/sdk.crypto.ed25519.PubKey' },
      },
    ],
  })
  const again = fromJson(ctx, GenesisStateSchema, json)
  expect(formatHex(again.lastTotalPower)).toBe('3432')
  expect(formatHex(toBinary(ValidatorSchema, again.validators[0]!))).toBe(
    formatHex(toBinary(ValidatorSchema, validator)),
  )
})

test('what a field cannot hold is refused with its place', () => {
  const read = (json: object) => () => fromJson(ctx, ParamsSchema, json as never, 'staking')
  expect(read({ max_validator: 1 })).toThrow('staking: unknown field max_validator')
  expect(read({ unbonding_time: 5 })).toThrow('staking.unbonding_time: a duration expected')
  expect(read({ min_commission_rate: '1,5' })).toThrow('staking.min_commission_rate: a decimal expected')
  expect(read({ bond_denom: 5 })).toThrow('staking.bond_denom: a text expected')
  const state = (json: object) => () => fromJson(ctx, GenesisStateSchema, json as never, 'staking')
  expect(state({ validators: {} })).toThrow('staking.validators: a list expected')
  expect(state({ validators: [{ status: 'BONDED' }] })).toThrow('staking.validators[0].status')
  expect(state({ validators: [{ consensus_pubkey: { '@type': '/x.Y' } }] })).toThrow('unable to resolve type URL /x.Y')
})

test('a typed event has its attributes by key, each as JSON', () => {
  const event = typedEvent(ctx, BaseAccountSchema, create(BaseAccountSchema, { address: 'a"b', accountNumber: 7n }))
  expect(event).toEqual({
    type: 'sdk.auth.v1beta1.BaseAccount',
    attributes: [
      { key: 'account_number', value: '"7"' },
      { key: 'address', value: '"a\\"b"' },
      { key: 'pub_key', value: 'null' },
      { key: 'sequence', value: '"0"' },
    ],
  })
})
