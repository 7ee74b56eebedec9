import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { transactionHash } from '../evm/transaction/encode.ts'
import { addressOfPrivateKey, signTransaction } from '../evm/transaction/sender.ts'
import { MsgSendSchema } from '../gen/sdk/bank/v1beta1/tx_pb.ts'
import { almanac } from '../identity/profiles/almanac.ts'
import * as auth from '../modules/auth/keeper.ts'
import * as devgas from '../modules/devgas/keeper.ts'
import { codes } from '../modules/evm/state.ts'
import { formatBech32, ofSecp256k1 } from '../primitives/address.ts'
import { EMPTY, formatHex, hex } from '../primitives/bytes.ts'
import { queryError } from '../primitives/errors.ts'
import { keccak256, sha256 } from '../primitives/hash.ts'
import { createContext, createTransient } from '../sdk/create-context.ts'
import { publicKeyOf } from '../sdk/crypto.ts'
import type { Module } from '../sdk/module.ts'
import { encodeSigned } from '../sdk/sign-tx.ts'
import { testContext } from '../sdk/testing.ts'
import { createEmptyBranch } from '../store/branch.ts'
import type { Reader } from '../store/types.ts'
import { createApplication } from './application.ts'
import { wrapEthereumTx } from './evm/envelope.ts'
import { requireBlock } from './halt.ts'
import { createHostFailures } from './host-failures.ts'
import { localnetGenesis } from './localnet.ts'
import { modules } from './modules.ts'
import { testApplication } from './testing.ts'

const CHAIN_ID = 'almanac-localnet-1'
const PRIVATE_KEY = sha256(Uint8Array.of(1))
const PUBLIC_KEY = publicKeyOf(PRIVATE_KEY)
const COSMOS = ofSecp256k1(PUBLIC_KEY)
const ETHEREUM = addressOfPrivateKey(PRIVATE_KEY)
const CONTRACT = new Uint8Array(20).fill(0xc0)
const WITHDRAWER = new Uint8Array(20).fill(0xd0)
/** Increments slot 0. */
const CODE = hex('6001600054016000550000')
const BLOCK = { height: 1n, timeNs: 1_704_067_201_000_000_000n, proposer: EMPTY, lastCommitHash: EMPTY }

/** Returns a new chain with a contract that earns its developer a share. */
function beginning() {
  const state = createEmptyBranch()
  const balanceUnative = 1_000_000_000n
  const document = localnetGenesis({
    identity: almanac,
    chainId: CHAIN_ID,
    genesisTime: '2024-01-01T00:00:00Z',
    accounts: [
      { address: COSMOS, balanceUnative },
      { address: ETHEREUM, balanceUnative },
    ],
    validators: [{ publicKey: sha256(Uint8Array.of(2)) }],
  })
  testApplication().initChain(document, state)
  const { app, block } = testContext()
  const ctx = createContext({ branch: state, transient: createTransient(), identity: almanac, app, block })
  codes.set(ctx, keccak256(CODE), CODE)
  auth.setAccount(ctx, { ...auth.ensureAccount(ctx, CONTRACT), kind: 'eth', codeHash: keccak256(CODE) })
  devgas.setShare(ctx, { contract: CONTRACT, deployer: ETHEREUM, withdrawer: WITHDRAWER })
  return state
}

function send(): Uint8Array {
  const message = create(MsgSendSchema, {
    fromAddress: formatBech32('chain', COSMOS),
    toAddress: formatBech32('chain', WITHDRAWER),
    amount: [{ denom: 'unative', amount: '7' }],
  })
  const key = { algorithm: 'secp256k1', publicKey: PUBLIC_KEY } as const
  const plan = { identity: almanac, messages: [{ schema: MsgSendSchema, message }], memo: '', timeoutHeight: 0n, key }
  const account = { chainId: CHAIN_ID, accountNumber: 0n, sequence: 0n }
  return encodeSigned({ ...plan, ...account }, { gasLimit: 200_000n, amount: [] }, PRIVATE_KEY)
}

function call(): Uint8Array {
  const common = { type: 0, chainId: 6930n, nonce: 0n, valueWei: 0n, data: EMPTY } as const
  const tx = signTransaction({ ...common, gasLimit: 100_000n, to: CONTRACT, gasPriceWei: 10n ** 12n }, PRIVATE_KEY)
  return wrapEthereumTx(almanac, tx, transactionHash(tx))
}

/** Returns a state that counts its reads, and fails at the read with a given number. */
function failingReader(base: Reader, failing: number, failure: Error) {
  let count = 0
  const step = () => {
    if (++count === failing) throw failure
  }
  const reader: Reader = {
    get(store, key) {
      step()
      return base.get(store, key)
    },
    has(store, key) {
      step()
      return base.has(store, key)
    },
    *iterate(store, range) {
      step()
      yield* base.iterate(store, range)
    },
  }
  return { reader, reads: () => count }
}

test('a failing disk read stops the block and fails no transaction', () => {
  const state = beginning()
  const bugs: unknown[] = []
  const onBug = (error: unknown) => bugs.push(error)
  const app = createApplication({
    identity: almanac,
    chainId: CHAIN_ID,
    evmChainId: 6930n,
    settings: { minGasPrices: '' },
    onBug,
  })
  // Also a read that fails with an error of the chain is no answer to a transaction.
  const failure = queryError('dataLoss', 'the disk did not answer')
  const run = (failing: number) => {
    const { reader, reads } = failingReader(state, failing, failure)
    const input = { ...BLOCK, hash: sha256(EMPTY), txs: [send(), call()], lastCommitVotes: [], evidence: [] }
    return { outcome: () => app.executeBlock(reader, input), reads }
  }
  const whole = run(0)
  const made = requireBlock(whole.outcome())
  expect(made).toMatchObject({ results: [{ code: 0 }, { code: 0 }], evmTxs: [{ status: 1 }] })
  expect(made.results[1]!.events.map(({ type }) => type)).toContain('chain.devgas.v1.EventPayoutDevGas')
  expect(whole.reads()).toBeGreaterThan(30)
  for (let failing = 1; failing <= whole.reads(); failing++)
    expect(run(failing).outcome, `read ${failing}`).toThrow(failure.message)
  expect(bugs).toEqual([])
})

test('a failed allocation and an exhausted stack are of the machine, and an error that every node has is not', () => {
  const hostFailures = createHostFailures()
  const failureOf = (run: () => unknown): unknown => {
    try {
      run()
    } catch (error) {
      return error
    }
    return undefined
  }
  expect(hostFailures.includes(failureOf(() => new ArrayBuffer(2 ** 46)))).toBe(true)
  expect(hostFailures.includes(new RangeError('WebAssembly.Memory(): could not allocate memory'))).toBe(true)
  const deep = (): number => deep() + 1
  expect(hostFailures.includes(failureOf(deep))).toBe(true)
  for (const run of [() => 'a'.repeat(2 ** 30), () => new Array(-1), () => (undefined as never as []).length]) {
    expect(hostFailures.includes(failureOf(run))).toBe(false)
  }
})

/** Returns the modules of this build, in which transfers of coins fail with an error. */
function failingTransfers(fail: () => never): readonly Module[] {
  return modules.map((module) => {
    if (module.name !== 'bank') return module
    const messages = module.messages.map(({ handlers }) => ({
      handlers: { ...handlers, routes: handlers.routes.map((route) => ({ ...route, handle: fail })) },
    }))
    return { ...module, messages }
  })
}

test('an exhausted stack in a message is no result: the block ends and names the transaction, a simulation is refused', () => {
  const state = beginning()
  const bugs: unknown[] = []
  const deep = (): never => [deep()][0] as never
  const app = createApplication({
    identity: almanac,
    chainId: CHAIN_ID,
    evmChainId: 6930n,
    settings: { minGasPrices: '' },
    onBug: (error) => bugs.push(error),
    modules: failingTransfers(deep),
  })
  const tx = send()
  const input = { ...BLOCK, hash: sha256(EMPTY), txs: [tx], lastCommitVotes: [], evidence: [] }
  const hash = formatHex(sha256(tx)).toUpperCase()
  expect(() => app.executeBlock(state, input)).toThrow(
    `transaction ${hash} of block 1: Maximum call stack size exceeded`,
  )
  expect(bugs).toEqual([])
  const ctx = app.readContext(state, { ...BLOCK, height: 0n, hash: EMPTY })
  expect(app.simulate(ctx, tx)).toMatchObject({ code: 1, codespace: 'undefined', log: 'internal' })
  expect(bugs).toEqual([expect.any(RangeError)])
})

test('a bug in a message ends the block, and a simulation of it is refused and reported once', () => {
  const state = beginning()
  const bugs: unknown[] = []
  const bug = new TypeError('this is undefined')
  const app = createApplication({
    identity: almanac,
    chainId: CHAIN_ID,
    evmChainId: 6930n,
    settings: { minGasPrices: '' },
    onBug: (error) => bugs.push(error),
    modules: failingTransfers(() => {
      throw bug
    }),
  })
  const input = { ...BLOCK, hash: sha256(EMPTY), txs: [send()], lastCommitVotes: [], evidence: [] }
  expect(() => app.executeBlock(state, input)).toThrow('of block 1: this is undefined')
  expect(bugs).toEqual([])
  const ctx = app.readContext(state, { ...BLOCK, height: 0n, hash: EMPTY })
  expect(app.simulate(ctx, send())).toMatchObject({ code: 1, codespace: 'undefined', log: 'internal' })
  expect(bugs).toEqual([bug])
})
