import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { MetadataSchema } from '../../gen/sdk/bank/v1beta1/bank_pb.ts'
import { formatBech32 } from '../../primitives/address.ts'
import { formatUtf8, hex, padLeft, utf8 } from '../../primitives/bytes.ts'
import { ChainError } from '../../primitives/errors.ts'
import { keccak256 } from '../../primitives/hash.ts'
import type { Context } from '../../sdk/context.ts'
import { moduleAccount } from '../../sdk/module-account.ts'
import { testContext } from '../../sdk/testing.ts'
import * as auth from '../auth/keeper.ts'
import * as bank from '../bank/keeper.ts'
import { localnetGenesis } from './development/localnet.ts'
import { createEvmState } from './evm-state.ts'
import { evm } from './index.ts'
import { queries } from './queries.ts'

const A = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const A_BYTES = hex(A)
const A_BECH32 = 'chain1t2htvpfl862vnwdqnuekd9p4ulh3h6hdz42v2g'
const WNATIVE = '0x0CaCF669f8446BeCA826913a3c6B96aCD4b02a97'
const ZERO_WORD = `0x${'00'.repeat(32)}`
const EMPTY_CODE_HASH = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'
const minter = moduleAccount('inflation', 'minter')

function chain(): Context {
  const ctx = testContext({ modules: [evm], block: { gasLimit: 60_000_000n } })
  evm.genesis!.init(ctx, localnetGenesis(ctx))
  return ctx
}

function fund(ctx: Context, denom: string, amount: bigint): void {
  bank.mint(ctx, minter, [{ denom, amount }])
  bank.send(ctx, minter.address, A_BYTES, [{ denom, amount }])
}

/** Installs code at an address, as a deployment would. */
function install(ctx: Context, address: Uint8Array, code: Uint8Array): void {
  const state = createEvmState(ctx)
  const codeHash = keccak256(code)
  state.setCode(codeHash, code)
  state.setAccount(address, { nonce: 1n, balanceWei: 0n, codeHash })
}

function refusal(run: () => unknown): { status: string; message: string } {
  try {
    run()
  } catch (error) {
    if (error instanceof ChainError) return { status: error.status, message: error.message }
    throw error
  }
  throw new Error('nothing was refused')
}

const args = (call: unknown): Uint8Array => utf8(JSON.stringify(call))

test('balance_wei is base units and remainder; without a token there are no parts', () => {
  const ctx = chain()
  fund(ctx, 'unative', 420n)
  expect(queries.balance(ctx, { address: A, token: '' })).toMatchObject({ balanceWei: '420000000000000' })
  bank.addWei(ctx, A_BYTES, 2n * 10n ** 12n + 3n)
  expect(queries.balance(ctx, { address: A_BECH32, token: '' }).balanceWei).toBe('422000000000003')
  const unknown = queries.balance(ctx, { address: `0x${'12'.repeat(20)}`, token: '' })
  expect([unknown.balanceWei, unknown.bank, unknown.erc20]).toEqual(['0', undefined, undefined])
})

test('the base coin has both parts, by denom, alias and canonical address', () => {
  const ctx = chain()
  fund(ctx, 'unative', 1_234_567n)
  const denomUnits = [
    { denom: 'unative', exponent: 0 },
    { denom: 'native', exponent: 6 },
  ]
  bank.setMetadata(
    ctx,
    create(MetadataSchema, { base: 'unative', display: 'native', name: 'Native', symbol: 'NATIVE', denomUnits }),
  )
  for (const token of ['unative', 'wnative', WNATIVE, WNATIVE.toLowerCase()]) {
    const { bank: coin, erc20 } = queries.balance(ctx, { address: A, token })
    expect(coin, token).toMatchObject({
      symbol: 'NATIVE',
      balanceHuman: '1.234567',
      decimals: 6,
      balanceBase: '1234567',
    })
    expect(erc20, token).toMatchObject({
      address: WNATIVE,
      name: 'Wrapped Native',
      symbol: 'WNATIVE',
      decimals: 18,
      balanceHuman: '0',
      balanceBase: '0',
    })
  }
})

test('a coin without metadata appears under its denom, and an unknown coin does not appear', () => {
  const ctx = chain()
  fund(ctx, 'factory/someone/gold', 15n)
  const { bank: coin, erc20 } = queries.balance(ctx, { address: A, token: 'factory/someone/gold' })
  expect(coin).toMatchObject({ symbol: 'factory/someone/gold', balanceHuman: '15', decimals: 0, balanceBase: '15' })
  expect(erc20).toBeUndefined()
  for (const token of ['unknown', '??', `0x${'12'.repeat(20)}`, '0x12']) {
    const none = queries.balance(ctx, { address: A, token })
    expect([none.bank, none.erc20], token).toEqual([undefined, undefined])
  }
})

test('a wrong address is an invalid argument that names both forms', () => {
  const ctx = chain()
  for (const run of [
    () => queries.balance(ctx, { address: 'xyz' }),
    () => queries.ethAccount(ctx, { address: 'cosmos1t2htvpfl862vnwdqnuekd9p4ulh3h6hdd0rgdx' }),
  ]) {
    const { status, message } = refusal(run)
    expect(status).toBe('invalidArgument')
    expect(message).toContain('hexadecimal')
    expect(message).toContain('Bech32')
  }
})

test('an account shows both addresses, both balances, nonce and code hash', () => {
  const ctx = chain()
  fund(ctx, 'unative', 7n)
  auth.setAccount(ctx, { ...auth.getAccount(ctx, A_BYTES)!, sequence: 9n })
  expect(queries.ethAccount(ctx, { address: A_BECH32 })).toMatchObject({
    balance: '7',
    balanceWei: '7000000000000',
    codeHash: EMPTY_CODE_HASH,
    nonce: 9n,
    ethAddress: A,
    bech32Address: A_BECH32,
  })
  const unknown = queries.ethAccount(ctx, { address: `0x${'12'.repeat(20)}` })
  expect([unknown.balance, unknown.nonce, unknown.codeHash]).toEqual(['0', 0n, EMPTY_CODE_HASH])
})

test('an account of 32 bytes does not have an EVM address', () => {
  const ctx = chain()
  const contract = new Uint8Array(32).fill(5)
  const answer = queries.ethAccount(ctx, { address: formatBech32('chain', contract) })
  expect([answer.ethAddress, answer.nonce, answer.codeHash]).toEqual(['', 0n, EMPTY_CODE_HASH])
})

test('storage reads a slot in any notation and refuses text that is not a number', () => {
  const ctx = chain()
  expect(queries.storage(ctx, { address: A, key: '0x0' }).value).toBe(ZERO_WORD)
  expect(queries.storage(ctx, { address: WNATIVE, key: '2' }).value).toBe(`0x${'0'.repeat(62)}12`)
  expect(queries.storage(ctx, { address: WNATIVE, key: `0xff${'00'.repeat(31)}02` }).value).toBe(
    `0x${'0'.repeat(62)}12`,
  )
  expect(refusal(() => queries.storage(ctx, { address: 'xyz', key: '0x0' }))).toEqual({
    status: 'invalidArgument',
    message: 'invalid zero address',
  })
  expect(refusal(() => queries.storage(ctx, { address: A, key: '0xzz' })).status).toBe('invalidArgument')
})

test('code is empty for accounts, unused addresses and precompiles', () => {
  const ctx = chain()
  for (const address of [A, `0x${'00'.repeat(19)}01`]) expect(queries.code(ctx, { address }).code.length).toBe(0)
  expect(queries.code(ctx, { address: WNATIVE }).code.length).toBe(2257)
})

test('parameters and base fee match the API document', () => {
  const ctx = chain()
  const { params } = queries.params(ctx, {})
  expect(params).toMatchObject({ extraEips: [], evmChannels: [], createFuntokenFee: '10000000000' })
  expect(params!.canonicalWnative).toEqual(hex(WNATIVE))
  expect(queries.baseFee(ctx, {})).toMatchObject({ baseFee: '1000000000000', baseFeeUnative: '1' })
})

test('a call answers with the data, also if it reverts', () => {
  const ctx = chain()
  const balanceOf = `0x70a08231${'0'.repeat(24)}${A.slice(2).toLowerCase()}`
  const answer = queries.ethCall(ctx, { args: args({ to: WNATIVE, data: balanceOf }) })
  expect(answer).toMatchObject({ hash: ZERO_WORD, vmError: '', ret: new Uint8Array(32) })
  // withdraw(1) without a balance
  const withdraw = `0x2e1a7d4d${'0'.repeat(63)}1`
  const reverted = queries.ethCall(ctx, { args: args({ to: WNATIVE, data: withdraw }) })
  expect(reverted.vmError).toBe('execution reverted')
  expect(formatUtf8(reverted.ret)).toContain('WNATIVE: insufficient balance')
})

test('the gas cap is 25,000,000 if it is absent or larger', () => {
  const ctx = chain()
  // Returns GAS.
  const gas = hex('12'.repeat(20))
  install(ctx, gas, hex('5a60005260206000f3'))
  for (const gasCap of [0n, 10n ** 18n]) {
    const { ret } = queries.ethCall(ctx, { args: args({ to: `0x${'12'.repeat(20)}` }), gasCap })
    expect(BigInt(`0x${Buffer.from(ret).toString('hex')}`)).toBe(25_000_000n - 21_000n - 2n)
  }
})

test('invalid arguments are refused', () => {
  const ctx = chain()
  const call = (text: string, more = {}) => refusal(() => queries.ethCall(ctx, { args: utf8(text), ...more }))
  expect(call('').status).toBe('invalidArgument')
  expect(call('{').status).toBe('invalidArgument')
  expect(call('{"to":"5aae"}').message).toBe(
    'json: cannot unmarshal hex string without 0x prefix into Go struct field TransactionArgs.to of type common.Address',
  )
  expect(call('{"gasPrice":"0x1","maxFeePerGas":"0x1"}').message).toBe(
    'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified',
  )
  expect(call(`{"to":"${A}","gas":"0x4e20"}`).message).toBe('intrinsic gas too low: have 20000, want 21000: out of gas')
  expect(call(`{"to":"${A}"}`, { chainId: 1n }).status).toBe('invalidArgument')
})

test('a plain transfer is estimated at 21000, also with that cap, and refused below it', () => {
  const ctx = chain()
  fund(ctx, 'unative', 10n)
  const request = { args: args({ from: A, to: `0x${'12'.repeat(20)}`, value: '0x1' }) }
  expect(queries.estimateGas(ctx, request).gas).toBe(21_000n)
  expect(queries.estimateGas(ctx, { ...request, gasCap: 21_000n }).gas).toBe(21_000n)
  expect(refusal(() => queries.estimateGas(ctx, { ...request, gasCap: 20_999n }))).toEqual({
    status: 'invalidArgument',
    message: 'gas cap cannot be lower than 21000',
  })
})

test('an estimate of failing code gives the reason, with the revert in the details', () => {
  const ctx = chain()
  const estimate = (data: string) => () => queries.estimateGas(ctx, { args: args({ to: WNATIVE, data }) })
  const withdraw = estimate(`0x2e1a7d4d${'0'.repeat(63)}1`)
  expect(refusal(withdraw).message).toBe(
    'estimate gas VMError: execution reverted with reason "WNATIVE: insufficient balance"',
  )
  try {
    withdraw()
  } catch (error) {
    expect((error as ChainError).details[0]).toMatchObject({ reason: 'WNATIVE: insufficient balance' })
  }
  install(ctx, hex('12'.repeat(20)), hex('fe'))
  const invalid = refusal(() => queries.estimateGas(ctx, { args: args({ to: `0x${'12'.repeat(20)}` }) }))
  expect(invalid.message).toContain('estimate gas VMError: invalid opcode')
})

test('an estimate that runs out of gas names the allowance', () => {
  const ctx = chain()
  const to = `0x${'12'.repeat(20)}`
  const refused = (gasCap: bigint) => refusal(() => queries.estimateGas(ctx, { args: args({ to }), gasCap })).message
  // Writes a slot: below 2,300 gas SSTORE does not begin, then it costs 22,100.
  install(ctx, hex('12'.repeat(20)), hex('60015f55'))
  expect(refused(21_005n + 2300n)).toBe('gas required exceeds allowance (23305)')
  expect(refused(21_005n + 2301n)).toBe('gas required exceeds allowance (23306)')
})

test('the base coin has a mapping without a record, and unmapped coins are not found', () => {
  const ctx = chain()
  for (const token of ['unative', WNATIVE]) {
    expect(queries.funToken(ctx, { token }).funToken).toMatchObject({ bankDenom: 'unative', isMadeFromCoin: true })
  }
  expect(refusal(() => queries.funToken(ctx, { token: 'nothere' }))).toEqual({
    status: 'notFound',
    message: 'token mapping not found for nothere',
  })
})

test('trace handlers outside the compute pool are unimplemented', () => {
  expect(refusal(() => queries.traceTx(chain(), {})).status).toBe('unimplemented')
})

test('the wrapped native coin accepts deposits and returns them', () => {
  const ctx = chain()
  fund(ctx, 'unative', 5n)
  const deposit = queries.ethCall(ctx, { args: args({ from: A, to: WNATIVE, value: '0x9', data: '0xd0e30db0' }) })
  expect(deposit.vmError).toBe('')
  expect(deposit.logs[0]).toMatchObject({
    address: WNATIVE,
    topics: [
      '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c',
      `0x${Buffer.from(padLeft(A_BYTES, 32)).toString('hex')}`,
    ],
    data: padLeft(Uint8Array.of(9), 32),
  })
})
