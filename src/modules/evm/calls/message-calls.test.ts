import { expect, test } from 'vitest'
import { type BehaviourName, behavioursOf } from '../../../identity/behaviours.ts'
import { almanac } from '../../../identity/profiles/almanac.ts'
import { concat, EMPTY, hex } from '../../../primitives/bytes.ts'
import { ChainError } from '../../../primitives/errors.ts'
import { keccak256 } from '../../../primitives/hash.ts'
import type { Context } from '../../../sdk/context.ts'
import { testContext } from '../../../sdk/testing.ts'
import { createGasMeter } from '../../../store/gas.ts'
import { auth as authModule } from '../../auth/index.ts'
import * as auth from '../../auth/keeper.ts'
import * as staking from '../../staking/keeper.ts'
import { localnetGenesis } from '../development/localnet.ts'
import { evm } from '../index.ts'
import * as state from '../state.ts'
import { type ContractCall, EXECUTE_GAS } from './contract-calls.ts'
import { createMessageCalls, createStaticCalls, deploy, tryStaticCall } from './message-calls.ts'

const TARGET = new Uint8Array(20).fill(0xc0)
/** JUMPDEST, PUSH0, JUMP: uses all gas. */
const ENDLESS = '5b5f56'
/** PUSH0, PUSH0, REVERT. */
const REVERTING = '5f5ffd'
/** 21,000 of a transaction, PUSH1 and PUSH0, and an SSTORE of a new slot: 21,000 + 5 + 22,100. */
const WRITING = '60015f5500'
const WRITING_GAS = 43_105n

function chain(code: string, behaviours: readonly BehaviourName[] = []): Context {
  const identity = { ...almanac, behaviours: behavioursOf(behaviours) }
  const ctx = testContext({ identity, modules: [authModule, evm], block: { gasLimit: 60_000_000n } })
  evm.genesis!.init(ctx, localnetGenesis(ctx))
  const bytes = hex(code)
  state.codes.set(ctx, keccak256(bytes), bytes)
  auth.setAccount(ctx, { ...auth.ensureAccount(ctx, TARGET), codeHash: keccak256(bytes), sequence: 1n })
  return ctx
}

const call: ContractCall = { from: state.evmAccount.address, to: TARGET, data: EMPTY, gasLimit: EXECUTE_GAS }

/** Runs something in a message with so much gas. Returns the used gas and the error. */
function within(ctx: Context, gas: bigint, run: (message: Context) => void) {
  const meter = createGasMeter(gas)
  try {
    run(ctx.withGas(meter))
    return { used: meter.used, error: undefined }
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    return { used: meter.used, error: `${error.codespace} ${error.code}` }
  }
}

test('a call in a message does no more work than the message has gas left', () => {
  const kinds: readonly ((message: Context) => void)[] = [
    (message) => createMessageCalls(message).call(call),
    (message) => createMessageCalls(message).call({ ...call, isStatic: true }),
    (message) => tryStaticCall(message, TARGET, EMPTY, EXECUTE_GAS),
  ]
  for (const run of kinds) {
    expect(within(chain(ENDLESS), 60_000n, run)).toEqual({ used: 60_001n, error: 'sdk 11' })
    expect(within(chain(ENDLESS), 1_000n, run)).toEqual({ used: 1_001n, error: 'sdk 11' })
  }
  const creates = (message: Context) => deploy(message, hex(ENDLESS))
  // The first access, to the module account, is charged before.
  expect(within(chain(ENDLESS), 300_000n, creates)).toEqual({ used: 300_001n, error: 'sdk 11' })
})

test('a call in a message with enough gas costs what it uses, and one that needs more than a call can have fails as such', () => {
  const run = (message: Context) => createMessageCalls(message).call(call)
  expect(within(chain(WRITING), 5_000_000n, run)).toEqual({ used: WRITING_GAS, error: undefined })
  expect(within(chain(WRITING), WRITING_GAS, run)).toEqual({ used: WRITING_GAS, error: undefined })
  expect(within(chain(WRITING), WRITING_GAS - 1n, run)).toEqual({ used: WRITING_GAS, error: 'sdk 11' })
  expect(within(chain(ENDLESS), 5_000_000n, run)).toEqual({ used: EXECUTE_GAS, error: 'evm 5' })
  expect(within(chain(ENDLESS), EXECUTE_GAS, run)).toEqual({ used: EXECUTE_GAS, error: 'evm 5' })
})

test('a call that reverts with little gas left reports that it reverted, and is charged', () => {
  const run = (message: Context) => createMessageCalls(message).call(call)
  expect(within(chain(REVERTING), 30_000n, run)).toEqual({ used: 21_004n, error: 'evm 5' })
})

test('under the behaviour callsRunBeforeGas a call runs with its full limit and is charged afterwards', () => {
  const run = (message: Context) => createMessageCalls(message).call(call)
  expect(within(chain(ENDLESS, ['callsRunBeforeGas']), 60_000n, run)).toEqual({ used: EXECUTE_GAS, error: 'sdk 11' })
})

/** Gas of a read of a store (Cosmos SDK: 1,000 and 3 a byte of key and value). */
const read = (key: number, value = 0): bigint => 1000n + 3n * BigInt(key + value)
/** Gas of a write (2,000 and 30 a byte). */
const write = (key: number, value: number): bigint => 2000n + 30n * BigInt(key + value)
/** Length of the key of a slot: prefix, address, slot. */
const SLOT_KEY = 1 + 20 + 32

/** The gas of the reads of the reference's interpreter on this chain, whose accounts own no native coins. */
function readsOf(ctx: Context) {
  const accountKey = (address: Uint8Array) => concat(Uint8Array.of(1), address)
  const length = (address: Uint8Array) => ctx.store.get('acc', accountKey(address))?.length ?? 0
  const nonce = (address: Uint8Array) => read(21, length(address))
  // Coins by prefix, length of the address, address, denom; the remainder in wei by prefix, Bech32 text and a zero.
  const balance = read(1 + 1 + 20 + 'unative'.length) + read(1 + 'chain1'.length + 38 + 1)
  const account = (address: Uint8Array) => nonce(address) + balance
  return { nonce, balance, account }
}

test('under callsPayForStores a message pays for each access of its call to the stores', () => {
  const ctx = chain(WRITING, ['callsPayForStores'])
  const { used, error } = within(ctx, 5_000_000n, (message) => createMessageCalls(message).call(call))
  expect(error).toBeUndefined()
  const before = chain(WRITING, ['callsPayForStores'])
  const { nonce, balance, account } = readsOf(before)
  const setup = nonce(call.from) + within(before, 9_000n, (message) => state.params.get(message)).used
  // The proposer of the test has no validator: one read of its address.
  const proposer = within(before, 9_000n, (message) => staking.operatorOf(message, message.block.proposer)).used
  const begin = nonce(call.from)
  // Does it exist; balances of both sides; account and code; account again for the hash.
  const enter = account(TARGET) + 2n * balance + account(TARGET) + read(33, hex(WRITING).length) + account(TARGET)
  // SSTORE reads the slot for its price, its original value, and its former value.
  const store = 3n * read(SLOT_KEY) + write(SLOT_KEY, 32)
  expect(used - WRITING_GAS).toBe(setup + proposer + begin + enter + store)
})

test('under callsPayForStores CREATE reads the nonce once more than CREATE2, for the address', () => {
  const run = (message: Context) => createMessageCalls(message).call(call)
  // PUSH0 for value, offset and size, and for the salt of CREATE2, which is 2 gas more; the creation code is empty.
  const [byNonce, bySalt] = ['5f5f5ff000', '5f5f5f5ff500'].map((code) => {
    const ctx = chain(code, ['callsPayForStores'])
    return within(ctx, 5_000_000n, run)
  })
  expect([byNonce?.error, bySalt?.error]).toEqual([undefined, undefined])
  // The code of the second is one byte longer, and is read once.
  const { nonce } = readsOf(chain('5f5f5ff000'))
  expect(byNonce!.used - bySalt!.used).toBe(nonce(TARGET) - 2n - 3n)
})

test('under callsPayForStores a slot that one call of a message has read is warm in the next, and SLOAD reads twice', () => {
  // PUSH0, SLOAD.
  const ctx = chain('5f5400', ['callsPayForStores'])
  const used: bigint[] = []
  const meter = createGasMeter(5_000_000n)
  const ask = createStaticCalls(ctx.withGas(meter), TARGET, EXECUTE_GAS)
  for (let i = 0; i < 3; i++) {
    const before = meter.used
    ask(EMPTY)
    used.push(meter.used - before)
  }
  const { nonce, balance, account } = readsOf(ctx)
  const each =
    21_000n +
    2n +
    nonce(state.evmAccount.address) +
    3n * account(TARGET) +
    2n * balance +
    read(33, 3) +
    2n * read(SLOT_KEY)
  // EIP-2929: 2,100 for the first access, 100 afterwards.
  expect(used.slice(1)).toEqual([each + 100n, each + 100n])
  expect(used[0]! - used[1]!).toBeGreaterThan(2_000n)
})

test('under callsPayForStores a message without enough gas for an access ends there', () => {
  const run = (message: Context) => createMessageCalls(message).call(call)
  const { used } = within(chain(WRITING, ['callsPayForStores']), 5_000_000n, run)
  expect(within(chain(WRITING, ['callsPayForStores']), used, run)).toEqual({ used, error: undefined })
  expect(within(chain(WRITING, ['callsPayForStores']), 10_000n, run).error).toBe('sdk 11')
})

test('under callsPayForStores an inner call without the value that it sends fails alone, after a read of the balance', () => {
  const { nonce: nonceRead } = readsOf(chain(WRITING))
  // CALL of 0xaa with 1 wei, then CREATE with 1 wei, whose address needs the nonce. The contract owns nothing.
  for (const [code, opcodes, reads] of [
    // Five PUSH0 or PUSH1 and GAS, cold address, value; the stipend of 2,300 comes back. Is 0xaa empty, which has no account.
    ['5f5f5f5f600160aa5af100', 4n * 2n + 2n * 3n + 2n + 2_600n + 9_000n + 25_000n - 2_300n, read(21)],
    ['5f5f6001f000', 2n * 2n + 3n + 32_000n, nonceRead(TARGET)],
  ] as const) {
    const ctx = chain(code, ['callsPayForStores'])
    const { used, error } = within(ctx, 5_000_000n, (message) => createMessageCalls(message).call(call))
    expect(error, code).toBeUndefined()
    const before = chain(code, ['callsPayForStores'])
    const { balance, account, nonce } = readsOf(before)
    const setup = within(before, 9_000n, (message) => {
      state.params.get(message)
      staking.operatorOf(message, message.block.proposer)
    }).used
    const enter = 3n * account(TARGET) + 2n * balance + read(33, hex(code).length)
    expect(used, code).toBe(21_000n + opcodes + setup + 2n * nonce(call.from) + enter + reads + balance)
  }
})
