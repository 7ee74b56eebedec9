import { expect, test } from 'vitest'
import * as bech32 from '../../src/identity/address.ts'
import { behavioursOf } from '../../src/identity/behaviours.ts'
import { almanac } from '../../src/identity/profiles/almanac.ts'
import * as bank from '../../src/modules/bank/keeper.ts'
import { encodeCall } from '../../src/modules/evm/calls/abi.ts'
import { deploy } from '../../src/modules/evm/calls/message-calls.ts'
import { messages } from '../../src/modules/evm/messages.ts'
import { queries } from '../../src/modules/evm/queries.ts'
import { formatEip55 } from '../../src/primitives/address.ts'
import { compile } from '../support/funtoken/contracts.ts'
import { createWorld, denomOf, FUNTOKEN, routed, simulate, transact } from '../support/funtoken/simulation.ts'

const code = compile()

test('the bank supply equals locked plus circulating coins, over conversions, transfers and reverts of hostile tokens', () => {
  const total = { succeeded: 0, failed: 0 }
  for (let seed = 1; seed <= 4; seed++) {
    const { succeeded, failed } = simulate(code, seed, 100)
    total.succeeded += succeeded
    total.failed += failed
  }
  // Too few of either would mean that the random steps test nothing.
  expect(total.succeeded).toBeGreaterThan(100)
  expect(total.failed).toBeGreaterThan(100)
})

/** Prepares the conversion of 1,000 tokens of the first user to coins. */
function convert(name: string) {
  const { ctx, users, tokens } = createWorld(code)
  const token = tokens.get(name)!
  const sender = bech32.format(ctx, users[0]!)
  const toAddr = formatEip55(users[1]!)
  const run = () => messages.convertEvmToCoin(ctx, { sender, erc20Addr: token, amount: '1000', toAddr })
  return { ctx, token, run, received: () => bank.balance(ctx, users[1]!, denomOf(token)) }
}

test('a token with a transfer fee gives as many coins as tokens arrived', () => {
  const { run, received } = convert('FeeOnTransfer')
  run()
  expect(received()).toBe(900n)
})

test('a token cannot move coins during its own conversion', () => {
  const { ctx, users, tokens } = createWorld(code)
  const token = tokens.get('Reentrant')!
  const sender = bech32.format(ctx, users[0]!)
  const convertTo = (to: Uint8Array) =>
    messages.convertEvmToCoin(ctx, { sender, erc20Addr: token, amount: '1000', toAddr: formatEip55(to) })
  // The first conversion gives the token coins, which it tries to send during the second.
  convertTo(token)
  convertTo(users[1]!)
  const held = [token, users[1]!, users[2]!].map((holder) => bank.balance(ctx, holder, denomOf(token)))
  expect(held).toEqual([1000n, 1000n, 0n])
})

test('a token that loops, refuses, returns nothing or reports wrong balances is not converted', () => {
  const refusals = {
    Endless: 'gas required exceeds allowance (200000)',
    EndlessView: 'gas required exceeds allowance (100000)',
    Refusing: 'returned success=false',
    Speechless: 'empty string while arguments are expected',
    Liar: 'amount of ERC20 tokens received MUST be positive',
  }
  for (const [name, text] of Object.entries(refusals)) expect(convert(name).run, name).toThrow(text)
})

test('a token that claims the largest balance is converted once', () => {
  const { run, received } = convert('Inflating')
  run()
  expect(received()).toBe((1n << 256n) - 1n)
  expect(run).toThrow('MUST be positive')
})

test('a token without a name is not mapped', () => {
  const { ctx, users } = createWorld(code)
  const { contract } = deploy(ctx, code.get('Nameless')!)
  const create = () => messages.createFunToken(ctx, { sender: bech32.format(ctx, users[0]!), fromErc20: contract })
  expect(create).toThrow('VMError: execution reverted with reason "no name"')
})

test('queries answer for names of kilobytes and too many decimals', () => {
  const { ctx, users, tokens } = createWorld(code)
  const ask = (name: string) =>
    queries.balance(ctx, { address: formatEip55(users[0]!), token: formatEip55(tokens.get(name)!) })
  expect([ask('LongName').erc20?.name.length, ask('LongName').bank?.symbol.length]).toEqual([6000, 4096])
  expect([ask('Liar').erc20?.decimals, ask('Liar').bank?.decimals]).toEqual([18, 18])
  expect(ask('EndlessView').erc20).toMatchObject({ name: 'Token', balanceBase: '', balanceHuman: '' })
})

test.each([
  // Each conversion uses 250,000 gas of the transaction's three million.
  ['that are charged', almanac, 8, 15],
  // The gas is not charged; the calls start with one million, and their work is limited.
  ['at a flat price', { ...almanac, behaviours: behavioursOf(['flatPrecompileGas']) }, 15, 60],
])('a transaction with many conversions of a slow token %s fails', (_, identity, few, many) => {
  const { ctx, users, tokens, router } = createWorld(code, identity)
  const token = tokens.get('Slow')!
  const data = encodeCall('sendToBank(address,uint256,string)', [token, 1n, formatEip55(users[1]!)])
  const convertTimes = (length: number) =>
    transact(ctx, users[0]!, router, routed(Array.from({ length }, () => ({ to: FUNTOKEN, data, flags: 0 }))))
  expect(convertTimes(few)).toBe(true)
  expect(bank.balance(ctx, users[1]!, denomOf(token))).toBe(BigInt(few))
  expect(convertTimes(many)).toBe(false)
})

test('a token that calls the precompile for itself at every level ends', () => {
  const { ctx, users, tokens } = createWorld(code)
  const token = tokens.get('Recursive')!
  const balance = encodeCall('balance(address,address)', [users[0]!, token])
  expect(transact(ctx, users[0]!, FUNTOKEN, balance)).toBe(true)
})
