import { fromBinary } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { MsgEthereumTxResponseSchema } from '../../gen/chain/evm/v1/tx_pb.ts'
import { TxMsgDataSchema } from '../../gen/sdk/base/abci/v1beta1/abci_pb.ts'
import { identityOf } from '../../identity/profiles.ts'
import { hex } from '../../primitives/bytes.ts'
import { executeCreations } from './testing.ts'

/** Reverts with 64 kB of zeros, and with 1,024 bytes. */
const CODES = [hex('620100005ffd'), hex('6104005ffd')]

function outputs(profile: string) {
  const { results } = executeCreations(identityOf(profile), CODES)
  return results.map(({ data, gasUsed }) => {
    const [response] = fromBinary(TxMsgDataSchema, data).msgResponses
    return { gasUsed, ret: fromBinary(MsgEthereumTxResponseSchema, response!.value).ret }
  })
}

test('a response has one byte of output for each 16 gas, since memory costs less than the disk that keeps results', () => {
  const [large, small] = outputs('almanac')
  expect(BigInt(large!.ret.length)).toBe(large!.gasUsed / 16n)
  expect(large!.ret.length).toBeLessThan(10_000)
  expect(small!.ret.length).toBe(1024)
})

test('a response of the reference has all output', () => {
  expect(outputs('nibiru').map(({ ret }) => ret.length)).toEqual([65_536, 1024])
})
