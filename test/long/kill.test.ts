import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { encodeTransaction } from '../../src/evm/transaction/encode.ts'
import { addressOfPrivateKey, signTransaction } from '../../src/evm/transaction/sender.ts'
import { concat, encodeUint, formatHex0x, hex, padLeft, parseHex } from '../../src/primitives/bytes.ts'
import { keccak256, sha256 } from '../../src/primitives/hash.ts'
import { type NodeProcess, startProcess } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'

const CYCLES = Number(process.env['TEST_KILL_CYCLES'] ?? 200)
const SENDERS = 8
const WINDOW = 4
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

const erc20 = createRequire(import.meta.url)('@openzeppelin/contracts/build/contracts/ERC20PresetFixedSupply.json') as {
  bytecode: string
}

interface Receipt {
  readonly status: string
  readonly blockNumber: string
  readonly transactionHash: string
  readonly logs: readonly { readonly topics: readonly string[] }[]
}

async function rpc<Result>(url: string, calls: readonly { method: string; params: unknown[] }[]): Promise<Result[]> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))),
  })
  const answers = (await response.json()) as { id: number; result?: Result; error?: { message: string } }[]
  return calls.map(({ method }, id) => {
    const answer = answers.find((one) => one.id === id)
    if (!answer || answer.error) throw new Error(`${method}: ${answer?.error?.message ?? 'no answer'}`)
    return answer.result as Result
  })
}

const word = (value: bigint) => encodeUint(value, 32)

/** Constructor arguments: name, symbol, supply, owner. */
function deployment(owner: Uint8Array): Uint8Array {
  const text = (value: string) => concat(word(BigInt(value.length)), new TextEncoder().encode(value.padEnd(32, '\0')))
  const head = concat(word(128n), word(192n), word(10n ** 30n), padLeft(owner, 32))
  return concat(parseHex(erc20.bytecode)!, head, text('Kill'), text('KILL'))
}

function sign(chainId: bigint, key: Uint8Array, nonce: bigint, to: Uint8Array | undefined, data: Uint8Array): string {
  const signed = signTransaction(
    {
      type: 2,
      chainId,
      nonce,
      gasLimit: to ? 100_000n : 3_000_000n,
      to,
      valueWei: 0n,
      data,
      maxPriorityFeePerGasWei: 0n,
      maxFeePerGasWei: 2_000_000_000_000n,
      accessList: [],
    },
    key,
  )
  return formatHex0x(encodeTransaction(signed))
}

const transferCall = (to: Uint8Array, amount: bigint) => concat(hex('a9059cbb'), padLeft(to, 32), word(amount))

/** Returns a distinct recipient for every transaction, so that a log query finds exactly one transaction. */
const recipientOf = (sender: number, nonce: bigint) =>
  sha256(hex(`${sender.toString(16).padStart(4, '0')}${nonce.toString(16).padStart(16, '0')}`)).slice(0, 20)

interface Sent {
  readonly hash: string
  readonly recipient: Uint8Array
}

test(`${CYCLES} times kill -9 at random moments lose no answered transaction`, async () => {
  const home = mkdtempSync(join(tmpdir(), 'almanac-kill-'))
  const random = seededRandom(20_240_101)
  const flags = ['--home', home, '--accounts', String(SENDERS + 1), '--compute-workers', '0']
  let node: NodeProcess = await startProcess(flags)
  onTestFinished(async () => {
    await node[Symbol.asyncDispose]()
    rmSync(home, { recursive: true, force: true })
  })
  const url = () => node.config.urls.jsonrpc
  const chainId = BigInt(node.config.evm_chain_id)
  const keys = node.config.accounts.slice(0, SENDERS + 1).map(({ private_key }) => hex(private_key))
  const owner = keys[SENDERS]!
  const [deployed] = await rpc<string>(url(), [
    {
      method: 'eth_sendRawTransaction',
      params: [sign(chainId, owner, 0n, undefined, deployment(addressOfPrivateKey(owner)))],
    },
  ])
  const [receipt] = await rpc<{ contractAddress: string }>(url(), [
    { method: 'eth_getTransactionReceipt', params: [deployed] },
  ])
  const token = hex(receipt!.contractAddress)
  // Every sender needs tokens before the first kill.
  for (let i = 0; i < SENDERS; i++) {
    const data = transferCall(addressOfPrivateKey(keys[i]!), 10n ** 24n)
    await rpc(url(), [{ method: 'eth_sendRawTransaction', params: [sign(chainId, owner, BigInt(i + 1), token, data)] }])
  }

  const answered: Sent[] = []
  let height = 0

  /**
   * Sends until the node is gone, starting from the node's nonce. A hash counts as answered once the hashes of all lower nonces
   * are: while one of these is still in flight, the node answers later ones on admission only.
   */
  async function flow(sender: number, nonces: readonly bigint[], until: () => boolean): Promise<void> {
    let next = nonces[sender]!
    let committed = next
    const early = new Map<bigint, Sent>()
    await Promise.all(
      Array.from({ length: WINDOW }, async () => {
        while (!until()) {
          const nonce = next++
          const recipient = recipientOf(sender, nonce)
          const raw = sign(chainId, keys[sender]!, nonce, token, transferCall(recipient, 1n))
          try {
            const [hash] = await rpc<string>(url(), [{ method: 'eth_sendRawTransaction', params: [raw] }])
            expect(hash).toBe(formatHex0x(keccak256(parseHex(raw)!)))
            early.set(nonce, { hash: hash!, recipient })
            for (let one = early.get(committed); one; one = early.get(++committed)) answered.push(one)
          } catch (error) {
            if (until()) return
            throw error
          }
        }
      }),
    )
  }

  /** Looks up every given transaction by hash, by receipt and by its log. */
  async function verify(sent: readonly Sent[]): Promise<void> {
    for (let start = 0; start < sent.length; start += 100) {
      const part = sent.slice(start, start + 100)
      const transactions = await rpc<{ hash: string } | null>(
        url(),
        part.map(({ hash }) => ({ method: 'eth_getTransactionByHash', params: [hash] })),
      )
      const receipts = await rpc<Receipt | null>(
        url(),
        part.map(({ hash }) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
      )
      const logs = await rpc<{ transactionHash: string }[]>(
        url(),
        part.map(({ recipient }) => ({
          method: 'eth_getLogs',
          params: [
            {
              fromBlock: '0x1',
              toBlock: 'latest',
              address: formatHex0x(token),
              topics: [TRANSFER_TOPIC, null, formatHex0x(padLeft(recipient, 32))],
            },
          ],
        })),
      )
      part.forEach(({ hash }, i) => {
        expect(transactions[i]?.hash, `transaction ${hash}`).toBe(hash)
        expect(receipts[i]?.status, `receipt ${hash}`).toBe('0x1')
        expect(
          logs[i]?.map((log) => log.transactionHash),
          `logs of ${hash}`,
        ).toEqual([hash])
      })
    }
  }

  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const before = answered.length
    const nonces = (
      await rpc<string>(
        url(),
        keys.slice(0, SENDERS).map((key) => ({
          method: 'eth_getTransactionCount',
          params: [formatHex0x(addressOfPrivateKey(key)), 'latest'],
        })),
      )
    ).map(BigInt)
    let dead = false
    const flowing = Promise.all(keys.slice(0, SENDERS).map((_, sender) => flow(sender, nonces, () => dead)))
    await new Promise((done) => setTimeout(done, 20 + random() * 480))
    // Holds on a slow machine too: kills without traffic would prove nothing.
    await expect.poll(() => answered.length).toBeGreaterThan(4 * (cycle + 1))
    dead = true
    await node[Symbol.asyncDispose]()
    await flowing
    node = await startProcess(flags)
    const [now] = await rpc<string>(url(), [{ method: 'eth_blockNumber', params: [] }])
    expect(Number(now)).toBeGreaterThanOrEqual(height)
    height = Number(now)
    await verify(answered.slice(before))
    // Also checks a sample of earlier cycles.
    await verify(Array.from({ length: Math.min(20, before) }, () => answered[Math.floor(random() * before)]!))
  }
  await verify(answered)
  expect(answered.length).toBeGreaterThan(CYCLES * 4)
  await node.kill('SIGINT')
  expect(node.child.exitCode).toBe(0)
})
