import { expect, test } from 'vitest'
import { createApplication } from '../app/application.ts'
import { wrapEthereumTx } from '../app/evm/envelope.ts'
import { localnetGenesis } from '../app/localnet.ts'
import type { StoredBlock, Validator } from '../app/records.ts'
import { ALMANAC_STORES } from '../app/stores.ts'
import { transactionHash } from '../evm/transaction/encode.ts'
import { addressOfPrivateKey, signTransaction } from '../evm/transaction/sender.ts'
import { almanac } from '../identity/profiles/almanac.ts'
import * as bank from '../modules/bank/keeper.ts'
import { sha256 } from '../primitives/hash.ts'
import { openMemory } from '../store/backend/memory.ts'
import { openVersionedStore } from '../store/versioned.ts'
import type { ExecutedBlock, Executor } from './execution.ts'
import { createExecutor } from './executor.ts'
import { propose, storedBlock } from './solo/propose.ts'

const chainId = 'almanac-localnet-1'
const key = sha256(new Uint8Array([1]))
const sender = addressOfPrivateKey(key)
const receiver = new Uint8Array(20).fill(7)
const publicKey = sha256(new Uint8Array([2]))
const signer = { address: sha256(publicKey).slice(0, 20), sign: (message: Uint8Array) => sha256(message) }
const local = {
  identity: almanac,
  chainId,
  genesisTime: '2024-01-01T00:00:00Z',
  accounts: [{ address: sender, balanceUnative: 10_000_000_000n }],
  validators: [{ publicKey }],
  blockGasLimit: 15_000_000n,
}
const genesis = localnetGenesis(local)

function open(report: () => void = () => {}): { executor: Executor; halts: string[]; failures: unknown[] } {
  const halts: string[] = []
  const failures: unknown[] = []
  const executor = createExecutor({
    app: createApplication({ identity: almanac, chainId, evmChainId: 6930n, settings: { minGasPrices: '' } }),
    store: openVersionedStore(openMemory(), ALMANAC_STORES),
    elapsed: () => performance.now(),
    onHalt({ reason }) {
      halts.push(reason)
      report()
    },
    onListenerFailure: (error) => failures.push(error),
  })
  return { executor, halts, failures }
}

function transfer(nonce: bigint): Uint8Array {
  const tx = signTransaction(
    {
      type: 0,
      chainId: 6930n,
      nonce,
      gasLimit: 21_000n,
      to: receiver,
      valueWei: 10n ** 12n,
      data: new Uint8Array(0),
      gasPriceWei: 10n ** 12n,
    },
    key,
  )
  return wrapEthereumTx(almanac, tx, transactionHash(tx))
}

/** Proposes and executes the next block. */
function run(executor: Executor, txs: readonly Uint8Array[] = []) {
  const before = executor.tip()
  const proposal = propose(before, txs, before.timeNs + 1_000_000_000n, [signer])
  const executed = executor.execute(proposal.input)
  const record = (appHash: Uint8Array) => storedBlock(proposal, before, executed.output, appHash)
  return { executed, record }
}

function commit(executor: Executor, txs: readonly Uint8Array[] = []): { block: StoredBlock; executed: ExecutedBlock } {
  const { executed, record } = run(executor, txs)
  return { block: executor.prepare(executed, record).commit(), executed }
}

const balance = (executor: Executor) => executor.read((ctx) => bank.balance(ctx, receiver, 'unative'))

/** Returns the tip with all priorities: stored sets leave out those that are 0. */
function tipOf(executor: Executor) {
  const whole = (set: readonly Validator[]) =>
    set.map((validator) => ({ ...validator, priority: validator.priority ?? 0n }))
  const { lastValidators, validators, nextValidators, ...rest } = executor.tip()
  return { ...rest, sets: [lastValidators, validators, nextValidators].map(whole) }
}

test('a block is hashed before it is durable, and listeners run after the tip has moved', () => {
  const { executor } = open()
  expect(executor.isEmpty()).toBe(true)
  executor.begin(genesis)
  commit(executor)
  const order: string[] = []
  executor.onBlock(({ header }) => order.push(`listener ${header.height} at ${executor.tip().height}`))
  const { executed, record } = run(executor, [transfer(0n)])
  const prepared = executor.prepare(executed, record)
  expect(prepared.appHash).toHaveLength(32)
  expect([executor.tip().height, balance(executor)]).toEqual([1n, 0n])
  const block = prepared.commit(({ header }) => order.push(`settle ${header.height}`))
  expect(order).toEqual(['settle 2', 'listener 2 at 2'])
  expect([block.nextAppHash, executor.tip().appHash, balance(executor)]).toEqual([
    prepared.appHash,
    prepared.appHash,
    1n,
  ])
  expect(executor.blocks.block(2n)?.results.map(({ code }) => code)).toEqual([0])
})

test('an aborted block leaves no trace: the next one is as if it had never been', () => {
  const [first, second] = [open().executor, open().executor]
  for (const executor of [first, second]) {
    executor.begin(genesis)
    commit(executor)
  }
  const { executed, record } = run(first, [transfer(0n)])
  first.prepare(executed, record).abort()
  expect([first.tip().height, balance(first), first.blocks.block(2n)]).toEqual([1n, 0n, undefined])
  expect(commit(first).block).toEqual(commit(second).block)
})

test('blocks committed with changes from elsewhere give the same chain, and can be rolled back', () => {
  const source = open().executor
  const replica = open().executor
  source.begin(genesis)
  const rolledBack: bigint[] = []
  replica.onRollback((height) => rolledBack.push(height))
  for (const txs of [[], [transfer(0n)], [transfer(1n)]]) {
    const { validators } = source.tip()
    const { block, executed } = commit(source, txs)
    const isFirst = block.header.height === 1n
    const given = { height: block.header.height, record: () => block, ...(isFirst && { validators }) }
    expect(replica.commitForeign(given, executed.changes)).toEqual(block)
    expect(tipOf(replica)).toEqual(tipOf(source))
    expect(replica.blocks.block(block.header.height)).toEqual(source.blocks.block(block.header.height))
  }
  expect(balance(replica)).toBe(2n)
  replica.rollback(2n)
  source.rollback(2n)
  expect([rolledBack, tipOf(replica), replica.status().rollbacks, balance(replica)]).toEqual([
    [2n],
    tipOf(source),
    1,
    1n,
  ])
  expect(commit(replica, [transfer(1n)]).block).toEqual(commit(source, [transfer(1n)]).block)
})

test('blocks from elsewhere that are held move the tip, and listeners are notified once they are durable', () => {
  const source = open().executor
  const replica = open().executor
  source.begin(genesis)
  const told: bigint[] = []
  replica.onBlock(({ header }) => told.push(header.height))
  for (const txs of [[], [transfer(0n)], [transfer(1n)]]) {
    const { validators } = source.tip()
    const { block, executed } = commit(source, txs)
    const { height } = block.header
    const given = { height, record: () => block, ...(height === 1n && { validators }) }
    replica.prepareForeign(given, executed.changes).hold()
    expect(tipOf(replica)).toEqual(tipOf(source))
  }
  expect([told, replica.heldCount(), balance(replica)]).toEqual([[], 3, 2n])
  replica.flush()
  expect([told, replica.heldCount()]).toEqual([[1n, 2n, 3n], 0])
})

test('a block from elsewhere can be compared by its app hash and discarded, and its record can fail without harm', () => {
  const source = open().executor
  const replica = open().executor
  source.begin(genesis)
  const { validators } = source.tip()
  const { block, executed } = commit(source)
  const given = { height: 1n, record: () => block, validators }
  const forged = executed.changes.map((change, i) => (i === 0 ? { ...change, value: new Uint8Array(1) } : change))
  const prepared = replica.prepareForeign(given, forged)
  expect(prepared.appHash).not.toEqual(block.nextAppHash)
  prepared.abort()
  const unreadable = () => {
    throw new Error('damaged record')
  }
  const damaged = replica.prepareForeign({ ...given, record: unreadable }, executed.changes)
  expect(() => damaged.commit()).toThrow('damaged record')
  damaged.abort()
  expect(replica.prepareForeign(given, executed.changes).appHash).toEqual(block.nextAppHash)
})

test('a failure halts the chain once, with the height that was not made', () => {
  const { executor, halts } = open()
  executor.begin(genesis)
  commit(executor)
  const heard: bigint[] = []
  executor.onHalt(({ height }) => heard.push(height))
  executor.fail(new Error('disk full'))
  executor.fail(new Error('again'))
  expect([halts, heard, executor.status().halted?.height]).toEqual([['disk full'], [2n], 2n])
  expect(() => executor.requireRunning()).toThrow('the chain has halted: disk full')
  expect(() => run(executor)).toThrow('the chain has halted: disk full')
})

test('a failure that cannot be reported still halts the chain for everyone who waits', () => {
  const { executor, failures } = open(() => {
    throw new Error('no log')
  })
  executor.begin(genesis)
  commit(executor)
  const heard: bigint[] = []
  executor.onHalt(({ height }) => heard.push(height))
  executor.fail(new Error('disk full'))
  expect([heard, failures]).toEqual([[2n], [new Error('no log')]])
  expect(() => executor.requireRunning()).toThrow('the chain has halted: disk full')
})

test('a listener that throws keeps neither the others nor the chain from going on', () => {
  const { executor, failures } = open()
  executor.begin(genesis)
  const heard: bigint[] = []
  executor.onBlock(() => {
    throw new Error('broken listener')
  })
  executor.onBlock(({ header }) => heard.push(header.height))
  commit(executor)
  commit(executor)
  expect([heard, failures.map(String)]).toEqual([
    [1n, 2n],
    ['Error: broken listener', 'Error: broken listener'],
  ])
})

test('transactions are checked on the state of genesis before the first block, and on that of a later genesis', () => {
  const { executor } = open()
  expect(() => executor.checkState.placeOf(transfer(0n))).toThrow('the chain has no block yet')
  executor.begin(genesis)
  expect(executor.checkState.placeOf(transfer(3n))?.signers).toMatchObject([{ nonce: 3n }])
  expect(executor.checkState.check(transfer(0n), 'check').code).toBe(0)
  const poor = { address: sender, balanceUnative: 1n }
  executor.begin(localnetGenesis({ ...local, accounts: [poor] }))
  expect(executor.checkState.check(transfer(0n), 'check').log).toContain('insufficient')
  executor.begin(genesis)
  expect(executor.checkState.check(transfer(0n), 'check').code).toBe(0)
  expect(commit(executor, [transfer(0n)]).block.results.map(({ code }) => code)).toEqual([0])
  expect(executor.checkState.check(transfer(1n), 'check').code).toBe(0)
})

test('an executor without a genesis or a block says so', () => {
  expect(() => open().executor.tip()).toThrow('no genesis yet')
})
