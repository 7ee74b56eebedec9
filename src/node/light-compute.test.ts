import { expect, test } from 'vitest'
import { readCallArgs } from '../modules/evm/calls/call-args.ts'
import { evmJobs } from '../modules/evm/calls/jobs.ts'
import { localnetGenesis } from '../modules/evm/development/localnet.ts'
import { createEvmState } from '../modules/evm/evm-state.ts'
import { evm } from '../modules/evm/index.ts'
import { decodeUint, hex } from '../primitives/bytes.ts'
import { keccak256 } from '../primitives/hash.ts'
import { testContext } from '../sdk/testing.ts'
import { createInlineCompute } from './inline-compute.ts'
import { createAttempt } from './light-compute.ts'

const TO = `0x${'c0'.repeat(20)}`
/** Code that returns the top of the stack. */
const RETURN_TOP = '60005260206000f3'
/** Code that calls precompile 5 (modexp) with a 256-byte modulus and a 256-byte exponent of ones: about 100,000 gas. */
const EXPENSIVE_PRECOMPILE = `6101006000526101006020526101006040527f${'ff'.repeat(32)}8060605280608052806101605261018052600060006103606000600060055af1${RETURN_TOP}`

/**
 * Creates two pools over one state: with a try in this thread, and without. `pooled` lists the jobs that ran in the pool.
 * The clock advances by `tickMs` at each reading, processor time by `spentMs`.
 */
function chain(code: string, tickMs = 0, spentMs = tickMs) {
  const ctx = testContext({ modules: [evm], block: { gasLimit: 60_000_000n } })
  evm.genesis!.init(ctx, localnetGenesis(ctx))
  const state = createEvmState(ctx)
  const codeHash = keccak256(hex(code))
  state.setCode(codeHash, hex(code))
  state.setAccount(hex(TO), { nonce: 1n, balanceWei: 0n, codeHash })
  let now = 0
  const elapsed = () => {
    now += tickMs
    return now
  }
  const log = () => undefined
  let spent = 0
  const parts = {
    jobs: evmJobs,
    spent() {
      spent += spentMs
      return spent
    },
    withContext: <T>(_: unknown, read: (of: typeof ctx) => T) => read(ctx),
    elapsed,
  }
  const pool = createInlineCompute({ ...parts, timeoutMs: 60_000, log })
  const pooled: string[] = []
  const attempt = createAttempt(parts)
  return {
    pooled,
    async light(name: string, payload: unknown) {
      const answer = attempt(name, payload, undefined)
      if (answer) return answer.result
      pooled.push(name)
      return pool.run(name, payload, {})
    },
    usual: (name: string, payload: unknown) => pool.run(name, payload, {}),
    wait(ms: number) {
      now += ms
    },
  }
}

const payload = (fields: object = {}, more: object = {}) => ({
  args: readCallArgs({ to: TO, ...fields }),
  gasCap: 25_000_000n,
  ...more,
})

test('a light call has the same answer in this thread as in the pool: output, gas, failures and refusals', async () => {
  const codes = {
    answers: `602a${RETURN_TOP}`,
    'sees its gas': `5a${RETURN_TOP}`,
    reverts: '63deadbeef60005260046000fd',
    'has no such opcode': 'fe',
    'writes and logs': '60016000556001600052602060006000a000',
    'calls itself with all gas but a part': `600060006000600060003560601c5af1${RETURN_TOP}`,
  }
  for (const [what, code] of Object.entries(codes)) {
    for (const gas of ['0x5208', '0x7530', '0x186a0', '0xffffffff']) {
      const { light, usual, pooled } = chain(code)
      for (const job of ['ethCall', 'estimateGas']) {
        const answer = (run: typeof light) => run(job, payload({ gas })).catch((error: Error) => error)
        expect(await answer(light), `${what} with ${gas}`).toEqual(await answer(usual))
      }
      expect(pooled, what).toEqual([])
    }
  }
})

test('code sees the gas of its call, not the budget of the try', async () => {
  const { light } = chain(`5a${RETURN_TOP}`)
  const { output } = (await light('ethCall', payload({ gas: '0x1312d00' }))) as { output: Uint8Array }
  // 20,000,000 minus 21,000 of the transaction and 2 of GAS itself.
  expect(decodeUint(output)).toBe(20_000_000n - 21_002n)
})

test.for([
  ['an endless loop', '5b600056'],
  ['a loop of calls', '5b6000600060006000600060045af150600056'],
  ['reads of many slots', '60005b805450600101600256'],
  ['an expensive precompile', EXPENSIVE_PRECOMPILE],
] as const)('%s runs in the pool and is answered completely', async ([, code]) => {
  const { light, usual, pooled } = chain(code)
  expect(await light('ethCall', payload())).toEqual(await usual('ethCall', payload()))
  expect(pooled).toEqual(['ethCall'])
})

test('the clock ends a try that hashes much memory without a jump', async () => {
  const { light, pooled } = chain(`${'620f424060002050'.repeat(40)}00`, 1)
  await light('ethCall', payload())
  expect(pooled).toEqual(['ethCall'])
})

test('a light call that only waited for the processor is answered in this thread', async () => {
  const { light, pooled } = chain(`${'620f424060002050'.repeat(40)}00`, 1, 0)
  await light('ethCall', payload())
  expect(pooled).toEqual([])
})

test('a heavy function is not tried again for a while, other functions are', async () => {
  // Loops forever unless the first word of its input is zero.
  const { light, pooled, wait } = chain('5b600035600057')
  const heavy = payload({ data: `0x11111111${'00'.repeat(28)}`, gas: '0x989680' })
  await light('ethCall', heavy)
  await light('ethCall', heavy)
  expect(pooled).toHaveLength(2)
  await light('ethCall', payload({ data: `0x${'00'.repeat(32)}` }))
  await light('ethCall', payload({ data: `0x11111111${'00'.repeat(28)}`, gas: '0x7530' }))
  expect(pooled).toHaveLength(3)
  wait(2000)
  await light('ethCall', payload({ data: `0x11111111${'00'.repeat(28)}`, gas: '0x7530' }))
  expect(pooled).toHaveLength(3)
})

test('overrides, creations and other jobs are not tried in this thread', async () => {
  const { light, pooled } = chain('00')
  await light('ethCall', payload({}, { stateOverrides: [{ address: hex(TO), nonce: 5n }] }))
  await light('ethCall', { ...payload(), args: readCallArgs({ data: '0x00' }) })
  await light('createAccessList', payload())
  expect(pooled).toEqual(['ethCall', 'ethCall', 'createAccessList'])
})
