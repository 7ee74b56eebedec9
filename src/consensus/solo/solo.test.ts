import { expect, test } from 'vitest'
import { createApplication } from '../../app/application.ts'
import { wrapEthereumTx } from '../../app/evm/envelope.ts'
import { localnetGenesis } from '../../app/localnet.ts'
import { modules } from '../../app/modules.ts'
import { ALMANAC_STORES } from '../../app/stores.ts'
import { transactionHash } from '../../evm/transaction/encode.ts'
import { addressOfPrivateKey, signTransaction } from '../../evm/transaction/sender.ts'
import { almanac } from '../../identity/profiles/almanac.ts'
import * as consensus from '../../modules/consensus/keeper.ts'
import * as evm from '../../modules/evm/keeper.ts'
import { EMPTY, toKey } from '../../primitives/bytes.ts'
import { ChainError } from '../../primitives/errors.ts'
import { sha256 } from '../../primitives/hash.ts'
import type { Context } from '../../sdk/context.ts'
import { defineModule, type Module } from '../../sdk/module.ts'
import type { Backend } from '../../store/backend/backend.ts'
import { openMemory } from '../../store/backend/memory.ts'
import { withHeldWrites } from '../../store/journal/held-backend.ts'
import type { Snapshot } from '../../store/types.ts'
import { openVersionedStore } from '../../store/versioned.ts'
import { isUnderpriced } from '../admission.ts'
import { hashHeader } from '../comet/hashes.ts'
import type { BlockTiming } from '../driver.ts'
import { createExecutor, type ExecutorStore } from '../executor.ts'
import { updateValidators } from '../tip.ts'
import { type SoloOptions, startSolo } from './solo.ts'

const chainId = 'almanac-localnet-1'
const key = sha256(new Uint8Array([1]))
const publicKey = sha256(new Uint8Array([2]))
const signer = { address: sha256(publicKey).slice(0, 20), sign: (message: Uint8Array) => sha256(message) }

/** A module that does something at the end of a block. */
const endingBlock = (height: bigint, run: (ctx: Context) => void) =>
  defineModule({
    name: 'ending',
    endBlock(ctx) {
      if (ctx.block.height === height) run(ctx)
    },
  })

const failingAt = (height: bigint) =>
  endingBlock(height, () => {
    throw new Error('broken hook')
  })

async function open(
  timing: BlockTiming,
  more: {
    laterMs?: () => number
    ending?: Module
    store?: ExecutorStore
    maxBytes?: string
    development?: boolean
    amendments?: SoloOptions['amendments']
  } = {},
) {
  const halts: string[] = []
  const failures: unknown[] = []
  const app = createApplication({
    identity: almanac,
    chainId,
    evmChainId: 6930n,
    settings: { minGasPrices: '' },
    modules: more.ending ? [...modules, more.ending] : modules,
  })
  const localnet = localnetGenesis({
    identity: almanac,
    chainId,
    genesisTime: '2024-01-01T00:00:00Z',
    accounts: [{ address: addressOfPrivateKey(key), balanceUnative: 10_000_000_000n }],
    validators: [{ publicKey }],
    blockGasLimit: 15_000_000n,
  })
  const limits = { max_bytes: more.maxBytes ?? '22020096', max_gas: '15000000' }
  const genesis = {
    ...localnet,
    consensus_params: { ...localnet.consensus_params, block: limits, evidence: { max_bytes: '0' } },
  }
  const store = more.store ?? openVersionedStore(openMemory(), ALMANAC_STORES)
  let clock = 1_704_067_200_000_000_000n
  const onListenerFailure = (error: unknown) => failures.push(error)
  const elapsed = () => performance.now() + (more.laterMs?.() ?? 0)
  const executor = createExecutor({
    app,
    store,
    elapsed,
    onHalt: ({ reason }) => halts.push(reason),
    onListenerFailure,
  })
  const solo = await startSolo({
    executor,
    genesis,
    signers: () => [signer],
    timing,
    limits: { maxTxs: 100, maxBytes: 1_000_000, maxTxBytes: 100_000, slotsPerSender: 8 },
    now: () => {
      clock += 5_000_000n
      return clock
    },
    onListenerFailure,
    elapsed,
    amendments: more.amendments,
    ...(more.development && {
      development: { setMinGasPrice() {}, setLogging() {}, print() {}, setValidator() {} },
    }),
  })
  return { solo, blocks: executor.blocks, store, halts, failures }
}

/** A store in memory, with what is done to its views, and to the way back. */
function watchedStore(own: { at?: (snapshot: Snapshot) => Snapshot; rollback?: () => never }): ExecutorStore {
  const { at, atTip, rollback, ...store } = openVersionedStore(openMemory(), ALMANAC_STORES)
  return {
    ...store,
    rollback: own.rollback ?? rollback,
    at: (height) => own.at?.(at(height)) ?? at(height),
    atTip: () => own.at?.(atTip()) ?? atTip(),
  }
}

interface Transfer {
  readonly gasLimit?: bigint
  readonly gasPriceWei?: bigint
  readonly valueWei?: bigint
  readonly dataBytes?: number
}

function transfer(nonce: number, options: Transfer = {}): Uint8Array {
  const { gasLimit = 21_000n, gasPriceWei = 10n ** 12n, valueWei = 1n, dataBytes = 0 } = options
  const tx = signTransaction(
    {
      type: 0,
      chainId: 6930n,
      nonce: BigInt(nonce),
      gasLimit,
      to: new Uint8Array(20).fill(7),
      valueWei,
      data: new Uint8Array(dataBytes),
      gasPriceWei,
    },
    key,
  )
  return wrapEthereumTx(almanac, tx, transactionHash(tx))
}

test('a block on arrival includes all waiting transactions, and submit resolves after its commit', async () => {
  const { solo, blocks } = await open({ mode: 'arrival' })
  const seen: bigint[] = []
  solo.onBlock(({ header }) => seen.push(header.height))
  const [second, first, third] = await Promise.all([1, 0, 2].map((nonce) => solo.submitAndWait(transfer(nonce), 5000)))
  expect([first, second, third].map((one) => one?.inclusion?.height)).toEqual([2n, 2n, 2n])
  expect([first, second, third].map((one) => one?.inclusion?.index)).toEqual([0, 1, 2])
  expect(seen).toEqual([2n])
  expect(blocks.tx(first!.admission.hash)).toEqual({ height: 2n, index: 0 })
  await solo.stop()
  await expect(solo.submit(transfer(3))).rejects.toMatchObject({ status: 'unavailable' })
})

test('a transaction larger than any block is refused, and causes no blocks', async () => {
  const { solo } = await open({ mode: 'arrival' }, { maxBytes: '4500' })
  expect(await solo.submit(transfer(0, { gasLimit: 40_000n, dataBytes: 300 }))).toMatchObject({
    codespace: 'sdk',
    code: 21,
  })
  expect([solo.pool.pendingCount().count, solo.status().latestHeight]).toEqual([0, 1n])
  expect(await solo.submit(transfer(0))).toMatchObject({ code: 0 })
  expect(solo.status().latestHeight).toBe(2n)
  await solo.stop()
})

test('a transaction that cannot replace another does not change the balance of its sender in the pool', async () => {
  const { solo, blocks } = await open({ mode: 'manual' })
  // A fifth of what the sender has.
  const gasPriceWei = 95n * 10n ** 15n
  expect((await solo.submit(transfer(0, { gasPriceWei }))).code).toBe(0)
  for (let i = 2n; i < 10n; i++) {
    const again = await solo.submit(transfer(0, { gasPriceWei, valueWei: i }))
    expect(again).toMatchObject({
      codespace: 'sdk',
      code: 19,
      log: 'another transaction with nonce 0 waits: tx already in mempool',
    })
    // An API worker, which has no pool, tells the two refusals apart by the admission alone.
    expect(isUnderpriced(again)).toBe(true)
  }
  expect(isUnderpriced(await solo.submit(transfer(0, { gasPriceWei })))).toBe(false)
  expect((await solo.submit(transfer(1, { gasPriceWei }))).code).toBe(0)
  await solo.production.nextBlock()
  expect(blocks.block(2n)!.results.map(({ code }) => code)).toEqual([0, 0])
})

test('a waiting transaction leaves the pool when the base fee rises above its price, and the others stay', async () => {
  const { solo, blocks } = await open({ mode: 'manual' }, { development: true })
  const low = solo.submitAndWait(transfer(1), 60_000)
  const high = solo.submitAndWait(transfer(0, { gasPriceWei: 3n * 10n ** 12n }), 60_000)
  await solo.development!.amend([{ kind: 'baseFee', wei: 2n * 10n ** 12n }])
  const { admission } = await low
  expect([admission.codespace, admission.code]).toEqual(['sdk', 13])
  expect(admission.error?.message).toMatch(
    /^max fee per gas less than block base fee: address 0x\w{40}, maxFeePerGas: 10{12}, baseFee: 20{12}$/,
  )
  await solo.production.nextBlock()
  expect((await high).inclusion?.result.code).toBe(0)
  const [first, next] = [1n, 2n].map((height) => blocks.block(height)!)
  expect([first!.baseFeeWei, next!.baseFeeWei]).toEqual([10n ** 12n, 2n * 10n ** 12n])
  expect(next!.evmTxs.map(({ effectiveGasPrice }) => effectiveGasPrice)).toEqual([3n * 10n ** 12n])
  expect(await solo.submit(transfer(1))).toMatchObject({ codespace: 'sdk', code: 13 })
  await solo.development!.amend([{ kind: 'baseFee', wei: 0n }])
  expect(await solo.submit(transfer(1, { gasPriceWei: 0n }))).toMatchObject({ code: 0 })
  await solo.stop()
})

test('amendments of genesis apply to the first block, and a reset keeps them', async () => {
  const address = addressOfPrivateKey(key)
  const seen: bigint[] = []
  const { solo, blocks, failures } = await open(
    { mode: 'arrival' },
    {
      development: true,
      amendments(ctx) {
        seen.push(evm.balanceWei(ctx, address))
        return [
          { kind: 'baseFee', wei: 10n ** 9n },
          { kind: 'balance', address, wei: 10n ** 18n },
        ]
      },
    },
  )
  expect(seen).toEqual([10n ** 22n])
  expect(blocks.block(1n)!.baseFeeWei).toBe(10n ** 9n)
  const spend = async () => {
    const nonce0 = transfer(0, { gasPriceWei: 10n ** 9n, valueWei: 10n ** 17n })
    expect(await solo.submit(nonce0)).toMatchObject({ code: 0 })
    expect(blocks.block(2n)!.evmTxs.map(({ status }) => status)).toEqual([1])
    // More than the amended balance, and less than that of the document.
    expect(await solo.submit(transfer(1, { valueWei: 10n ** 18n }))).not.toMatchObject({ code: 0 })
  }
  await spend()
  await solo.development!.reset()
  await spend()
  expect(failures).toEqual([])
  await solo.stop()
})

test('a replacement pays only the difference to the transaction that it replaces', async () => {
  const { solo, blocks } = await open({ mode: 'manual' })
  // A fifth of what the sender has; the fees of all replacements together are more than it has.
  let gasPriceWei = 95n * 10n ** 15n
  expect((await solo.submit(transfer(0, { gasPriceWei }))).code).toBe(0)
  for (let i = 0; i < 8; i++) {
    gasPriceWei = (gasPriceWei * 111n) / 100n
    expect(await solo.submit(transfer(0, { gasPriceWei }))).toMatchObject({ code: 0 })
  }
  expect(solo.pool.pendingCount().count).toBe(1)
  await solo.production.nextBlock()
  expect(blocks.block(2n)!.results.map(({ code }) => code)).toEqual([0])
})

test('the waiting transactions of a sender cost at most its balance, values included, until a block has run', async () => {
  const { solo, blocks } = await open({ mode: 'manual' })
  const half = { valueWei: 5n * 10n ** 21n - 21_000n * 10n ** 12n }
  expect((await solo.submit(transfer(0, half))).code).toBe(0)
  const { code, codespace, error } = await solo.submit(transfer(1, { valueWei: half.valueWei + 1n }))
  expect([codespace, code, error?.message]).toEqual([
    'sdk',
    5,
    `insufficient funds for gas * price + value: balance ${10n ** 22n}, queued cost ${5n * 10n ** 21n}, tx cost ${5n * 10n ** 21n + 1n}, overshot 1`,
  ])
  expect((await solo.submit(transfer(1, half))).code).toBe(0)
  expect((await solo.submit(transfer(2, { gasPriceWei: 10n ** 12n, valueWei: 0n }))).code).toBe(5)
  await solo.production.nextBlock()
  expect(blocks.block(2n)!.results.map((result) => result.code)).toEqual([0, 0])
})

test('a transaction behind a nonce gap is answered at once, and runs when the gap is closed', async () => {
  const { solo, blocks } = await open({ mode: 'arrival' })
  expect((await solo.submit(transfer(900))).code).toBe(0)
  expect((await solo.submit(transfer(1))).code).toBe(0)
  expect(solo.status().latestHeight).toBe(1n)
  await solo.submit(transfer(0))
  expect(blocks.block(2n)!.results.map(({ code }) => code)).toEqual([0, 0])
  expect(solo.pool.pendingCount().count).toBe(1)
  await solo.stop()
})

test('dropped transactions leave the pool together, and their clients are notified', async () => {
  const { solo } = await open({ mode: 'manual' }, { development: true })
  const waiting = [0, 1, 2].map((nonce) => solo.submitAndWait(transfer(nonce), 60_000))
  await expect.poll(() => solo.pool.pendingCount().count).toBe(3)
  const [first, second] = solo.pool.pending()
  expect(solo.pool.ofSender(first!.evm!.from)).toMatchObject({ ready: 3 })
  expect(solo.development!.drop([first!.hash, second!.hash, first!.hash])).toBe(2)
  expect((await waiting[1])!.admission).toMatchObject({ log: 'the transaction was dropped: not found' })
  expect(solo.pool.ofSender(first!.evm!.from)).toMatchObject({ ready: 0, txs: [{ evm: { nonce: 2n } }] })
  expect([solo.pool.ofEvmHash(first!.evm!.hash), solo.pool.pendingCount().count]).toEqual([undefined, 1])
  await solo.stop()
  await expect(waiting[2]).rejects.toThrow('the node is stopping')
})

test('three hours end a transaction that no block has included', async () => {
  let laterMs = 0
  const { solo } = await open({ mode: 'manual' }, { laterMs: () => laterMs })
  const waiting = solo.submitAndWait(transfer(3), 60_000)
  const ready = solo.submitAndWait(transfer(0), 60_000)
  await solo.nextHeader(1n)
  laterMs = 2.9 * 3_600_000
  await solo.nextHeader(2n)
  expect(solo.pool.pendingCount().count).toBe(2)
  laterMs = 3.1 * 3_600_000
  await solo.nextHeader(3n)
  for (const one of [waiting, ready]) {
    expect((await one).admission.log).toBe('no block included it in time: not found')
  }
  expect(solo.pool.pendingCount().count).toBe(0)
  await solo.stop()
})

test('the block that would be made now has the ready transactions in their order, and changes nothing', async () => {
  const { solo, blocks } = await open({ mode: 'manual' })
  for (const nonce of [1, 0, 3]) await solo.submit(transfer(nonce))
  const { input, lastCommit } = solo.pool.next(9)
  expect([input.height, input.txs.length, lastCommit]).toEqual([2n, 2, blocks.block(1n)!.commit])
  expect(solo.pool.pendingCount().count).toBe(3)
  await solo.production.nextBlock()
  const made = blocks.block(2n)!
  expect(made.txs).toEqual(input.txs)
  expect([made.header.proposer, made.header.lastCommitHash]).toEqual([input.proposer, input.lastCommitHash])
  await solo.stop()
})

test('a waiting transaction leaves the pool when the block limit falls below its size', async () => {
  const ending = endingBlock(2n, (ctx) => {
    const params = consensus.params(ctx)
    consensus.setParams(ctx, { ...params, block: { ...params.block!, maxBytes: 4500n } })
  })
  const { solo } = await open({ mode: 'manual' }, { ending })
  const waiting = solo.submitAndWait(transfer(1, { gasLimit: 40_000n, dataBytes: 300 }), 60_000)
  await solo.production.nextBlock()
  expect((await waiting).admission).toMatchObject({ codespace: 'sdk', code: 21 })
  expect(solo.pool.pendingCount().count).toBe(0)
})

test('headers form a chain: each contains the hash, results and state of the previous one, and has its own hash', async () => {
  const { solo, blocks } = await open({ mode: 'manual' })
  await solo.submit(transfer(0))
  await solo.production.nextBlock()
  await solo.production.nextBlock()
  const [one, two, three] = [1n, 2n, 3n].map((height) => blocks.block(height)!)
  expect(one!.header.appHash).toEqual(sha256(EMPTY))
  expect(two!.header.appHash).toEqual(one!.nextAppHash)
  expect(three!.header.lastBlockId).toEqual(two!.blockId)
  expect(three!.header.lastResultsHash).not.toEqual(two!.header.lastResultsHash)
  expect(three!.header.timeNs).toBeGreaterThan(two!.header.timeNs)
  for (const block of [one, two, three]) expect(hashHeader(block!.header)).toEqual(block!.hash)
  expect(three!.lastCommit).toEqual(two!.commit)
  expect(two!.commit.signatures[0]).toMatchObject({ flag: 2, validator: signer.address })
})

test('with manual blocks, a block made for a proof includes no transactions', async () => {
  const { solo, blocks } = await open({ mode: 'manual' })
  await solo.submit(transfer(0))
  await solo.nextHeader(1n)
  expect([blocks.block(2n)!.txs.length, solo.pool.pendingCount().count]).toEqual([0, 1])
  await solo.production.nextBlock()
  expect([blocks.block(3n)!.txs.length, solo.pool.pendingCount().count]).toEqual([1, 0])
  await solo.stop()
})

test('a refused transaction resolves with a code, and the pool does not keep it', async () => {
  const { solo } = await open({ mode: 'manual' })
  expect(await solo.submit(new Uint8Array([1, 2, 3]))).toMatchObject({ code: 2, codespace: 'sdk' })
  expect((await solo.submit(transfer(0))).code).toBe(0)
  expect(await solo.submit(transfer(0))).toMatchObject({ code: 19, log: 'tx already in mempool' })
  expect((await solo.submit(transfer(1, { gasLimit: 16_000_000n }))).code).toBe(11)
  expect(solo.pool.pendingCount().count).toBe(1)
})

const HALTED =
  'the chain has halted: broken hook; nothing of block 2 was written: fix the cause, which the log names, and start the node again'

test('a failing block hook stops the chain before the commit, and every later request says so', async () => {
  const { solo, store, halts, blocks } = await open({ mode: 'arrival' }, { ending: failingAt(2n) })
  const waiting = solo.submit(transfer(0))
  await expect(waiting).rejects.toMatchObject({ status: 'unavailable', message: HALTED })
  expect(halts).toEqual(['broken hook'])
  expect([store.latestHeight(), blocks.latestHeight()]).toEqual([1n, 1n])
  expect(solo.status()).toMatchObject({ halted: { reason: 'broken hook', height: 2n }, latestHeight: 1n })
  await expect(solo.submit(transfer(0))).rejects.toThrow(HALTED)
  await expect(solo.production.nextBlock()).rejects.toThrow('the chain has halted')
})

test('a transaction that fails unexpectedly halts the chain with its hash, and after a restart the chain goes on without it', async () => {
  let isFailing = false
  const recipient = toKey(new Uint8Array(20).fill(7))
  const store = watchedStore({
    at: (snapshot) => ({
      ...snapshot,
      get(name, stored) {
        if (isFailing && toKey(stored).includes(recipient)) throw new RangeError('Maximum call stack size exceeded')
        return snapshot.get(name, stored)
      },
    }),
  })
  const { solo, halts } = await open({ mode: 'manual' }, { store })
  const { hash } = await solo.submit(transfer(0))
  isFailing = true
  await expect(solo.production.nextBlock()).rejects.toThrow('Maximum call stack size exceeded')
  const name = Buffer.from(hash).toString('hex').toUpperCase()
  expect(halts).toEqual([`transaction ${name} of block 2: Maximum call stack size exceeded`])
  isFailing = false
  const again = await open({ mode: 'manual' }, { store })
  expect(again.solo.pool.pendingCount().count).toBe(0)
  expect(await again.solo.production.nextBlock()).toBe(2n)
  expect([again.blocks.block(2n)!.txs, again.halts]).toEqual([[], []])
})

test('invalid amendments leave no snapshot open, and the chain goes on', async () => {
  let views = 0
  const store = watchedStore({
    at: (snapshot) => {
      views++
      return {
        ...snapshot,
        close() {
          views--
          snapshot.close()
        },
      }
    },
  })
  const { solo } = await open({ mode: 'manual' }, { store, development: true })
  const before = views
  const wei = 2n ** 300n
  const amendment = { kind: 'balance', address: new Uint8Array(20).fill(9), wei } as const
  await expect(solo.development!.amend([amendment])).rejects.toThrow(ChainError)
  expect(views).toBe(before)
  expect(await solo.production.nextBlock()).toBe(2n)
})

test('a rollback that fails leaves the chain and its pool as they were', async () => {
  const store = watchedStore({
    rollback() {
      throw new Error('the disk is gone')
    },
  })
  const { solo, halts, blocks } = await open({ mode: 'manual' }, { store, development: true })
  await solo.submit(transfer(0))
  await solo.production.nextBlock()
  await expect(solo.development!.rollback(1n)).rejects.toThrow('the disk is gone')
  expect(await solo.submit(transfer(1))).toMatchObject({ code: 0 })
  expect(await solo.production.nextBlock()).toBe(3n)
  expect([blocks.block(3n)!.txs.length, halts]).toEqual([1, []])
})

test('a reopened chain goes on from its last block as if it had never stopped', async () => {
  const one = await open({ mode: 'manual' })
  const store = openVersionedStore(openMemory(), ALMANAC_STORES)
  const two = await open({ mode: 'manual' }, { store })
  for (const { solo } of [one, two]) {
    await solo.submit(transfer(0))
    await solo.production.nextBlock()
    await solo.stop()
  }
  const again = await open({ mode: 'manual' }, { store })
  expect(again.solo.status().latestHeight).toBe(2n)
  expect((await again.solo.submit(transfer(1))).code).toBe(0)
  expect(await again.solo.production.nextBlock()).toBe(3n)
  const block = again.blocks.block(3n)!
  expect(block.header.lastBlockId).toEqual(two.blocks.block(2n)!.blockId)
  expect(block.results[0]?.code).toBe(0)
})

test('the last validator with power is never removed', () => {
  const validator = (n: number, power: bigint) => ({
    address: new Uint8Array(20).fill(n),
    publicKey: new Uint8Array(32).fill(n),
    power,
  })
  const alone = [validator(1, 10n)]
  expect(updateValidators(alone, [validator(1, 0n)])).toMatchObject(alone)
  expect(updateValidators(alone, [validator(2, 20n)])).toMatchObject([validator(2, 20n), validator(1, 10n)])
  expect(updateValidators(alone, [validator(1, 0n), validator(2, 5n)])).toMatchObject([validator(2, 5n)])
  expect(updateValidators(alone, [])).toBe(alone)
})

test('a listener that fails affects neither the others nor the chain', async () => {
  const { solo, halts, failures } = await open({ mode: 'manual' })
  const bug = new Error('a client is gone')
  const heard: bigint[] = []
  solo.onBlock(() => {
    throw bug
  })
  const end = solo.onBlock(({ header }) => heard.push(header.height))
  solo.onPending(() => {
    throw bug
  })
  expect((await solo.submit(transfer(0))).code).toBe(0)
  await solo.production.nextBlock()
  end()
  await solo.production.nextBlock()
  expect([heard, failures, halts]).toEqual([[2n], [bug, bug, bug], []])
  expect(solo.status()).toMatchObject({ latestHeight: 3n })
  await solo.stop()
})

test('blocks that one request mines have the hashes and state of blocks that are mined one by one', async () => {
  const chains = await Promise.all([1, 2].map(() => open({ mode: 'manual' }, { development: true })))
  const [batch, single] = chains.map(({ solo }) => solo.development!)
  const [start, count, seconds] = [1_704_070_800n, 40n, 7n]
  for (const { development } of chains.map(({ solo }) => solo)) development!.setNextTime(start)
  await batch!.mine(count, { seconds, stepsFirst: false })
  await single!.mine(1n, { seconds, stepsFirst: false })
  for (let i = 1n; i < count; i++) {
    single!.setNextTime(start + i * seconds)
    await single!.mine(1n)
  }
  const [ours, theirs] = chains.map(({ blocks }) => {
    const height = blocks.latestHeight()
    const { header, hash, nextAppHash } = blocks.block(height)!
    return { height, timeNs: header.timeNs, hash, nextAppHash }
  })
  expect(ours).toEqual(theirs)
  expect(ours!.timeNs).toBe((start + (count - 1n) * seconds) * 1_000_000_000n)
})

/** A backend whose writes are held like those of a disk, over one in memory that counts the durable ones. */
function heldStore() {
  const memory = openMemory()
  let count = 0
  const counting: Backend = {
    ...memory,
    write(rows) {
      count++
      memory.write(rows)
    },
  }
  return {
    store: openVersionedStore(withHeldWrites(counting, [1, 2]), ALMANAC_STORES),
    count: () => count,
    durableHeight: () => openVersionedStore(memory, ALMANAC_STORES).latestHeight(),
  }
}

test('blocks that one request mines share durable writes, which are done before its answer, as are the listeners', async () => {
  const { store, count, durableHeight } = heldStore()
  const { solo } = await open({ mode: 'manual' }, { development: true, store })
  const told: bigint[] = []
  solo.onBlock(({ header }) => told.push(header.height))
  const before = count()
  await solo.development!.mine(250n, undefined)
  expect(durableHeight()).toBe(251n)
  expect(told).toEqual(Array.from({ length: 250 }, (_, i) => BigInt(i + 2)))
  expect(count() - before).toBeLessThanOrEqual(126)
  await solo.production.nextBlock()
  expect([durableHeight(), told.at(-1)]).toEqual([252n, 252n])
})

test('a transaction that comes between the blocks of a request is answered with its own block', async () => {
  const { solo, blocks } = await open({ mode: 'manual' }, { development: true, store: heldStore().store })
  const mined = solo.development!.mine(100n, undefined)
  await new Promise((resolve) => setImmediate(resolve))
  const outcomes = await Promise.all([0, 1].map((nonce) => solo.submitAndWait(transfer(nonce), 5000)))
  await mined
  expect(solo.status().latestHeight).toBe(101n)
  for (const { inclusion } of outcomes) {
    const { height, index, result } = inclusion!
    expect(height).toBeGreaterThan(2n)
    expect(result).toEqual(blocks.block(height)!.results[index])
    expect(result.code).toBe(0)
  }
})

test('listeners are notified of blocks and rollbacks in their order while a request mines', async () => {
  const { solo } = await open({ mode: 'manual' }, { development: true, store: heldStore().store })
  const heard: bigint[] = []
  solo.onBlock(({ header }) => heard.push(header.height))
  solo.onRollback((height) => heard.push(-height))
  const mined = solo.development!.mine(60n, undefined)
  await new Promise((resolve) => setImmediate(resolve))
  await solo.development!.rollback(5n)
  await mined
  let at = 1n
  for (const height of heard) {
    if (height > 0n) expect(height).toBe(at + 1n)
    else expect(-height).toBe(at - 5n)
    at = height < 0n ? -height : height
  }
  expect(at).toBe(solo.status().latestHeight)
  expect(at).toBe(56n)
})
