import { create, type Message, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { QUERY_JOB, TOO_LONG } from '../app/query-job.ts'
import {
  EstimateGasResponseSchema,
  EthCallRequestSchema,
  QueryBaseFeeRequestSchema,
  QueryBaseFeeResponseSchema,
} from '../gen/chain/evm/v1/query_pb.ts'
import { QueryPeriodRequestSchema } from '../gen/chain/inflation/v1/query_pb.ts'
import {
  type QueryDenomOwnersRequest,
  QueryDenomOwnersRequestSchema,
  QueryDenomOwnersResponseSchema,
} from '../gen/sdk/bank/v1beta1/query_pb.ts'
import type { PageRequestSchema } from '../gen/sdk/base/query/v1beta1/pagination_pb.ts'
import { EMPTY } from '../primitives/bytes.ts'
import { queryError } from '../primitives/errors.ts'
import type { Compute, QueryAnswer } from './gateway.ts'
import { gatewayNode } from './testing.ts'

const BASE_FEE = '/chain.evm.v1.Query/BaseFee'
const OWNERS = '/sdk.bank.v1beta1.Query/DenomOwners'
const ESTIMATE = '/chain.evm.v1.Query/EstimateGas'
const request = create(QueryBaseFeeRequestSchema)

test('a query answers synchronously, with the height that it read', () => {
  const queries = {
    [BASE_FEE]: (_: never, height: bigint) => create(QueryBaseFeeResponseSchema, { baseFee: `${height}` }),
  }
  const { dispatch } = gatewayNode({ queries })
  expect(dispatch({ method: BASE_FEE, request })).toMatchObject({ ok: true, height: 20n, response: { baseFee: '20' } })
  expect(dispatch({ method: BASE_FEE, request, height: 12n })).toMatchObject({ ok: true, height: 12n })
})

test('an expected failure keeps its status and height; a bug is internal and hides its text', () => {
  const queries = {
    [BASE_FEE]: () => {
      throw queryError('notFound', 'no fee')
    },
  }
  const expected = gatewayNode({ queries }).dispatch({ method: BASE_FEE, request }) as QueryAnswer & { ok: false }
  expect([expected.error.status, expected.error.message, expected.height]).toEqual(['notFound', 'no fee', 20n])
  const broken = {
    [BASE_FEE]: () => {
      throw new TypeError('of undefined')
    },
  }
  const bug = gatewayNode({ queries: broken }).dispatch({ method: BASE_FEE, request }) as QueryAnswer & { ok: false }
  expect([bug.error.status, bug.error.message]).toEqual(['internal', 'internal error'])
})

test('a failed service names the height too, unless the height cannot be read', () => {
  const services = new Map([
    [
      BASE_FEE,
      () => {
        throw queryError('notFound', 'no fee')
      },
    ],
  ])
  const { dispatch } = gatewayNode({ services })
  expect(dispatch({ method: BASE_FEE, request })).toMatchObject({ ok: false, height: 20n })
  expect(dispatch({ method: BASE_FEE, request, height: 5n })).not.toHaveProperty('height')
})

test('a service is not called at a height that does not exist', () => {
  let isAsked = false
  const services = new Map([
    [
      BASE_FEE,
      () => {
        isAsked = true
        return create(QueryBaseFeeResponseSchema)
      },
    ],
  ])
  const { dispatch } = gatewayNode({ services })
  expect(dispatch({ method: BASE_FEE, request, height: 21n })).toMatchObject({
    ok: false,
    error: { status: 'outOfRange' },
  })
  expect(isAsked).toBe(false)
  expect(dispatch({ method: BASE_FEE, request, height: 15n })).toMatchObject({ ok: true, height: 15n })
})

test('a method without a handler names the missing module', () => {
  const answer = gatewayNode({}).dispatch({
    method: '/chain.inflation.v1.Query/Period',
    request: create(QueryPeriodRequestSchema),
  }) as QueryAnswer & { ok: false }
  expect([answer.error.status, answer.error.message]).toEqual([
    'unimplemented',
    'module inflation is not part of this build',
  ])
})

test('heavy work runs as the job of its method, at a height that is fixed first', async () => {
  const seen: unknown[] = []
  const compute: Compute = {
    run: (job, payload, { height }) => {
      seen.push(job, payload, height)
      return Promise.resolve(toBinary(EstimateGasResponseSchema, create(EstimateGasResponseSchema, { gas: 21000n })))
    },
  }
  const { dispatch } = gatewayNode({ compute, jobs: [ESTIMATE] })
  const call = create(EthCallRequestSchema, { gasCap: 5n })
  const answer = await dispatch({ method: ESTIMATE, request: call })
  expect(answer).toMatchObject({ ok: true, height: 20n, response: { gas: 21000n } })
  expect(seen).toEqual([ESTIMATE, { request: toBinary(EthCallRequestSchema, call), gasCap: 25_000_000n }, 20n])
  const pruned = dispatch({ method: ESTIMATE, request: call, height: 3n })
  expect(pruned).toMatchObject({ ok: false, error: { status: 'notFound' } })
  expect(seen.length).toBe(3)
})

test('a query that reads many entries starts again as a job, at the height of its first try', async () => {
  const seen: unknown[] = []
  const queries = {
    [BASE_FEE]: () => {
      throw TOO_LONG
    },
  }
  const response = toBinary(QueryBaseFeeResponseSchema, create(QueryBaseFeeResponseSchema, { baseFee: '7' }))
  const compute = (result: Promise<Uint8Array>): Compute => ({
    run: (job, payload, { height }) => {
      seen.push(job, payload, height)
      return result
    },
  })
  const long = gatewayNode({ queries, compute: compute(Promise.resolve(response)), jobs: [QUERY_JOB] })
  expect(await long.dispatch({ method: BASE_FEE, request })).toMatchObject({
    ok: true,
    height: 20n,
    response: { baseFee: '7' },
  })
  expect(seen).toEqual(['query', { method: BASE_FEE, request: EMPTY }, 20n])
  // For a second, queries of the whole list are not tried again; pages from a key on are.
  let tries = 0
  const owners = {
    [OWNERS]: ({ denom }: QueryDenomOwnersRequest) => {
      tries++
      if (denom === 'long') throw TOO_LONG
      return create(QueryDenomOwnersResponseSchema)
    },
  }
  const lists = gatewayNode({ queries: owners, compute: compute(Promise.resolve(EMPTY)), jobs: [QUERY_JOB] })
  const ask = async (denom: string, pagination?: MessageInitShape<typeof PageRequestSchema>) => {
    const list = create(QueryDenomOwnersRequestSchema, { denom, ...(pagination && { pagination }) })
    expect(await lists.dispatch({ method: OWNERS, request: list })).toMatchObject({ ok: true })
    return tries
  }
  expect(await ask('long', { countTotal: true, limit: 1n })).toBe(1)
  expect(await ask('long', { offset: 5000n, limit: 1n })).toBe(1)
  expect(await ask('long')).toBe(1)
  expect(await ask('short', { limit: 1n })).toBe(2)
  const late = Promise.reject(queryError('deadlineExceeded', 'the computation took longer than its time budget'))
  const tooLong = gatewayNode({ queries, compute: compute(late), jobs: [QUERY_JOB] })
  const refused = (await tooLong.dispatch({ method: BASE_FEE, request })) as QueryAnswer & { ok: false }
  expect(refused.error.message).toContain('ask for pages with pagination.key')
})

test('a service answers with or without a promise, and its failure is an answer', async () => {
  const services = new Map<string, () => Message | Promise<Message>>([
    ['/sdk.a.Service/Now', () => create(QueryBaseFeeResponseSchema)],
    ['/sdk.a.Service/Later', () => Promise.reject(queryError('unavailable', 'stopping'))],
  ])
  const { dispatch } = gatewayNode({ services })
  expect(dispatch({ method: '/sdk.a.Service/Now', request })).toMatchObject({ ok: true, height: 20n })
  const later = await dispatch({ method: '/sdk.a.Service/Later', request })
  expect(later).toMatchObject({ ok: false, error: { status: 'unavailable' } })
})
