/**
 * The cost of a change to a large pool: replacing, dropping, adding to a full pool, counting, finding, selecting a block, and
 * the pool's own part of checking everything again, with 5,000 and 100,000 waiting transactions against 50. The pools are used
 * in turn in one process. `npm run bench -- pool`.
 */
import type { CheckResult, PoolOrder } from '../src/app/types.ts'
import { createMempool, type Mempool } from '../src/consensus/solo/mempool.ts'
import type { PooledTx } from '../src/consensus/solo/pooled-tx.ts'
import { EMPTY, encodeUint, toKey } from '../src/primitives/bytes.ts'
import { isBundled, runBundled } from './support/bundled.ts'
import { median } from './support/median.ts'

const SIZES = [50, 5000, 100_000] as const
const PER_SENDER = 5
const ROUNDS = 300
/** 714 transfers. */
const BLOCK = { maxBytes: 1_000_000, maxGas: 15_000_000n }

let serial = 0n

const keyOf = (sender: number): Uint8Array => encodeUint(BigInt(sender), 20)

function tx(sender: number, nonce: number, price: bigint): PooledTx {
  const hash = encodeUint(++serial, 32)
  const order: PoolOrder = {
    sender: toKey(keyOf(sender)),
    nonce: BigInt(nonce),
    stateNonce: 0n,
    priority: price,
    feeCapWei: price,
    tipCapWei: price,
    payer: toKey(keyOf(sender)),
    costWei: 1n,
    spendableWei: 10n ** 18n,
    heldBytes: 1,
  }
  return {
    hash,
    bytes: hash,
    evm: { hash, raw: EMPTY, from: EMPTY, nonce: order.nonce },
    sinceMs: 0,
    gasWanted: 21_000n,
    order,
  }
}

const pass = ({ order }: PooledTx): CheckResult => ({
  code: 0,
  codespace: '',
  log: '',
  data: EMPTY,
  gasWanted: 0n,
  gasUsed: 0n,
  events: [],
  order,
})

interface Filled {
  readonly size: number
  readonly pool: Mempool
}

function fill(size: number): Filled {
  const limits = { maxTxs: size, maxBytes: 2 ** 40, maxTxBytes: 1000, slotsPerSender: 1000 }
  const pool = createMempool(limits)
  for (let i = 0; i < size; i++)
    pool.add(tx(Math.floor(i / PER_SENDER), i % PER_SENDER, BigInt(1_000_000 + ((i * 7919) % 100_000))))
  return { size, pool }
}

let price = 10n ** 9n
let newcomer = 1_000_000

/** The measured changes. Each leaves the number of transactions as it was. */
const CHANGES: Readonly<Record<string, (filled: Filled, round: number) => void>> = {
  'replace a transaction'({ pool, size }, round) {
    price = (price * 12n) / 10n
    pool.add(tx(round % (size / PER_SENDER), 1, price))
  },
  'drop a transaction and add it again'({ pool, size }, round) {
    const one = pool.ofSender(keyOf(round % (size / PER_SENDER))).txs[0]!
    pool.drop(one.hash)
    pool.add(one)
  },
  'add to the full pool'({ pool }) {
    newcomer++
    pool.add(tx(newcomer, 0, 10n ** 7n + BigInt(newcomer)))
  },
  'be refused by the full pool'({ pool }) {
    newcomer++
    try {
      pool.add(tx(newcomer, 0, 1n))
    } catch {
      return
    }
    throw new Error('not refused')
  },
  'find by hash'({ pool }) {
    pool.ofEvmHash(encodeUint(serial, 32))
  },
  'check one again'({ pool }) {
    if (pool.recheckSome(pass, () => true).done) pool.age()
  },
  count: ({ pool }) => void pool.evmCounts(),
  'select a block': ({ pool }) => void pool.select(BLOCK),
}

function run(): void {
  const pools = SIZES.map(fill)
  for (const [name, change] of Object.entries(CHANGES)) {
    const rounds = name === 'select a block' ? 30 : ROUNDS
    const times = pools.map((): number[] => [])
    for (let round = 0; round < rounds; round++) {
      for (const [i, filled] of pools.entries()) {
        const started = performance.now()
        change(filled, round)
        times[i]!.push((performance.now() - started) * 1000)
      }
    }
    const [reference] = times.map(median)
    const shown = times.map((own, i) => {
      const ratio = i === 0 ? '' : ` (${(median(own) / reference!).toFixed(1)} times)`
      return `${SIZES[i]}: ${median(own).toFixed(1)} µs${ratio}`
    })
    process.stdout.write(`${name.padEnd(36)} ${shown.join('  ')}\n`)
  }
}

if (isBundled) run()
else await runBundled(import.meta.filename)
