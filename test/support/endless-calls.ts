/** Concurrent endless calls. */

import { strict as assert } from 'node:assert'
import { privateKeyToAccount } from 'viem/accounts'
import type { NodeProcess } from './process.ts'
import { ask } from './rpc.ts'

/** JUMPDEST PUSH1 0 JUMP: loops until the gas is used up. */
export const ENDLESS_LOOP = '0x5b600056'

const G1 = ['1', '2']
const G2 = [
  '198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2',
  '1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed',
  '090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b',
  '12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa',
]
/** Sixteen pairs of generators: the input that takes most time for its gas (docs/performance.md#standard-precompiles). */
const PAIRING = Buffer.from(
  [...G1, ...G2]
    .map((word) => word.padStart(64, '0'))
    .join('')
    .repeat(16),
  'hex',
)

const secondsSince = (started: number) => (performance.now() - started) / 1000

/** Returns code that calls one precompile in an endless loop, with `input` in memory. */
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

export const ENDLESS_PAIRINGS = endlessPrecompile(8, PAIRING)

/** The answer of each call, and the seconds until the last one. */
export interface Answered {
  readonly answers: readonly string[]
  readonly seconds: number
}

/** Sends sixteen concurrent calls of the same code. */
export async function sixteenCalls(node: NodeProcess, code: string): Promise<Answered> {
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
  return { answers, seconds: secondsSince(started) }
}

/** Resolves with the seconds until a transfer is in a block. Throws unless that is before `load` ends. */
export async function transferDuring(node: NodeProcess, load: Promise<unknown>): Promise<number> {
  let running = true
  void load.finally(() => {
    running = false
  })
  // Waits until the calls are running.
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
  const seconds = secondsSince(started)
  assert.equal(error, undefined)
  assert(running, 'the load still ran when the block was made')
  const receipt = await ask(node.config, 'eth_getTransactionReceipt', [result])
  assert.equal((receipt.result as { status: string }).status, '0x1')
  return seconds
}
