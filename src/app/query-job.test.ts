import { create, fromBinary, type Message, toBinary } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { QueryBaseFeeRequestSchema, QueryBaseFeeResponseSchema } from '../gen/chain/evm/v1/query_pb.ts'
import type { ReadContext } from '../sdk/context.ts'
import { testContext } from '../sdk/testing.ts'
import { runQuery, TOO_LONG, withFewEntries } from './query-job.ts'

const METHOD = '/chain.evm.v1.Query/BaseFee'

/** Returns a context with a number of entries in a store. */
function contextOf(entries: number): ReadContext {
  const ctx = testContext()
  for (let i = 0; i < entries; i++) ctx.store.set('bank', Uint8Array.of(i >> 8, i & 255), Uint8Array.of(1))
  return ctx
}

function countAll({ store }: ReadContext): Message {
  let count = 0
  for (const _ of store.iterate('bank')) count++
  for (const [key] of store.iterate('bank', { reverse: true })) if (store.has('bank', key)) break
  return create(QueryBaseFeeResponseSchema, { baseFee: String(count) })
}

test('a query reads a page of a thousand entries at once, and is interrupted in a longer list', () => {
  expect(countAll(withFewEntries(contextOf(1001)))).toMatchObject({ baseFee: '1001' })
  expect(() => countAll(withFewEntries(contextOf(2000)))).toThrow(TOO_LONG)
})

test('the job answers with the bytes of the response, and ends when its budget is spent', () => {
  const queries = new Map([[METHOD, countAll]])
  const payload = {
    method: METHOD,
    request: toBinary(QueryBaseFeeRequestSchema, create(QueryBaseFeeRequestSchema)),
  }
  const ctx = contextOf(2000)
  const bytes = runQuery(queries, ctx, payload, { shouldStop: () => false })
  expect(fromBinary(QueryBaseFeeResponseSchema, bytes).baseFee).toBe('2000')
  let looks = 0
  const late = () => runQuery(queries, ctx, payload, { shouldStop: () => ++looks === 2 })
  expect(late).toThrow('ask for pages with pagination.key')
  expect(() => runQuery(queries, ctx, { ...payload, method: '/a.b/C' }, { shouldStop: () => false })).toThrow('unknown')
})
