import { create, fromBinary } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { authorizationHash, encodeTransaction } from '../../evm/transaction/encode.ts'
import { secp256k1 } from '../../evm/transaction/secp256k1.ts'
import { addressOfPrivateKey, signTransaction } from '../../evm/transaction/sender.ts'
import type { UnsignedTransaction } from '../../evm/transaction/types.ts'
import { MsgEthereumTxResponseSchema } from '../../gen/chain/evm/v1/tx_pb.ts'
import { ZeroGasActorsSchema } from '../../gen/chain/sudo/v1/state_pb.ts'
import { TxMsgDataSchema } from '../../gen/sdk/base/abci/v1beta1/abci_pb.ts'
import { almanac } from '../../identity/profiles/almanac.ts'
import { auth } from '../../modules/auth/index.ts'
import * as bank from '../../modules/bank/keeper.ts'
import { localnetGenesis } from '../../modules/evm/development/localnet.ts'
import { evm as evmModule } from '../../modules/evm/index.ts'
import * as evm from '../../modules/evm/keeper.ts'
import { zeroGasActors } from '../../modules/sudo/state.ts'
import { concat, decodeUint, EMPTY, encodeUint, equal, formatHex0x, hex } from '../../primitives/bytes.ts'
import { keccak256 } from '../../primitives/hash.ts'
import type { Context } from '../../sdk/context.ts'
import { testContext } from '../../sdk/testing.ts'
import { decodeTx } from '../../sdk/tx.ts'
import { checkEthereumTx } from './check.ts'
import { deliverEthereumTx } from './deliver.ts'
import { wrapEthereumTx } from './envelope.ts'

const KEY = hex('ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
const SENDER = addressOfPrivateKey(KEY)
const TO = hex('5aaeb6053f3e94c9b9a09f33669435e7ef1beaed')
const FEE_COLLECTOR = hex('f1829676db577682e944fc3493d451b67ff3e29f')
const UNIT = 10n ** 12n
const FUNDS = 10_000n * 10n ** 18n
const settings = { minGasPrices: '' }

function chain(): Context {
  const ctx = testContext({
    modules: [auth, evmModule],
    block: { gasLimit: 60_000_000n, hash: new Uint8Array(32).fill(7) },
  })
  evmModule.genesis!.init(ctx, localnetGenesis(ctx))
  bank.addWei(ctx, SENDER, FUNDS)
  return ctx
}

function transfer(fields: Partial<UnsignedTransaction> = {}): UnsignedTransaction {
  return {
    type: 0,
    chainId: 6930n,
    nonce: 0n,
    gasPriceWei: UNIT,
    gasLimit: 21_000n,
    to: TO,
    valueWei: 5n * UNIT + 3n,
    data: EMPTY,
    ...fields,
  } as UnsignedTransaction
}

function wrapped(ctx: Context, unsigned: UnsignedTransaction) {
  const tx = signTransaction(unsigned, KEY)
  return decodeTx(ctx.app, almanac, wrapEthereumTx(almanac, tx, keccak256(encodeTransaction(tx))))
}

function deliver(ctx: Context, unsigned: UnsignedTransaction) {
  return deliverEthereumTx(ctx, wrapped(ctx, unsigned), 0)
}

function responseOf(data: Uint8Array) {
  return fromBinary(MsgEthereumTxResponseSchema, fromBinary(TxMsgDataSchema, data).msgResponses[0]!.value)
}

// Init code: store 42 in slot 0, deploy eleven bytes that return that slot.
const STORED = hex('602a600055600b6011600039600b6000f360005460005260206000f3')
// Init code: deploy five bytes that revert.
const REVERTING = hex('6005600c60003960056000f360006000fd')

test('a transfer moves the exact wei, charges the signed price, and raises the nonce', () => {
  const ctx = chain()
  const { result, evmTx } = deliver(ctx, transfer())
  expect(result.code).toBe(0)
  expect(result.gasUsed).toBe(21_000n)
  expect(evm.balanceWei(ctx, TO)).toBe(5n * UNIT + 3n)
  expect(evm.balanceWei(ctx, SENDER)).toBe(FUNDS - 5n * UNIT - 3n - 21_000n * UNIT)
  expect(evm.balanceWei(ctx, FEE_COLLECTOR)).toBe(21_000n * UNIT)
  expect(evm.nonce(ctx, SENDER)).toBe(1n)
  expect(evmTx).toMatchObject({ status: 1, type: 0, effectiveGasPrice: UNIT, cumulativeGasUsed: 21_000n, evmIndex: 0 })
})

test('unused gas is refunded at the charged price, whatever was offered', () => {
  const ctx = chain()
  const dynamic = { type: 2, maxPriorityFeePerGasWei: 2n * UNIT, maxFeePerGasWei: 10n * UNIT, accessList: [] } as const
  const { evmTx } = deliver(ctx, transfer({ ...dynamic, gasLimit: 50_000n }))
  expect(evmTx!.effectiveGasPrice).toBe(3n * UNIT)
  expect(evm.balanceWei(ctx, FEE_COLLECTOR)).toBe(21_000n * 3n * UNIT)
})

test('a contract is deployed, recorded with its creator, and answers', () => {
  const ctx = chain()
  const { result, evmTx } = deliver(ctx, transfer({ to: undefined, data: STORED, gasLimit: 200_000n, valueWei: 0n }))
  expect(responseOf(result.data).vmError).toBe('')
  // keccak(rlp([sender, 0]))[12:] of Hardhat's first test account.
  expect(formatHex0x(evmTx!.contractAddress!)).toBe('0x5fbdb2315678afecb367f032d93f642f64180aa3')
  expect(formatHex0x(evm.code(ctx, evmTx!.contractAddress!)!)).toBe('0x60005460005260206000f3')
  expect(evm.storage(ctx, evmTx!.contractAddress!, new Uint8Array(32))).toEqual(encodeUint(42n, 32))
  const creation = evm.creation(ctx, evmTx!.contractAddress!)!
  expect(equal(creation.creator, SENDER) && equal(creation.origin, SENDER)).toBe(true)
})

test('a revert keeps fee and nonce, drops value and logs, and is outer code 0', () => {
  const ctx = chain()
  const { evmTx } = deliver(ctx, transfer({ to: undefined, data: REVERTING, gasLimit: 200_000n, valueWei: 0n }))
  const { result, evmTx: called } = deliver(ctx, transfer({ nonce: 1n, to: evmTx!.contractAddress, gasLimit: 50_000n }))
  expect(result.code).toBe(0)
  expect(responseOf(result.data).vmError).toBe('execution reverted')
  expect(called).toMatchObject({ status: 0, evmIndex: 1, logs: [] })
  expect(evm.balanceWei(ctx, evmTx!.contractAddress!)).toBe(0n)
  expect(evm.nonce(ctx, SENDER)).toBe(2n)
})

test('events are in the reference’s order', () => {
  const { result } = deliver(chain(), transfer())
  expect(result.events.map(({ type }) => type)).toEqual([
    'tx',
    'pending_ethereum_tx',
    'message',
    'chain.evm.v1.EventEthereumTx',
    'message',
    'chain.evm.v1.EventTransfer',
    'chain.evm.v1.EventTxLog',
  ])
  expect(result.events[5]!.attributes.map(({ key }) => key)).toEqual(['amount', 'recipient', 'sender'])
  expect(result.events[5]!.attributes[0]!.value).toBe('"5000000000003"')
})

test('a used nonce is refused with geth’s text, and later nonces pass, as they can wait', () => {
  const ctx = chain()
  deliver(ctx, transfer())
  const check = (nonce: bigint) => checkEthereumTx(ctx, wrapped(ctx, transfer({ nonce })), 'check', settings)
  const low = check(0n)
  expect([low.codespace, low.code, low.error?.message]).toEqual(['sdk', 32, 'nonce too low: next nonce 1, tx nonce 0'])
  expect(check(1n).order).toMatchObject({ nonce: 1n, stateNonce: 1n })
  expect(check(900n).order).toMatchObject({ nonce: 900n, stateNonce: 1n })
  const late = deliver(ctx, transfer({ nonce: 5n })).result
  expect([late.code, late.gasUsed]).toEqual([32, 21_000n])
})

test('a transaction without funds, for another chain, or with too little gas is refused', () => {
  const ctx = chain()
  const check = (fields: Partial<UnsignedTransaction>) =>
    checkEthereumTx(ctx, wrapped(ctx, transfer(fields)), 'check', settings)
  const poor = check({ valueWei: FUNDS })
  expect(poor.error?.message).toBe(
    `insufficient funds for gas * price + value: balance ${FUNDS}, tx cost ${FUNDS + 21_000n * UNIT}, overshot ${21_000n * UNIT}`,
  )
  expect([poor.codespace, poor.code]).toEqual(['sdk', 5])
  expect(check({ chainId: 1n }).error?.message).toBe('invalid sender: invalid chain id for signer: have 1 want 6930')
  expect(check({ gasLimit: 20_999n }).error?.message).toBe('intrinsic gas too low: have 20999, want 21000')
  expect(check({ gasLimit: 16_777_217n }).code).not.toBe(0)
})

test('the minimum gas price applies to the pool, not to blocks', () => {
  const ctx = chain()
  const check = (minGasPrices: string, mode: 'check' | 'recheck' = 'check') =>
    checkEthereumTx(ctx, wrapped(ctx, transfer()), mode, { minGasPrices })
  expect(check('0.025unative').code).toBe(0)
  expect(check('1unative,5other').code).toBe(0)
  const dear = check('1.5unative')
  expect([dear.code, dear.log]).toEqual([
    13,
    'transaction underpriced: gas price 1000000000000, minimum needed 1500000000000 wei: insufficient fee',
  ])
  expect(check('1.5unative', 'recheck').code).toBe(0)
})

test('a call of a zero-gas contract pays no fee, and its value is still checked', () => {
  const ctx = chain()
  const actors = create(ZeroGasActorsSchema, { alwaysZeroGasContracts: [formatHex0x(TO)] })
  zeroGasActors.set(ctx, actors)
  const { result, evmTx } = deliver(ctx, transfer({ valueWei: FUNDS }))
  expect([result.code, evmTx!.effectiveGasPrice, evmTx!.gasUsed]).toEqual([0, 0n, 21_000n])
  expect(evm.balanceWei(ctx, FEE_COLLECTOR)).toBe(0n)
  expect(evm.balanceWei(ctx, TO)).toBe(FUNDS)
  expect(deliver(ctx, transfer({ nonce: 1n, valueWei: 1n })).result.code).toBe(5)
})

test('a simulation runs to the end and writes nothing', () => {
  const ctx = chain()
  const simulated = checkEthereumTx(ctx, wrapped(ctx, transfer({ gasLimit: 90_000n })), 'simulate', settings)
  expect([simulated.code, simulated.gasUsed]).toEqual([0, 21_000n])
  expect(responseOf(simulated.data).vmError).toBe('')
  expect(evm.nonce(ctx, SENDER)).toBe(0n)
  expect(evm.balanceWei(ctx, TO)).toBe(0n)
})

test('a wrapping that differs from its transaction is refused', () => {
  const ctx = chain()
  const good = wrapped(ctx, transfer())
  // Copied bytes: bytes that were wrapped in this process are not parsed. `envelope.test.ts` changes the bytes too.
  const foreign = good.bytes.slice()
  const check = (tx: typeof good) => checkEthereumTx(ctx, { ...tx, bytes: foreign, memo: {} }, 'check', settings)
  expect(check(good).code).toBe(0)
  expect(check({ ...good, body: { ...good.body, memo: 'x' } }).code).toBe(18)
  expect(check({ ...good, messages: [...good.messages, ...good.messages] }).code).toBe(6)
  const fee = { ...good.authInfo.fee!, gasLimit: 22_000n }
  expect(check({ ...good, authInfo: { ...good.authInfo, fee } }).code).toBe(18)
  expect(check({ ...good, raw: { ...good.raw, signatures: [EMPTY] } }).code).toBe(18)
})

test('a set-code transaction sets the code that its authority signed', () => {
  const ctx = chain()
  const authorityKey = new Uint8Array(32).fill(1)
  const authority = addressOfPrivateKey(authorityKey)
  const { evmTx } = deliver(ctx, transfer({ to: undefined, data: STORED, gasLimit: 200_000n, valueWei: 0n }))
  const unsigned = { chainId: 6930n, address: evmTx!.contractAddress!, nonce: 0n, yParity: 0, r: 0n, s: 0n }
  const { bytes, yParity } = secp256k1.sign(authorizationHash(unsigned), authorityKey)
  const authorization = {
    ...unsigned,
    yParity,
    r: decodeUint(bytes.subarray(0, 32)),
    s: decodeUint(bytes.subarray(32)),
  }
  const dynamic = { type: 4, maxPriorityFeePerGasWei: 0n, maxFeePerGasWei: UNIT, accessList: [] } as const
  const fields = {
    ...dynamic,
    nonce: 1n,
    to: authority,
    gasLimit: 100_000n,
    valueWei: 0n,
    authorizations: [authorization],
  }
  const { evmTx: called } = deliver(ctx, transfer(fields))
  expect(called).toMatchObject({ status: 1, type: 4 })
  expect(evm.code(ctx, authority)).toEqual(concat(hex('ef0100'), evmTx!.contractAddress!))
  expect(evm.nonce(ctx, authority)).toBe(1n)
})

test('a blob transaction is refused with a reason', () => {
  const ctx = chain()
  const blob = {
    type: 3,
    maxPriorityFeePerGasWei: 0n,
    maxFeePerGasWei: UNIT,
    maxFeePerBlobGasWei: 1n,
    blobHashes: [new Uint8Array(32).fill(1)],
    accessList: [],
  } as const
  expect(() => wrapped(ctx, transfer(blob))).toThrow('blob transactions: feature not supported')
})

test('wei that a contract destroys goes to the module account, so that the supply does not change', () => {
  const ctx = chain()
  const module = hex('603871c2ddd41c26ee77495e2e31e6de7f9957e0')
  // Init code that destroys its own account in favour of itself: ADDRESS SELFDESTRUCT.
  const { evmTx } = deliver(
    ctx,
    transfer({ to: undefined, data: hex('30ff'), gasLimit: 100_000n, valueWei: 7n * UNIT }),
  )
  expect(evmTx!.status).toBe(1)
  const holders = [SENDER, FEE_COLLECTOR, module]
  expect(evm.balanceWei(ctx, module)).toBe(7n * UNIT)
  expect(holders.reduce((sum, holder) => sum + evm.balanceWei(ctx, holder), 0n)).toBe(FUNDS)
})
