/**
 * The longest wait of a light request over REST, gRPC, JSON-RPC and the CometBFT RPC while the node executes blocks of 60,000,000 gas that take long
 * for their gas. `npm run bench -- stalls [PART_OF_A_NAME] [ROUNDS] [API_WORKERS]`; without a number of workers the node has its
 * default. Half of the requests open a connection of their own. A bare server, asked at the same time, shows how long the machine
 * alone makes a request wait.
 */
import { Agent, request as httpRequest } from 'node:http'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { setTimeout as sleep } from 'node:timers/promises'
import { create, toBinary } from '@bufbuild/protobuf'
import { DirectSecp256k1HdWallet } from '@cosmjs/proto-signing'
import { SigningStargateClient } from '@cosmjs/stargate'
import { TxRawSchema } from '../src/gen/sdk/tx/v1beta1/tx_pb.ts'
import { type SlowBlock, slowBlocks } from '../test/support/evm/slow-blocks.ts'
import { isAside, serveAside, startAside } from './support/aside.ts'
import { startBare } from './support/bare.ts'
import { call, type NodeProcess, startNodeProcess } from './support/load.ts'
import { median } from './support/median.ts'

/** The protocols; a call over JSON-RPC that a compute thread runs; and the bare server. */
const PROTOCOLS = ['REST', 'gRPC', 'JSON-RPC', 'CometBFT', 'compute', 'bare'] as const
type Protocol = (typeof PROTOCOLS)[number]

interface Probe {
  readonly urls: NodeProcess['config']['urls']
  readonly barePort: number
  readonly account: { readonly hex: string; readonly bech32: string }
  /** Time for which to send requests. Unit: milliseconds. */
  readonly ms: number
}

/** Longest wait by protocol, and the number of answers. Unit: milliseconds. */
interface Waits {
  readonly longest: Readonly<Record<Protocol, number>>
  readonly answers: number
}

/** Pause between two requests of a protocol, milliseconds. */
const PAUSE_MS = 2
const TX_GAS = 15_000_000
const BLOCK_GAS = 60_000_000
const LOOP = `0x${'c0'.repeat(20)}`

/** Sends a request and reads its answer. Rejects unless the status is 200 and the answer contains no error. */
function http(url: string, path: string, agent: Agent | undefined, body?: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = {
      agent: agent ?? false,
      method: body ? 'POST' : 'GET',
      ...(body && { headers: { 'content-type': 'application/json' } }),
    }
    const sent = httpRequest(url + path, options, (answer) => {
      let text = ''
      answer.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      answer.on('end', () => {
        if (answer.statusCode === 200 && !text.includes('"error"')) resolve()
        else reject(new Error(`${path}: ${answer.statusCode} ${text}`))
      })
      answer.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Calls a unary method with an empty request. Rejects unless the gRPC status is 0. */
function grpc(session: ClientHttp2Session, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    stream.on('trailers', (trailers) => {
      if (trailers['grpc-status'] === '0') resolve()
      else reject(new Error(`${path}: gRPC status ${trailers['grpc-status']}`))
    })
    stream.on('error', reject)
    stream.resume()
    stream.end(Buffer.alloc(5))
  })
}

async function probe({ urls, barePort, account, ms }: Probe): Promise<Waits> {
  const end = performance.now() + ms
  const longest = { REST: 0, gRPC: 0, 'JSON-RPC': 0, CometBFT: 0, compute: 0, bare: 0 }
  let answers = 0
  const agent = new Agent({ keepAlive: true })
  const session = connectHttp2(`http://${urls.grpc}`)
  const fresh = async (path: string) => {
    const own = connectHttp2(`http://${urls.grpc}`)
    try {
      await grpc(own, path)
    } finally {
      own.close()
    }
  }
  const methods: readonly (readonly [string, readonly unknown[]])[] = [
    ['eth_getBalance', [account.hex, 'latest']],
    ['eth_blockNumber', []],
    ['eth_getTransactionCount', [account.hex, 'latest']],
    ['eth_gasPrice', []],
    ['eth_call', [{ to: account.hex, data: '0x' }, 'latest']],
  ]
  const rpc = (round: number, [method, params]: readonly [string, readonly unknown[]]) =>
    http(
      urls.jsonrpc,
      '/',
      round % 2 === 0 ? agent : undefined,
      JSON.stringify({ jsonrpc: '2.0', id: round, method, params }),
    )
  /** Calls with overrides run in a compute thread. */
  const computed = [{ to: LOOP, data: '0x', gas: '0x5208' }, 'latest', { [LOOP]: { code: '0x00' } }]
  const balance = `/cosmos/bank/v1beta1/balances/${account.bech32}/by_denom?denom=unative&round=`
  const services = ['/cosmos.bank.v1beta1.Query/Params', '/cosmos.staking.v1beta1.Query/Pool']
  const requests: Readonly<Record<Protocol, (round: number) => Promise<void>>> = {
    REST: (round) => http(urls.rest, balance + round, round % 2 === 0 ? agent : undefined),
    gRPC: (round) =>
      round % 2 === 0 ? grpc(session, services[(round >> 1) % 2]!) : fresh(services[(round >> 1) % 2]!),
    'JSON-RPC': (round) => rpc(round, methods[(round >> 1) % methods.length]!),
    CometBFT: (round) => http(urls.comet, '/status', round % 2 === 0 ? agent : undefined),
    compute: (round) => rpc(round, ['eth_call', computed]),
    bare: (round) => http(`http://127.0.0.1:${barePort}`, '/', round % 2 === 0 ? agent : undefined),
  }
  await Promise.all(
    PROTOCOLS.map(async (protocol) => {
      for (let round = 0; performance.now() < end; round++) {
        const begun = performance.now()
        await requests[protocol](round)
        longest[protocol] = Math.max(longest[protocol], performance.now() - begun)
        answers++
        await sleep(PAUSE_MS)
      }
    }),
  )
  agent.destroy()
  session.close()
  return { longest, answers }
}

type Config = NodeProcess['config']

/** Puts the transactions of a block into the pool. */
type Fill = (config: Config) => Promise<void>

const loopBlock =
  ({ code, data }: SlowBlock): Fill =>
  async ({ urls, accounts }) => {
    await call(urls.jsonrpc, 'anvil_setCode', [LOOP, code])
    for (const { address: from } of accounts.slice(0, BLOCK_GAS / TX_GAS)) {
      await call(urls.jsonrpc, 'eth_sendTransaction', [{ from, to: LOOP, data, gas: `0x${TX_GAS.toString(16)}` }])
    }
  }

/** A message of the chain with many outputs, each of which emits events. The gas of an output is measured first. */
const multiSend: Fill = async ({ urls, mnemonic }) => {
  const wallet = await DirectSecp256k1HdWallet.fromMnemonic(mnemonic, { prefix: 'chain' })
  const { address } = (await wallet.getAccounts())[0]!
  const client = await SigningStargateClient.connectWithSigner(urls.comet, wallet)
  const message = (outputs: number) => {
    const coins = (count: number) => [{ denom: 'unative', amount: String(count) }]
    return {
      typeUrl: '/cosmos.bank.v1beta1.MsgMultiSend',
      value: {
        inputs: [{ address, coins: coins(outputs) }],
        outputs: Array.from({ length: outputs }, () => ({ address, coins: coins(1) })),
      },
    }
  }
  const gasOf = (outputs: number) => client.simulate(address, [message(outputs)], '')
  const [few, many] = [await gasOf(100), await gasOf(600)]
  const outputs = Math.floor(((BLOCK_GAS * 0.95 - few) * 500) / (many - few))
  const fee = { amount: [{ denom: 'unative', amount: '100000000' }], gas: String(BLOCK_GAS) }
  const { bodyBytes, authInfoBytes, signatures } = await client.sign(address, [message(outputs)], fee, '')
  const tx = create(TxRawSchema, { bodyBytes, authInfoBytes, signatures: [...signatures] })
  await client.broadcastTxSync(toBinary(TxRawSchema, tx))
  client.disconnect()
}

/** Fills the next block and makes it. Resolves with its gas and the time that it takes. */
async function makeBlock(config: Config, fill: Fill): Promise<{ ms: number; gas: number }> {
  await fill(config)
  await sleep(100)
  const begun = performance.now()
  await call(config.urls.jsonrpc, 'evm_mine', [])
  const ms = performance.now() - begun
  const answer = (await (await fetch(`${config.urls.comet}/block_results`)).json()) as {
    result: { txs_results: { code: number; gas_used: string }[] | null }
  }
  return { ms, gas: (answer.result.txs_results ?? []).reduce((sum, { gas_used }) => sum + Number(gas_used), 0) }
}

const row = (name: string, cells: readonly string[]): string =>
  `${name.padEnd(42)} ${cells.map((cell) => cell.padStart(10)).join(' ')}`
const cellsOf = ({ longest, answers }: Waits): string[] => [
  ...PROTOCOLS.map((protocol) => longest[protocol].toFixed(1)),
  String(answers),
]

/** Returns the medians of several measurements. */
function medianOf(waits: readonly Waits[]): Waits {
  const longest = Object.fromEntries(
    PROTOCOLS.map((protocol) => [protocol, median(waits.map((one) => one.longest[protocol]))]),
  ) as Record<Protocol, number>
  return { longest, answers: median(waits.map(({ answers }) => answers)) }
}

async function main(): Promise<void> {
  const [filter = '', rounds = '3', workers] = process.argv.slice(2)
  const flags = ['--ephemeral', '--no-feeder', '--block-time', 'manual', '--compute-workers', '1']
  const node = await startNodeProcess([...flags, ...(workers === undefined ? [] : ['--api-workers', workers])])
  const { urls, accounts } = node.config
  const prober = startAside<Probe, Waits>(import.meta.filename)
  const [first] = accounts
  const bare = await startBare('{}')
  const account = { hex: first!.address, bech32: first!.bech32 }
  const probeFor = (ms: number) => prober.run({ urls, barePort: bare.port, account, ms })
  console.log(row('longest wait, ms', [...PROTOCOLS, 'answers', 'block, s', 'Mgas']))
  await probeFor(1000)
  const idle: Waits[] = []
  for (let i = 0; i < Number(rounds); i++) idle.push(await probeFor(1000))
  console.log(row('no block', cellsOf(medianOf(idle))))
  const blocks: readonly (readonly [string, Fill])[] = [
    ...slowBlocks().map((block) => [block.name, loopBlock(block)] as const),
    ['MsgMultiSend', multiSend],
  ]
  for (const [name, fill] of blocks.filter(([name]) => name.includes(filter))) {
    // The length of the block is known after the first.
    let { ms, gas } = await makeBlock(node.config, fill)
    const found: Waits[] = []
    for (let i = 0; i < Number(rounds); i++) {
      const [waits, made] = await Promise.all([probeFor(ms + 300), makeBlock(node.config, fill)])
      ms = made.ms
      gas = made.gas
      found.push(waits)
    }
    console.log(row(name, [...cellsOf(medianOf(found)), (ms / 1000).toFixed(2), (gas / 1e6).toFixed(1)]))
  }
  bare.end()
  prober.end()
  await node.end()
}

if (isAside) serveAside(probe)
else await main()
