import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { MsgAggregateExchangeRatePrevoteSchema } from '../../gen/chain/oracle/v1beta1/tx_pb.ts'
import { testContext } from '../../sdk/testing.ts'
import { validations } from './validation.ts'

test('a hash of any length is refused by an error of the chain, and does not exhaust the stack', () => {
  const check = (hash: string) => () =>
    validations[0]!.check(testContext(), create(MsgAggregateExchangeRatePrevoteSchema, { hash }))
  expect(check('a'.repeat(20_000_000))).toThrow('got 10000000')
  expect(check('abc')).toThrow('"abc"')
  expect(check('xy')).toThrow('"xy"')
})
