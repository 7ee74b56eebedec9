/**
 * `eth_call` of an ERC-20's `balanceOf` over JSON-RPC against anvil, in the same run under the same load. The node is that of
 * `almanac start`, with one compute worker. Also against a bare `node:http` server. `npm run bench -- calls [SECONDS] [PATH OF ANVIL]`;
 * without a path, npx runs anvil.
 */
import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { encodeAbiParameters, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { startAnvil } from './support/anvil.ts'
import { isAside, serveAside, startAside } from './support/aside.ts'
import { startBare } from './support/bare.ts'
import { call, receiptOf, startNodeProcess } from './support/load.ts'
import { median } from './support/median.ts'

const CONNECTIONS = 16
const ROUNDS = 3
const SUPPLY = 10n ** 24n
const OWNER = '0x000000000000000000000000000000000000cafe'

interface Load {
  readonly port: number
  /** Request body for one holder, whose address it contains. */
  readonly body: string
  /** Whether each request is about another holder, so that no answer is cached. */
  readonly varied: boolean
  readonly seconds: number
}

/** The last holder used. All of them have a balance of zero. */
let holder = 2 ** 32
const nextBody = (body: string): string => body.replace(OWNER.slice(2), (++holder).toString(16).padStart(40, '0'))

/** Keeps one request open on each of `CONNECTIONS` connections. Resolves with the answers per second. */
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

/** Deploys the token with the first account of the chain. Resolves with the request body for its balance. */
async function deploy(url: string): Promise<string> {
  const { bytecode } = createRequire(import.meta.url)(
    '@openzeppelin/contracts/build/contracts/ERC20PresetFixedSupply.json',
  ) as { bytecode: Hex }
  const types = [{ type: 'string' }, { type: 'string' }, { type: 'uint256' }, { type: 'address' }]
  const [from] = (await call(url, 'eth_accounts', [])) as string[]
  const data = bytecode + encodeAbiParameters(types, ['Gold', 'GLD', SUPPLY, OWNER]).slice(2)
  const hash = (await call(url, 'eth_sendTransaction', [{ from, data, gas: '0x2dc6c0' }])) as string
  const { contractAddress: to } = await receiptOf(url, hash)
  const abi = parseAbi(['function balanceOf(address) view returns (uint256)'])
  const params = [{ to, data: encodeFunctionData({ abi, args: [OWNER] }) }, 'latest']
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params })
}

/** The server that answers. */
type Side = 'ours' | 'anvil' | 'bare'

/** Measurements of one server: rates, and processor time for each answer. Unit: microseconds. */
interface Measured {
  readonly rates: number[]
  readonly costs: number[]
}

async function compare(seconds: number, path: string | undefined): Promise<void> {
  const aside = startAside<Load, number>(import.meta.filename)
  const node = await startNodeProcess(['--ephemeral', '--compute-workers', '1'])
  const anvil = await startAnvil(path)
  const nothing = await startBare(`${JSON.stringify({ jsonrpc: '2.0', id: 1, result: `0x${'0'.repeat(64)}` })}\n`)
  const servers = { ours: node, anvil, bare: nothing }
  try {
    const question = async (url: string) => ({ port: Number(new URL(url).port), body: await deploy(url) })
    const ours = await question(node.config.urls.jsonrpc)
    const sides = { ours, anvil: await question(anvil.url), bare: { port: nothing.port, body: ours.body } }
    for (const varied of [false, true]) {
      // The bare server answers every request alike, so it cannot return the owner's balance.
      const asked: readonly Side[] = varied ? ['ours', 'anvil', 'bare'] : ['ours', 'anvil']
      const measured = new Map<Side, Measured>(asked.map((side) => [side, { rates: [], costs: [] }]))
      for (const side of asked) await aside.run({ ...sides[side], varied, seconds: 1 })
      for (let i = 0; i < ROUNDS; i++) {
        for (const [side, { rates, costs }] of measured) {
          const [begun, started] = [servers[side].cpuSeconds(), performance.now()]
          const rate = await aside.run({ ...sides[side], varied, seconds })
          rates.push(rate)
          costs.push((1e9 * (servers[side].cpuSeconds() - begun)) / (rate * (performance.now() - started)))
        }
      }
      const rate = (side: Side) => median(measured.get(side)!.rates)
      const cost = (side: Side) => median(measured.get(side)!.costs)
      const shown = (side: Side) => `${side} ${rate(side).toFixed(0)}/s, ${cost(side).toFixed(0)} µs of processor time`
      const against = (side: Side) =>
        `  ${shown(side)}: ${(rate('ours') / rate(side)).toFixed(2)} times as many, ${(cost('ours') / cost(side)).toFixed(2)} times as dear\n`
      const kind = varied ? 'each call another holder' : 'one holder'
      const others = asked.filter((side) => side !== 'ours').map(against)
      process.stdout.write(
        `eth_call balanceOf, ${CONNECTIONS} connections, ${kind}: ${shown('ours')}\n${others.join('')}`,
      )
    }
  } finally {
    aside.end()
    nothing.end()
    anvil.end()
    await node.end()
  }
}

if (isAside) serveAside(load)
else await compare(Number(process.argv[2] ?? 4), process.argv[3])
