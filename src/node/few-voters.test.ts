import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import type { StoredBlock } from '../app/records.ts'
import { BondStatus, ValidatorSchema } from '../gen/sdk/staking/v1beta1/staking_pb.ts'
import * as oracle from '../modules/oracle/keeper.ts'
import * as oracleState from '../modules/oracle/state.ts'
import * as stakingState from '../modules/staking/state.ts'
import { testContext } from '../sdk/testing.ts'
import { watchVoters } from './few-voters.ts'
import { startNode } from './start.ts'

async function warnings(count: number): Promise<Record<string, unknown>[]> {
  const logged: Record<string, unknown>[] = []
  await using node = await startNode(
    { ports: false, blocks: { time: 'manual' }, chain: { validators: count } },
    {
      log: (level, message, fields) =>
        void (level === 'warn' && /min_voters/.test(message) && logged.push({ ...fields })),
    },
  )
  await node.nextBlock()
  return logged
}

test('four validators of which one can set a price cause one warning', async () => {
  expect(await warnings(4)).toEqual([{ min_voters: 1n, bonded_validators: 4 }])
})

test('three validators cause no warning, since they cannot cast four votes', async () => {
  expect(await warnings(3)).toEqual([])
})

test('a parameter that falls below four is noticed within 16 blocks, once', () => {
  const ctx = testContext()
  for (const byte of [1, 2, 3, 4]) {
    const operator = new Uint8Array(20).fill(byte)
    stakingState.validators.set(
      ctx,
      operator,
      create(ValidatorSchema, { status: BondStatus.BONDED, tokens: '1000000' }),
    )
    stakingState.byPower.set(ctx, [1n, operator], operator)
  }
  const setMinVoters = (minVoters: bigint) => oracleState.params.set(ctx, { ...oracle.params(ctx), minVoters })
  setMinVoters(4n)
  let height = 2n
  const warnedAt: bigint[] = []
  const listeners: ((block: StoredBlock) => void)[] = []
  watchVoters(
    {
      withContext: (_height, use) => use(ctx),
      driver: {
        onBlock(listener: (block: StoredBlock) => void) {
          listeners.push(listener)
          return () => undefined
        },
      } as never,
    },
    () => void warnedAt.push(height),
  )
  for (; height < 60n; height++) {
    if (height === 20n) setMinVoters(1n)
    for (const listener of listeners) listener({ header: { height } } as StoredBlock)
  }
  expect(warnedAt).toHaveLength(1)
  expect(warnedAt[0]).toBeGreaterThanOrEqual(20n)
  expect(warnedAt[0]).toBeLessThan(36n)
})
