import { create, toBinary } from '@bufbuild/protobuf'
import { AnySchema, TimestampSchema } from '@bufbuild/protobuf/wkt'
import { describe, expect, test } from 'vitest'
import { FeeShareSchema } from '../gen/chain/devgas/v1/devgas_pb.ts'
import { QueryFeeShareResponseSchema, QueryFeeSharesResponseSchema } from '../gen/chain/devgas/v1/query_pb.ts'
import { EpochInfoSchema } from '../gen/chain/epochs/v1beta1/epochs_pb.ts'
import {
  QueryBalanceResponseSchema,
  QueryBaseFeeResponseSchema,
  QueryCodeResponseSchema,
  QueryParamsResponseSchema,
} from '../gen/chain/evm/v1/query_pb.ts'
import { BaseAccountSchema } from '../gen/sdk/auth/v1beta1/auth_pb.ts'
import { QueryAccountResponseSchema } from '../gen/sdk/auth/v1beta1/query_pb.ts'
import { MsgExecSchema } from '../gen/sdk/authz/v1beta1/tx_pb.ts'
import { QueryTotalSupplyResponseSchema } from '../gen/sdk/bank/v1beta1/query_pb.ts'
import { PubKeySchema } from '../gen/sdk/crypto/secp256k1/keys_pb.ts'
import { ParamsSchema as SlashingParamsSchema } from '../gen/sdk/slashing/v1beta1/slashing_pb.ts'
import { QueryCurrentPlanResponseSchema } from '../gen/sdk/upgrade/v1beta1/query_pb.ts'
import { almanac } from '../identity/profiles/almanac.ts'
import { hex, utf8 } from '../primitives/bytes.ts'
import { createJsonWriter, MAX_ANY_DEPTH } from './json.ts'
import { namesOf } from './names.ts'
import { echoSchema } from './testing.ts'

const writer = createJsonWriter(almanac)

describe('fields of a response', () => {
  test('an absent message is null, an empty list is a list, a 64-bit number is a text', () => {
    const balance = create(QueryBalanceResponseSchema, { balanceWei: '0' })
    expect(writer.of(QueryBalanceResponseSchema)(balance)).toBe('{"balance_wei":"0","bank":null,"erc20":null}')
    expect(writer.of(QueryTotalSupplyResponseSchema)(create(QueryTotalSupplyResponseSchema))).toBe(
      '{"supply":[],"pagination":null}',
    )
  })

  test('empty bytes are null, others base64 with padding', () => {
    const write = writer.of(QueryCodeResponseSchema)
    expect(write(create(QueryCodeResponseSchema))).toBe('{"code":null}')
    expect(write(create(QueryCodeResponseSchema, { code: hex('0102') }))).toBe('{"code":"AQI="}')
  })

  test('an absent nullable integer is null, an integer that is never absent is 0', () => {
    expect(
      writer.of(QueryBaseFeeResponseSchema)(create(QueryBaseFeeResponseSchema, { baseFee: '1000000000000' })),
    ).toBe('{"base_fee":"1000000000000","base_fee_unative":null}')
    expect(writer.of(QueryParamsResponseSchema)(create(QueryParamsResponseSchema))).toBe(
      '{"params":{"extra_eips":[],"evm_channels":[],"create_funtoken_fee":"0","canonical_wnative":"0x0000000000000000000000000000000000000000"}}',
    )
  })

  test('an EVM address is checksummed', () => {
    const canonicalWnative = hex('aef9437ff23d48d73271a41a8a094dec9ac71477')
    const params = create(QueryParamsResponseSchema, { params: { canonicalWnative, extraEips: [3855n] } })
    const json = JSON.parse(writer.of(QueryParamsResponseSchema)(params))
    expect(json.params.canonical_wnative).toBe('0xAEf9437FF23D48D73271a41a8A094DEc9ac71477')
    expect(json.params.extra_eips).toEqual(['3855'])
  })

  test('decimals have 18 places, whether their field is text or bytes', () => {
    const params = create(SlashingParamsSchema, { minSignedPerWindow: utf8('500000000000000000') })
    const json = JSON.parse(writer.of(SlashingParamsSchema)(params))
    expect(json.min_signed_per_window).toBe('0.500000000000000000')
    expect(json.slash_fraction_downtime).toBe('0')
    const echo = JSON.parse(writer.of(echoSchema)(create(echoSchema, { dec: '-1' } as never)))
    expect(echo.dec).toBe('-0.000000000000000001')
  })

  test('times and durations are text, unset ones of value type included', () => {
    const plan = create(QueryCurrentPlanResponseSchema, { plan: { name: 'v2.0.0', height: 123456n } })
    expect(writer.of(QueryCurrentPlanResponseSchema)(plan)).toBe(
      '{"plan":{"name":"v2.0.0","time":"0001-01-01T00:00:00Z","height":"123456","info":"","upgraded_client_state":null}}',
    )
    expect(writer.of(QueryCurrentPlanResponseSchema)(create(QueryCurrentPlanResponseSchema))).toBe('{"plan":null}')
    const epoch = create(EpochInfoSchema, {
      identifier: '30 min',
      startTime: { seconds: 1704067200n },
      duration: { seconds: 1800n },
      currentEpoch: 2n,
      currentEpochStartTime: { seconds: 1704069000n },
      epochCountingStarted: true,
      currentEpochStartHeight: 903n,
    })
    expect(writer.of(EpochInfoSchema)(epoch)).toBe(
      '{"identifier":"30 min","start_time":"2024-01-01T00:00:00Z","duration":"1800s","current_epoch":"2","current_epoch_start_time":"2024-01-01T00:30:00Z","epoch_counting_started":true,"current_epoch_start_height":"903"}',
    )
  })

  test('an unset oneof has no key, a member set to zero has', () => {
    const write = writer.of(echoSchema)
    expect(JSON.parse(write(create(echoSchema)))).not.toHaveProperty('oa')
    expect(JSON.parse(write(create(echoSchema, { one: { case: 'ob', value: 0 } } as never))).ob).toBe(0)
  })

  test('enums are names, or numbers if unknown; floats and maps have their JSON forms', () => {
    const message = { enum: 3, double: Number.NaN, float: Math.fround(1e-7), ms: { b: '1', a: '2' } }
    const text = writer.of(echoSchema)(create(echoSchema, message as never))
    expect(text).toContain('"enum":"BOND_STATUS_BONDED"')
    expect(text).toContain('"double":"NaN","float":1e-7')
    expect(text).toContain('"ms":{"a":"2","b":"1"}')
    expect(JSON.parse(writer.of(echoSchema)(create(echoSchema, { enum: 2 } as never))).enum).toBe(2)
  })

  test('text is safe inside HTML', () => {
    const text = writer.of(FeeShareSchema)(create(FeeShareSchema, { contractAddress: '<a>&"\u2028' }))
    expect(text).toBe(
      '{"contract_address":"\\u003ca\\u003e\\u0026\\"\\u2028","deployer_address":"","withdrawer_address":""}',
    )
  })

  test('a message that is never absent prints its defaults; an added field is omitted when unset', () => {
    expect(writer.of(QueryFeeShareResponseSchema)(create(QueryFeeShareResponseSchema))).toBe(
      '{"feeshare":{"contract_address":"","deployer_address":"","withdrawer_address":""}}',
    )
    expect(writer.of(QueryFeeSharesResponseSchema)(create(QueryFeeSharesResponseSchema))).toBe('{"feeshare":[]}')
  })
})

describe('an Any', () => {
  const pubKey = {
    typeUrl: '/cosmos.crypto.secp256k1.PubKey',
    value: toBinary(PubKeySchema, create(PubKeySchema, { key: hex('0102') })),
  }
  const account = (typeUrl: string) =>
    create(QueryAccountResponseSchema, {
      account: { typeUrl, value: toBinary(BaseAccountSchema, create(BaseAccountSchema, { address: 'a', pubKey })) },
    })

  test('shows its content under the names of the profile, or of another family', () => {
    const json = writer.of(QueryAccountResponseSchema)(account('/sdk.auth.v1beta1.BaseAccount'))
    expect(json).toBe(
      '{"account":{"@type":"/cosmos.auth.v1beta1.BaseAccount","address":"a","pub_key":{"@type":"/cosmos.crypto.secp256k1.PubKey","key":"AQI="},"account_number":"0","sequence":"0"}}',
    )
    const neutral = createJsonWriter(almanac, namesOf(almanac).familyOf('sdk.auth.v1beta1', 'sdk.auth.v1beta1'))
    const named = JSON.parse(neutral.of(QueryAccountResponseSchema)(account('/cosmos.auth.v1beta1.BaseAccount')))
    expect(named.account['@type']).toBe('/sdk.auth.v1beta1.BaseAccount')
    expect(named.account.pub_key['@type']).toBe('/sdk.crypto.secp256k1.PubKey')
  })

  test('an Any of a well-known type shows its value beside the type', () => {
    const value = toBinary(TimestampSchema, create(TimestampSchema, { seconds: 5n }))
    const message = create(QueryAccountResponseSchema, { account: { typeUrl: '/google.protobuf.Timestamp', value } })
    expect(writer.of(QueryAccountResponseSchema)(message)).toBe(
      '{"account":{"@type":"/google.protobuf.Timestamp","value":"1970-01-01T00:00:05Z"}}',
    )
  })

  test('an Any of an unknown type, or with malformed bytes, never fails the response', () => {
    const write = writer.of(QueryAccountResponseSchema)
    const unknown = create(QueryAccountResponseSchema, { account: { typeUrl: '/x.Y', value: hex('01') } })
    expect(write(unknown)).toBe('{"account":{"@type":"/x.Y","value":"AQ=="}}')
    const broken = create(QueryAccountResponseSchema, {
      account: { typeUrl: '/sdk.auth.v1beta1.BaseAccount', value: hex('0aff') },
    })
    expect(write(broken)).toBe('{"account":{"@type":"/cosmos.auth.v1beta1.BaseAccount","value":"Cv8="}}')
  })

  test('an Any that is nested too deeply is shown as bytes', () => {
    const typeUrl = '/cosmos.authz.v1beta1.MsgExec'
    let account = create(AnySchema, { typeUrl })
    for (let i = 0; i < 1000; i++) {
      account = create(AnySchema, {
        typeUrl,
        value: toBinary(MsgExecSchema, create(MsgExecSchema, { msgs: [account] })),
      })
    }
    const text = writer.of(QueryAccountResponseSchema)(create(QueryAccountResponseSchema, { account }))
    expect(text.split(`"@type":"${typeUrl}"`)).toHaveLength(MAX_ANY_DEPTH + 2)
    expect(text).toContain('"value":')
    // The next one is decoded again.
    expect(writer.of(QueryAccountResponseSchema)(create(QueryAccountResponseSchema, { account }))).toBe(text)
  })
})
