/** Replays a recording made here: three blocks, the second with a message to a Wasm contract, which has a substitute. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { create, createFileRegistry, type DescMessage, type Message } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createApplication } from '../src/app/application.ts'
import { wrapEthereumTx } from '../src/app/evm/envelope.ts'
import { requireBlock } from '../src/app/halt.ts'
import { localnetGenesis } from '../src/app/localnet.ts'
import { logOf } from '../src/app/result.ts'
import { REFERENCE_STORES } from '../src/app/stores.ts'
import type { BlockOutput } from '../src/app/types.ts'
import { hashResults } from '../src/consensus/comet/hashes.ts'
import { decodeTransaction } from '../src/evm/transaction/decode.ts'
import { MsgSendSchema } from '../src/gen/sdk/bank/v1beta1/tx_pb.ts'
import { evmChainIdOf } from '../src/identity/identity.ts'
import { identityOf } from '../src/identity/profiles.ts'
import { formatBech32 } from '../src/primitives/address.ts'
import { compare, formatBase64, formatHex, hex, utf8 } from '../src/primitives/bytes.ts'
import { keccak256 } from '../src/primitives/hash.ts'
import { publicKeyOf } from '../src/sdk/crypto.ts'
import { addressOf } from '../src/sdk/public-key.ts'
import { encodeSigned } from '../src/sdk/sign-tx.ts'
import { openMemory } from '../src/store/backend/memory.ts'
import { createEmptyBranch } from '../src/store/branch.ts'
import type { Change } from '../src/store/types.ts'
import { openVersionedStore } from '../src/store/versioned.ts'
import { openRecording } from './recording.ts'
import { replay } from './replay-run.ts'
import { createReplayApplication } from './substitutes.ts'

const CHAIN_ID = 'nibiru-localnet-0'
const identity = identityOf('nibiru')
const evmChainId = evmChainIdOf(identity, CHAIN_ID)
const sender = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const alice = hex(sender.address.slice(2))
const bob = new Uint8Array(20).fill(0xb0)
const text = (address: Uint8Array) => formatBech32(identity.bech32.account, address)
const carolKey = new Uint8Array(32).fill(0xca)
const publicKey = publicKeyOf(carolKey)
const carol = addressOf(identity, { kind: 'secp256k1', key: publicKey })
/** A key of a contract in the Wasm store. */
const CONTRACT_KEY = Uint8Array.of(0x03, 1)

/** The message that carol sends to a Wasm contract. */
const MsgExecuteContract = createFileRegistry(
  create(FileDescriptorProtoSchema, {
    name: 'wasm.proto',
    package: 'cosmwasm.wasm.v1',
    syntax: 'proto3',
    messageType: [{ name: 'MsgExecuteContract' }],
  }),
  () => undefined,
).getMessage('cosmwasm.wasm.v1.MsgExecuteContract')!

const genesis = localnetGenesis({
  identity,
  chainId: CHAIN_ID,
  genesisTime: '2024-01-01T00:00:00Z',
  accounts: [
    { address: alice, balanceUnative: 10n ** 12n },
    { address: carol, balanceUnative: 10n ** 12n },
  ],
  validators: [{ publicKey: hex('6ec2a51822fba17c23db4abc276ac2fe0a4621323b49d0d82dfbc65b579e2dea') }],
})

async function transfer(): Promise<Uint8Array> {
  const raw = hex(
    (
      await sender.signTransaction({
        chainId: Number(evmChainId),
        nonce: 0,
        gas: 21_000n,
        gasPrice: 10n ** 12n,
        value: 5n * 10n ** 12n + 7n,
        to: '0xb0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0',
        type: 'legacy',
      })
    ).slice(2),
  )
  return wrapEthereumTx(identity, decodeTransaction(raw), keccak256(raw))
}

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'replay-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

const lines = (name: string, values: readonly unknown[]) =>
  writeFileSync(join(folder, name), gzipSync(values.map((value) => JSON.stringify(value)).join('\n')))

const textOf = (change: Change) => ({
  store: change.store,
  key: formatHex(change.key),
  ...(change.value ? { value: formatHex(change.value) } : { delete: true }),
})

/** Consensus address of the only proposer. */
const PROPOSER = '121963FC7BC5F94F2978F6B7A082D1263EE7F5E4'

const blockLine = (
  height: number,
  appHash: Uint8Array,
  txs: readonly Uint8Array[],
  output: BlockOutput,
  before?: BlockOutput,
) => ({
  height,
  time: `2024-01-01T00:00:0${height}Z`,
  hash: formatHex(keccak256(utf8(`block ${height}`))).toUpperCase(),
  appHash: formatHex(appHash).toUpperCase(),
  partSetHeader: { total: 1, hash: '' },
  proposer: PROPOSER,
  header: {
    chain_id: CHAIN_ID,
    last_commit_hash: '',
    proposer_address: PROPOSER,
    last_results_hash: before ? formatHex(hashResults(before.results)).toUpperCase() : '',
  },
  lastCommit: null,
  evidence: [],
  txs: txs.map(formatBase64),
  results: output.results.map(({ gasWanted, gasUsed, data, log, ...rest }) => ({
    ...rest,
    log: logOf({ log, events: rest.events }),
    gasWanted: String(gasWanted),
    gasUsed: String(gasUsed),
    data: formatBase64(data),
  })),
  beginBlockEvents: [],
  endBlockEvents: [],
})

/** Returns a transaction of carol's with one message. */
function signed(schema: DescMessage, message: Message): Uint8Array {
  const fee = { gasLimit: 500_000n, amount: [{ denom: 'unibi', amount: 500n }] }
  const key = { algorithm: 'secp256k1', publicKey } as const
  const messages = [{ schema, message }]
  const plan = { identity, messages, memo: '', timeoutHeight: 0n, key, chainId: CHAIN_ID }
  return encodeSigned({ ...plan, accountNumber: 1n, sequence: 0n }, fee, carolKey)
}

/** Writes the recording. `spoil` can change the writes of the second block. */
async function record(spoil: (changes: Change[]) => Change[] = (changes) => changes): Promise<void> {
  const settings = { minGasPrices: '' }
  const app = createApplication({ identity, chainId: CHAIN_ID, evmChainId, settings })
  const store = openVersionedStore(openMemory(), REFERENCE_STORES)
  const input = (height: number, txs: readonly Uint8Array[], before?: BlockOutput) => ({
    height: BigInt(height),
    timeNs: BigInt(Date.parse(`2024-01-01T00:00:0${height}Z`)) * 1_000_000n,
    proposer: hex(PROPOSER.toLowerCase()),
    hash: keccak256(utf8(`block ${height}`)),
    lastCommitHash: new Uint8Array(0),
    txs,
    lastCommitVotes: [],
    evidence: [],
    header: {
      chainId: CHAIN_ID,
      height: BigInt(height),
      timeNs: BigInt(Date.parse(`2024-01-01T00:00:0${height}Z`)) * 1_000_000n,
      lastBlockId: { hash: new Uint8Array(0), partsTotal: 0, partsHash: new Uint8Array(0) },
      ...{ lastCommitHash: new Uint8Array(0), dataHash: new Uint8Array(0), validatorsHash: new Uint8Array(0) },
      ...{ nextValidatorsHash: new Uint8Array(0), consensusHash: new Uint8Array(0), appHash: new Uint8Array(0) },
      ...{ evidenceHash: new Uint8Array(0), proposer: hex(PROPOSER.toLowerCase()) },
      lastResultsHash: before ? hashResults(before.results) : new Uint8Array(0),
    },
  })
  const state = createEmptyBranch()
  app.initChain(genesis, state)
  const first = requireBlock(app.executeBlock(state, input(1, [])))
  const begun = new Map(
    [...state.changes(), ...first.branch.changes()]
      .filter(({ store: name }) => name !== 'x')
      .map((change) => [`${change.store}/${formatHex(change.key)}`, change] as const),
  )
  const firstChanges = [...begun.values()].sort((a, b) =>
    a.store === b.store ? compare(a.key, b.key) : a.store < b.store ? -1 : 1,
  )
  const { appHash } = store.commit({ height: 1n, changes: firstChanges })
  const tx = await transfer()
  // The contract's events report a send. It also writes its own state.
  const amount = [{ denom: 'unibi', amount: '1000' }]
  const send = create(MsgSendSchema, { fromAddress: text(carol), toAddress: text(bob), amount })
  const second = requireBlock(app.executeBlock(store.at(), input(2, [tx, signed(MsgSendSchema, send)], first)))
  const execution = signed(MsgExecuteContract, create(MsgExecuteContract))
  const written = { store: 'wasm', key: CONTRACT_KEY, value: Uint8Array.of(1) }
  const secondChanges = spoil([...second.branch.changes().filter(({ store: name }) => name !== 'x'), written])
  const secondHash = store.commit({ height: 2n, changes: secondChanges }).appHash
  const third = requireBlock(app.executeBlock(store.at(), input(3, [], second)))
  writeFileSync(
    join(folder, 'genesis.json.gz'),
    gzipSync(JSON.stringify({ ...genesis, app_state: { ...genesis.app_state, feeibc: {} } })),
  )
  lines('blocks.jsonl.gz', [
    blockLine(1, new Uint8Array(0), [], first),
    blockLine(2, appHash, [tx, execution], second, first),
    blockLine(3, secondHash, [], third, second),
  ])
  lines('changes.jsonl.gz', [
    { height: 1, changes: firstChanges.map(textOf) },
    { height: 2, changes: secondChanges.map(textOf) },
    {
      height: 3,
      changes: third.branch
        .changes()
        .filter(({ store: name }) => name !== 'x')
        .map(textOf),
    },
  ])
  lines(
    'validators.jsonl.gz',
    [1, 2, 3].map((height) => ({ height, validators: [] })),
  )
}

const run = () =>
  replay(openRecording(folder), {
    identity,
    createApp: (chainId, onBug) => createReplayApplication({ identity, chainId, evmChainId, onBug }),
  })

test('a replay reproduces every key of genesis and blocks, coins moved by a Wasm contract included, and the app hashes', async () => {
  await record()
  const report = await run()
  expect(report.keys).toEqual([])
  // A substitute executes nothing, so its gas is another.
  expect(report.resultDifferences).toMatchObject([{ tx: 1, field: 'gas', listed: 'gas-of-unbuilt-modules' }])
  expect([report.unlisted, report.blocks, report.results.evm, report.results.sdk]).toEqual([0, 3, 1, 1])
  expect(report.recordedHashes).toEqual({ computed: 2, equal: 2, different: [] })
  expect(report.ownHashes).toEqual({ computed: 2, equal: 1, different: [], listed: new Map([['wasm', [2]]]) })
  // Only the second block has results, and one is of a substitute.
  const listed = new Map([['wasm, gas-of-unbuilt-modules', [2]]])
  expect(report.resultsHashes).toEqual({ computed: 2, equal: 1, different: [], listed })
  expect([...report.stores.get('wasm')!.excluded]).toEqual([['wasm', 1]])
  expect(report.stores.get('bank')!.excluded.size).toBe(0)
})

test('a different value is reported for its block only, since the next block starts from the recorded state', async () => {
  await record((changes) =>
    changes.map((change) =>
      change.store === 'bank' && change.key[0] === 0x0f ? { ...change, value: new Uint8Array(32).fill(1) } : change,
    ),
  )
  const report = await run()
  expect(report.keys.map(({ height, store, kind }) => [height, store, kind])).toEqual([
    [2, 'bank', 'value'],
    [2, 'bank', 'value'],
  ])
  expect([report.ownHashes.different, report.resultsHashes.different]).toEqual([[2], []])
  expect(report.unlisted).toBe(3)
  expect(report.recordedHashes.equal).toBe(2)
})

test('changes that end before the blocks are an error that names the height', async () => {
  await record()
  lines('changes.jsonl.gz', [{ height: 1, changes: [] }])
  await expect(run()).rejects.toThrow('blocks.jsonl.gz has height 2, changes.jsonl.gz has ended')
})
