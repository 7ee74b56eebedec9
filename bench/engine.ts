/**
 * `npm run bench -- engine [TXS] [--senders N] [--engine PATH]`: this application under CometBFT beside the engine's built-in `kvstore`: one
 * validator, the same settings of the engine, transactions of the same length, sent to the engine's RPC by the same load process.
 * Each of the senders, 16 by default, has one transaction under way. Prints transactions per second at saturation, the processor time
 * that this application takes for one, API worker included, the interval of blocks at half of the kvstore's load, and the blocks per second
 * that the handshake replays after the application has lost its data. An application of another process that does nothing shows the bounds
 * of both rates.
 */
import { execFileSync, spawn } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { wrapEthereumTx } from '../src/app/evm/envelope.ts'
import { decodeTransaction } from '../src/evm/transaction/decode.ts'
import { transactionHash } from '../src/evm/transaction/encode.ts'
import { identityOf } from '../src/identity/profiles.ts'
import { hex } from '../src/primitives/bytes.ts'
import { isAside, serveAside, startAside } from './support/aside.ts'
import { serveBareApplication } from './support/bare-application.ts'
import { blocksBetween, heightOf, sendAll, waitForHeight, waitingIn } from './support/engine-rpc.ts'
import { call, removeFolder, scratchFolder, signTransfers, startNodeProcess } from './support/load.ts'
import { median } from './support/median.ts'

/** Ports of the engine's RPC and peers, which no other node of this machine may use. */
const RPC = 'http://127.0.0.1:36657'
const P2P = 'tcp://127.0.0.1:36656'
/** Transfers in a block of the default gas limit. */
const TXS_OF_BLOCK = Math.floor(60_000_000 / 21_000)
const HALF_LOAD_SECONDS = 20
const REPLAYED_BLOCKS = 1000

interface Load {
  readonly series: readonly (readonly string[])[]
  readonly perSecond: number
}

/** An application with its engine, ready for transactions. */
interface Running {
  /** Returns transactions that no earlier call has returned, in base64, by sender. */
  series(each: number): string[][]
  /** Returns the height of the application. */
  height(): Promise<number>
  /** Returns the processor time since the start, seconds. Absent for an application within the engine. */
  cpuSeconds?(): number
  end(): Promise<void>
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { engine: { type: 'string' }, senders: { type: 'string', default: '16' }, aside: { type: 'boolean' } },
})
const engine = isAside ? '' : (values.engine ?? programOnPath())
const SENDERS = Number(values.senders)
const total = Number(positionals[0] ?? 20_000)

/** Returns the path of `cometbft`, from PATH. */
function programOnPath(): string {
  return execFileSync('which', ['cometbft'], { encoding: 'utf8' }).trim()
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

async function startAlmanac(home: string): Promise<Running> {
  const node = await startNodeProcess([
    ...['--home', home, '--accounts', String(SENDERS), '--balance', '100000000', '--insecure-keys'],
    ...['--consensus', 'cometbft', '--engine', engine, '--engine-rpc', RPC, '--p2p', P2P],
    ...['--mempool-slots', '5000'],
  ])
  const { accounts, evm_chain_id: chainId } = node.config
  const identity = identityOf('almanac')
  let firstNonce = 0
  return {
    series(each) {
      const found = accounts.slice(0, SENDERS).map(({ private_key }) =>
        signTransfers({ privateKey: private_key, chainId, firstNonce, count: each }).map((raw) => {
          const tx = decodeTransaction(hex(raw))
          return base64(wrapEthereumTx(identity, tx, transactionHash(tx)))
        }),
      )
      firstNonce += each
      return found
    },
    height: async () => Number(await call(node.config.urls.jsonrpc, 'eth_blockNumber', [])),
    cpuSeconds: node.cpuSeconds,
    end: () => node.end(),
  }
}

/**
 * Starts an engine with an application of its own, `kvstore`, or one at an address of ABCI, and the configuration of another engine's home.
 * `length` is that of its transactions, in bytes.
 */
async function startEngine(application: string, home: string, config: string, length: number): Promise<Running> {
  execFileSync(engine, ['init', '--home', home], { stdio: 'ignore' })
  writeFileSync(join(home, 'config/config.toml'), config)
  // A transaction wants 1 gas there: its blocks have as many as those of the application.
  const document = join(home, 'config/genesis.json')
  const genesis = JSON.parse(readFileSync(document, 'utf8')) as { consensus_params: { block: { max_gas: string } } }
  genesis.consensus_params.block.max_gas = String(TXS_OF_BLOCK)
  writeFileSync(document, JSON.stringify(genesis))
  const options = ['--proxy_app', application, '--rpc.laddr', RPC.replace('http', 'tcp'), '--p2p.laddr', P2P]
  const child = spawn(engine, ['start', '--home', home, ...options], {
    stdio: 'ignore',
    env: { ...process.env, CMT_LOG_FORMAT: 'json', CMT_TX_INDEX_INDEXER: 'null' },
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  process.once('exit', () => child.kill('SIGKILL'))
  await waitForHeight(RPC, 1)
  let next = 0
  return {
    series: (each) =>
      Array.from({ length: SENDERS }, () =>
        Array.from({ length: each }, () => base64(Buffer.from(`${next++}=`.padEnd(length, 'v')))),
      ),
    height: () => heightOf(RPC),
    async end() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

const load = startLoad()

function startLoad() {
  return isAside ? undefined : startAside<Load, number>(import.meta.filename)
}

/**
 * Sends transactions and waits until all are in blocks, or none waits any longer: an engine drops some without a word if its pool fills while
 * they are checked. Returns the blocks and the number of transactions in them.
 */
async function measure(running: Running, count: number, perSecond: number) {
  const each = Math.ceil(count / SENDERS)
  const series = running.series(each)
  const first = (await heightOf(RPC)) + 1
  await load!.run({ series, perSecond })
  for (;;) {
    const isEmpty = (await waitingIn(RPC)) === 0
    const blocks = await blocksBetween(RPC, first, await heightOf(RPC))
    const included = blocks.reduce((sum, { txs }) => sum + txs, 0)
    if (included >= each * SENDERS || (isEmpty && blocks.at(-1)?.txs === 0)) return { blocks, included }
    await wait(200)
  }
}

/** Returns transactions per second between the first block and the last that has one. */
async function saturate(running: Running): Promise<number> {
  const { blocks, included } = await measure(running, total, Number.POSITIVE_INFINITY)
  const full = blocks.filter(({ txs }) => txs > 0)
  if (full.length < 3) throw new Error(`${included} transactions fill ${full.length} blocks: give a larger number`)
  // The transactions of the first block arrived before it, in a time that is not known.
  return ((included - full[0]!.txs) * 1000) / (full.at(-1)!.timeMs - full[0]!.timeMs)
}

/** Returns the median interval of blocks under a load, in milliseconds. */
async function intervalUnder(running: Running, perSecond: number): Promise<number> {
  const { blocks } = await measure(running, perSecond * HALF_LOAD_SECONDS, perSecond)
  return median(blocks.slice(1).map(({ timeMs }, i) => timeMs - blocks[i]!.timeMs))
}

/** Returns the blocks per second of the handshake after the application's data is gone. */
async function replayRate(home: string): Promise<number> {
  process.env['CMT_CONSENSUS_TIMEOUT_COMMIT'] = '1ms'
  const before = await startAlmanac(home)
  const height = await waitForHeight(RPC, REPLAYED_BLOCKS)
  await before.end()
  delete process.env['CMT_CONSENSUS_TIMEOUT_COMMIT']
  rmSync(join(home, 'data'), { recursive: true, force: true })
  // The gateways open with the first block, and the engine replays the rest before it makes another.
  const after = await startAlmanac(home)
  const started = performance.now()
  const first = await after.height()
  let last = first
  while (last < height) {
    await wait(5)
    last = await after.height()
  }
  const seconds = (performance.now() - started) / 1000
  await after.end()
  return (last - first) / seconds
}

/** Returns both rates of an application that does nothing: transactions per second, and blocks per second of the handshake. */
async function bareRates(home: string, config: string, length: number): Promise<{ txs: number; blocks: number }> {
  const bare = await serveBareApplication(`unix://${join(home, 'bare.sock')}`)
  const start = () => startEngine(bare.address, home, config, length)
  const first = await start()
  const txs = await saturate(first)
  await first.end()
  process.env['CMT_CONSENSUS_TIMEOUT_COMMIT'] = '1ms'
  const second = await start()
  await waitForHeight(RPC, REPLAYED_BLOCKS)
  await second.end()
  delete process.env['CMT_CONSENSUS_TIMEOUT_COMMIT']
  const height = bare.height()
  bare.forget()
  const third = start()
  while (bare.height() < height) await wait(1)
  const blocks = (height * 1000) / (performance.now() - bare.startedMs())
  await (await third).end()
  await bare.close()
  return { txs, blocks }
}

async function main(): Promise<void> {
  const home = scratchFolder()
  const other = scratchFolder()
  const unused = scratchFolder()
  const replayed = scratchFolder()
  try {
    let ours = await startAlmanac(home)
    const length = Buffer.from(ours.series(1)[0]![0]!, 'base64').length
    // The nonces of that sample are used up, so they are sent.
    await ours.end()
    const config = readFileSync(join(home, 'engine/config/config.toml'), 'utf8')
    removeFolder(home)
    const kvstore = await startEngine('kvstore', other, config, length)
    const theirRate = await saturate(kvstore)
    const half = Math.floor(theirRate / 2)
    const theirInterval = await intervalUnder(kvstore, half)
    await kvstore.end()
    const bare = await bareRates(unused, config, length)
    ours = await startAlmanac(home)
    const cpuBefore = ours.cpuSeconds!()
    const ourRate = await saturate(ours)
    const cpuMs = ((ours.cpuSeconds!() - cpuBefore) * 1000) / total
    const ourInterval = await intervalUnder(ours, half)
    await ours.end()
    console.log(`transactions of ${length} bytes, ${SENDERS} senders, one validator`)
    console.log(
      `saturation   kvstore ${theirRate.toFixed(0)}/s, almanac ${ourRate.toFixed(0)}/s, ratio ${(ourRate / theirRate).toFixed(2)}`,
    )
    console.log(`bound        ${bare.txs.toFixed(0)}/s for an application that does nothing`)
    console.log(`processor    ${cpuMs.toFixed(2)} ms for a transaction of almanac`)
    console.log(
      `interval     at ${half}/s: kvstore ${theirInterval.toFixed(0)} ms, almanac ${ourInterval.toFixed(0)} ms, ratio ${(ourInterval / theirInterval).toFixed(3)}`,
    )
    console.log(
      `replay       ${(await replayRate(replayed)).toFixed(0)} empty blocks/s, ${bare.blocks.toFixed(0)} by the application that does nothing`,
    )
  } finally {
    for (const folder of [home, other, unused, replayed]) removeFolder(folder)
    load!.end()
  }
}

if (isAside) serveAside<Load, number>(({ series, perSecond }) => sendAll(RPC, series, perSecond))
else await main()
