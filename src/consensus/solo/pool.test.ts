import { expect, test } from 'vitest'
import type { CheckMode, CheckResult, TakePassed } from '../../app/types.ts'
import { EMPTY } from '../../primitives/bytes.ts'
import { genesisTip } from '../tip.ts'
import { createPool } from './pool.ts'

const ETHEREUM = 1
const ORDINARY = 2

/** Returns bytes of a kind of transaction with a nonce. */
const bytesOf = (kind: number, nonce: number): Uint8Array => new Uint8Array([kind, nonce])

/** Creates a pool on a check state that accepts everything and notes what it checks, each check a millisecond after the last. */
function testPool() {
  const checks: string[] = []
  let timeMs = 0
  const check = (bytes: Uint8Array, mode: Exclude<CheckMode, 'simulate'>, take?: TakePassed): CheckResult => {
    const [kind, nonce] = bytes as unknown as [number, number]
    checks.push(`${mode} ${kind === ETHEREUM ? 'ethereum' : 'ordinary'} ${nonce}`)
    timeMs++
    const costs = { payer: '', costWei: 0n, spendableWei: 0n, heldBytes: bytes.length }
    const order = { sender: `${kind}`, nonce: BigInt(nonce), priority: 0n, ...costs }
    const evm = { hash: bytes, raw: bytes, from: EMPTY, nonce: BigInt(nonce) }
    const result = { code: 0, codespace: '', log: '', data: EMPTY, gasWanted: 1n, gasUsed: 0n, events: [], order }
    const passed = kind === ETHEREUM ? { ...result, evm } : result
    take?.(passed)
    return passed
  }
  const pool = createPool({
    checkState: {
      check,
      probe: (bytes) => check(bytes, 'check'),
      isEthereumTx: ([kind]) => kind === ETHEREUM,
      placeOf: () => ({ signers: [], gasWanted: 0n }),
      release() {},
      reset() {},
    },
    limits: { maxTxs: 1000, maxBytes: 1_000_000, maxTxBytes: 1000, slotsPerSender: 1000 },
    elapsed: () => timeMs,
    tip: () => genesisTip({ chain_id: '', initial_height: '1', consensus_params: {} } as never, []),
    requireOpen() {},
    isLocal: () => false,
    minesOnArrival: () => false,
    onArrival() {},
    onListenerFailure() {},
  })
  return { pool, checks }
}

test('after a block, an ordinary transaction waits for the checks of those before it, and an Ethereum one does not', async () => {
  const { pool, checks } = testPool()
  for (let nonce = 0; nonce < 40; nonce++) await pool.submit(bytesOf(ORDINARY, nonce))
  for (let nonce = 0; nonce < 3; nonce++) await pool.submit(bytesOf(ETHEREUM, nonce))
  checks.length = 0
  pool.recheck()
  // A slice ends after 16 checks.
  expect(checks).toHaveLength(16)
  const ordinary = pool.submit(bytesOf(ORDINARY, 40))
  expect((await pool.submit(bytesOf(ETHEREUM, 3))).code).toBe(0)
  expect(checks.at(-1)).toBe('check ethereum 3')
  expect((await ordinary).code).toBe(0)
  const at = checks.indexOf('check ordinary 40')
  expect(checks.slice(0, at).filter((one) => one.startsWith('recheck ordinary'))).toHaveLength(40)
  await expect.poll(() => checks.filter((one) => one.startsWith('recheck ethereum')).length).toBe(3)
  expect(new Set(checks).size).toBe(checks.length)
  expect(pool.pendingCount().count).toBe(45)
})

test('a pool that stops lets waiting clients go, and checks nothing more', async () => {
  const { pool, checks } = testPool()
  for (let nonce = 0; nonce < 40; nonce++) await pool.submit(bytesOf(ORDINARY, nonce))
  checks.length = 0
  pool.recheck()
  const late = pool.submit(bytesOf(ORDINARY, 40))
  pool.stop(new Error('the node is stopping'))
  await late
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect(checks.filter((one) => one.startsWith('recheck'))).toHaveLength(16)
})
