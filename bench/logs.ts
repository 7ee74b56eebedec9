/**
 * `eth_getLogs` over 100,000 blocks of a running node: without a hit, and with 1,000 hits. Half of the blocks contain a
 * transaction with logs of another contract. `npm run bench -- logs [BLOCKS]`.
 */
import { call, startNodeProcess } from './support/load.ts'

const BLOCKS = Number(process.argv[2] ?? 100_000)
const HITS = 1_000
const ROUNDS = 7
/** Creation code of a contract that writes one log, with the first word of its calldata as topic. */
const EMITTER = '0x600a600c600039600a6000f3600035600060 00a1'.replace(' ', '')
const topicOf = (number: number): string => `0x${number.toString(16).padStart(64, '0')}`

const node = await startNodeProcess(['--ephemeral', '--block-time', 'manual'])
const ask = (method: string, params: readonly unknown[]) => call(node.config.urls.jsonrpc, method, params)

async function batch(requests: readonly (readonly [method: string, params: readonly unknown[]])[]): Promise<void> {
  const body = requests.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }))
  const response = await fetch(node.config.urls.jsonrpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  for (const { error } of (await response.json()) as { error?: { message: string } }[]) {
    if (error) throw new Error(error.message)
  }
}

async function deploy(from: string): Promise<string> {
  const hash = await ask('eth_sendTransaction', [{ from, data: EMITTER, gas: '0x30d40' }])
  await ask('evm_mine', [])
  const { contractAddress } = (await ask('eth_getTransactionReceipt', [hash])) as { contractAddress: string }
  return contractAddress
}

/** Makes blocks: logs of the searched contract at even distances, and of the other one in every second block. */
async function fill(from: string, wanted: string, other: string): Promise<void> {
  const every = Math.floor(BLOCKS / HITS)
  const tx = (to: string, number: number) =>
    ['eth_sendTransaction', [{ from, to, data: topicOf(number), gas: '0x186a0' }]] as const
  for (let block = 0; block < BLOCKS; block += 100) {
    const requests: (readonly [string, readonly unknown[]])[] = []
    for (let i = block; i < block + 100 && i < BLOCKS; i++) {
      if (i % every === 0) requests.push(tx(wanted, i))
      else if (i % 2 === 0) requests.push(tx(other, i))
      requests.push(['evm_mine', []])
    }
    await batch(requests)
  }
}

async function time(filter: object, expected: number): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < ROUNDS; i++) {
    const started = performance.now()
    const logs = (await ask('eth_getLogs', [{ fromBlock: '0x1', toBlock: 'latest', ...filter }])) as unknown[]
    times.push(performance.now() - started)
    if (logs.length !== expected) throw new Error(`${logs.length} logs instead of ${expected}`)
  }
  return times.sort((a, b) => a - b)[ROUNDS >> 1]!
}

try {
  const [from] = (await ask('eth_accounts', [])) as string[]
  const [wanted, other] = [await deploy(from!), await deploy(from!)]
  await fill(from!, wanted, other)
  const height = Number(await ask('eth_blockNumber', []))
  const none = await time({ address: `0x${'77'.repeat(20)}`, topics: [topicOf(1)] }, 0)
  const hits = await time({ address: wanted }, HITS)
  const narrow = await time({ address: other, topics: [topicOf(4)] }, 1)
  process.stdout.write(
    `eth_getLogs over ${height} blocks: no hit ${none.toFixed(1)} ms, ${HITS} hits ${hits.toFixed(1)} ms, `,
  )
  process.stdout.write(`one hit by address and topic ${narrow.toFixed(1)} ms\n`)
} finally {
  await node.end()
}
