/** Nobody pays more than they signed (D55): the base fee against the price and the cap of a transaction. */
import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { encodeTransaction } from '../../evm/transaction/encode.ts'
import { addressOfPrivateKey, signTransaction } from '../../evm/transaction/sender.ts'
import type { UnsignedTransaction } from '../../evm/transaction/types.ts'
import { ZeroGasActorsSchema } from '../../gen/chain/sudo/v1/state_pb.ts'
import { createIdentity } from '../../identity/identity.ts'
import { almanac } from '../../identity/profiles/almanac.ts'
import { nibiru } from '../../identity/profiles/nibiru.ts'
import type { Identity } from '../../identity/types.ts'
import { auth } from '../../modules/auth/index.ts'
import * as bank from '../../modules/bank/keeper.ts'
import { localnetGenesis } from '../../modules/evm/development/localnet.ts'
import { evm as evmModule } from '../../modules/evm/index.ts'
import * as evm from '../../modules/evm/keeper.ts'
import { zeroGasActors } from '../../modules/sudo/state.ts'
import { formatEip55 } from '../../primitives/address.ts'
import { EMPTY, formatHex0x, hex } from '../../primitives/bytes.ts'
import { keccak256 } from '../../primitives/hash.ts'
import type { Context } from '../../sdk/context.ts'
import { testContext } from '../../sdk/testing.ts'
import { decodeTx } from '../../sdk/tx.ts'
import { seeded } from '../../store/testing/backend-contract.ts'
import { checkEthereumTx } from './check.ts'
import { deliverEthereumTx } from './deliver.ts'
import { wrapEthereumTx } from './envelope.ts'
import { chargedPrice } from './price.ts'

const KEY = hex('ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
const SENDER = addressOfPrivateKey(KEY)
const TO = hex('5aaeb6053f3e94c9b9a09f33669435e7ef1beaed')
const BASE = 10n ** 12n
const FUNDS = 10n ** 20n

function chain(identity: Identity): Context {
  const block = { gasLimit: 60_000_000n, hash: new Uint8Array(32).fill(7) }
  const ctx = testContext({ modules: [auth, evmModule], identity, block })
  evmModule.genesis!.init(ctx, localnetGenesis(ctx))
  bank.addWei(ctx, SENDER, FUNDS)
  return ctx
}

const common = { chainId: 6930n, nonce: 0n, gasLimit: 21_000n, to: TO, valueWei: 0n, data: EMPTY }
const legacy = (gasPriceWei: bigint): UnsignedTransaction => ({ ...common, type: 0, gasPriceWei })
const listed = (gasPriceWei: bigint): UnsignedTransaction => ({ ...common, type: 1, gasPriceWei, accessList: [] })
const dynamic = (maxFeePerGasWei: bigint, maxPriorityFeePerGasWei: bigint): UnsignedTransaction => ({
  ...common,
  type: 2,
  maxFeePerGasWei,
  maxPriorityFeePerGasWei,
  accessList: [],
})

function wrapped(ctx: Context, unsigned: UnsignedTransaction) {
  const tx = signTransaction(unsigned, KEY)
  return decodeTx(ctx.app, ctx.identity, wrapEthereumTx(ctx.identity, tx, keccak256(encodeTransaction(tx))))
}

const text = (cap: bigint) =>
  `max fee per gas less than block base fee: address ${formatEip55(SENDER)}, maxFeePerGas: ${cap}, baseFee: ${BASE}`

test.each([
  ['a legacy price', legacy(BASE - 1n), BASE - 1n],
  ['no price', legacy(0n), 0n],
  ['a price with an access list', listed(1n), 1n],
  ['a fee cap', dynamic(BASE - 1n, BASE - 1n), BASE - 1n],
])('%s below the base fee is refused everywhere with the text of geth, and nothing is paid', (_, unsigned, cap) => {
  const ctx = chain(almanac)
  for (const mode of ['check', 'recheck', 'simulate'] as const) {
    const checked = checkEthereumTx(ctx, wrapped(ctx, unsigned), mode, { minGasPrices: '' })
    expect([checked.codespace, checked.code, checked.error?.message], mode).toEqual(['sdk', 13, text(cap)])
  }
  const { result, evmTx } = deliverEthereumTx(ctx, wrapped(ctx, unsigned), 0)
  expect([result.code, result.log, evmTx]).toEqual([13, `${text(cap)}: insufficient fee`, undefined])
  expect([evm.nonce(ctx, SENDER), evm.balanceWei(ctx, SENDER)]).toEqual([0n, FUNDS])
})

test('a tip above the cap is refused with the text of geth', () => {
  const ctx = chain(almanac)
  const { error } = checkEthereumTx(ctx, wrapped(ctx, dynamic(BASE, BASE + 1n)), 'check', { minGasPrices: '' })
  expect(error?.message).toBe(
    `max priority fee per gas higher than max fee per gas: maxPriorityFeePerGas: ${BASE + 1n}, maxFeePerGas: ${BASE}`,
  )
})

test('the price is base fee plus tip, and never above the cap', () => {
  const ctx = chain(almanac)
  const paid = (unsigned: UnsignedTransaction) => {
    const { result, evmTx } = deliverEthereumTx(ctx.branch(), wrapped(ctx, unsigned), 0)
    expect(result.code).toBe(0)
    return evmTx!.effectiveGasPrice
  }
  expect(paid(legacy(BASE))).toBe(BASE)
  expect(paid(dynamic(BASE, 0n))).toBe(BASE)
  expect(paid(dynamic(BASE + 5n, 3n))).toBe(BASE + 3n)
  expect(paid(dynamic(BASE + 5n, BASE))).toBe(BASE + 5n)
  const random = seeded(7)
  const below = (limit: bigint) => (BigInt(random(2 ** 30)) * limit) / 2n ** 30n
  for (let i = 0; i < 500; i++) {
    const [cap, baseFee] = [below(4n * BASE), below(4n * BASE)]
    const tx = i % 2 === 0 ? legacy(cap) : dynamic(cap, below(cap + 1n))
    expect(chargedPrice(almanac, tx, baseFee) <= cap).toBe(true)
  }
})

test('the profile of the reference chain charges the base fee all the same', () => {
  const ctx = chain(createIdentity(nibiru))
  for (const unsigned of [legacy(0n), dynamic(7n, 7n)]) {
    const branch = ctx.branch()
    expect(checkEthereumTx(branch.branch(), wrapped(ctx, unsigned), 'check', { minGasPrices: '' }).code).toBe(0)
    const { evmTx } = deliverEthereumTx(branch, wrapped(ctx, unsigned), 0)
    expect(evmTx!.effectiveGasPrice).toBe(BASE)
    expect(evm.balanceWei(branch, SENDER)).toBe(FUNDS - 21_000n * BASE)
  }
})

test('a zero-gas transaction needs no price', () => {
  const ctx = chain(almanac)
  zeroGasActors.set(ctx, create(ZeroGasActorsSchema, { alwaysZeroGasContracts: [formatHex0x(TO)] }))
  expect(checkEthereumTx(ctx.branch(), wrapped(ctx, legacy(0n)), 'check', { minGasPrices: '5unative' }).code).toBe(0)
  const { evmTx } = deliverEthereumTx(ctx, wrapped(ctx, dynamic(0n, 0n)), 0)
  expect([evmTx!.status, evmTx!.effectiveGasPrice, evm.balanceWei(ctx, SENDER)]).toEqual([1, 0n, FUNDS])
})

test('a base fee that a development chain sets applies to what waits', () => {
  const ctx = chain(almanac)
  const check = (unsigned: UnsignedTransaction) =>
    checkEthereumTx(ctx.branch(), wrapped(ctx, unsigned), 'recheck', { minGasPrices: '' }).code
  evm.amend(ctx, { kind: 'baseFee', wei: 2n * BASE })
  expect([check(legacy(2n * BASE - 1n)), check(legacy(2n * BASE))]).toEqual([13, 0])
  evm.amend(ctx, { kind: 'baseFee', wei: 0n })
  expect(check(legacy(0n))).toBe(0)
})
