import { getContractAddress, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { decodeTransaction } from '../evm/transaction/decode.ts'
import { createIdentity } from '../identity/identity.ts'
import { almanac } from '../identity/profiles/almanac.ts'
import { nibiru } from '../identity/profiles/nibiru.ts'
import type { Identity } from '../identity/types.ts'
import { formatBech32 } from '../primitives/address.ts'
import { EMPTY, hex, utf8 } from '../primitives/bytes.ts'
import { keccak256, sha256 } from '../primitives/hash.ts'
import { createEmptyBranch } from '../store/branch.ts'
import { wrapEthereumTx } from './evm/envelope.ts'
import { requireBlock } from './halt.ts'
import { localnetGenesis } from './localnet.ts'
import { testApplication } from './testing.ts'
import { runTrace, type TraceSubject } from './trace-jobs.ts'
import type { BlockInput, GenesisDocument } from './types.ts'

const CHAIN_ID = 'almanac-localnet-1'
const UNIT = 10n ** 12n
const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const contract = getContractAddress({ from: account.address, nonce: 0n })
/** Reverts if it gets data; else writes GASPRICE to slot 0, emits an empty log, and returns the price. */
const RUNTIME = '36156008575f5ffd5b3a5f555f5fa03a5f5260205ff3'
const CREATION: Hex = `0x61${(RUNTIME.length / 2).toString(16).padStart(4, '0')}80600a5f395ff3${RUNTIME}`

/** Returns a chain whose second block will be traced. */
function start(identity: Identity, isFree: boolean) {
  const app = testApplication({ identity })
  const document = localnetGenesis({
    identity,
    chainId: CHAIN_ID,
    genesisTime: '2024-01-01T00:00:00Z',
    accounts: [{ address: hex(account.address.slice(2)), balanceUnative: 10n ** 9n }],
    validators: [{ publicKey: sha256(utf8('a validator')) }],
  })
  const sender = formatBech32(identity.bech32.account, hex(account.address.slice(2)))
  const { sudoers } = document.app_state['sudo'] as { sudoers: object }
  const sudo = { sudoers, ...(isFree && { zero_gas_actors: { senders: [sender], contracts: [contract] } }) }
  const genesis: GenesisDocument = { ...document, app_state: { ...document.app_state, sudo } }
  const state = createEmptyBranch()
  app.initChain(genesis, state)
  let height = 0n

  const wrap = async (fields: object): Promise<Uint8Array> => {
    const raw = hex((await account.signTransaction({ chainId: 6930, gas: 300_000n, ...fields } as never)).slice(2))
    return wrapEthereumTx(identity, decodeTransaction(raw), keccak256(raw))
  }
  function inputOf(txs: readonly Uint8Array[]): BlockInput {
    const hash = sha256(utf8(`block ${++height}`))
    const timeNs = 1_704_067_200_000_000_000n + height * 1_000_000_000n
    return { height, timeNs, proposer: EMPTY, hash, lastCommitHash: hash, txs, lastCommitVotes: [], evidence: [] }
  }
  return { app, state, wrap, inputOf }
}

/** Deploys the contract, runs the calls in one block, and traces all of them. */
async function traced(identity: Identity, isFree: boolean, calls: readonly object[]) {
  const { app, state, wrap, inputOf } = start(identity, isFree)
  const first = inputOf([await wrap({ type: 'legacy', nonce: 0, gasPrice: UNIT, data: CREATION })])
  for (const { store, key, value } of requireBlock(app.executeBlock(state, first)).branch.changes()) {
    if (value) state.set(store, key, value)
    else state.delete(store, key)
  }
  const txs = await Promise.all(calls.map((call, i) => wrap({ nonce: 1 + i, to: contract, ...call })))
  const input = inputOf(txs)
  const { evmTxs } = requireBlock(app.executeBlock(state, input))
  const subject: TraceSubject = { kind: 'mined', input, receipts: evmTxs, target: undefined }
  const base = {
    limit: 0,
    disableStack: false,
    disableStorage: false,
    enableMemory: false,
    enableReturnData: false,
    debug: false,
  }

  function trace<Result>(tracer: string, tracerConfig: object): readonly Result[] {
    const parts: Uint8Array[] = []
    const write = (part: Uint8Array): void => void parts.push(part)
    const means = { shouldStop: () => false, write, outputBytes: Number.POSITIVE_INFINITY }
    const payload = { config: { ...base, tracer, tracerConfig }, subject, outputBytes: Number.POSITIVE_INFINITY }
    runTrace(app, app.readContext(state, first), payload, means)
    const items = JSON.parse(Buffer.concat(parts).toString('utf8')) as { result: Result; error?: string }[]
    expect(items.map(({ error }) => error)).toEqual(calls.map(() => undefined))
    return items.map(({ result }) => result)
  }
  return { evmTxs, trace }
}

interface Frame {
  readonly gasUsed: Hex
  readonly output?: Hex
  readonly error?: string
  readonly logs?: readonly object[]
}

interface Diff {
  readonly pre: Readonly<Record<string, { readonly balance: Hex }>>
  readonly post: Readonly<Record<string, { readonly balance?: Hex; readonly nonce?: number }>>
}

const CALLS = [
  { type: 'legacy', gasPrice: UNIT },
  { type: 'eip1559', maxFeePerGas: 3n * UNIT, maxPriorityFeePerGas: UNIT },
  { type: 'legacy', gasPrice: 0n, data: '0x01' },
]

test('the trace of a zero-gas transaction matches its receipt and shows no fee', async () => {
  const { evmTxs, trace } = await traced(almanac, true, CALLS)
  expect(evmTxs.map(({ status, effectiveGasPrice }) => [status, effectiveGasPrice])).toEqual([
    [1, 0n],
    [1, 0n],
    [0, 0n],
  ])
  const gas = evmTxs.map(({ gasUsed }) => gasUsed)
  const frames = trace<Frame>('callTracer', { withLog: true })
  expect(frames.map(({ gasUsed }) => BigInt(gasUsed))).toEqual(gas)
  expect(frames.map(({ logs = [] }) => logs.length)).toEqual(evmTxs.map(({ logs }) => logs.length))
  expect(frames.map(({ output, error }) => error ?? BigInt(output!))).toEqual([0n, 0n, 'execution reverted'])
  const steps = trace<{ gas: number; failed: boolean }>('', {})
  expect(steps.map((one) => [one.gas, one.failed])).toEqual(gas.map((used, i) => [Number(used), i === 2]))
  const sender = account.address.toLowerCase()
  for (const [i, { pre, post }] of trace<Diff>('prestateTracer', { diffMode: true }).entries()) {
    expect(pre[sender]!.balance, `${i}`).toMatch(/^0x/)
    expect(post[sender], `${i}`).toEqual({ nonce: 2 + i })
  }
})

test('GASPRICE is the charged price, and under the profile of the reference chain the signed price', async () => {
  const low = [
    { type: 'legacy', gasPrice: 7n },
    { type: 'eip1559', maxFeePerGas: 9n, maxPriorityFeePerGas: 0n },
    { type: 'eip1559', maxFeePerGas: 3n * UNIT, maxPriorityFeePerGas: UNIT },
  ]
  const enough = [
    { type: 'legacy', gasPrice: UNIT + 7n },
    { type: 'eip1559', maxFeePerGas: UNIT + 9n, maxPriorityFeePerGas: UNIT },
    { type: 'eip1559', maxFeePerGas: 3n * UNIT, maxPriorityFeePerGas: UNIT },
  ]
  const shown = async (identity: Identity, calls: readonly object[], charged: readonly bigint[], isFree = false) => {
    const { evmTxs, trace } = await traced(identity, isFree, calls)
    expect(evmTxs.map(({ effectiveGasPrice }) => effectiveGasPrice)).toEqual(charged)
    return trace<Frame>('callTracer', {}).map(({ output }) => BigInt(output!))
  }
  const signed = [UNIT + 7n, UNIT + 9n, 2n * UNIT]
  expect(await shown(almanac, enough, signed)).toEqual(signed)
  expect(await shown(almanac, low, [0n, 0n, 0n], true)).toEqual([0n, 0n, 0n])
  const reference = createIdentity(nibiru)
  expect(await shown(reference, enough, signed)).toEqual(signed)
  expect(await shown(reference, low, [UNIT, UNIT, 2n * UNIT])).toEqual([7n, 9n, 2n * UNIT])
  expect(await shown(reference, low, [0n, 0n, 0n], true)).toEqual([0n, 0n, 0n])
})
