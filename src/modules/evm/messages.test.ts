import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { DenomUnitSchema, MetadataSchema } from '../../gen/sdk/bank/v1beta1/bank_pb.ts'
import * as address from '../../identity/address.ts'
import { type BehaviourName, behavioursOf } from '../../identity/behaviours.ts'
import { almanac } from '../../identity/profiles/almanac.ts'
import { concat, formatHex, formatHex0x, hex, utf8 } from '../../primitives/bytes.ts'
import { governance } from '../../sdk/authority.ts'
import type { Context } from '../../sdk/context.ts'
import { testContext } from '../../sdk/testing.ts'
import { auth as authModule } from '../auth/index.ts'
import * as auth from '../auth/keeper.ts'
import * as bank from '../bank/keeper.ts'
import { encodeArguments, encodeCall } from './calls/abi.ts'
import { createMessageCalls, deploy } from './calls/message-calls.ts'
import { MINTER_ERC20_CREATION_CODE } from './contracts/minter-erc20.ts'
import { localnetGenesis } from './development/localnet.ts'
import { readErc20 } from './funtoken/erc20.ts'
import * as erc20 from './funtoken/erc20-calls.ts'
import * as funtokens from './funtoken/mappings.ts'
import { evm } from './index.ts'
import * as keeper from './keeper.ts'
import { messages } from './messages.ts'
import { defaultParams } from './params.ts'
import { queries } from './queries.ts'
import { evmAccount } from './state.ts'

const ALICE = new Uint8Array(20).fill(0xa1)
const BOB = new Uint8Array(20).fill(0xb0)
const GOLD = 'factory/x/gold'
const FEE = 10_000_000_000n
const UNIT = 10n ** 12n
const WNATIVE = hex('0cacf669f8446beca826913a3c6b96acd4b02a97')

function fund(ctx: Context, to: Uint8Array, denom: string, amount: bigint): void {
  bank.mint(ctx, evmAccount, [{ denom, amount }])
  bank.send(ctx, evmAccount.address, to, [{ denom, amount }])
}

/** Returns a state in which Alice has 1,000 gold of six decimals and the fee of a few mappings. */
function chain(behaviours: readonly BehaviourName[] = []): Context {
  const ctx = testContext({
    identity: { ...almanac, behaviours: behavioursOf(behaviours) },
    modules: [authModule, evm],
    block: { hash: new Uint8Array(32).fill(7), gasLimit: 60_000_000n },
  })
  evm.genesis!.init(ctx, localnetGenesis(ctx))
  fund(ctx, ALICE, 'unative', 5n * FEE)
  fund(ctx, ALICE, GOLD, 1000n)
  bank.setMetadata(
    ctx,
    create(MetadataSchema, {
      name: 'Gold of X',
      symbol: 'GOLD',
      base: GOLD,
      display: 'gold',
      denomUnits: [create(DenomUnitSchema, { denom: GOLD }), create(DenomUnitSchema, { denom: 'gold', exponent: 6 })],
    }),
  )
  return ctx
}

const text = (ctx: Context, bytes: Uint8Array) => address.format(ctx, bytes)

function mapGold(ctx: Context): Uint8Array {
  const { funtokenMapping } = messages.createFunToken(ctx, { sender: text(ctx, ALICE), fromBankDenom: GOLD })
  return funtokenMapping!.erc20Addr
}

test('under the behaviour a coin gets the code that the reference has for it, with the same functions', () => {
  const ctx = chain(['coinContractOfReference'])
  const contract = mapGold(ctx)
  // As recorded at v2.11.
  expect(formatHex(auth.getAccount(ctx, contract)!.codeHash)).toBe(
    'f2e455aa64f1c3f428031af71c8d4200c59e7fc8b366d8d778fdae409c747d5c',
  )
  expect(readErc20(ctx, contract, ALICE)).toEqual({ name: 'Gold of X', symbol: 'GOLD', decimals: 6, balance: 0n })
  messages.convertCoinToEvm(ctx, {
    sender: text(ctx, ALICE),
    toEthAddr: BOB,
    bankCoin: { denom: GOLD, amount: '700' },
  })
  expect(readErc20(ctx, contract, BOB).balance).toBe(700n)
  messages.convertEvmToCoin(ctx, {
    sender: text(ctx, BOB),
    erc20Addr: contract,
    amount: '200',
    toAddr: text(ctx, ALICE),
  })
  expect([readErc20(ctx, contract, BOB).balance, bank.balance(ctx, ALICE, GOLD)]).toEqual([500n, 500n])
  const calls = createMessageCalls(ctx)
  const change = (data: Uint8Array, from = evmAccount.address) =>
    calls.call({ from, to: contract, data, gasLimit: 100_000n })
  change(encodeCall('setName(string)', ['Bullion']))
  change(encodeCall('setSymbol(string)', ['AU']))
  change(encodeCall('setDecimals(uint8)', [9n]))
  expect(readErc20(ctx, contract, BOB)).toEqual({ name: 'Bullion', symbol: 'AU', decimals: 9, balance: 500n })
  expect(() => change(encodeCall('setName(string)', ['Mine']), BOB)).toThrow('caller is not the owner')
})

/** Deploys the same code as an independent token of Alice. */
function deployToken(ctx: Context): Uint8Array {
  const args = encodeArguments('string,string,uint8', ['Token', 'TOK', 18n])
  const { contract } = deploy(ctx, concat(MINTER_ERC20_CREATION_CODE, args))
  erc20.mint(createMessageCalls(ctx), contract, ALICE, 900n)
  return contract
}

test('a coin gets an ERC-20 of its metadata at the module’s next address, and the fee is burned', () => {
  const ctx = chain()
  const supply = bank.supply(ctx, 'unative')
  const contract = mapGold(ctx)
  // The address of CREATE by the module account with nonce 0.
  expect(formatHex0x(contract)).toBe('0x7d4b7b8ca7e1a24928bb96d59249c7a5bd1dfbe6')
  expect(readErc20(ctx, contract, ALICE)).toEqual({ name: 'Gold of X', symbol: 'GOLD', decimals: 6, balance: 0n })
  expect(bank.supply(ctx, 'unative')).toBe(supply - FEE)
  expect(auth.getAccount(ctx, evmAccount.address)).toMatchObject({ kind: 'module', sequence: 1n })
  expect(queries.funToken(ctx, { token: GOLD }).funToken).toMatchObject({ isMadeFromCoin: true, erc20Addr: contract })
  const [logs, created] = ctx.events.slice(-2)
  expect([logs!.type, created!.type]).toEqual(['chain.evm.v1.EventTxLog', 'chain.evm.v1.EventFunTokenCreated'])
  expect(created!.attributes).toEqual([
    { key: 'bank_denom', value: `"${GOLD}"` },
    { key: 'creator', value: `"${text(ctx, ALICE)}"` },
    { key: 'erc20_contract_address', value: '"0x7D4B7B8CA7E1a24928Bb96D59249c7a5bd1DfBe6"' },
    { key: 'is_made_from_coin', value: 'true' },
  ])
})

test.each<{ behaviours: readonly BehaviourName[] }>([{ behaviours: [] }, { behaviours: ['coinContractOfReference'] }])(
  'the minter has the reference’s storage layout: name and symbol twice, owner and decimals in one slot, $behaviours',
  ({ behaviours }) => {
    const ctx = chain(behaviours)
    const contract = mapGold(ctx)
    const slot = (n: number) => formatHex0x(keeper.storage(ctx, contract, new Uint8Array(32).fill(n, 31)))
    const short = (bytes: string, length: string) => `0x${bytes.padEnd(62, '0')}${length}`
    const name = short(Buffer.from('Gold of X').toString('hex'), '12')
    const symbol = short(Buffer.from('GOLD').toString('hex'), '08')
    expect([3, 4, 5, 6, 7].map(slot)).toEqual([
      name,
      symbol,
      `0x${'00'.repeat(11)}06603871c2ddd41c26ee77495e2e31e6de7f9957e0`,
      name,
      symbol,
    ])
  },
)

test('coins converted to the EVM are locked, and come back to the recipient of the message', () => {
  const ctx = chain()
  const contract = mapGold(ctx)
  const bankCoin = { denom: GOLD, amount: '400' }
  messages.convertCoinToEvm(ctx, { sender: text(ctx, ALICE), toEthAddr: BOB, bankCoin })
  expect(bank.balance(ctx, evmAccount.address, GOLD)).toBe(400n)
  expect(readErc20(ctx, contract, BOB).balance).toBe(400n)
  const halves = queries.balance(ctx, { address: formatHex0x(BOB), token: GOLD })
  expect([halves.bank?.balanceBase, halves.erc20?.balanceBase, halves.erc20?.balanceHuman]).toEqual([
    '0',
    '400',
    '0.0004',
  ])
  const back = { sender: text(ctx, BOB), erc20Addr: contract, amount: '150', toAddr: formatHex0x(ALICE) }
  messages.convertEvmToCoin(ctx, back)
  expect([bank.balance(ctx, ALICE, GOLD), bank.balance(ctx, evmAccount.address, GOLD)]).toEqual([750n, 250n])
  expect(readErc20(ctx, contract, BOB).balance).toBe(250n)
  expect(() => messages.convertEvmToCoin(ctx, { ...back, amount: '251' })).toThrow(
    'VMError: execution reverted with reason "ERC20: burn amount exceeds balance"',
  )
  // One deployment, one mint, one burn.
  expect(keeper.nonce(ctx, evmAccount.address)).toBe(3n)
  const event = ctx.events.findLast(({ type }) => type === 'chain.evm.v1.EventConvertEvmToCoin')!
  expect(event.attributes.map(({ key }) => key)).toEqual([
    'bank_coin',
    'erc20_contract_address',
    'evm_logs',
    'sender',
    'sender_eth_addr',
    'to_address',
  ])
})

test('the coin of an ERC-20 is minted when tokens arrive and burned when they leave', () => {
  const ctx = chain()
  const contract = deployToken(ctx)
  const denom = `erc20/0x7D4B7B8CA7E1a24928Bb96D59249c7a5bd1DfBe6`
  const { funtokenMapping } = messages.createFunToken(ctx, { sender: text(ctx, ALICE), fromErc20: contract })
  expect(funtokenMapping).toMatchObject({ bankDenom: denom, isMadeFromCoin: false })
  expect(bank.metadata(ctx, denom)).toMatchObject({
    description: `ERC20 token "0x7D4B7B8CA7E1a24928Bb96D59249c7a5bd1DfBe6" represented as a Bank Coin with a corresponding FunToken mapping`,
    name: 'Token',
    symbol: 'TOK',
    display: `decimals_denom_for-${denom}`,
    denomUnits: [
      { denom, exponent: 0 },
      { denom: `decimals_denom_for-${denom}`, exponent: 18 },
    ],
  })
  const nonces = () => [keeper.nonce(ctx, evmAccount.address), keeper.nonce(ctx, ALICE)]
  // The deployment and the mint of this test; reads of a new token do not raise the nonce.
  expect(nonces()).toEqual([2n, 0n])
  messages.convertEvmToCoin(ctx, {
    sender: text(ctx, ALICE),
    erc20Addr: contract,
    amount: '300',
    toAddr: text(ctx, BOB),
  })
  expect([bank.supply(ctx, denom), bank.balance(ctx, BOB, denom)]).toEqual([300n, 300n])
  expect(readErc20(ctx, contract, evmAccount.address).balance).toBe(300n)
  // Two balance reads by the module. The transfer of Alice's tokens leaves her nonce alone: another can send the message.
  expect(nonces()).toEqual([4n, 0n])
  const bankCoin = { denom, amount: '100' }
  messages.convertCoinToEvm(ctx, { sender: text(ctx, BOB), toEthAddr: BOB, bankCoin })
  expect([bank.supply(ctx, denom), readErc20(ctx, contract, BOB).balance]).toEqual([200n, 100n])
  expect(nonces()).toEqual([7n, 0n])
})

test('the base coin converts to its wrapped form and back, in wei', () => {
  const ctx = chain()
  const supply = bank.supply(ctx, 'unative')
  const bankCoin = { denom: 'unative', amount: '7' }
  messages.convertCoinToEvm(ctx, { sender: text(ctx, ALICE), toEthAddr: BOB, bankCoin })
  expect(readErc20(ctx, WNATIVE, BOB).balance).toBe(7n * UNIT)
  expect(bank.balanceWei(ctx, WNATIVE)).toBe(7n * UNIT)
  messages.convertEvmToCoin(ctx, {
    sender: text(ctx, BOB),
    erc20Addr: WNATIVE,
    amount: '2500000000001',
    toAddr: text(ctx, ALICE),
  })
  expect(bank.balanceWei(ctx, ALICE)).toBe((5n * FEE - 7n) * UNIT + 2_500_000_000_001n)
  expect(readErc20(ctx, WNATIVE, BOB).balance).toBe(7n * UNIT - 2_500_000_000_001n)
  expect(bank.supply(ctx, 'unative')).toBe(supply)
  messages.convertCoinToEvm(ctx, { sender: text(ctx, ALICE), toEthAddr: ALICE, bankCoin })
  expect(readErc20(ctx, WNATIVE, ALICE).balance).toBe(7n * UNIT)
})

test('a second mapping is refused, of a coin, a contract, and the base coin in either form (D34)', () => {
  const ctx = chain()
  const contract = mapGold(ctx)
  const sender = text(ctx, ALICE)
  const refused = (fields: { fromBankDenom?: string; fromErc20?: Uint8Array }) =>
    expect(() => messages.createFunToken(ctx.branch(), { sender, ...fields })).toThrow('mapping already created')
  refused({ fromBankDenom: GOLD })
  refused({ fromErc20: contract })
  refused({ fromBankDenom: 'unative' })
  refused({ fromErc20: WNATIVE })
})

test('a mapping requires its fee, metadata, decimals, and exactly one origin', () => {
  const ctx = chain()
  const sender = text(ctx, ALICE)
  const attempt =
    (fields: { sender?: string; fromBankDenom?: string; fromErc20?: Uint8Array; allowZeroDecimals?: boolean }) => () =>
      messages.createFunToken(ctx.branch(), { sender, ...fields })
  expect(attempt({})).toThrow('either the "from_erc20" or "from_bank_denom" must be set')
  expect(attempt({ fromBankDenom: GOLD, fromErc20: BOB })).toThrow('(but not both)')
  expect(attempt({ fromBankDenom: 'unosuch' })).toThrow('should have bank metadata')
  expect(attempt({ sender: text(ctx, BOB), fromBankDenom: GOLD })).toThrow(
    /^create_funtoken_fee of 10000000000unative: .*: insufficient funds$/,
  )
  expect(attempt({ fromErc20: BOB })).toThrow('does not return its name')
  const bare = { name: 'Bare', symbol: 'BARE', base: 'ubare', display: 'ubare', denomUnits: [{ denom: 'ubare' }] }
  bank.setMetadata(ctx, create(MetadataSchema, bare))
  expect(attempt({ fromBankDenom: 'ubare' })).toThrow('allow_zero_decimals')
  expect(attempt({ fromBankDenom: 'ubare', allowZeroDecimals: true })).not.toThrow()
})

test('addresses in messages are read in every form that clients send', () => {
  const ctx = chain()
  const contract = mapGold(ctx)
  const sender = text(ctx, ALICE)
  const forms = [concat(Uint8Array.of(0), BOB), utf8(formatHex0x(BOB)), utf8(formatHex(BOB))]
  for (const toEthAddr of forms) {
    messages.convertCoinToEvm(ctx, { sender, toEthAddr, bankCoin: { denom: GOLD, amount: '2' } })
  }
  expect(erc20.balanceOf(createMessageCalls(ctx), contract, BOB)).toBe(6n)
  const back = { sender: text(ctx, BOB), erc20Addr: utf8(formatHex0x(contract)), amount: '6', toAddr: sender }
  messages.convertEvmToCoin(ctx, back)
  expect(erc20.balanceOf(createMessageCalls(ctx), contract, BOB)).toBe(0n)
  expect(() => messages.createFunToken(ctx, { sender, fromErc20: utf8(formatHex0x(contract)) })).toThrow(
    'mapping already created',
  )
  const params = { ...defaultParams(), canonicalWnative: utf8(formatHex0x(BOB)) }
  messages.updateParams(ctx, { authority: text(ctx, governance), params })
  expect(queries.params(ctx, {}).params?.canonicalWnative).toEqual(BOB)
})

test('an impossible conversion is refused before any transfer', () => {
  const ctx = chain()
  const contract = mapGold(ctx)
  const sender = text(ctx, ALICE)
  const convert = (fields: object) => () =>
    messages.convertCoinToEvm(ctx.branch(), {
      sender,
      toEthAddr: BOB,
      bankCoin: { denom: GOLD, amount: '1' },
      ...fields,
    })
  expect(convert({ bankCoin: { denom: 'unosuch', amount: '1' } })).toThrow(
    'funtoken for bank denom "unosuch" does not exist',
  )
  expect(convert({ bankCoin: { denom: GOLD, amount: '1001' } })).toThrow('insufficient funds')
  expect(convert({ bankCoin: { denom: GOLD, amount: '0' } })).toThrow('invalid coins')
  expect(convert({ toEthAddr: new Uint8Array(20) })).toThrow('to_eth_addr is not set')
  const back = { sender, erc20Addr: contract, amount: '1', toAddr: text(ctx, BOB) }
  expect(() => messages.convertEvmToCoin(ctx.branch(), { ...back, amount: '-1' })).toThrow('amount must be positive')
  expect(() => messages.convertEvmToCoin(ctx.branch(), { ...back, erc20Addr: BOB })).toThrow('no FunToken mapping')
  messages.convertCoinToEvm(ctx, { sender, toEthAddr: ALICE, bankCoin: { denom: GOLD, amount: '5' } })
  const blocked = { ...back, toAddr: text(ctx, evmAccount.address) }
  expect(() => messages.convertEvmToCoin(ctx.branch(), blocked)).toThrow('is not allowed to receive funds')
  expect(funtokens.byDenom(ctx, GOLD)?.erc20Addr).toEqual(contract)
})

test('nothing can be wrapped without a contract at the canonical address', () => {
  const ctx = testContext({ modules: [authModule, evm] })
  fund(ctx, ALICE, 'unative', 5n)
  const bankCoin = { denom: 'unative', amount: '1' }
  expect(() => messages.convertCoinToEvm(ctx, { sender: text(ctx, ALICE), toEthAddr: BOB, bankCoin })).toThrow(
    '0x0CaCF669f8446BeCA826913a3c6B96aCD4b02a97: no contract at canonical_wnative',
  )
})
