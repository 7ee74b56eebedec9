import { beforeEach, expect, test } from 'vitest'
import {
  QueryAllContractStateResponseSchema,
  QueryContractInfoResponseSchema,
} from '../../gen/cosmwasm/wasm/v1/query_pb.ts'
import { identityOf } from '../../identity/profiles.ts'
import { hex, utf8 } from '../../primitives/bytes.ts'
import { failureOf } from '../../primitives/errors.ts'
import type { BranchedContext } from '../../sdk/context.ts'
import { toJson } from '../../sdk/json.ts'
import { testContext } from '../../sdk/testing.ts'
import { contracts } from './contracts.ts'

/** 32 bytes of 0x11, as the Wasm module makes addresses, and their Bech32 text with the prefix nibi, computed apart. */
const CONTRACT = '11'.repeat(32)
const TEXT = 'nibi1zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygs3k3ja2'
const OTHER = 'nibi1yg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3qzz08yx'
const CREATOR = '22'.repeat(20)
const CREATOR_TEXT = 'nibi1yg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3ze9kant'

let ctx: BranchedContext

/** The store as the Wasm module writes it: codes 1 and 2 are pinned, one contract of code 2, which stores two keys. */
beforeEach(() => {
  ctx = testContext({ identity: identityOf('nibiru') })
  const position = '0000000000000007' + '0000000000000001'
  const rows: readonly (readonly [string, string])[] = [
    // code 2, creator "c", label "l", created at height 7 as transaction 1
    [`02${CONTRACT}`, '080212016322016c2a0408071001'],
    [`03${CONTRACT}636f6e666967`, '7b7d'],
    [`03${CONTRACT}0001ff`, '31'],
    [`03${'12'.repeat(32)}00`, '32'],
    [`060000000000000002${position}${CONTRACT}`, '01'],
    ['070000000000000001', '01'],
    ['070000000000000002', '01'],
    [`0914${CREATOR}${position}${CONTRACT}`, '01'],
  ]
  for (const [key, value] of rows) ctx.store.set('wasm', hex(key), hex(value))
})

test('a contract shows its code, its creator and its place in the chain', () => {
  const answer = contracts.contractInfo(ctx, { address: TEXT })
  expect(toJson(ctx, QueryContractInfoResponseSchema, answer)).toEqual({
    address: TEXT,
    contract_info: {
      code_id: '2',
      creator: 'c',
      admin: '',
      label: 'l',
      created: { block_height: '7', tx_index: '1' },
      ibc_port_id: '',
      extension: null,
    },
  })
})

test('the state of a contract has its keys in hexadecimal digits and its values in base64, and no other contract', () => {
  const answer = contracts.allContractState(ctx, { address: TEXT, pagination: { countTotal: true } })
  expect(toJson(ctx, QueryAllContractStateResponseSchema, answer)).toEqual({
    models: [
      { key: '0001FF', value: 'MQ==' },
      { key: '636F6E666967', value: 'e30=' },
    ],
    pagination: { next_key: null, total: '2' },
  })
  const first = contracts.allContractState(ctx, { address: TEXT, pagination: { limit: 1n } })
  expect(first.pagination?.nextKey).toEqual(utf8('config'))
})

test('one key is read raw, and an absent one has no value', () => {
  expect(contracts.rawContractState(ctx, { address: TEXT, queryData: utf8('config') }).data).toEqual(utf8('{}'))
  expect(contracts.rawContractState(ctx, { address: TEXT, queryData: utf8('nope') }).data).toHaveLength(0)
})

test('contracts are found by their code and by their creator', () => {
  expect(contracts.contractsByCode(ctx, { codeId: 2n }).contracts).toEqual([TEXT])
  expect(contracts.contractsByCode(ctx, { codeId: 1n }).contracts).toEqual([])
  expect(contracts.contractsByCreator(ctx, { creatorAddress: CREATOR_TEXT }).contractAddresses).toEqual([TEXT])
  expect(contracts.pinnedCodes(ctx, {}).codeIds).toEqual([1n, 2n])
})

test('a question that needs the code of a contract is refused with the reason and a way out', () => {
  const refused = failureOf(() => contracts.smartContractState(ctx, { address: TEXT, queryData: utf8('{}') }))
  expect(refused).toMatchObject({ status: 'unimplemented' })
  expect(refused!.message).toContain(
    `the answer of contract ${TEXT} is what its Wasm code computes, which this node does not run: ask a node of the chain`,
  )
})

test('wrong requests name the field or the contract', () => {
  expect(failureOf(() => contracts.allContractState(ctx, { address: OTHER }))).toMatchObject({
    codespace: 'wasm',
    code: 22,
    status: 'unknown',
    message: `address ${OTHER}: no such contract`,
  })
  expect(failureOf(() => contracts.rawContractState(ctx, { address: 'nope' }))?.message).toMatch(/^decoding bech32/)
  expect(failureOf(() => contracts.contractsByCode(ctx, {}))?.message).toBe('code id: invalid')
})
