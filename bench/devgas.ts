/**
 * The cost of fee shares: a block of 1,000 calls of 500 contracts, all registered, against the same block without registrations.
 * Both chains run in turn in one process, with the same transactions on the same state, each first in every other round. Times
 * are processor times, so that other load on the machine matters little. `npm run bench -- devgas [ROUNDS]`.
 */

import { wrapEthereumTx } from '../src/app/evm/envelope.ts'
import { requireBlock } from '../src/app/halt.ts'
import { localnetGenesis } from '../src/app/localnet.ts'
import { ALMANAC_STORES } from '../src/app/stores.ts'
import { testApplication } from '../src/app/testing.ts'
import type { GenesisDocument } from '../src/app/types.ts'
import { encodeTransaction } from '../src/evm/transaction/encode.ts'
import { addressOfPrivateKey, signTransaction } from '../src/evm/transaction/sender.ts'
import { almanac } from '../src/identity/profiles/almanac.ts'
import { formatBech32, formatEip55 } from '../src/primitives/address.ts'
import { EMPTY, encodeUint, utf8 } from '../src/primitives/bytes.ts'
import { keccak256, sha256 } from '../src/primitives/hash.ts'
import { openMemory } from '../src/store/backend/memory.ts'
import { createEmptyBranch } from '../src/store/branch.ts'
import { openVersionedStore } from '../src/store/versioned.ts'
import { isBundled, runBundled } from './support/bundled.ts'
import { median } from './support/median.ts'

const CALLS = 1000
const CONTRACTS = 500
const ALLOWED = 1.15
const GENESIS_NS = 1_704_067_200_000_000_000n

const key = sha256(utf8('devgas bench'))
const sender = addressOfPrivateKey(key)
const contractAt = (i: number) => encodeUint(0xc0de0000n + BigInt(i), 20)
const text = (bytes: Uint8Array) => formatBech32('chain', bytes)
/** Counts its calls: SLOAD 0, plus one, SSTORE 0. */
const COUNTER = '600160005401600055'

function genesisOf(isRegistered: boolean): GenesisDocument {
  const local = localnetGenesis({
    identity: almanac,
    chainId: 'almanac-localnet-1',
    genesisTime: '2024-01-01T00:00:00Z',
    accounts: [{ address: sender, balanceUnative: 10n ** 15n }],
    validators: [{ publicKey: new Uint8Array(32).fill(1) }],
    blockGasLimit: 0n,
  })
  const state = local.app_state as Record<string, Record<string, unknown>>
  const contracts = Array.from({ length: CONTRACTS }, (_, i) => contractAt(i))
  const evm = state['evm'] as { accounts?: unknown[] }
  const shares = contracts.map((contract, i) => ({
    contract_address: text(contract),
    deployer_address: text(sender),
    withdrawer_address: text(encodeUint(0xdead0000n + BigInt(i), 20)),
  }))
  return {
    ...local,
    app_state: {
      ...state,
      evm: {
        ...evm,
        accounts: [
          ...(evm.accounts ?? []),
          ...contracts.map((contract) => ({ address: formatEip55(contract), code: COUNTER, storage: [] })),
        ],
      },
      devgas: { ...state['devgas'], fee_share: isRegistered ? shares : [] },
    },
  } as GenesisDocument
}

function start(isRegistered: boolean) {
  const app = testApplication()
  const store = openVersionedStore(openMemory(), { ...ALMANAC_STORES, keepHeights: 4 })
  const genesis = createEmptyBranch()
  app.initChain(genesisOf(isRegistered), genesis)
  let height = 1n
  store.commit({ height, changes: genesis.changes() })
  /** Executes and commits a block, trees and history included. Returns processor milliseconds. Throws if a call failed. */
  return (txs: readonly Uint8Array[]): number => {
    height++
    const started = process.cpuUsage()
    const base = store.at()
    const output = requireBlock(
      app.executeBlock(base, {
        height,
        timeNs: GENESIS_NS + height * 1_000_000_000n,
        proposer: new Uint8Array(20),
        hash: sha256(utf8(`block ${height}`)),
        lastCommitHash: new Uint8Array(32),
        txs,
        lastCommitVotes: [],
        evidence: [],
      }),
    )
    base.close()
    store.commit({ height, changes: output.branch.changes() })
    const { user, system } = process.cpuUsage(started)
    const paid = output.results.filter(({ events }) => events.some(({ type }) => type.endsWith('EventPayoutDevGas')))
    if (paid.length !== (isRegistered ? txs.length : 0)) throw new Error(`${paid.length} of ${txs.length} paid`)
    return (user + system) / 1000
  }
}

function blockOf(round: number): Uint8Array[] {
  return Array.from({ length: CALLS }, (_, i) => {
    const tx = signTransaction(
      {
        type: 0,
        chainId: 6930n,
        nonce: BigInt(round * CALLS + i),
        gasPriceWei: 10n ** 12n,
        gasLimit: 60_000n,
        to: contractAt(i % CONTRACTS),
        valueWei: 0n,
        data: EMPTY,
      },
      key,
    )
    return wrapEthereumTx(almanac, tx, keccak256(encodeTransaction(tx)))
  })
}

function compare(rounds: number): void {
  const chains = { registered: start(true), plain: start(false) }
  const times: { registered: number; plain: number }[] = []
  for (let round = 0; round < rounds + 3; round++) {
    const txs = blockOf(round)
    // Each chain gets its own bytes, and each is first in every other round: neither decodes for the other.
    const run = (name: 'registered' | 'plain') => chains[name](txs.map((tx) => tx.slice()))
    const first = round % 2 === 0 ? 'registered' : 'plain'
    const second = first === 'plain' ? 'registered' : 'plain'
    const took = { [first]: run(first), [second]: run(second) } as (typeof times)[number]
    if (round >= 3) times.push(took)
  }
  const registered = median(times.map((one) => one.registered))
  const plain = median(times.map((one) => one.plain))
  const ratio = median(times.map((one) => one.registered / one.plain))
  process.stdout.write(
    `a block of ${CALLS} calls of ${CONTRACTS} contracts: registered ${registered.toFixed(1)} ms, none ${plain.toFixed(1)} ms: ` +
      `${ratio.toFixed(3)} times (${ALLOWED} allowed)\n`,
  )
  if (ratio > ALLOWED) process.exitCode = 1
}

if (isBundled) compare(Number(process.argv[2] ?? 25))
else await runBundled(import.meta.filename)
