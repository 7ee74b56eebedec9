/**
 * `eth_call` of an ERC-20's `balanceOf` over JSON-RPC against anvil, same run, same load: the node as `almanac start` runs
 * it, with one compute worker. `npm run bench -- calls [SECONDS] [PATH OF ANVIL]`; without a path anvil comes by npx.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { encodeAbiParameters, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { isAside, serveAside, startAside } from './aside.ts'
import { call, startNodeProcess } from './load.ts'

const CONNECTIONS = 16
const ROUNDS = 3
const SUPPLY = 10n ** 24n
const OWNER = '0x000000000000000000000000000000000000cafe'

interface Load {
  readonly port: number
  /** The question about one holder; his address stands in it. */
  readonly body: string
  /** Whether each question is about another holder, so that no answer can have been kept. */
  readonly varied: boolean
  readonly seconds: number
}

/** Holders that hold nothing, one after another. */
let holder = 2 ** 32
const nextBody = (body: string): string => body.replace(OWNER.slice(2), (++holder).toString(16).padStart(40, '0'))

/** Keeps one question open on each of `CONNECTIONS` connections; resolves with answers a second. */
async function load({ port, body, varied, seconds }: Load): Promise<number> {
  const expected = (varied ? 0n : SUPPLY).toString(16).padStart(64, '0')
  const head = `POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
  const message = () => head + (varied ? nextBody(body) : body)
  const started = performance.now()
  const end = started + seconds * 1000
  let answers = 0
  const ask = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true })
      let text = ''
      socket.on('connect', () => socket.write(message()))
      socket.on('error', reject)
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1')
        const head = text.indexOf('\r\n\r\n')
        if (head < 0) return
        const length = Number(/content-length: *(\d+)/i.exec(text)?.[1])
        if (text.length < head + 4 + length) return
        if (!text.includes(expected)) return reject(new Error(text))
        text = ''
        answers++
        if (performance.now() < end) socket.write(message())
        else {
          socket.destroy()
          resolve()
        }
      })
    })
  await Promise.all(Array.from({ length: CONNECTIONS }, ask))
  return (answers * 1000) / (performance.now() - started)
}

function startAnvil(port: number, path: string | undefined): ChildProcess {
  const flags = ['--port', `${port}`, '--silent']
  return path
    ? spawn(path, flags, { stdio: 'inherit' })
    : spawn('npx', ['--yes', '@foundry-rs/anvil@1.7.1', ...flags], { stdio: 'inherit', detached: true })
}

async function ready(url: string): Promise<void> {
  for (let i = 0; i < 600; i++) {
    try {
      await call(url, 'eth_chainId', [])
      return
    } catch {
      await setTimeout(100)
    }
  }
  throw new Error('anvil did not start')
}

/** Deploys the token with the first account of the chain; the question that is then asked of it. */
async function deploy(url: string): Promise<string> {
  const { bytecode } = createRequire(import.meta.url)(
    '@openzeppelin/contracts/build/contracts/ERC20PresetFixedSupply.json',
  ) as { bytecode: Hex }
  const types = [{ type: 'string' }, { type: 'string' }, { type: 'uint256' }, { type: 'address' }]
  const [from] = (await call(url, 'eth_accounts', [])) as string[]
  const data = bytecode + encodeAbiParameters(types, ['Gold', 'GLD', SUPPLY, OWNER]).slice(2)
  const hash = await call(url, 'eth_sendTransaction', [{ from, data, gas: '0x2dc6c0' }])
  for (let i = 0; i < 100; i++) {
    const receipt = (await call(url, 'eth_getTransactionReceipt', [hash])) as { contractAddress: string } | null
    if (receipt) {
      const abi = parseAbi(['function balanceOf(address) view returns (uint256)'])
      const input = encodeFunctionData({ abi, args: [OWNER] })
      const params = [{ to: receipt.contractAddress, data: input }, 'latest']
      return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params })
    }
    await setTimeout(20)
  }
  throw new Error('the token was not deployed')
}

async function compare(seconds: number, path: string | undefined): Promise<void> {
  const aside = startAside<Load, number>(import.meta.filename)
  const node = await startNodeProcess(['--ephemeral', '--compute-workers', '1'])
  const port = 20_000 + (process.pid % 20_000)
  const anvil = startAnvil(port, path)
  try {
    const theirUrl = `http://127.0.0.1:${port}`
    await ready(theirUrl)
    const question = async (url: string) => ({ port: Number(new URL(url).port), body: await deploy(url) })
    const sides = { ours: await question(node.config.urls.jsonrpc), theirs: await question(theirUrl) }
    for (const varied of [false, true]) {
      for (const side of [sides.ours, sides.theirs]) await aside.run({ ...side, varied, seconds: 1 })
      const rates: { ours: number; theirs: number }[] = []
      for (let i = 0; i < ROUNDS; i++) {
        const ours = await aside.run({ ...sides.ours, varied, seconds })
        const theirs = await aside.run({ ...sides.theirs, varied, seconds })
        rates.push({ ours, theirs })
      }
      const median = (side: 'ours' | 'theirs') => rates.map((round) => round[side]).sort((a, b) => a - b)[ROUNDS >> 1]!
      const [ours, theirs] = [median('ours'), median('theirs')]
      const kind = varied ? 'each call another holder' : 'one holder'
      process.stdout.write(
        `eth_call balanceOf, ${CONNECTIONS} connections, ${kind}: ours ${ours.toFixed(0)}/s, anvil ${theirs.toFixed(0)}/s: ${(ours / theirs).toFixed(2)} times anvil\n`,
      )
    }
  } finally {
    aside.end()
    if (path) anvil.kill()
    else if (anvil.pid !== undefined) process.kill(-anvil.pid)
    await node.end()
  }
}

if (isAside) serveAside(load)
else await compare(Number(process.argv[2] ?? 4), process.argv[3])
