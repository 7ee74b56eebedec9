import { fromBinary } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import { FunTokenSchema } from '../gen/chain/evm/v1/evm_pb.ts'
import { MsgSendSchema } from '../gen/sdk/bank/v1beta1/tx_pb.ts'
import { DecCoinSchema } from '../gen/sdk/base/v1beta1/coin_pb.ts'
import { ParamsSchema as StakingParamsSchema } from '../gen/sdk/staking/v1beta1/staking_pb.ts'
import {
  BroadcastTxRequestSchema,
  type SimulateRequest,
  SimulateRequestSchema,
} from '../gen/sdk/tx/v1beta1/service_pb.ts'
import { almanac } from '../identity/profiles/almanac.ts'
import { readJson } from './json-read.ts'

const read = (schema: Parameters<typeof readJson>[1], text: string) => readJson(almanac, schema, text)

describe('a JSON body', () => {
  test('accepts messages under any family of names, and stores them under the names of the profile', () => {
    const message = read(
      SimulateRequestSchema,
      JSON.stringify({
        tx: {
          body: {
            messages: [
              {
                '@type': '/cosmos.bank.v1beta1.MsgSend',
                from_address: 'a',
                toAddress: 'b',
                amount: [{ denom: 'unative', amount: '5' }],
              },
            ],
            timeout_height: '7',
          },
          auth_info: { signer_infos: [{ mode_info: { single: { mode: 'SIGN_MODE_DIRECT' } }, sequence: 3 }] },
          signatures: ['AQI'],
        },
      }),
    ) as SimulateRequest
    const [any] = message.tx!.body!.messages
    expect(any!.typeUrl).toBe('/cosmos.bank.v1beta1.MsgSend')
    expect(fromBinary(MsgSendSchema, any!.value)).toMatchObject({ fromAddress: 'a', toAddress: 'b' })
    expect(message.tx!.body!.timeoutHeight).toBe(7n)
    expect(message.tx!.authInfo!.signerInfos[0]).toMatchObject({
      sequence: 3n,
      modeInfo: { sum: { case: 'single', value: { mode: 1 } } },
    })
    expect([...message.tx!.signatures[0]!]).toEqual([1, 2])
  })

  test('decimals, addresses, times and durations are read in their text form', () => {
    expect(read(DecCoinSchema, '{"denom":"a","amount":"1.5"}')).toMatchObject({ amount: '1500000000000000000' })
    const address = '0xAEf9437FF23D48D73271a41a8A094DEc9ac71477'
    expect(read(FunTokenSchema, `{"erc20_addr":"${address}"}`)).toMatchObject({ erc20Addr: { length: 20 } })
    expect(read(StakingParamsSchema, '{"unbonding_time":"1814400s"}')).toMatchObject({
      unbondingTime: { seconds: 1814400n },
    })
  })

  test.each([
    ['{"tx":5}', 'tx'],
    ['{"tx":{"signatures":"AQ=="}}', 'tx.signatures'],
    ['{"tx":{"signatures":["!"]}}', 'tx.signatures[0]'],
    ['{"tx":{"body":{"messages":[{"@type":"/x.y"}]}}}', 'tx.body.messages[0]'],
    ['{"tx":{"body":{"messages":[{"a":1}]}}}', 'tx.body.messages[0]'],
    ['{"tx":{"body":{"timeout_height":9007199254740993}}}', 'tx.body.timeout_height'],
    ['{"tx":{"auth_info":{"fee":{"gas_limit":"1e5"}}}}', 'tx.auth_info.fee.gas_limit'],
    ['{"tx":{"auth_info":{"signer_infos":[{"mode_info":{"single":{"mode":"NOPE"}}}]}}}', 'mode_info.single.mode'],
    ['{"tx":{"auth_info":{"signer_infos":[{"mode_info":{"single":{"mode":4294967296}}}]}}}', 'mode_info.single.mode'],
    ['nonsense', 'body'],
  ])('%s is refused, and the error names the field', (text, place) => {
    expect(() => read(SimulateRequestSchema, text)).toThrow(place)
  })

  test('nesting that is too deep is refused', () => {
    const depth = 5000
    const nested = '{"multi":{"mode_infos":['.repeat(depth) + ']}}'.repeat(depth)
    const text = `{"tx":{"auth_info":{"signer_infos":[{"mode_info":${nested}}]}}}`
    expect(() => read(SimulateRequestSchema, text)).toThrow('nested too deeply')
    const list = '['.repeat(100_000) + ']'.repeat(100_000)
    expect(() => read(BroadcastTxRequestSchema, `{"mode":${list}}`)).toThrow('"mode": unknown value')
  })
})
