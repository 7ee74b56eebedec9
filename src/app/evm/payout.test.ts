import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { encodeTransaction } from '../../evm/transaction/encode.ts'
import { addressOfPrivateKey, signTransaction } from '../../evm/transaction/sender.ts'
import type { UnsignedTransaction } from '../../evm/transaction/types.ts'
import { ZeroGasActorsSchema } from '../../gen/chain/sudo/v1/state_pb.ts'
import { almanac } from '../../identity/profiles/almanac.ts'
import { identityOf } from '../../identity/profiles.ts'
import { auth as authModule } from '../../modules/auth/index.ts'
import * as auth from '../../modules/auth/keeper.ts'
import * as bank from '../../modules/bank/keeper.ts'
import { messages } from '../../modules/bank/messages.ts'
import { devgas as devgasModule } from '../../modules/devgas/index.ts'
import * as devgas from '../../modules/devgas/keeper.ts'
import { payOut, shareOf } from '../../modules/devgas/payout.ts'
import { params as devgasParams } from '../../modules/devgas/state.ts'
import { distribution as distributionModule } from '../../modules/distribution/index.ts'
import * as distribution from '../../modules/distribution/keeper.ts'
import { localnetGenesis } from '../../modules/evm/development/localnet.ts'
import { evm as evmModule } from '../../modules/evm/index.ts'
import { codes } from '../../modules/evm/state.ts'
import { zeroGasActors } from '../../modules/sudo/state.ts'
import { formatBech32 } from '../../primitives/address.ts'
import { concat, EMPTY, formatHex0x, hex, utf8 } from '../../primitives/bytes.ts'
import * as decimal from '../../primitives/decimal.ts'
import { keccak256, sha256 } from '../../primitives/hash.ts'
import { governance } from '../../sdk/authority.ts'
import type { Context } from '../../sdk/context.ts'
import { type TestOptions, testContext } from '../../sdk/testing.ts'
import { decodeTx } from '../../sdk/tx.ts'
import { deliverEthereumTx } from './deliver.ts'
import { wrapEthereumTx } from './envelope.ts'

// Keys of the recorded examples.
const keyOf = (name: string) => sha256(utf8(`spec test key ${name}`))
const KEY = keyOf('carol')
const SENDER = addressOfPrivateKey(KEY)
const ALICE = addressOfPrivateKey(keyOf('alice'))
const BOB = addressOfPrivateKey(keyOf('bob'))
const ALICE_TEXT = 'chain1q20a38hfp3gd96cpl6h90jatewtakrv60jhtue'
const BOB_TEXT = 'chain1shkwtvnnwcf36ttgmk98uj8vwag7zzcl953qfy'
const C0 = hex('4ea9ebf26f2e09979a669fd46653cb268fac0fb3')
const C0_TEXT = 'chain1f657hun09cye0xnxnl2xv57ty686cran9sgd8g'
const UNIT = 10n ** 12n
const STOP = hex('00')
const REVERT = hex('60006000fd')
const ENDLESS = hex('5b600056')

function chain(code: Uint8Array = STOP, params: object = {}, app: TestOptions['app'] = {}): Context {
  const ctx = testContext({
    modules: [authModule, evmModule, distributionModule, devgasModule],
    block: { gasLimit: 60_000_000n, hash: new Uint8Array(32).fill(7) },
    app,
  })
  evmModule.genesis!.init(ctx, localnetGenesis(ctx))
  devgasModule.genesis!.init(ctx, { params: { enable_fee_share: true, developer_shares: '0.5', ...params } })
  bank.addWei(ctx, SENDER, 10n ** 22n)
  putCode(ctx, C0, code)
  devgas.setShare(ctx, { contract: C0, deployer: ALICE, withdrawer: BOB })
  return ctx
}

function putCode(ctx: Context, at: Uint8Array, code: Uint8Array): void {
  const codeHash = keccak256(code)
  codes.set(ctx, codeHash, code)
  auth.setAccount(ctx, { ...(auth.getAccount(ctx, at) ?? auth.newAccount(ctx, at)), codeHash })
}

function call(ctx: Context, fields: Partial<UnsignedTransaction> = {}) {
  const unsigned = {
    type: 0,
    chainId: 6930n,
    nonce: auth.getAccount(ctx, SENDER)?.sequence ?? 0n,
    gasPriceWei: UNIT,
    gasLimit: 100_000n,
    to: C0,
    valueWei: 0n,
    data: EMPTY,
    ...fields,
  } as UnsignedTransaction
  const tx = signTransaction(unsigned, KEY)
  const decoded = decodeTx(ctx.app, almanac, wrapEthereumTx(almanac, tx, keccak256(encodeTransaction(tx))))
  return deliverEthereumTx(ctx, decoded, 0)
}

const unitsOf = (ctx: Context, holder: Uint8Array) => bank.balance(ctx, holder, 'unative')
const collected = (ctx: Context) => bank.balanceWei(ctx, auth.feeCollector.address)
const pool = (ctx: Context) =>
  distribution.communityPool(ctx).reduce((sum, { amount }) => sum + amount, 0n) / 10n ** 18n
const payoutOf = ({ result }: ReturnType<typeof call>) =>
  result.events.find(({ type }) => type === 'chain.devgas.v1.EventPayoutDevGas')

/** Returns code that uses an exact amount of gas: PUSH1 and POP are 5, JUMPDEST is 1. */
const burning = (gas: number) => hex(`${'600050'.repeat(Math.floor(gas / 5))}${'5b'.repeat(gas % 5)}00`)

// P1 to P8, recorded examples: gas used, price, share, paid. A call costs 21000 and the gas of its code.
test.each([
  ['P1', 21_000, UNIT, '0.5', 10_500n],
  ['P2', 50_000, UNIT, '0.5', 25_000n],
  ['P3', 33_333, UNIT, '0.5', 16_666n],
  ['P4', 33_333, UNIT, '0.333', 11_099n],
  ['P5', 21_000, (3n * UNIT) / 2n, '0.01', 315n],
  ['P7', 100_000, UNIT, '1', 100_000n],
  ['P8', 54_321, UNIT + 1n, '0.5', 27_160n],
])('%s: %i gas at %i wei with a share of %s', (_name, gasUsed, gasPriceWei, developer_shares, paid) => {
  const ctx = chain(burning(gasUsed - 21_000), { developer_shares })
  const { evmTx } = call(ctx, { gasPriceWei })
  expect(evmTx!.gasUsed).toBe(BigInt(gasUsed))
  expect(unitsOf(ctx, BOB)).toBe(paid)
  expect(collected(ctx)).toBe(BigInt(gasUsed) * gasPriceWei - paid * UNIT)
})

test('P6: a share that rounds to zero is not paid, and no event is emitted', () => {
  expect(shareOf(21_000n, decimal.one)).toBe(0n)
  const ctx = chain(STOP, { developer_shares: '0.000000000000000001' })
  const delivered = call(ctx)
  expect([unitsOf(ctx, BOB), payoutOf(delivered)]).toEqual([0n, undefined])
})

test('the event of a payout names recipient, coins and transaction, as a JSON list inside a JSON text', () => {
  const ctx = chain(burning(29_000))
  const delivered = call(ctx)
  const hash = Buffer.from(delivered.evmTx!.hash).toString('hex')
  expect(payoutOf(delivered)!.attributes).toEqual([
    { key: 'community_pool', value: '""' },
    { key: 'contract', value: `"${C0_TEXT}"` },
    {
      key: 'payouts',
      value: `"[{\\"withdraw_address\\":\\"${BOB_TEXT}\\",\\"fees_paid\\":[{\\"denom\\":\\"unative\\",\\"amount\\":\\"25000\\"}]}]"`,
    },
    { key: 'tx_hash', value: `"0x${hash}"` },
  ])
})

test('a share in a denom off the list goes to the community pool, an allowed denom to the withdrawer', () => {
  const ctx = chain(burning(29_000), { allowed_denoms: ['other'] })
  const delivered = call(ctx)
  expect([unitsOf(ctx, BOB), pool(ctx)]).toEqual([0n, 25_000n])
  const attributes = payoutOf(delivered)!.attributes
  expect(attributes[0]).toEqual({ key: 'community_pool', value: '"25000unative"' })
  expect(attributes[2]).toEqual({ key: 'payouts', value: '"[]"' })
  const allowed = chain(burning(29_000), { allowed_denoms: ['other', 'unative'] })
  call(allowed)
  expect([unitsOf(allowed, BOB), pool(allowed)]).toEqual([25_000n, 0n])
})

test('a call that reverts or runs out of gas pays no share', () => {
  for (const code of [REVERT, ENDLESS]) {
    const ctx = chain(code)
    const { evmTx } = call(ctx)
    expect([evmTx!.status, unitsOf(ctx, BOB)]).toEqual([0, 0n])
    expect(collected(ctx)).toBe(evmTx!.gasUsed * UNIT)
  }
})

test('a call by another contract pays no share to the called contract', () => {
  const ctx = chain()
  const proxy = new Uint8Array(20).fill(0x99)
  // CALL(gas, C0, 0, no input, no output).
  putCode(ctx, proxy, concat(hex('6000600060006000600073'), C0, hex('5af100')))
  const { evmTx } = call(ctx, { to: proxy })
  expect([evmTx!.status, unitsOf(ctx, BOB)]).toEqual([1, 0n])
})

test('no share is paid while disabled, for a creation, a plain transfer, or a zero-gas transaction', () => {
  const disabled = chain(STOP, { enable_fee_share: false })
  call(disabled)
  expect(unitsOf(disabled, BOB)).toBe(0n)
  const ctx = chain()
  call(ctx, { to: undefined, data: STOP })
  const person = new Uint8Array(20).fill(0x77)
  devgas.setShare(ctx, { contract: person, deployer: ALICE, withdrawer: BOB })
  call(ctx, { to: person, valueWei: 5n })
  expect(unitsOf(ctx, BOB)).toBe(0n)
  zeroGasActors.set(ctx, create(ZeroGasActorsSchema, { alwaysZeroGasContracts: [formatHex0x(C0)] }))
  bank.addWei(ctx, auth.feeCollector.address, 10n ** 20n)
  const before = collected(ctx)
  const { evmTx } = call(ctx)
  expect([evmTx!.status, unitsOf(ctx, BOB), collected(ctx)]).toEqual([1, 0n, before])
})

test('a registration between two calls of a block applies to the second, unless it is reverted', () => {
  const ctx = chain(burning(29_000))
  const paid: (readonly [bigint, bigint, string | undefined])[] = []
  const note = (delivered: ReturnType<typeof call>) => {
    const attribute = payoutOf(delivered)?.attributes.find(({ key }) => key === 'payouts')
    const to = attribute && (JSON.parse(JSON.parse(attribute.value)) as [{ withdraw_address: string }])[0]
    paid.push([unitsOf(ctx, ALICE), unitsOf(ctx, BOB), to?.withdraw_address])
  }
  const record = { contract: C0, deployer: ALICE, withdrawer: ALICE }
  const params = (developerShares: string) => devgasParams.set(ctx, { ...devgas.params(ctx), developerShares })
  note(call(ctx))
  devgas.setShare(ctx.branch(), record)
  note(call(ctx))
  devgas.setShare(ctx, record)
  note(call(ctx))
  params('250000000000000000')
  note(call(ctx))
  const dropped = ctx.branch()
  devgas.removeShare(dropped, C0)
  devgas.setShare(dropped, { ...record, withdrawer: BOB })
  note(call(ctx))
  devgas.removeShare(ctx, C0)
  note(call(ctx))
  devgas.setShare(ctx, { ...record, withdrawer: BOB })
  params('1000000000000000000')
  note(call(ctx))
  // 50,000 unative a call.
  expect(paid).toEqual([
    [0n, 25_000n, BOB_TEXT],
    [0n, 50_000n, BOB_TEXT],
    [25_000n, 50_000n, ALICE_TEXT],
    [37_500n, 50_000n, ALICE_TEXT],
    [50_000n, 50_000n, ALICE_TEXT],
    [50_000n, 50_000n, undefined],
    [50_000n, 100_000n, BOB_TEXT],
  ])
})

test('events of a payout use the names and the denom of the profile', () => {
  const told = (profile: string) => {
    const identity = identityOf(profile)
    const ctx = testContext({ identity, modules: [authModule, distributionModule, devgasModule] })
    devgasModule.genesis!.init(ctx, devgasModule.genesis!.defaults(ctx))
    bank.addWei(ctx, auth.feeCollector.address, 10n ** 22n)
    devgas.setShare(ctx, { contract: C0, deployer: ALICE, withdrawer: BOB })
    payOut(ctx, { contract: C0, gasUsed: 50_000n, priceWei: UNIT, hash: new Uint8Array(32) })
    return ctx.events.at(-1)!
  }
  for (const [profile, type, prefix, denom] of [
    ['almanac', 'chain.devgas.v1.EventPayoutDevGas', 'chain', 'unative'],
    ['nibiru', 'nibiru.devgas.v1.EventPayoutDevGas', 'nibi', 'unibi'],
    ['almanac', 'chain.devgas.v1.EventPayoutDevGas', 'chain', 'unative'],
  ] as const) {
    const fees_paid = [{ denom, amount: '25000' }]
    const payouts = JSON.stringify([{ withdraw_address: formatBech32(prefix, BOB), fees_paid }])
    expect(told(profile)).toEqual({
      type,
      attributes: [
        { key: 'community_pool', value: '""' },
        { key: 'contract', value: `"${formatBech32(prefix, C0)}"` },
        { key: 'payouts', value: JSON.stringify(payouts) },
        { key: 'tx_hash', value: `"0x${'00'.repeat(32)}"` },
      ],
    })
  }
})

test('a share is paid while sending of its denom is disabled', () => {
  const ctx = chain(burning(29_000))
  const authority = formatBech32('chain', governance)
  messages.setSendEnabled(ctx, { authority, sendEnabled: [{ denom: 'unative', enabled: false }] })
  call(ctx)
  expect(unitsOf(ctx, BOB)).toBe(25_000n)
})

test('a share above the collector’s balance is not paid, and an event reports it', () => {
  const ctx = chain()
  payOut(ctx, { contract: C0, gasUsed: 50_000n, priceWei: UNIT, hash: new Uint8Array(32) })
  expect(unitsOf(ctx, BOB)).toBe(0n)
  const [event] = ctx.events.slice(-1)
  expect(event!.type).toBe('chain.devgas.v1.EventPayoutFailedDevGas')
  expect(event!.attributes.find(({ key }) => key === 'reason')!.value).toContain('insufficient funds')
})

test('a withdrawer that became blocked loses its share to the community pool', () => {
  const ctx = chain(burning(29_000))
  devgas.setShare(ctx, { contract: C0, deployer: ALICE, withdrawer: auth.feeCollector.address })
  const blocked = { ...ctx.app, isBlocked: () => true }
  const { result, evmTx } = call({ ...ctx, app: blocked, branch: withApp(ctx, blocked) })
  expect([result.code, evmTx!.status, pool(ctx)]).toEqual([0, 1, 25_000n])
})

/** Returns a context whose application blocks every address. */
function withApp(ctx: Context, app: Context['app']): Context['branch'] {
  return (options) => {
    const branch = ctx.branch(options)
    return {
      ...branch,
      app,
      branch: withApp(branch, app),
      get events() {
        return branch.events
      },
    }
  }
}

test('a failed payout does not change the call, and an event gives the reason', () => {
  const ctx = chain(burning(29_000))
  // A record that no message can write: its withdrawer is not an address.
  ctx.store.set('devgas', concat(hex('01'), utf8(C0_TEXT), hex('00')), concat(hex('1a01'), utf8('x')))
  const delivered = call(ctx)
  expect([delivered.result.code, delivered.evmTx!.status, payoutOf(delivered)]).toEqual([0, 1, undefined])
  expect(collected(ctx)).toBe(50_000n * UNIT)
  const failed = delivered.result.events.find(({ type }) => type === 'chain.devgas.v1.EventPayoutFailedDevGas')
  const told = Object.fromEntries(failed!.attributes.map(({ key, value }) => [key, JSON.parse(value)]))
  expect(told).toMatchObject({ contract: C0_TEXT, reason: expect.stringContaining('invalid address') })
  expect(told['tx_hash']).toMatch(/^0x[0-9a-f]{64}$/)
})

test('a record that cannot be decoded ends the block and is no result of a call', () => {
  const ctx = chain(burning(29_000))
  ctx.store.set('devgas', concat(hex('01'), utf8(C0_TEXT), hex('00')), hex('0aff'))
  expect(() => call(ctx)).toThrow(RangeError)
})

test('gas used, receipt and response equal those of a chain without payouts', () => {
  const paid = call(chain(burning(12_345)))
  const unpaid = call(chain(burning(12_345), { enable_fee_share: false }))
  expect(paid.evmTx).toEqual(unpaid.evmTx)
  expect(paid.result.data).toEqual(unpaid.result.data)
  expect(paid.result.gasUsed).toBe(unpaid.result.gasUsed)
})
