/** Limits of the value that an Ethereum transaction moves: locked coins, accounts of modules, disabled transfers. */
import { fromBinary } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import { createAddress } from '../../evm/contract-address.ts'
import { authorizationHash, encodeTransaction } from '../../evm/transaction/encode.ts'
import { secp256k1 } from '../../evm/transaction/secp256k1.ts'
import { addressOfPrivateKey, signTransaction } from '../../evm/transaction/sender.ts'
import type { UnsignedTransaction } from '../../evm/transaction/types.ts'
import { MsgEthereumTxResponseSchema } from '../../gen/chain/evm/v1/tx_pb.ts'
import { TxMsgDataSchema } from '../../gen/sdk/base/abci/v1beta1/abci_pb.ts'
import { type BehaviourName, behavioursOf } from '../../identity/behaviours.ts'
import { almanac } from '../../identity/profiles/almanac.ts'
import { auth as authModule } from '../../modules/auth/index.ts'
import * as auth from '../../modules/auth/keeper.ts'
import * as bank from '../../modules/bank/keeper.ts'
import { messages } from '../../modules/bank/messages.ts'
import { distribution } from '../../modules/distribution/index.ts'
import { localnetGenesis } from '../../modules/evm/development/localnet.ts'
import { evm as evmModule } from '../../modules/evm/index.ts'
import * as evm from '../../modules/evm/keeper.ts'
import { codes } from '../../modules/evm/state.ts'
import { gov } from '../../modules/gov/index.ts'
import { staking } from '../../modules/staking/index.ts'
import { formatBech32, ofModule } from '../../primitives/address.ts'
import { concat, decodeUint, EMPTY, encodeUint, hex } from '../../primitives/bytes.ts'
import { keccak256 } from '../../primitives/hash.ts'
import { governance } from '../../sdk/authority.ts'
import type { Context } from '../../sdk/context.ts'
import { testContext } from '../../sdk/testing.ts'
import { decodeTx } from '../../sdk/tx.ts'
import { checkEthereumTx } from './check.ts'
import { deliverEthereumTx } from './deliver.ts'
import { wrapEthereumTx } from './envelope.ts'

const UNIT = 10n ** 12n
const OWNER_KEY = new Uint8Array(32).fill(1)
const PAYER_KEY = new Uint8Array(32).fill(2)
const OWNER = addressOfPrivateKey(OWNER_KEY)
const PAYER = addressOfPrivateKey(PAYER_KEY)
const NOBODY = hex('5aaeb6053f3e94c9b9a09f33669435e7ef1beaed')
const POOL = ofModule('bonded_tokens_pool')
const POOL_TEXT = formatBech32('chain', POOL)
const BLOCKED = `${POOL_TEXT} is not allowed to receive funds`
const DISABLED = 'unative transfers are currently disabled'
const INSUFFICIENT = 'insufficient balance for transfer'

const RETURN_WORD = hex('60206000f3')
// Calls the address in word 0 of the data with the value in word 1; returns the success.
const CALLER = concat(hex('6000600060006000602035600035619c40f1600052'), RETURN_WORD)
// Calls like CALLER with CALLCODE, so that the own account is the recipient.
const CODE_CALLER = concat(hex('6000600060006000602035600035619c40f2600052'), RETURN_WORD)
// Creates a contract without code and with a value of 1 wei; returns its address.
const CREATOR = concat(hex('600060006001f0600052'), RETURN_WORD)
// Destroys itself in favour of the address in word 0 of the data.
const DESTROYER = hex('600035ff')
// Calls DESTROYER, whose address is in word 0, with word 1 as data; returns the success.
const RELAY = concat(hex('602035600052600060006020600060006000356188b8f1600052'), RETURN_WORD)
// Returns BALANCE of the address in word 0, and SELFBALANCE.
const BALANCES = hex('6000353160005247602052' + '60406000f3')

const word = (value: bigint | Uint8Array): Uint8Array =>
  typeof value === 'bigint' ? encodeUint(value, 32) : concat(new Uint8Array(12), value)
const at = (n: number): Uint8Array => encodeUint(0xc0de00n + BigInt(n), 20)

function putCode(ctx: Context, address: Uint8Array, code: Uint8Array): void {
  const codeHash = keccak256(code)
  codes.set(ctx, codeHash, code)
  auth.setAccount(ctx, { ...auth.ensureAccount(ctx, address), codeHash })
}

/** Locks coins of an account permanently. */
function lock(ctx: Context, address: Uint8Array, amount: bigint): void {
  const coins = { original: [{ denom: 'unative', amount }], delegatedFree: [], delegatedVesting: [] }
  const vesting = { schedule: { kind: 'permanent' } as const, ...coins, endTime: 0n }
  auth.setAccount(ctx, { ...auth.ensureAccount(ctx, address), kind: 'vesting', vesting })
}

/** Returns a chain on which OWNER has 1,000,000 unative, 900,000 of them locked, and PAYER has 10^9. */
function chain(...behaviours: BehaviourName[]): Context {
  const ctx = testContext({
    identity: { ...almanac, behaviours: behavioursOf(behaviours) },
    modules: [authModule, evmModule, staking, distribution, gov],
    block: { gasLimit: 60_000_000n, hash: new Uint8Array(32).fill(7) },
  })
  evmModule.genesis!.init(ctx, localnetGenesis(ctx))
  bank.addWei(ctx, OWNER, 1_000_000n * UNIT)
  lock(ctx, OWNER, 900_000n)
  bank.addWei(ctx, PAYER, 10n ** 9n * UNIT)
  for (const [i, code] of [CALLER, CODE_CALLER, CREATOR, DESTROYER, RELAY, BALANCES].entries()) {
    putCode(ctx, at(i), code)
    bank.addWei(ctx, at(i), 50n)
  }
  return ctx
}
const [caller, , creator, destroyer, relay, balances] = [0, 1, 2, 3, 4, 5].map(at) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
]

function decoded(ctx: Context, key: Uint8Array, fields: Partial<UnsignedTransaction>) {
  const from = addressOfPrivateKey(key)
  const common = { type: 0, chainId: 6930n, gasPriceWei: UNIT, gasLimit: 21_000n, data: EMPTY, valueWei: 0n }
  const unsigned = { ...common, nonce: evm.nonce(ctx, from), ...fields } as UnsignedTransaction
  const tx = signTransaction(unsigned, key)
  return decodeTx(ctx.app, ctx.identity, wrapEthereumTx(ctx.identity, tx, keccak256(encodeTransaction(tx))))
}

const deliver = (ctx: Context, key: Uint8Array, fields: Partial<UnsignedTransaction>) =>
  deliverEthereumTx(ctx, decoded(ctx, key, fields), 0)

/** Returns the error of an executed transaction; empty if it succeeded. */
function vmError({ result }: ReturnType<typeof deliver>): string {
  expect(result.code).toBe(0)
  const event = result.events.find(({ type }) => type === 'chain.evm.v1.EventEthereumTx')!
  return JSON.parse(event.attributes.find(({ key }) => key === 'vm_error')!.value)
}

/** Calls a contract as PAYER. Returns what it returns, as a number. */
function call(ctx: Context, to: Uint8Array, data: Uint8Array, gasLimit = 200_000n): bigint {
  const { evmTx, result } = deliver(ctx, PAYER_KEY, { to, data, gasLimit })
  expect(evmTx!.status).toBe(1)
  return decodeUint(fromResponse(result.data).ret)
}

const fromResponse = (data: Uint8Array) =>
  fromBinary(MsgEthereumTxResponseSchema, fromBinary(TxMsgDataSchema, data).msgResponses[0]!.value)

/** Lets OWNER's account run the code of a contract for one transaction of PAYER (EIP-7702). */
function callAsOwner(ctx: Context, code: Uint8Array, data: Uint8Array) {
  const nonce = evm.nonce(ctx, OWNER)
  const unsigned = { chainId: 6930n, address: code, nonce, yParity: 0, r: 0n, s: 0n }
  const { bytes, yParity } = secp256k1.sign(authorizationHash(unsigned), OWNER_KEY)
  const [r, s] = [bytes.subarray(0, 32), bytes.subarray(32)].map(decodeUint) as [bigint, bigint]
  return deliver(ctx, PAYER_KEY, {
    type: 4,
    maxPriorityFeePerGasWei: 0n,
    maxFeePerGasWei: UNIT,
    accessList: [],
    to: OWNER,
    data,
    gasLimit: 300_000n,
    authorizations: [{ ...unsigned, yParity, r, s }],
  } as Partial<UnsignedTransaction>)
}

describe('locked coins', () => {
  test('pay neither the value nor the fee of a transaction, in a block and in the pool', () => {
    const ctx = chain()
    const cost = (over: bigint) => ({ to: NOBODY, valueWei: 79_000n * UNIT + over })
    const refusal = 'insufficient funds for gas * price + value: balance 100000000000000000, tx cost 100000000000000001'
    expect(deliver(ctx, OWNER_KEY, cost(1n)).result).toMatchObject({
      code: 5,
      codespace: 'sdk',
      log: expect.stringContaining(refusal),
    })
    expect(checkEthereumTx(ctx, decoded(ctx, OWNER_KEY, cost(1n)), 'check', { minGasPrices: '' }).log).toContain(
      refusal,
    )
    const dear = deliver(ctx, OWNER_KEY, { to: NOBODY, gasLimit: 100_001n })
    expect(dear.result).toMatchObject({ code: 5, codespace: 'sdk' })
    expect(vmError(deliver(ctx, OWNER_KEY, cost(0n)))).toBe('')
    expect(evm.balanceWei(ctx, OWNER)).toBe(900_000n * UNIT)
    expect(evm.balanceWei(ctx, NOBODY)).toBe(79_000n * UNIT)
  })

  test('stay when code runs as the account, however it moves value, and BALANCE shows them', () => {
    // By default no code runs as a vesting account.
    const ctx = chain('codeOfOtherAccountsIsLost')
    const send = (wei: bigint) => fromResponse(callAsOwner(ctx, caller, concat(word(NOBODY), word(wei))).result.data)
    expect(decodeUint(send(100_000n * UNIT + 1n).ret)).toBe(0n)
    expect(decodeUint(send(40_000n * UNIT).ret)).toBe(1n)
    expect(decodeUint(send(60_000n * UNIT + 1n).ret)).toBe(0n)
    // A call of its own code and the endowment of a contract count as value too.
    const toItself = callAsOwner(ctx, at(1), concat(word(NOBODY), word(60_000n * UNIT + 1n)))
    expect(decodeUint(fromResponse(toItself.result.data).ret)).toBe(0n)
    expect(decodeUint(send(60_000n * UNIT).ret)).toBe(1n)
    expect(decodeUint(fromResponse(callAsOwner(ctx, creator, EMPTY).result.data).ret)).toBe(0n)
    const shown = fromResponse(callAsOwner(ctx, balances, word(OWNER)).result.data).ret
    expect([shown.subarray(0, 32), shown.subarray(32)].map(decodeUint)).toEqual([900_000n * UNIT, 900_000n * UNIT])
    expect(evm.balanceWei(ctx, NOBODY)).toBe(100_000n * UNIT)
  })

  test('do not leave by a self-destruct of the account, which fails and uses its gas', () => {
    const ctx = chain('codeOfOtherAccountsIsLost')
    const delivered = callAsOwner(ctx, destroyer, word(NOBODY))
    expect(vmError(delivered)).toBe(INSUFFICIENT)
    // All gas but the refund for an authority that exists (EIP-7702).
    expect(delivered.evmTx!.gasUsed).toBe(300_000n - 12_500n)
    expect(evm.balanceWei(ctx, OWNER)).toBe(1_000_000n * UNIT)
    // In favour of itself nothing moves, and the account stays: it was not created in this transaction (EIP-6780).
    expect(vmError(callAsOwner(ctx, destroyer, word(OWNER)))).toBe('')
    expect(evm.balanceWei(ctx, OWNER)).toBe(1_000_000n * UNIT)
  })

  test.each([
    ['a transfer', concat(hex('600060006000600061c350'), hex('73'), NOBODY, hex('5af1'), hex('50'))],
    ['a self-destruct', concat(hex('73'), NOBODY, hex('ff'))],
    ['a self-destruct in favour of itself', hex('30ff')],
  ])('at the address of a new contract survive %s of its init code', (_name, init) => {
    // By default nothing is created at the address of a vesting account.
    const ctx = chain('codeOfOtherAccountsIsLost')
    const contract = createAddress(PAYER, evm.nonce(ctx, PAYER))
    bank.addWei(ctx, contract, 100n * UNIT)
    lock(ctx, contract, 100n)
    deliver(ctx, PAYER_KEY, { to: undefined, data: init, gasLimit: 200_000n })
    expect(evm.balanceWei(ctx, contract)).toBe(100n * UNIT)
    expect(auth.getAccount(ctx, contract)).toMatchObject({ kind: 'vesting' })
    expect(evm.balanceWei(ctx, NOBODY)).toBe(0n)
  })

  test('become spendable as they vest', () => {
    const ctx = chain()
    const now = ctx.block.timeNs / 10n ** 9n
    const coins = { original: [{ denom: 'unative', amount: 1_000_000n }], delegatedFree: [], delegatedVesting: [] }
    const schedule = { kind: 'continuous', startTime: now } as const
    auth.setAccount(ctx, { ...auth.getAccount(ctx, OWNER)!, vesting: { schedule, ...coins, endTime: now + 1000n } })
    const pay = () => deliver(ctx, OWNER_KEY, { to: NOBODY, valueWei: 29_000n * UNIT }).result.code
    expect(pay()).toBe(5)
    // After 50 of 1000 seconds 50,000 have vested: the fee of 21,000 and the value of 29,000.
    ctx.block.timeNs += 50n * 10n ** 9n
    expect(pay()).toBe(0)
    expect(pay()).toBe(5)
  })

  test('move under the behaviour lockedCoinsMoveInEvm, as in the reference', () => {
    const ctx = chain('lockedCoinsMoveInEvm')
    expect(vmError(deliver(ctx, OWNER_KEY, { to: NOBODY, valueWei: 979_000n * UNIT }))).toBe('')
    expect(evm.balanceWei(ctx, OWNER)).toBe(0n)
  })
})

describe('an account of a module', () => {
  test('receives no value of a transaction, which pays the gas of a plain transfer', () => {
    const ctx = chain()
    const before = evm.balanceWei(ctx, PAYER)
    const fees = evm.balanceWei(ctx, auth.feeCollector.address)
    const delivered = deliver(ctx, PAYER_KEY, { to: POOL, valueWei: 5n, gasLimit: 90_000n })
    expect(vmError(delivered)).toBe(BLOCKED)
    expect(delivered.evmTx).toMatchObject({ status: 0, gasUsed: 21_000n })
    expect(evm.balanceWei(ctx, PAYER)).toBe(before - 21_000n * UNIT)
    expect(evm.balanceWei(ctx, auth.feeCollector.address)).toBe(fees + 21_000n * UNIT)
    expect([evm.balanceWei(ctx, POOL), auth.getAccount(ctx, POOL)]).toEqual([0n, undefined])
    // Without value the transaction is an ordinary one.
    expect(vmError(deliver(ctx, PAYER_KEY, { to: POOL }))).toBe('')
    expect(auth.getAccount(ctx, POOL)).toBeUndefined()
  })

  test('receives nothing from a contract, whose call fails and gets its gas back', () => {
    const ctx = chain()
    expect(call(ctx, caller, concat(word(POOL), word(1n)))).toBe(0n)
    expect(call(ctx, caller, concat(word(POOL), word(0n)))).toBe(1n)
    expect(evm.balanceWei(ctx, caller)).toBe(50n)
    // A value above the balance costs the same gas: both calls end before they begin.
    const used = (to: Uint8Array, wei: bigint) =>
      deliver(ctx, PAYER_KEY, { to: caller, data: concat(word(to), word(wei)), gasLimit: 200_000n }).evmTx!.gasUsed
    expect(used(POOL, 1n)).toBe(used(ofModule('distribution'), 51n))
    expect([evm.balanceWei(ctx, POOL), auth.getAccount(ctx, POOL)]).toEqual([0n, undefined])
  })

  test('inherits nothing from a self-destruct, which fails', () => {
    const ctx = chain()
    expect(call(ctx, relay, concat(word(destroyer), word(POOL)))).toBe(0n)
    expect([evm.balanceWei(ctx, destroyer), evm.balanceWei(ctx, POOL)]).toEqual([50n, 0n])
    const direct = deliver(ctx, PAYER_KEY, { to: destroyer, data: word(POOL), gasLimit: 100_000n })
    expect(vmError(direct)).toBe(BLOCKED)
    expect(call(ctx, relay, concat(word(destroyer), word(NOBODY)))).toBe(1n)
    expect(evm.balanceWei(ctx, NOBODY)).toBe(50n)
    // An account without wei can name any heir.
    expect(call(ctx, relay, concat(word(destroyer), word(POOL)))).toBe(1n)
    expect(auth.getAccount(ctx, POOL)).toBeUndefined()
  })

  test('that accepts sends gets value, and its account is the module’s from the first coin on', () => {
    const ctx = chain()
    expect(auth.getAccount(ctx, governance)).toBeUndefined()
    expect(vmError(deliver(ctx, PAYER_KEY, { to: governance, valueWei: 3n }))).toBe('')
    const byCode = chain()
    expect(call(byCode, caller, concat(word(governance), word(3n)))).toBe(1n)
    for (const one of [ctx, byCode]) {
      expect(evm.balanceWei(one, governance)).toBe(3n)
      const module = { name: 'gov', permissions: ['burner'] }
      expect(auth.getAccount(one, governance)).toMatchObject({ kind: 'module', module })
    }
  })

  test('receives value under the behaviour modulesReceiveEvmValue, and stays the module’s', () => {
    const ctx = chain('modulesReceiveEvmValue')
    expect(vmError(deliver(ctx, PAYER_KEY, { to: POOL, valueWei: 5n }))).toBe('')
    expect(call(ctx, caller, concat(word(POOL), word(1n)))).toBe(1n)
    expect(call(ctx, relay, concat(word(destroyer), word(POOL)))).toBe(1n)
    expect(evm.balanceWei(ctx, POOL)).toBe(56n)
    expect(auth.getAccount(ctx, POOL)).toMatchObject({ kind: 'module', module: { name: 'bonded_tokens_pool' } })
  })
})

describe('disabled transfers of the base denom', () => {
  function disabled(...behaviours: BehaviourName[]): Context {
    const ctx = chain(...behaviours)
    const authority = formatBech32('chain', governance)
    messages.setSendEnabled(ctx, { authority, sendEnabled: [{ denom: 'unative', enabled: false }], useDefaultFor: [] })
    return ctx
  }

  test('stop value at every depth, and a transaction still pays its fee', () => {
    const ctx = disabled()
    const delivered = deliver(ctx, PAYER_KEY, { to: NOBODY, valueWei: 5n })
    expect(vmError(delivered)).toBe(DISABLED)
    expect(evm.balanceWei(ctx, auth.feeCollector.address)).toBe(21_000n * UNIT)
    expect(call(ctx, caller, concat(word(NOBODY), word(1n)))).toBe(0n)
    expect(call(ctx, creator, EMPTY)).toBe(0n)
    expect(call(ctx, relay, concat(word(destroyer), word(NOBODY)))).toBe(0n)
    expect(vmError(deliver(ctx, PAYER_KEY, { to: undefined, valueWei: 1n, gasLimit: 100_000n }))).toBe(DISABLED)
    expect(evm.balanceWei(ctx, NOBODY)).toBe(0n)
    expect(call(ctx, caller, concat(word(NOBODY), word(0n)))).toBe(1n)
    expect(vmError(deliver(ctx, PAYER_KEY, { to: NOBODY }))).toBe('')
  })

  test('change nothing under the behaviour evmIgnoresSendEnabled', () => {
    const ctx = disabled('evmIgnoresSendEnabled')
    expect(vmError(deliver(ctx, PAYER_KEY, { to: NOBODY, valueWei: 5n }))).toBe('')
    expect(call(ctx, caller, concat(word(NOBODY), word(1n)))).toBe(1n)
    expect(evm.balanceWei(ctx, NOBODY)).toBe(6n)
  })
})
