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
import { EMPTY, hex } from '../primitives/bytes.ts'
import { keccak256, sha256 } from '../primitives/hash.ts'
import { createContext, createTransient } from '../sdk/create-context.ts'
import { publicKeyOf } from '../sdk/crypto.ts'
import { encodeSigned } from '../sdk/sign-tx.ts'
import { testContext } from '../sdk/testing.ts'
import { createEmptyBranch } from '../store/branch.ts'
import type { Reader } from '../store/types.ts'
import { createApplication } from './application.ts'
import { wrapEthereumTx } from './evm/envelope.ts'
import { requireBlock } from './halt.ts'
import { createHostFailures } from './host-failures.ts'
import { localnetGenesis } from './localnet.ts'
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
  const failure = new Error('the disk did not answer')
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
    expect(run(failing).outcome, `read ${failing}`).toThrow(failure)
  expect(bugs).toEqual([])
})

test('a failed allocation is a host failure, and an error that every node has is not', () => {
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
  for (const run of [deep, () => 'a'.repeat(2 ** 30), () => new Array(-1), () => (undefined as never as []).length]) {
    expect(hostFailures.includes(failureOf(run))).toBe(false)
  }
})
