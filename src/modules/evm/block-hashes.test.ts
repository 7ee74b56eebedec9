import { expect, test } from 'vitest'
import { encodeUint, formatHex0x, utf8 } from '../../primitives/bytes.ts'
import { keccak256 } from '../../primitives/hash.ts'
import type { Context } from '../../sdk/context.ts'
import { testContext } from '../../sdk/testing.ts'
import { blockHash, HISTORY_ADDRESS, HISTORY_CODE, recordBlockHash } from './block-hashes.ts'
import { localnetGenesis } from './development/localnet.ts'
import { evm } from './index.ts'
import { queries } from './queries.ts'

const hashOf = (height: bigint): Uint8Array => keccak256(encodeUint(height, 32))

function chainAt(height: bigint): Context {
  const ctx = testContext({ modules: [evm] })
  evm.genesis!.init(ctx, localnetGenesis(ctx))
  for (let h = 1n; h <= height; h++) {
    ctx.block.height = h
    ctx.block.hash = hashOf(h)
    recordBlockHash(ctx)
  }
  return ctx
}

test('BLOCKHASH returns the block’s hash and the previous 256', () => {
  const ctx = chainAt(300n)
  expect(blockHash(ctx, 300n)).toEqual(hashOf(300n))
  expect(blockHash(ctx, 299n)).toEqual(hashOf(299n))
  expect(blockHash(ctx, 44n)).toEqual(hashOf(44n))
  for (const outside of [43n, 301n, -1n]) expect(blockHash(ctx, outside)).toEqual(new Uint8Array(32))
})

test('a second BLOCKHASH of the same block does not read the store', () => {
  const ctx = chainAt(300n)
  let reads = 0
  const counted: Context = {
    ...ctx,
    store: {
      ...ctx.store,
      get(store, key) {
        reads++
        return ctx.store.get(store, key)
      },
    },
  }
  for (let i = 0; i < 100; i++) expect(blockHash(counted, 299n)).toEqual(hashOf(299n))
  expect(reads).toBe(1)
  ctx.block.height = 556n
  expect(blockHash(counted, 299n)).toEqual(new Uint8Array(32))
})

test('the history contract returns hashes of past blocks, and has the code of EIP-2935', () => {
  expect(formatHex0x(keccak256(HISTORY_CODE))).toBe(
    '0x6e49e66782037c0555897870e29fa5e552daf4719552131a0abce779daec0a5d',
  )
  const ctx = chainAt(20n)
  const ask = (height: bigint) => {
    const call = { to: formatHex0x(HISTORY_ADDRESS), data: formatHex0x(encodeUint(height, 32)) }
    return queries.ethCall(ctx, { args: utf8(JSON.stringify(call)) })
  }
  expect(ask(19n).ret).toEqual(hashOf(19n))
  expect(ask(20n).vmError).toBe('execution reverted')
})
