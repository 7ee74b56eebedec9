import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { type NodeProcess, startProcess } from '../process.ts'
import { ask } from '../rpc.ts'

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

/** Sixteen calls of the same code at once: what each answered. Resolves when all have; `what` names them in what is printed. */
async function sixteenCalls(node: NodeProcess, what: string, code: string): Promise<readonly string[]> {
  const to = '0x00000000000000000000000000000000000c0de0'
  const started = performance.now()
  const answers = await Promise.all(
    Array.from({ length: 16 }, async () => {
      const { result, error } = await ask(node.config, 'eth_call', [
        { to, gas: '0xffffffffff' },
        'latest',
        { [to]: { code } },
      ])
      return error?.message ?? String(result)
    }),
  )
  console.log(`16 calls of ${what} are answered in ${((performance.now() - started) / 1000).toFixed(2)} s`)
  return answers
}

/** Sends a transfer while `load` runs, and throws unless it is in a block before the load has ended. */
async function transferDuring(node: NodeProcess, load: Promise<unknown>): Promise<void> {
  let running = true
  void load.finally(() => {
    running = false
  })
  // Until the calls are at work.
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
  const { result, error } = await ask(node.config, 'eth_sendRawTransaction', [raw])
  console.log(`a transfer meanwhile is in a block in ${((performance.now() - started) / 1000).toFixed(2)} s`)
  expect(error).toBeUndefined()
  expect(running, 'the load still ran when the block was made').toBe(true)
  const receipt = await ask(node.config, 'eth_getTransactionReceipt', [result])
  expect(receipt.result).toMatchObject({ status: '0x1' })
}

test('sixteen endless loops at the gas cap are each answered when their gas is used up', async () => {
  // Time is no limit here: that of a slow machine is not to be mistaken for the gas.
  await using node = await startProcess(['--ephemeral'], { environment: { ALMANAC_EVM_TIMEOUT: '100s' } })
  await sixteenCalls(node, 'a stop', '0x00')
  const idle = node.memoryBytes()
  const answers = await sixteenCalls(node, 'an endless loop', ENDLESS_LOOP)
  expect(answers).toEqual(Array(16).fill('out of gas'))
  expect(node.memoryBytes() - idle).toBeLessThan(100 * MB)
})

test('sixteen calls that ask the dearest precompile without end stop at the time budget, and a block is made meanwhile', async () => {
  await using node = await startProcess(['--ephemeral'])
  await sixteenCalls(node, 'a stop', '0x00')
  const idle = node.memoryBytes()
  const load = sixteenCalls(node, 'the dearest precompile', endlessPrecompile(8, PAIRING))
  await transferDuring(node, load)
  // The first of them may use up its gas before.
  const timeUp = 'the computation took longer than its time budget of 5 s'
  expect(new Set([...(await load), 'out of gas'])).toEqual(new Set([timeUp, 'out of gas']))
  expect(node.memoryBytes() - idle).toBeLessThan(100 * MB)
  expect((await ask(node.config, 'eth_blockNumber')).result).toBeDefined()
})
