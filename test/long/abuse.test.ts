import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { type NodeProcess, startProcess } from '../process.ts'

const MB = 1_000_000
/** JUMPDEST PUSH1 0 JUMP: turns for as long as there is gas. */
const ENDLESS_LOOP = '0x5b600056'

const G1 = ['1', '2']
const G2 = [
  '198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2',
  '1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed',
  '090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b',
  '12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa',
]
/** Sixteen pairs of generators: the input that costs most time for its gas (docs/performance.md). */
const PAIRING = Buffer.from(
  [...G1, ...G2]
    .map((word) => word.padStart(64, '0'))
    .join('')
    .repeat(16),
  'hex',
)

/** Code that asks one precompile over and over, without end, with `input` in memory. */
function endlessPrecompile(address: number, input: Uint8Array): string {
  let code = ''
  const word = (value: number) => `63${value.toString(16).padStart(8, '0')}`
  for (let offset = 0; offset < input.length; offset += 32) {
    const bytes = Buffer.from(input.subarray(offset, offset + 32))
      .toString('hex')
      .padEnd(64, '0')
    code += `7f${bytes}${word(offset)}52`
  }
  const loop = code.length / 2
  code += `5b60006000${word(input.length)}6000${word(address)}5afa50${word(loop)}56`
  return `0x${code}`
}

async function rpc(
  node: NodeProcess,
  method: string,
  params: unknown[],
): Promise<{ result?: unknown; error?: { message: string } }> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(node.config.urls.jsonrpc, { method: 'POST', body, headers })
  return response.json() as Promise<{ result?: unknown; error?: { message: string } }>
}

/** Sixteen calls of the same code at once, each with what it answered and how long it took. */
async function sixteenCalls(node: NodeProcess, code: string) {
  const to = '0x00000000000000000000000000000000000c0de0'
  return Promise.all(
    Array.from({ length: 16 }, async () => {
      const started = performance.now()
      const answer = await rpc(node, 'eth_call', [{ to, gas: '0xffffffffff' }, 'latest', { [to]: { code } }])
      return { answer, seconds: (performance.now() - started) / 1000 }
    }),
  )
}

/** Seconds that a transfer takes to be in a block while `load` runs. */
async function transferDuring(node: NodeProcess, load: Promise<unknown>): Promise<number> {
  let running = true
  void load.finally(() => {
    running = false
  })
  await new Promise((done) => setTimeout(done, 100))
  const [from, to] = node.config.accounts
  const raw = await privateKeyToAccount(from!.private_key).signTransaction({
    to: to!.address,
    value: 1n,
    gas: 21_000n,
    gasPrice: 10n ** 12n,
    nonce: 0,
    chainId: node.config.evm_chain_id,
    type: 'legacy',
  })
  const started = performance.now()
  const { result, error } = await rpc(node, 'eth_sendRawTransaction', [raw])
  const seconds = (performance.now() - started) / 1000
  expect(error).toBeUndefined()
  const receipt = await rpc(node, 'eth_getTransactionReceipt', [result])
  expect(receipt.result).toMatchObject({ status: '0x1' })
  expect(running, 'the load still ran when the block was made').toBe(true)
  return seconds
}

test('sixteen endless loops at the gas cap are answered within a second, and a block goes on meanwhile', async () => {
  await using node = await startProcess(['--ephemeral'])
  await sixteenCalls(node, '0x00')
  const idle = node.memoryBytes()
  const load = sixteenCalls(node, ENDLESS_LOOP)
  const answers = await load
  for (const { answer, seconds } of answers) {
    expect(answer.error?.message).toMatch(/out of gas/)
    expect(seconds).toBeLessThan(1)
  }
  expect(node.memoryBytes() - idle).toBeLessThan(100 * MB)
})

test('sixteen calls that ask the dearest precompile without end stop at the time budget, and a block is on time meanwhile', async () => {
  await using node = await startProcess(['--ephemeral'])
  await sixteenCalls(node, '0x00')
  const idle = node.memoryBytes()
  const load = sixteenCalls(node, endlessPrecompile(8, PAIRING))
  const block = await transferDuring(node, load)
  expect(block).toBeLessThan(1)
  for (const { answer, seconds } of await load) {
    expect(answer.error).toBeDefined()
    expect(seconds).toBeLessThan(7)
  }
  expect(node.memoryBytes() - idle).toBeLessThan(100 * MB)
  expect((await rpc(node, 'eth_blockNumber', [])).result).toBeDefined()
})
