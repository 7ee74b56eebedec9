/**
 * `npm run bench -- engine-client [BLOCKS] [EMPTY]`: the application of CometBFT with a client in place of the engine, so that the same
 * requests come in each run. Prints the processor time of the node's main thread for each step of a transfer, after two blocks of 2,560, and
 * for an empty block by 500.
 */
import { createHash } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { create } from '@bufbuild/protobuf'
import { wrapEthereumTx } from '../src/app/evm/envelope.ts'
import { decodeTransaction } from '../src/evm/transaction/decode.ts'
import { transactionHash } from '../src/evm/transaction/encode.ts'
import { VoteInfoSchema } from '../src/gen/tendermint/abci/types_pb.ts'
import { identityOf } from '../src/identity/profiles.ts'
import { hex } from '../src/primitives/bytes.ts'
import { type AbciClient, openAbci } from '../test/support/abci-client.ts'
import { removeFolder, scratchFolder, signTransfers, startNodeProcess } from './support/load.ts'

const SENDERS = 16
const EACH = 160
const TXS = SENDERS * EACH
const WARM_BLOCKS = 2
const blocks = Number(process.argv[2] ?? 6)
const empty = Number(process.argv[3] ?? 2000)

const sha256 = (text: string | Uint8Array): Buffer => createHash('sha256').update(text).digest()
/** Connects once the application listens. */
async function connected(): Promise<AbciClient> {
  for (;;) {
    try {
      return await openAbci(socket)
    } catch {
      await wait(20)
    }
  }
}

const home = scratchFolder()
const socket = join(home, 'abci.sock')
const flags = ['--home', home, '--accounts', String(SENDERS), '--balance', '100000000', '--insecure-keys']
// The first start writes the genesis document, which the client passes on as an engine does.
await (await startNodeProcess(flags)).end()
rmSync(join(home, 'data'), { recursive: true })
const starting = startNodeProcess([
  ...[...flags, '--mempool-slots', '5000'],
  ...['--consensus', 'cometbft', '--engine', 'none', '--abci', `unix://${socket}`],
])
const client = await connected()
const genesis = JSON.parse(readFileSync(join(home, 'genesis.json'), 'utf8')) as { chain_id: string; app_state: unknown }
const startSeconds = BigInt(Math.floor(Date.now() / 1000)) - 100_000n
const timeOf = (height: number) => ({ seconds: startSeconds + BigInt(height), nanos: 0 })

await client.ask('info', { version: '0.38.25', abciVersion: '2.0.0' })
const { validators } = await client.ask('initChain', {
  time: timeOf(0),
  chainId: genesis.chain_id,
  consensusParams: {
    block: { maxBytes: 4_194_304n, maxGas: 60_000_000n },
    evidence: { maxAgeNumBlocks: 100_000n, maxAgeDuration: { seconds: 172_800n }, maxBytes: 1_048_576n },
    validator: { pubKeyTypes: ['ed25519'] },
    version: {},
    abci: {},
  },
  appStateBytes: Buffer.from(JSON.stringify(genesis.app_state)),
  initialHeight: 1n,
})
const address = sha256(validators[0]!.pubKey!.sum.value as Uint8Array).subarray(0, 20)
const vote = create(VoteInfoSchema, { validator: { address, power: validators[0]!.power }, blockIdFlag: 2 })

let height = 0
/** Asks for the next block and its commit. Returns the results. */
const finalize = (txs: readonly Uint8Array[]) => {
  height++
  return client.ask('finalizeBlock', {
    txs: [...txs],
    decidedLastCommit: { votes: height === 1 ? [] : [vote] },
    hash: sha256(`block ${height}`),
    height: BigInt(height),
    time: timeOf(height),
    nextValidatorsHash: new Uint8Array(32),
    proposerAddress: address,
  })
}
const commit = () => client.ask('commit', {})
await finalize([])
await commit()
const node = await starting
const { accounts, evm_chain_id: chainId } = node.config

/** Returns the processor time of the node's main thread, milliseconds. */
function mainMs(): number {
  const { pid } = node.child
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
}

const spent = new Map<string, number>()
async function measured<T>(step: string, run: () => Promise<T>): Promise<T> {
  const before = mainMs()
  const result = await run()
  spent.set(step, (spent.get(step) ?? 0) + mainMs() - before)
  return result
}

const identity = identityOf('almanac')
const series = accounts.slice(0, SENDERS).map(({ private_key }) =>
  signTransfers({ privateKey: private_key, chainId, firstNonce: 0, count: EACH * blocks }).map((raw) => {
    const tx = decodeTransaction(hex(raw))
    return wrapEthereumTx(identity, tx, transactionHash(tx))
  }),
)
for (let block = 0; block < blocks; block++) {
  if (block === WARM_BLOCKS) spent.clear()
  const txs = Array.from({ length: TXS }, (_, i) => series[i % SENDERS]![block * EACH + Math.floor(i / SENDERS)]!)
  await measured('CheckTx', async () => {
    for (let at = 0; at < TXS; at += SENDERS) {
      const answers = txs.slice(at, at + SENDERS).map((tx) => client.ask('checkTx', { tx }))
      for (const { code, log } of await Promise.all(answers)) if (code !== 0) throw new Error(log)
    }
  })
  const proposal = { height: BigInt(height + 1), time: timeOf(height + 1), proposerAddress: address }
  const prepared = await measured('PrepareProposal', () =>
    client.ask('prepareProposal', { ...proposal, txs, maxTxBytes: 4_000_000n }),
  )
  const ordered = prepared.txs
  await measured('ProcessProposal', () => client.ask('processProposal', { ...proposal, txs: ordered }))
  const { txResults } = await measured('FinalizeBlock', () => finalize(ordered))
  const succeeded = txResults.filter(({ code }) => code === 0).length
  if (succeeded !== TXS) throw new Error(`${succeeded} of ${TXS} transfers succeeded`)
  await measured('Commit', commit)
  await wait(300)
}
for (const [step, ms] of spent) {
  console.log(`${step.padEnd(16)} ${((ms * 1000) / ((blocks - WARM_BLOCKS) * TXS)).toFixed(1)} µs for a transfer`)
}
for (let from = 0; from < empty; from += 500) {
  const before = mainMs()
  for (let i = 0; i < 500; i++) {
    await finalize([])
    await commit()
  }
  console.log(`empty ${from} to ${from + 500}: ${((mainMs() - before) / 500).toFixed(3)} ms a block`)
}
client.close()
await node.end()
removeFolder(home)
