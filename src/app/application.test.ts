import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeEach, describe, expect, test } from 'vitest'
import { decodeTransaction } from '../evm/transaction/decode.ts'
import { MsgSendSchema } from '../gen/sdk/bank/v1beta1/tx_pb.ts'
import { AuthInfoSchema, TxBodySchema, TxRawSchema } from '../gen/sdk/tx/v1beta1/tx_pb.ts'
import { almanac } from '../identity/profiles/almanac.ts'
import * as auth from '../modules/auth/keeper.ts'
import * as bank from '../modules/bank/keeper.ts'
import { formatBech32, ofModule } from '../primitives/address.ts'
import { formatHex, hex, utf8 } from '../primitives/bytes.ts'
import { keccak256, sha256 } from '../primitives/hash.ts'
import { publicKeyOf, signBytesWith } from '../sdk/crypto.ts'
import { addressOf, encodePublicKey } from '../sdk/public-key.ts'
import { directSignBytes } from '../sdk/sign-bytes.ts'
import { createEmptyBranch } from '../store/branch.ts'
import type { Branch } from '../store/types.ts'
import { wrapEthereumTx } from './evm/envelope.ts'
import { requireBlock } from './halt.ts'
import { localnetGenesis } from './localnet.ts'
import { logOf } from './result.ts'
import { testApplication } from './testing.ts'
import type { Application, BlockOutput, GenesisDocument } from './types.ts'

const CHAIN_ID = 'almanac-localnet-1'
const GENESIS_TIME_NS = 1_704_067_200_000_000_000n
const FEE = 5000n
/** History contract, which stores the hashes of past blocks (EIP-2935). */
const HISTORY_CONTRACT = '0000f90827f1c53a10cb7a02335b175320002935'

const person = (name: string) => {
  const privateKey = sha256(utf8(`spec test key ${name}`))
  const key = { kind: 'secp256k1', key: publicKeyOf(privateKey) } as const
  const address = addressOf(almanac, key)
  return { privateKey, key, address, text: formatBech32('chain', address) }
}
const alice = person('alice')
const bob = person('bob')
const dave = person('dave')
const feeCollector = ofModule('fee_collector')

interface Options {
  readonly signer?: typeof alice
  readonly number?: bigint
  readonly sequence?: bigint
  readonly gas?: bigint
  readonly fee?: bigint
  readonly memo?: string
  readonly timeoutHeight?: bigint
  readonly chainId?: string
  readonly unsigned?: boolean
}

function signed<Desc extends DescMessage>(
  schema: Desc,
  init: MessageInitShape<Desc>,
  options: Options = {},
): Uint8Array {
  const {
    signer = alice,
    number = 0n,
    sequence = 0n,
    gas = 200_000n,
    fee = FEE,
    memo = '',
    timeoutHeight = 0n,
  } = options
  const value = toBinary(schema, create(schema, init))
  const any = create(AnySchema, { typeUrl: `/${schema.typeName}`, value })
  const bodyBytes = toBinary(TxBodySchema, create(TxBodySchema, { messages: [any], memo, timeoutHeight }))
  const authInfo = create(AuthInfoSchema, {
    signerInfos: [
      {
        publicKey: encodePublicKey(almanac, signer.key),
        modeInfo: { sum: { case: 'single', value: { mode: options.unsigned ? 0 : 1 } } },
        sequence,
      },
    ],
    fee: { amount: fee > 0n ? [{ denom: 'unative', amount: fee.toString() }] : [], gasLimit: gas },
  })
  const authInfoBytes = toBinary(AuthInfoSchema, authInfo)
  const { chainId = CHAIN_ID } = options
  const bytes = directSignBytes({ bodyBytes, authInfoBytes }, { chainId, accountNumber: number })
  const signature = options.unsigned ? new Uint8Array(0) : signBytesWith('secp256k1', bytes, signer.privateKey)
  return toBinary(TxRawSchema, create(TxRawSchema, { bodyBytes, authInfoBytes, signatures: [signature] }))
}

function send(to: typeof alice, amount: bigint, options: Options = {}): Uint8Array {
  const from = options.signer ?? alice
  return signed(
    MsgSendSchema,
    { fromAddress: from.text, toAddress: to.text, amount: [{ denom: 'unative', amount: amount.toString() }] },
    options,
  )
}

let app: Application
let origin: GenesisDocument
let state: Branch
let height: bigint

const header = () => ({
  height,
  timeNs: GENESIS_TIME_NS + height * 1_000_000_000n,
  proposer: validatorAddress,
  hash: sha256(utf8(`block ${height}`)),
  lastCommitHash: sha256(utf8(`commit ${height}`)),
})
const validatorKey = hex('6ec2a51822fba17c23db4abc276ac2fe0a4621323b49d0d82dfbc65b579e2dea')
const validatorAddress = hex('121963fc7bc5f94f2978f6b7a082d1263ee7f5e4')

function block(...txs: Uint8Array[]): BlockOutput {
  height++
  const output = requireBlock(app.executeBlock(state, { ...header(), txs, lastCommitVotes: [], evidence: [] }))
  for (const { store, key, value } of output.branch.changes()) {
    if (value === undefined) state.delete(store, key)
    else state.set(store, key, value)
  }
  app.resetCheckState(state, { height, timeNs: header().timeNs })
  return output
}

const read = () => app.readContext(state, header())
const balance = (holder: Uint8Array) => bank.balance(read(), holder, 'unative')

function start(minGasPrices = '', blockGasLimit?: bigint): void {
  app = testApplication({ minGasPrices })
  state = createEmptyBranch()
  height = 0n
  origin = localnetGenesis({
    identity: almanac,
    chainId: CHAIN_ID,
    genesisTime: '2024-01-01T00:00:00Z',
    accounts: [
      { address: alice.address, balanceUnative: 1_000_000n },
      { address: bob.address, balanceUnative: 1_000_000n },
    ],
    validators: [{ publicKey: validatorKey }],
    ...(blockGasLimit === undefined ? {} : { blockGasLimit }),
  })
  const { validators } = app.initChain(origin, state)
  expect(validators).toEqual([{ address: validatorAddress, publicKey: validatorKey, power: 1000n }])
  app.resetCheckState(state, { height: 0n, timeNs: GENESIS_TIME_NS })
}

beforeEach(() => start())

describe('a transfer in a block', () => {
  test('moves the coins, pays the fee, and raises the sequence', () => {
    const { results, coinbase, gasLimit } = block(send(bob, 12_345n))
    expect(results[0]).toMatchObject({ code: 0, gasWanted: 200_000n })
    expect(balance(alice.address)).toBe(1_000_000n - 12_345n - FEE)
    expect(balance(bob.address)).toBe(1_012_345n)
    expect(balance(feeCollector)).toBe(FEE)
    expect(auth.getAccount(read(), alice.address)).toMatchObject({ sequence: 1n, number: 0n, kind: 'eth' })
    expect(formatHex(coinbase)).toBe(formatHex(alice.address))
    expect(gasLimit).toBe(60_000_000n)
  })

  test('has its events in the order that clients expect', () => {
    const [result] = block(send(dave, 7n)).results
    expect(result!.events.map(({ type }) => type)).toEqual([
      ...['coin_spent', 'coin_received', 'transfer', 'message', 'tx', 'tx', 'tx'],
      ...['message', 'coin_spent', 'coin_received', 'transfer', 'message'],
    ])
    expect(result!.events[4]).toEqual({
      type: 'tx',
      attributes: [
        { key: 'fee', value: '5000unative' },
        { key: 'fee_payer', value: alice.text },
      ],
    })
    expect(result!.events[5]!.attributes).toEqual([{ key: 'acc_seq', value: `${alice.text}/0` }])
    expect(result!.events[7]!.attributes).toEqual([
      { key: 'action', value: '/cosmos.bank.v1beta1.MsgSend' },
      { key: 'sender', value: alice.text },
      { key: 'module', value: 'bank' },
    ])
    expect(JSON.parse(logOf(result!))).toMatchObject([{ msg_index: 0, events: [{ type: 'message' }, {}, {}, {}, {}] }])
    expect(formatHex(result!.data)).toBe(
      formatHex(hex('12260a242f636f736d6f732e62616e6b2e763162657461312e4d736753656e64526573706f6e7365')),
    )
    expect(auth.getAccount(read(), dave.address)).toMatchObject({ kind: 'eth', sequence: 0n })
  })

  test('a transfer that cannot be paid keeps its fee and sequence, and names the message', () => {
    const { results } = block(send(bob, 2_000_000n))
    expect(results[0]).toMatchObject({
      code: 5,
      codespace: 'sdk',
      log: 'failed to execute message; message index: 0: spendable balance 995000unative is smaller than 2000000unative: insufficient funds',
    })
    expect(results[0]!.events.map(({ type }) => type)).not.toContain('coinbase')
    expect(balance(alice.address)).toBe(1_000_000n - FEE)
    expect(balance(feeCollector)).toBe(FEE)
    expect(auth.getAccount(read(), alice.address)!.sequence).toBe(1n)
  })

  test('a transfer that runs out of gas in its message keeps the fee, and in admission nothing', () => {
    const [first, second] = block(send(bob, 1n, { gas: 60_000n }), send(bob, 1n, { sequence: 1n, gas: 3000n })).results
    expect(first).toMatchObject({ code: 11, codespace: 'sdk' })
    expect(first!.log).toMatch(/^out of gas in location: \w+; gasWanted: 60000, gasUsed: \d+/)
    expect(second).toMatchObject({ code: 11, codespace: 'sdk', events: [] })
    expect(balance(alice.address)).toBe(1_000_000n - FEE)
    expect(auth.getAccount(read(), alice.address)!.sequence).toBe(1n)
  })
})

describe('sequences', () => {
  test('several transactions of one account succeed in one block, and a repeated one is refused', () => {
    block(send(bob, 1n), send(bob, 1n, { sequence: 1n }), send(bob, 1n, { sequence: 2n }))
    const txs = [3n, 4n, 5n].map((sequence) => send(bob, 1n, { sequence }))
    const { results } = block(...txs, txs[0]!)
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 32])
    expect(results[3]!.log).toBe('account sequence mismatch, expected 6, got 3: incorrect account sequence')
  })

  test('the pool counts admitted transactions until the next block', () => {
    expect(app.check(send(bob, 1n), 'check').code).toBe(0)
    expect(app.check(send(bob, 1n, { sequence: 1n }), 'check')).toMatchObject({ code: 0, order: { nonce: 1n } })
    expect(app.check(send(bob, 1n, { sequence: 1n, memo: 'again' }), 'check')).toMatchObject({ code: 32 })
    block()
    expect(app.check(send(bob, 1n, { sequence: 1n, memo: 'late' }), 'check')).toMatchObject({ code: 32 })
    expect(app.check(send(bob, 1n), 'recheck').code).toBe(0)
  })
})

describe('admission refuses', () => {
  const cases: readonly (readonly [string, () => Uint8Array, number, string])[] = [
    ['another chain id', () => send(bob, 1n, { chainId: 'other-1' }), 4, 'signature verification failed'],
    ['another account number', () => send(bob, 1n, { number: 3n }), 4, 'account number (0)'],
    ['a long memo', () => send(bob, 1n, { memo: 'x'.repeat(257) }), 12, 'memo too large'],
    ['no gas', () => send(bob, 1n, { gas: 0n }), 41, 'must provide positive gas'],
    ['more gas than a block has', () => send(bob, 1n, { gas: 60_000_001n }), 41, 'exceeds block max gas 60000000'],
    ['a signer without an account', () => send(bob, 1n, { signer: dave }), 9, `${dave.text} does not exist`],
    ['a fee beyond the balance', () => send(bob, 1n, { fee: 1_000_001n }), 5, 'insufficient funds'],
    ['coins of nothing', () => send(bob, 0n), 10, 'invalid coins'],
    ['a recipient that is no address', () => send({ ...bob, text: 'chain1qqq' }, 1n), 7, 'invalid address'],
    ['bytes that are no transaction', () => hex('0102'), 2, 'tx parse error'],
  ]
  test.each(cases)('%s', (_name, tx, code, text) => {
    const result = app.check(tx(), 'check')
    expect(result).toMatchObject({ code, codespace: 'sdk' })
    expect(result.log).toContain(text)
    expect(block(tx()).results[0]).toMatchObject({ code, codespace: 'sdk' })
    expect(balance(alice.address)).toBe(1_000_000n)
  })

  test('a transaction after its timeout height', () => {
    block()
    block()
    expect(app.check(send(bob, 1n, { timeoutHeight: 3n }), 'check').code).toBe(0)
    expect(app.check(send(bob, 1n, { timeoutHeight: 2n }), 'check').code).toBe(30)
  })

  test('a fee below the minimum gas price, in the pool only', () => {
    start('0.025unative')
    const cheap = send(bob, 1n, { gas: 200_001n, fee: 5000n })
    expect(app.check(cheap, 'check')).toMatchObject({
      code: 13,
      log: 'insufficient fees; got: 5000unative required: 5001unative: insufficient fee',
    })
    expect(app.check(send(bob, 1n, { gas: 200_001n, fee: 5001n }), 'check').code).toBe(0)
    expect(block(cheap).results[0]!.code).toBe(0)
  })
})

test('bytes without a message or a signer have no place in a block', () => {
  expect(app.placeOf(send(bob, 1n, { sequence: 3n }))).toMatchObject({ signers: [{ nonce: 3n }], gasWanted: 200_000n })
  const bodyBytes = toBinary(TxBodySchema, create(TxBodySchema, { memo: 'no message' }))
  for (const bytes of [new Uint8Array(0), toBinary(TxRawSchema, create(TxRawSchema, { bodyBytes })), utf8('rubbish')]) {
    expect(app.placeOf(bytes)).toBeUndefined()
  }
})

test('a transfer to a module account is refused', () => {
  const collector = { ...bob, text: formatBech32('chain', feeCollector) }
  const { results } = block(send(collector, 1n))
  expect(results[0]).toMatchObject({ code: 4, codespace: 'sdk' })
  expect(results[0]!.log).toContain('is not allowed to receive funds')
})

test('an estimate without a fee includes the gas of a fee payment', () => {
  const withFee = app.simulate(read(), send(bob, 5n, { unsigned: true, gas: 0n }))
  const without = app.simulate(read(), send(bob, 5n, { unsigned: true, gas: 0n, fee: 0n }))
  expect(without.code).toBe(0)
  expect(Math.abs(Number(withFee.gasUsed - without.gasUsed))).toBeLessThan(4000)
})

test('a simulation needs no signature, returns the gas that delivery uses, and writes nothing', () => {
  const simulated = app.simulate(read(), send(bob, 5n, { unsigned: true, gas: 0n }))
  expect(simulated).toMatchObject({ code: 0, gasWanted: 0n })
  expect(balance(bob.address)).toBe(1_000_000n)
  const [delivered] = block(send(bob, 5n)).results
  const difference = Number(delivered!.gasUsed - simulated.gasUsed)
  expect(Math.abs(difference)).toBeLessThan(1000)
})

test('a block out of gas runs no more transactions: the one that crosses the limit keeps its fee, later ones pay nothing', () => {
  start('', 100_000n)
  const txs = [0n, 1n, 2n].map((sequence) => send(bob, 1n, { sequence, gas: 100_000n }))
  const { results } = block(...txs)
  expect(results.map(({ code }) => code)).toEqual([0, 11, 11])
  expect(results[1]!.log).toMatch(/^block gas meter; gasWanted: 100000, gasUsed: \d+: out of gas$/)
  expect(results[2]).toMatchObject({ log: 'no block gas left to run tx: out of gas', gasUsed: 0n, events: [] })
  expect(balance(bob.address)).toBe(1_000_001n)
  expect(balance(alice.address)).toBe(1_000_000n - 1n - 2n * FEE)
})

test('a gas limit that a result cannot encode is refused, whatever the block’s limit', () => {
  start('', 0n)
  expect(app.check(send(bob, 1n, { gas: 1n << 63n }), 'check')).toMatchObject({ code: 18, codespace: 'sdk' })
  expect(app.check(send(bob, 1n, { gas: (1n << 63n) - 1n }), 'check')).toMatchObject({ code: 0 })
})

test('executing the same block twice writes the same changes', () => {
  const input = { ...header(), height: 1n, txs: [send(bob, 1n), hex('00')], lastCommitVotes: [], evidence: [] }
  const text = (output: BlockOutput) =>
    output.branch.changes().map(({ store, key, value }) => `${store} ${formatHex(key)} ${value && formatHex(value)}`)
  expect(text(requireBlock(app.executeBlock(state, input)))).toEqual(text(requireBlock(app.executeBlock(state, input))))
})

test('an exported genesis restores the same state, key for key', () => {
  block(send(dave, 77n))
  const exported = app.exportGenesis(read(), origin)
  const again = createEmptyBranch()
  app.initChain(exported, again)
  // Block history and hashes are not carried (D52); the engine receives the last validator set again.
  const carried = ({ store, key }: { store: string; key: Uint8Array }) =>
    store !== 'x' &&
    !(store === 'staking' && (key[0] === 0x50 || key[0] === 0x61)) &&
    !(store === 'evm' && key[0] === 0x02 && formatHex(key).includes(HISTORY_CONTRACT))
  const text = (branch: Branch) =>
    branch
      .changes()
      .filter((change) => change.value !== undefined && carried(change))
      .map(({ store, key, value }) => `${store} ${formatHex(key)} ${formatHex(value!)}`)
  expect(text(again)).toEqual(text(state))
})

describe('an invalid genesis is refused with the entry', () => {
  const base = () =>
    localnetGenesis({
      identity: almanac,
      chainId: CHAIN_ID,
      genesisTime: '2024-01-01T00:00:00Z',
      accounts: [{ address: alice.address, balanceUnative: 1n }],
      validators: [{ publicKey: validatorKey }],
    })
  const init = (app_state: Record<string, unknown>) => () =>
    app.initChain({ ...base(), app_state: { ...base().app_state, ...app_state } }, createEmptyBranch())

  test('an unknown module', () => expect(init({ oracel: {} })).toThrow('app_state.oracel: unknown module'))
  test('an unknown field', () => expect(init({ bank: { balance: [] } })).toThrow('unknown field balance'))
  test('a supply that is not the sum', () => {
    const bankState = base().app_state['bank'] as Record<string, unknown>
    expect(init({ bank: { ...bankState, supply: [{ denom: 'unative', amount: '5' }] } })).toThrow(
      'genesis supply is incorrect, expected 1000000001unative, got 5unative',
    )
  })
  test('a pool with less than the validators’ tokens', () => {
    const bankState = base().app_state['bank'] as Record<string, unknown>
    const pool = formatBech32('chain', ofModule('bonded_tokens_pool'))
    const balances = (bankState['balances'] as { address: string }[]).filter(({ address }) => address !== pool)
    expect(init({ bank: { ...bankState, supply: [], balances } })).toThrow('bonded_tokens_pool balance is different')
  })
})

/** Returns a transfer of one wei from the Ethereum account of bob's key, funded in a block. */
async function ethereumTransfer(): Promise<Uint8Array> {
  const account = privateKeyToAccount(`0x${formatHex(bob.privateKey)}`)
  const key = { kind: 'ethSecp256k1', key: publicKeyOf(bob.privateKey) } as const
  block(send({ ...bob, text: formatBech32('chain', addressOf(almanac, key)) }, 500_000n))
  const fees = { gas: 21_000n, maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 0n }
  const to = `0x${formatHex(alice.address)}` as const
  const raw = hex(await account.signTransaction({ chainId: 6930, type: 'eip1559', nonce: 0, to, value: 1n, ...fees }))
  return wrapEthereumTx(almanac, decodeTransaction(raw), keccak256(raw))
}

test('a transaction with any changed bytes gets a result, and the state stays consistent', async () => {
  let seed = 0x2545f491
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return (seed >>> 9) % below
  }
  const templates = [send(bob, 5n, { memo: 'a memo', sequence: 1n }), await ethereumTransfer()]
  expect(templates.map((bytes) => app.check(bytes, 'check').code)).toEqual([0, 0])
  const supply = bank.supply(read(), 'unative')
  const seen = new Set<string>()
  for (let i = 0; i < 1500; i++) {
    let bytes: Uint8Array = templates[i % 2]!.slice()
    for (let changes = 1 + random(2); changes > 0; changes--) {
      const at = random(bytes.length)
      const kind = random(8)
      if (kind < 5) bytes[at] = random(256)
      else if (kind === 5) bytes = bytes.slice(0, at + 1)
      else if (kind === 6) bytes = Uint8Array.from([...bytes.slice(0, at), random(256), ...bytes.slice(at)])
      else bytes = Uint8Array.from([...bytes.slice(0, at), ...bytes.slice(at + 1 + random(3))])
      if (bytes.length === 0) bytes = hex('00')
    }
    const { code, codespace } = app.check(bytes, 'check')
    seen.add(`${codespace} ${code}`)
    if (i % 10 === 0) seen.add(`${block(bytes).results[0]!.code}`)
  }
  expect(seen.has('undefined 1')).toBe(false)
  expect(seen.has('sdk 2') && seen.has('sdk 4')).toBe(true)
  expect(bank.supply(read(), 'unative')).toBe(supply)
})
