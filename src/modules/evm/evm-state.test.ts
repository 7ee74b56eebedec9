import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { createEvm } from '../../evm/host.ts'
import { MetadataSchema } from '../../gen/sdk/bank/v1beta1/bank_pb.ts'
import { hex, toKey } from '../../primitives/bytes.ts'
import { EMPTY_CODE_HASH, keccak256 } from '../../primitives/hash.ts'
import { testContext } from '../../sdk/testing.ts'
import * as auth from '../auth/keeper.ts'
import * as bank from '../bank/keeper.ts'
import { blockEnv } from './calls/block-env.ts'
import { createEvmState } from './evm-state.ts'
import { evm } from './index.ts'
import { chainRules } from './rules.ts'
import { evmAccount } from './state.ts'

const A = new Uint8Array(20).fill(1)
const B = new Uint8Array(20).fill(2)
const SLOT = new Uint8Array(32)
const ONE = new Uint8Array(32).fill(1)
const account = (balanceWei: bigint) => ({ nonce: 0n, balanceWei, codeHash: EMPTY_CODE_HASH })

function chain() {
  const ctx = testContext({ modules: [evm] })
  bank.addWei(ctx, A, 10n)
  return { ctx, state: createEvmState(ctx) }
}

test('a written account exists with nonce and wei, and a removed contract is gone with both', () => {
  const { ctx, state } = chain()
  expect(state.account(B)).toBeUndefined()
  const contract = { ...account(3n), nonce: 7n, codeHash: ONE }
  state.setAccount(B, contract)
  expect(state.account(B)).toEqual(contract)
  state.setAccount(B, undefined)
  expect([state.account(B), auth.getAccount(ctx, B), bank.balanceWei(ctx, B)]).toEqual([undefined, undefined, 0n])
})

test('an account without code that the EVM finds empty keeps its account number and its other coins', () => {
  const { ctx, state } = chain()
  const { number } = auth.ensureAccount(ctx, B)
  bank.mint(ctx, evmAccount, [{ denom: 'uother', amount: 5n }])
  bank.send(ctx, evmAccount.address, B, [{ denom: 'uother', amount: 5n }])
  state.setAccount(B, undefined)
  expect(auth.getAccount(ctx, B)?.number).toBe(number)
  expect(bank.balance(ctx, B, 'uother')).toBe(5n)
})

test('a slot with value zero is absent', () => {
  const { ctx, state } = chain()
  state.setStorage(A, SLOT, ONE)
  expect([state.storage(A, SLOT), state.hasStorage(A), state.hasStorage(B)]).toEqual([ONE, true, false])
  state.setStorage(A, SLOT, SLOT)
  expect([state.hasStorage(A), ctx.store.iterate('evm', {}).next().done]).toEqual([false, true])
})

test('clearing an account’s storage leaves the storage of other accounts', () => {
  const { state } = chain()
  for (const [who, slot] of [
    [A, SLOT],
    [A, ONE],
    [B, SLOT],
  ] as const) {
    state.setStorage(who, slot, ONE)
  }
  state.clearStorage(A)
  expect([state.hasStorage(A), state.hasStorage(B)]).toEqual([false, true])
})

test('writes of modules in a branch are visible there, and afterwards only if the branch is merged', () => {
  const { state } = chain()
  expect(state.account(A)?.balanceWei).toBe(10n)
  state.branch()
  expect(state.account(A)?.balanceWei).toBe(10n)
  bank.addWei(state.context(), A, 5n)
  expect(state.account(A)?.balanceWei).toBe(15n)
  state.drop()
  expect(state.account(A)?.balanceWei).toBe(10n)
  state.branch()
  bank.addWei(state.context(), A, 5n)
  state.merge()
  expect(state.account(A)?.balanceWei).toBe(15n)
})

test('a branch lists the addresses whose account or balance was written in it, also below one unit', () => {
  const { state } = chain()
  const [C, D] = [3, 4].map((byte) => new Uint8Array(20).fill(byte)) as [Uint8Array, Uint8Array]
  state.branch()
  const ctx = state.context()
  expect(state.changedAccounts?.()).toEqual([])
  auth.ensureAccount(ctx, C)
  const inner = ctx.branch()
  bank.addWei(inner, B, 10n ** 12n)
  inner.merge()
  bank.addWei(ctx, A, 1n)
  bank.setMetadata(ctx, create(MetadataSchema, { base: 'uother' }))
  state.setStorage(D, SLOT, ONE)
  const changed = new Set(state.changedAccounts?.().map(toKey))
  expect(changed).toEqual(new Set([A, B, C].map(toKey)))
  state.branch()
  expect(state.changedAccounts?.()).toEqual([])
})

test('the cache of a committed state reads a value once, and never contains uncommitted writes', () => {
  const { ctx } = chain()
  const known = { accounts: new Map(), codes: new Map() }
  const open = () => createEvmState(ctx.branch(), known)
  const writer = open()
  expect(writer.account(A)?.balanceWei).toBe(10n)
  writer.setCode(ONE, SLOT)
  writer.setAccount(A, { ...account(3n), codeHash: ONE })
  expect([writer.account(A)?.balanceWei, writer.code(ONE)]).toEqual([3n, SLOT])
  const caller = open()
  caller.branch()
  bank.addWei(caller.context(), A, 5n)
  expect(caller.account(A)?.balanceWei).toBe(15n)
  caller.merge()
  expect(caller.account(A)?.balanceWei).toBe(15n)
  const reader = open()
  expect([reader.account(A)?.balanceWei, reader.code(ONE).length]).toEqual([10n, 0])
  expect([...known.accounts.keys()]).toEqual([toKey(A)])
})

test('destroyed wei go to the module, and created wei are a bug', () => {
  const { ctx, state } = chain()
  state.setAccount(A, account(4n))
  state.settle()
  // sha256("evm")[0:20]
  const module = Uint8Array.from(Buffer.from('603871c2ddd41c26ee77495e2e31e6de7f9957e0', 'hex'))
  expect(bank.balanceWei(ctx, module)).toBe(6n)
  const other = createEvmState(ctx)
  other.setAccount(A, account(5n))
  expect(() => other.settle()).toThrow('created 1 wei')
})

test('wei sent to a contract after its self-destruct go to the module', () => {
  const { ctx, state } = chain()
  // Deployed code: stops if the call has value, else destructs itself in favour of the origin.
  const initCode = '683415600657005b32ff5f5260096017f3'
  // Creates it with 5 wei, calls it, and sends it 3 more.
  const code = hex(`70${initCode}5f526011600f6005f05f5f5f5f5f855af1505f5f5f5f6003855af1505f5260205ff3`)
  const options = {
    state,
    rules: chainRules(ctx),
    block: blockEnv(ctx),
    tx: { origin: B, gasPrice: 0n, blobHashes: [] },
    precompiles: new Map(),
  }
  state.setCode(keccak256(code), code)
  state.setAccount(A, { nonce: 1n, balanceWei: 10n, codeHash: keccak256(code) })
  const evm = createEvm(options)
  const call = { caller: B, to: A, valueWei: 0n, data: new Uint8Array(0), gas: 1_000_000n }
  const { success, output } = evm.call(call)
  evm.journal.finalise()
  state.settle()
  expect(success).toBe(true)
  const contract = output.slice(12)
  expect([auth.getAccount(ctx, contract), bank.balanceWei(ctx, contract)]).toEqual([undefined, 0n])
  const balances = [A, B, evmAccount.address].map((who) => bank.balanceWei(ctx, who))
  expect(balances).toEqual([2n, 5n, 3n])
})

test('only Ethereum accounts can have code', () => {
  const { ctx, state } = chain()
  auth.setAccount(ctx, { ...auth.newAccount(ctx, B), kind: 'base' })
  state.setAccount(B, { ...account(0n), codeHash: ONE })
  expect(auth.getAccount(ctx, B)).toMatchObject({ kind: 'base', codeHash: EMPTY_CODE_HASH })
})
