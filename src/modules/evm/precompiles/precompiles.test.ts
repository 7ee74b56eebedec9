import { create } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import { createEvm } from '../../../evm/host.ts'
import { decodeRevert } from '../../../evm/revert.ts'
import { executeMessage } from '../../../evm/transition.ts'
import { ExchangeRateAtBlockSchema, ParamsSchema } from '../../../gen/chain/oracle/v1beta1/oracle_pb.ts'
import { DenomUnitSchema, MetadataSchema } from '../../../gen/sdk/bank/v1beta1/bank_pb.ts'
import * as address from '../../../identity/address.ts'
import { identityOf } from '../../../identity/profiles.ts'
import { formatEip55 } from '../../../primitives/address.ts'
import { concat, EMPTY, encodeUint, formatHex, hex, utf8 } from '../../../primitives/bytes.ts'
import { NotExecutable } from '../../../primitives/errors.ts'
import { keccak256 } from '../../../primitives/hash.ts'
import { governance } from '../../../sdk/authority.ts'
import type { Context } from '../../../sdk/context.ts'
import { testContext } from '../../../sdk/testing.ts'
import { auth as authModule } from '../../auth/index.ts'
import * as auth from '../../auth/keeper.ts'
import * as bank from '../../bank/keeper.ts'
import { messages as bankMessages } from '../../bank/messages.ts'
import * as oracle from '../../oracle/state.ts'
import { decodeArguments, encodeArguments, encodeCall, selectorOf } from '../calls/abi.ts'
import { blockEnv } from '../calls/block-env.ts'
import { createMessageCalls, deploy } from '../calls/message-calls.ts'
import { MINTER_ERC20_CREATION_CODE } from '../contracts/minter-erc20.ts'
import { localnetGenesis } from '../development/localnet.ts'
import { createEvmState } from '../evm-state.ts'
import { readErc20 } from '../funtoken/erc20.ts'
import * as erc20 from '../funtoken/erc20-calls.ts'
import { evm } from '../index.ts'
import * as keeper from '../keeper.ts'
import { messages } from '../messages.ts'
import { chainRules } from '../rules.ts'
import * as state from '../state.ts'

const ALICE = new Uint8Array(20).fill(0xa1)
const BOB = new Uint8Array(20).fill(0xb0)
const CONTRACT = new Uint8Array(20).fill(0xc0)
const FUNTOKEN = encodeUint(0x800n, 20)
const ORACLE = encodeUint(0x801n, 20)
const WASM = encodeUint(0x802n, 20)
const GOLD = 'factory/x/gold'
const GAS = 1_000_000n
const UNIT = 10n ** 12n

/** Returns code that passes calldata and value to the FunToken precompile, and returns its output: 25 bytes, or 24 without value. */
const FORWARD = {
  call: '365f5f375f5f365f346108005af13d5f5f3e6018573d5ffd5b3d5ff3',
  static: '365f5f375f5f365f6108005afa3d5f5f3e6017573d5ffd5b3d5ff3',
  delegate: '365f5f375f5f365f6108005af43d5f5f3e6017573d5ffd5b3d5ff3',
  /** Calls, and always reverts. */
  undo: '365f5f375f5f365f346108005af15f5ffd',
}

interface Chain {
  readonly ctx: Context
  /** ERC-20 contract of the coin. */
  readonly gold: Uint8Array
  /** ERC-20 that is mapped to a new coin. */
  readonly token: Uint8Array
}

function fund(ctx: Context, to: Uint8Array, denom: string, amount: bigint): void {
  bank.mint(ctx, state.evmAccount, [{ denom, amount }])
  bank.send(ctx, state.evmAccount.address, to, [{ denom, amount }])
}

/** Returns a state in which Alice and a contract have 1,000 gold and 500 tokens each. */
function chain(profile = 'almanac'): Chain {
  const identity = identityOf(profile)!
  const ctx = testContext({ identity, modules: [authModule, evm], block: { gasLimit: 60_000_000n } })
  evm.genesis!.init(ctx, localnetGenesis(ctx))
  const { baseDenom } = ctx.identity
  fund(ctx, ALICE, baseDenom, 30_000_000_000n)
  const units = [create(DenomUnitSchema, { denom: GOLD }), create(DenomUnitSchema, { denom: 'gold', exponent: 6 })]
  const metadata = { name: 'Gold', symbol: 'GOLD', base: GOLD, display: 'gold', denomUnits: units }
  bank.setMetadata(ctx, create(MetadataSchema, metadata))
  const sender = address.format(ctx, ALICE)
  const { funtokenMapping } = messages.createFunToken(ctx, { sender, fromBankDenom: GOLD })
  const args = encodeArguments('string,string,uint8', ['Token', 'TOK', 18n])
  const token = deploy(ctx, concat(MINTER_ERC20_CREATION_CODE, args)).contract
  messages.createFunToken(ctx, { sender, fromErc20: token })
  for (const holder of [ALICE, CONTRACT]) {
    fund(ctx, holder, GOLD, 1000n)
    erc20.mint(createMessageCalls(ctx), token, holder, 500n)
  }
  return { ctx, gold: funtokenMapping!.erc20Addr, token }
}

function place(ctx: Context, code: string): void {
  const bytes = hex(code)
  state.codes.set(ctx, keccak256(bytes), bytes)
  auth.setAccount(ctx, { ...auth.ensureAccount(ctx, CONTRACT), codeHash: keccak256(bytes), sequence: 1n })
}

/** Executes a transaction of Alice and writes its effects. */
function run(ctx: Context, to: Uint8Array, data: Uint8Array, { valueWei = 0n, gasLimit = GAS } = {}) {
  const view = createEvmState(ctx)
  const rules = chainRules(ctx)
  const machine = createEvm({
    state: view,
    rules,
    block: blockEnv(ctx),
    tx: { origin: ALICE, gasPrice: 0n, blobHashes: [] },
    precompiles: keeper.chainPrecompiles(rules),
  })
  const nonce = keeper.nonce(ctx, ALICE)
  const result = executeMessage(machine, { from: ALICE, to, nonce, gasLimit, valueWei, data })
  machine.journal.finalise()
  view.settle()
  return result
}

const sendToBank = (token: Uint8Array, amount: bigint, to: string) =>
  encodeCall('sendToBank(address,uint256,string)', [token, amount, to])
const sendToEvm = (denom: string, amount: bigint, to: string) =>
  encodeCall('sendToEvm(string,uint256,string)', [denom, amount, to])
const bankMsgSend = (to: string, denom: string, amount: bigint) =>
  encodeCall('bankMsgSend(string,string,uint256)', [to, denom, amount])
const whoAmI = (who: string) => encodeCall('whoAmI(string)', [who])
const hex0x = (bytes: Uint8Array) => `0x${formatHex(bytes)}`
const dataCost = (data: Uint8Array) => data.reduce((sum, byte) => sum + (byte === 0 ? 4n : 16n), 21_000n)

test('under the profile of the chain a call costs its flat price and nothing for the accesses of keepers', () => {
  const { ctx, token } = chain('nibiru')
  const bob = address.format(ctx, BOB)
  const balance = encodeCall('balance(address,address)', [ALICE, token])
  const priced = [
    [whoAmI(bob), 1384n],
    [balance, 1192n],
    [bankMsgSend(bob, GOLD, 1n), 9680n],
    [sendToBank(token, 5n, bob), 7760n],
  ] as const
  for (const [data, price] of priced) {
    const { success, gasUsedBeforeRefund } = run(ctx, FUNTOKEN, data)
    expect([success, gasUsedBeforeRefund - dataCost(data)]).toEqual([true, price])
  }
})

test('under the profile of the chain the accesses of a call must fit into its remaining gas', () => {
  const { ctx } = chain('nibiru')
  const data = bankMsgSend(address.format(ctx, BOB), GOLD, 1n)
  const least = dataCost(data) + 9680n
  expect(run(ctx, FUNTOKEN, data, { gasLimit: least - 1n })).toMatchObject({ success: false, error: 'out of gas' })
  const short = run(ctx, FUNTOKEN, data, { gasLimit: least + 10_000n })
  expect(short).toMatchObject({ success: false, error: expect.stringMatching(/: out of gas$/) })
  expect(run(ctx, FUNTOKEN, data, { gasLimit: least + 60_000n })).toMatchObject({ success: true })
  expect(bank.balance(ctx, BOB, GOLD)).toBe(1n)
})

/** Returns the gas of a second call in a transaction: the first also writes the nonce of the sender. */
function gasOfSecondCall(ctx: Context, data: Uint8Array): bigint {
  run(ctx, FUNTOKEN, whoAmI(hex0x(BOB)))
  const used = [1, 2].map((calls) => {
    place(ctx, `365f5f37${'5f5f365f5f6108005af150'.repeat(calls)}00`)
    return run(ctx, CONTRACT, data).gasUsedBeforeRefund
  })
  // PUSH0 and CALLDATASIZE are 2 gas each, PUSH2 3, GAS 2, the warm CALL 100, POP 2.
  return used[1]! - used[0]! - 117n
}

test('a call pays for its arguments and for half of the store gas of the keepers', () => {
  const { ctx } = chain()
  // 96 bytes of arguments: a place, a length, 42 characters in two words. The method reads nothing.
  expect(gasOfSecondCall(ctx, whoAmI(hex0x(BOB)))).toBe(5000n + 3n * 128n)
  // 4 words of arguments. One entry is read: 1,000, and 3 for each byte of its key (2 + 20 + 14) and of its value "1000".
  const storeGas = 1000n + 3n * (36n + 4n)
  const data = encodeCall('bankBalance(address,string)', [ALICE, GOLD])
  expect(gasOfSecondCall(ctx, data)).toBe(5000n + 3n * 128n + storeGas / 2n)
})

test('a call pays for the changes that it makes the EVM write', () => {
  const { ctx } = chain()
  const data = whoAmI(hex0x(BOB))
  run(ctx, FUNTOKEN, data)
  const used = (before: string) => {
    place(ctx, `365f5f37${before}5f5f365f5f6108005af15000`)
    return run(ctx, CONTRACT, data).gasUsedBeforeRefund
  }
  // The value of a call to an account with coins changes two accounts, and their two balances.
  const transfer = `5f5f5f5f600173${'a1'.repeat(20)}5af150`
  bank.addWei(ctx, CONTRACT, UNIT)
  const alone = (() => {
    place(ctx, `365f5f37${transfer}00`)
    return run(ctx, CONTRACT, data).gasUsedBeforeRefund
  })()
  place(ctx, '365f5f3700')
  const nothing = run(ctx, CONTRACT, data).gasUsedBeforeRefund
  // Alice is the sender, so that her nonce is written in any case.
  expect(used(transfer) - used('') - (alone - nothing)).toBe(3n * 5000n)
})

test('the calls of a contract by a precompile are charged, also those that fail', () => {
  const { ctx, token } = chain()
  const view = encodeCall('balance(address,address)', [ALICE, token])
  const plain = encodeCall('balanceOf(address)', [ALICE])
  run(ctx, FUNTOKEN, view)
  const inner = run(ctx, token, plain).gasUsedBeforeRefund - dataCost(plain)
  const used = run(ctx, FUNTOKEN, view).gasUsedBeforeRefund - dataCost(view)
  expect(used).toBeGreaterThan(5000n + 3n * 64n + 10_000n + inner)
  const limited = run(ctx, FUNTOKEN, view, { gasLimit: dataCost(view) + used - 1n })
  expect(limited).toMatchObject({ success: false, gasUsed: dataCost(view) + used - 1n })
  expect(run(ctx, FUNTOKEN, view, { gasLimit: dataCost(view) + used + inner })).toMatchObject({ success: true })
})

test('both kinds of mapping convert tokens to coins and coins to tokens', () => {
  const { ctx, gold, token } = chain()
  const denom = `erc20/${formatEip55(token)}`
  const bob = address.format(ctx, BOB)
  const sent = (data: Uint8Array) => decodeArguments('uint256', run(ctx, FUNTOKEN, data).output)[0]
  expect(sent(sendToEvm(GOLD, 300n, hex0x(ALICE)))).toBe(300n)
  expect(sent(sendToBank(gold, 120n, bob))).toBe(120n)
  expect([bank.balance(ctx, ALICE, GOLD), bank.balance(ctx, BOB, GOLD)]).toEqual([700n, 120n])
  expect(bank.balance(ctx, state.evmAccount.address, GOLD)).toBe(180n)
  expect(readErc20(ctx, gold, ALICE).balance).toBe(180n)

  expect(sent(sendToBank(token, 200n, hex0x(ALICE)))).toBe(200n)
  expect(sent(sendToEvm(denom, 50n, hex0x(BOB)))).toBe(50n)
  expect([bank.supply(ctx, denom), bank.balance(ctx, ALICE, denom)]).toEqual([150n, 150n])
  expect([readErc20(ctx, token, state.evmAccount.address).balance, readErc20(ctx, token, BOB).balance]).toEqual([
    150n,
    50n,
  ])
})

test('the events of a call become logs of the precompile, after those of the contracts', () => {
  const { ctx, token } = chain()
  const { logs } = run(ctx, FUNTOKEN, sendToBank(token, 7n, hex0x(BOB)))
  expect(logs.map((log) => formatHex(log.address))).toEqual([
    formatHex(token),
    ...new Array(6).fill(formatHex(FUNTOKEN)),
  ])
  const [, received] = logs
  expect(formatHex(received!.topics[0]!)).toBe('d18c87af9a802d065969706ff77c671073731c5e7a56bf6748098c6014f84800')
  expect(received!.topics[1]).toEqual(keccak256(Buffer.from('coin_received')))
  const texts = logs.slice(1).map(({ data }) => decodeArguments('string', data)[0] as string)
  expect(texts.map((text) => JSON.parse(text).eventType)).toEqual([
    'coin_received',
    'coinbase',
    'coin_spent',
    'coin_received',
    'transfer',
    'message',
  ])
  const module = address.format(ctx, state.evmAccount.address)
  expect(texts[0]).toBe(`{"eventType":"coin_received","receiver":"${module}","amount":"7erc20/${formatEip55(token)}"}`)
})

test('the calling contract is the sender, and calls made for it raise its nonce', () => {
  const { ctx, token } = chain()
  place(ctx, FORWARD.call)
  expect(run(ctx, CONTRACT, sendToBank(token, 60n, hex0x(BOB)))).toMatchObject({ success: true })
  expect([readErc20(ctx, token, CONTRACT).balance, readErc20(ctx, token, ALICE).balance]).toEqual([440n, 500n])
  expect(bank.balance(ctx, BOB, `erc20/${formatEip55(token)}`)).toBe(60n)
  expect([keeper.nonce(ctx, CONTRACT), keeper.nonce(ctx, ALICE)]).toEqual([2n, 1n])
})

test('a revert around a call undoes coins, tokens, nonces, events and logs', () => {
  const { ctx, gold, token } = chain()
  place(ctx, FORWARD.undo)
  const before = { module: keeper.nonce(ctx, state.evmAccount.address), events: ctx.events.length }
  for (const data of [sendToBank(token, 60n, hex0x(BOB)), sendToEvm(GOLD, 60n, hex0x(BOB))]) {
    expect(run(ctx, CONTRACT, data)).toMatchObject({ success: false, error: 'execution reverted' })
  }
  expect([bank.balance(ctx, CONTRACT, GOLD), bank.supply(ctx, `erc20/${formatEip55(token)}`)]).toEqual([1000n, 0n])
  expect([readErc20(ctx, token, CONTRACT).balance, readErc20(ctx, gold, BOB).balance]).toEqual([500n, 0n])
  expect({ module: keeper.nonce(ctx, state.evmAccount.address), events: ctx.events.length }).toEqual(before)
})

test('a failure uses all gas of the call and returns its reason; under the profile of the chain it returns no data', () => {
  const data = bankMsgSend('nonsense', GOLD, 1n)
  const { ctx } = chain()
  const failed = run(ctx, FUNTOKEN, data)
  expect(failed).toMatchObject({ success: false, error: 'execution reverted', gasUsed: GAS })
  expect(decodeRevert(failed.output)).toMatch(
    /^precompile error: failed to run precompileFunToken: .*decoding bech32 failed/,
  )
  const silent = run(chain('nibiru').ctx, FUNTOKEN, encodeCall('getErc20Address(string)', ['unosuch']))
  expect(silent.output).toEqual(EMPTY)
  expect(silent.error).toBe(
    'precompile error: failed to run precompileFunToken: getErc20Address method called: no FunToken mapping found for bank denom "unosuch"',
  )
  place(ctx, FORWARD.call)
  const inner = run(ctx, CONTRACT, data)
  expect(decodeRevert(inner.output)).toContain('decoding bech32 failed')
  // 63/64 of the contract's gas.
  expect(inner.gasUsed).toBeGreaterThan(GAS - GAS / 60n)
})

test('static and delegated calls cannot change state, and views answer in both', () => {
  const { ctx, token } = chain()
  const refusals = { static: 'cannot write state from staticcall', delegate: 'is not for DELEGATECALL' } as const
  for (const [kind, text] of Object.entries(refusals)) {
    place(ctx, FORWARD[kind as keyof typeof refusals])
    expect(decodeRevert(run(ctx, CONTRACT, sendToBank(token, 1n, hex0x(BOB))).output)).toContain(text)
    expect(run(ctx, CONTRACT, whoAmI(hex0x(BOB)))).toMatchObject({ success: true })
  }
  expect(bank.supply(ctx, `erc20/${formatEip55(token)}`)).toBe(0n)
})

test('a call with value is refused; under the profile of the chain the value stays at the precompile', () => {
  const { ctx } = chain()
  const send = bankMsgSend(hex0x(BOB), GOLD, 1n)
  expect(decodeRevert(run(ctx, FUNTOKEN, send, { valueWei: UNIT }).output)).toContain('takes no value')
  expect(bank.balanceWei(ctx, FUNTOKEN)).toBe(0n)
  const view = run(ctx, FUNTOKEN, whoAmI(hex0x(BOB)), { valueWei: UNIT })
  expect(decodeRevert(view.output)).toContain('funds (wei value) must not be expended calling a query function')
  const real = chain('nibiru').ctx
  expect(run(real, FUNTOKEN, send, { valueWei: UNIT })).toMatchObject({ success: true })
  expect(bank.balanceWei(real, FUNTOKEN)).toBe(UNIT)
})

test('an unknown method fails, and calldata shorter than a selector fails', () => {
  const { ctx } = chain()
  const failed = (data: string) => decodeRevert(run(ctx, FUNTOKEN, hex(data)).output)
  expect(failed('deadbeef')).toContain('no method with id: 0xdeadbeef')
  expect(failed('dead')).toContain('too short to extract method ID')
  expect(failed('')).toContain('too short to extract method ID')
  expect(failed('7d2a8b4e')).toContain('attempting to unmarshal an empty string')
})

test('views return balances, addresses and contracts in both forms', () => {
  const { ctx, gold, token } = chain()
  const alice = address.format(ctx, ALICE)
  const view = (types: string, data: Uint8Array) => decodeArguments(types, run(ctx, FUNTOKEN, data).output)
  const both = '(address,string)'
  expect(view(both, whoAmI(alice))).toEqual([[ALICE, alice]])
  expect(view(`uint256,${both}`, encodeCall('bankBalance(address,string)', [ALICE, GOLD]))).toEqual([
    1000n,
    [ALICE, alice],
  ])
  expect(view(`uint256,uint256,${both},${both}`, encodeCall('balance(address,address)', [ALICE, token]))).toEqual([
    500n,
    0n,
    [token, `erc20/${formatEip55(token)}`],
    [ALICE, alice],
  ])
  const contractOf = (denom: string) => view('address', encodeCall('getErc20Address(string)', [denom]))[0]
  expect(contractOf(GOLD)).toEqual(gold)
  // The base coin's own pair (D34).
  expect(contractOf('unative')).toEqual(hex('0cacf669f8446beca826913a3c6b96acd4b02a97'))
})

test('a blocked account cannot receive coins, and a coin with sending disabled cannot be sent', () => {
  const { ctx, token } = chain()
  const module = address.format(ctx, state.evmAccount.address)
  for (const data of [bankMsgSend(module, GOLD, 1n), sendToBank(token, 1n, module)]) {
    expect(decodeRevert(run(ctx, FUNTOKEN, data).output)).toContain('is not allowed to receive funds')
  }
  expect(decodeRevert(run(ctx, FUNTOKEN, bankMsgSend(hex0x(BOB), GOLD, 1001n)).output)).toContain('insufficient funds')
  expect(decodeRevert(run(ctx, FUNTOKEN, sendToEvm(GOLD, 1n, module)).output)).toContain('not allowed to receive')
  const authority = address.format(ctx, governance)
  const sendEnabled = [GOLD, `erc20/${formatEip55(token)}`].map((denom) => ({ denom, enabled: false }))
  const disabled = ctx.branch()
  bankMessages.setSendEnabled(disabled, { authority, sendEnabled })
  const to = hex0x(BOB)
  for (const data of [bankMsgSend(to, GOLD, 1n), sendToEvm(GOLD, 1n, to), sendToBank(token, 1n, to)]) {
    expect(decodeRevert(run(disabled.branch(), FUNTOKEN, data).output)).toContain('transfers are currently disabled')
    expect(run(ctx.branch(), FUNTOKEN, data).success).toBe(true)
  }
  expect(decodeRevert(run(ctx, FUNTOKEN, sendToEvm(GOLD, 0n, hex0x(BOB))).output)).toContain('must be positive')
})

test('the first call creates the account of the precompile, and no later call removes it', () => {
  const { ctx } = chain()
  run(ctx, FUNTOKEN, whoAmI(hex0x(BOB)))
  const made = auth.getAccount(ctx, FUNTOKEN)
  expect(made).toMatchObject({ kind: 'eth', sequence: 0n })
  run(ctx, FUNTOKEN, whoAmI(hex0x(BOB)))
  expect(auth.getAccount(ctx, FUNTOKEN)).toEqual(made)
})

test('the oracle returns a price with height and time until it expires', () => {
  const { ctx } = chain()
  const rate = { exchangeRate: '65000500000000000000000', createdBlock: 3n, blockTimestampMs: 1_700_000_000_999n }
  oracle.exchangeRates.set(ctx, 'ubtc:uusd', create(ExchangeRateAtBlockSchema, rate))
  oracle.params.set(ctx, create(ParamsSchema, { expirationBlocks: 10n }))
  const price = encodeCall('queryExchangeRate(string)', ['ubtc:uusd'])
  const round = encodeCall('chainLinkLatestRoundData(string)', ['ubtc:uusd'])
  ctx.block.height = 12n
  const asked = run(ctx, ORACLE, price)
  expect(decodeArguments('uint256,uint64,uint64', asked.output)).toEqual([
    65_000_500n * 10n ** 15n,
    1_700_000_000_999n,
    3n,
  ])
  expect(decodeArguments('uint80,int256,uint256,uint256,uint80', run(ctx, ORACLE, round).output)).toEqual([
    3n,
    65_000_500n * 10n ** 15n,
    1_700_000_000n,
    1_700_000_000n,
    420n,
  ])
  const failed = (pair: string) =>
    decodeRevert(run(ctx, ORACLE, encodeCall('queryExchangeRate(string)', [pair])).output)
  expect(failed('ueth:uusd')).toMatch(/not found.*ueth:uusd/)
  expect(failed('')).toContain('invalid token pair')
  expect(failed('a:b:c')).toContain('invalid token pair')
  const huge = { ...rate, exchangeRate: (1n << 256n).toString() }
  oracle.exchangeRates.set(ctx, 'uxyz:uusd', create(ExchangeRateAtBlockSchema, huge))
  expect(failed('uxyz:uusd')).toContain('invalid exchange rate')
  ctx.block.height = 13n
  expect(failed('ubtc:uusd')).toContain('the price is too old')
  const real = chain('nibiru').ctx
  oracle.exchangeRates.set(real, 'ubtc:uusd', create(ExchangeRateAtBlockSchema, rate))
  oracle.params.set(real, create(ParamsSchema, { expirationBlocks: 10n }))
  real.block.height = 1000n
  const old = run(real, ORACLE, price)
  expect([old.success, old.gasUsedBeforeRefund - dataCost(price)]).toEqual([true, 1288n])
})

describe('Wasm contracts', () => {
  const query = (contract: string) => encodeCall('query(string,bytes)', [contract, EMPTY])
  const raw = (contract: string, key: string) => encodeCall('queryRaw(string,bytes)', [contract, utf8(key)])
  const contract = hex('11'.repeat(32))

  /** A chain of the reference with one contract, which stores `config`. */
  function withContract() {
    const { ctx } = chain('nibiru')
    ctx.store.set('wasm', hex(`02${'11'.repeat(32)}`), hex('0801'))
    ctx.store.set('wasm', hex(`03${'11'.repeat(32)}636f6e666967`), utf8('{}'))
    ctx.store.set('wasm', hex('010000000000000001'), hex('0a'))
    return { ctx, text: address.format(ctx, contract) }
  }

  test('one that the chain lacks is unknown', () => {
    const { ctx } = chain()
    expect(decodeRevert(run(ctx, WASM, query('chain1contract')).output)).toContain('no such contract: chain1contract')
    const other = address.format(ctx, hex('22'.repeat(32)))
    expect(decodeRevert(run(ctx, WASM, query(other)).output)).toContain(`no such contract: ${other}`)
  })

  test('a key is read raw, and one that is not there is empty', () => {
    const { ctx, text } = withContract()
    // Offset 32, length 2, the two bytes; offset 32, length 0.
    const bytes = `${'20'.padStart(64, '0')}${'2'.padStart(64, '0')}${'7b7d'.padEnd(64, '0')}`
    expect(formatHex(run(ctx, WASM, raw(text, 'config')).output)).toBe(bytes)
    expect(formatHex(run(ctx, WASM, raw(text, 'none')).output)).toBe(`${'20'.padStart(64, '0')}${'0'.repeat(64)}`)
  })

  test('a call that needs their code ends the execution, and a contract cannot catch it', () => {
    const { ctx, text } = withContract()
    expect(() => run(ctx, WASM, query(text))).toThrow(
      new NotExecutable(`query of precompile 0x802 runs the Wasm contract ${text}, and this node has no Wasm VM`),
    )
    const calls = (signature: string, types: string, ...values: (string | bigint)[]) =>
      concat(selectorOf(signature), encodeArguments(types, values))
    const execute = calls('execute(string,bytes,(string,uint256)[])', 'string', text)
    expect(() => run(ctx, WASM, execute)).toThrow(`execute of precompile 0x802 runs the Wasm contract ${text}`)
    const each = calls('executeMulti((string,bytes,(string,uint256)[])[])', '')
    expect(() => run(ctx, WASM, each)).toThrow('executeMulti of precompile 0x802 runs Wasm contracts')
    expect(run(chain('nibiru').ctx, WASM, each).success).toBe(false)
    const create = (code: bigint) =>
      calls('instantiate(string,uint64,bytes,string,(string,uint256)[])', 'string,uint64', '', code)
    expect(() => run(ctx, WASM, create(1n))).toThrow('instantiate of precompile 0x802 runs the Wasm code 1')
    expect(run(ctx, WASM, create(2n)).success).toBe(false)
  })
})

test('under the profile of the chain a call by a precompile leaves its caller with cold slots', () => {
  const load = '5f5450'
  const forward = `${load}365f5f375f5f365f346108005af150`
  const secondLoad = (profile: string) => {
    const used = [`${forward}00`, `${forward}${load}00`].map((code) => {
      const { ctx, token } = chain(profile)
      place(ctx, code)
      return run(ctx, CONTRACT, sendToBank(token, 1n, hex0x(BOB))).gasUsedBeforeRefund
    })
    return used[1]! - used[0]!
  }
  // PUSH0 and POP are 2 gas each, a warm slot 100, a cold one 2100 (EIP-2929).
  expect([secondLoad('almanac'), secondLoad('nibiru')]).toEqual([104n, 2104n])
})

test('the time of a precompile call does not grow with the accounts that the transaction has read', () => {
  const { ctx } = chain()
  const [accounts, calls] = [200, 100]
  // Calldata to memory; BALANCE of `accounts` addresses; then `calls` calls of whoAmI.
  const loop = (count: number, at: string, body: string) =>
    `61${count.toString(16).padStart(4, '0')}5b${body}600190038060${at}5750`
  const balances = `365f5f37${loop(accounts, '07', '803150')}`
  const start = (balances.length / 2 + 3).toString(16)
  place(ctx, `${balances}${loop(calls, start, '5f5f365f6108005afa50')}00`)
  const view = createEvmState(ctx)
  let reads = 0
  const counted = {
    ...view,
    account(who: Uint8Array) {
      reads++
      return view.account(who)
    },
  }
  const rules = chainRules(ctx)
  const machine = createEvm({
    state: counted,
    rules,
    block: blockEnv(ctx),
    tx: { origin: ALICE, gasPrice: 0n, blobHashes: [] },
    precompiles: keeper.chainPrecompiles(rules),
  })
  const data = whoAmI(hex0x(BOB))
  const nonce = keeper.nonce(ctx, ALICE)
  const gasLimit = 2n * GAS
  const { success, gasUsedBeforeRefund } = executeMessage(machine, {
    from: ALICE,
    to: CONTRACT,
    nonce,
    gasLimit,
    valueWei: 0n,
    data,
  })
  expect([success, gasUsedBeforeRefund > 1384n * BigInt(calls)]).toEqual([true, true])
  expect(reads).toBeLessThan(accounts + 4 * calls)
})
