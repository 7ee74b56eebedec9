/** A pool that one party fills, against the built program. */
import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { encodeTransaction } from '../../src/evm/transaction/encode.ts'
import { addressOfPrivateKey, signTransaction } from '../../src/evm/transaction/sender.ts'
import { formatHex0x, hex, utf8 } from '../../src/primitives/bytes.ts'
import { sha256 } from '../../src/primitives/hash.ts'
import { type NodeProcess, startProcess } from '../support/process.ts'
import { ask, rpc } from '../support/rpc.ts'

const GWEI = 10n ** 9n
const LOWEST = 1000n * GWEI
/** The most gas that a transaction can have (EIP-7825). */
const MOST_GAS = 2n ** 24n
/** Limit of a request that must not wait for the pool, on a busy machine. */
const LONGEST_WAIT_MS = 1000

/** A key of an account that the node does not know. */
const strangerKey = (n: number): Uint8Array => sha256(utf8(`stranger ${n}`))
const addressOf = (key: Uint8Array): Hex => formatHex0x(addressOfPrivateKey(key)) as Hex

function sign(key: Uint8Array, nonce: number, gasPriceWei: bigint, gasLimit = 21_000n): Hex {
  const to = new Uint8Array(20).fill(0x57)
  const common = { type: 0, chainId: 6930n, nonce: BigInt(nonce), to, valueWei: 1n, data: new Uint8Array(0) } as const
  return formatHex0x(encodeTransaction(signTransaction({ ...common, gasPriceWei, gasLimit }, key))) as Hex
}

/** Starts a node whose blocks are made on request, with funded strangers. */
async function startWithStrangers(number: number, flags: readonly string[] = []) {
  const node = await startProcess(['--ephemeral', '--block-time', 'manual', ...flags])
  const keys = Array.from({ length: number }, (_, n) => strangerKey(n))
  const funds = '0x33b2e3c9fd0803ce8000000'
  await sendBatch(
    node,
    'anvil_setBalance',
    keys.map((key) => [addressOf(key), funds]),
  )
  return { node, keys }
}

interface Answer {
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

async function sendBatch(node: NodeProcess, method: string, calls: readonly (readonly unknown[])[]): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let from = 0; from < calls.length; from += 1000) {
    const batch = calls.slice(from, from + 1000).map((params, id) => ({ jsonrpc: '2.0', id, method, params }))
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(node.config.urls.jsonrpc, { method: 'POST', headers, body: JSON.stringify(batch) })
    answers.push(...((await response.json()) as Answer[]))
  }
  return answers
}

const submit = (node: NodeProcess, raws: readonly Hex[]) =>
  sendBatch(
    node,
    'eth_sendRawTransaction',
    raws.map((raw) => [raw]),
  )

async function status({ config }: NodeProcess): Promise<readonly number[]> {
  const { pending, queued } = await rpc<{ pending: Hex; queued: Hex }>(config, 'txpool_status')
  return [Number(pending), Number(queued)]
}

const receiptOf = ({ config }: NodeProcess, hash: unknown) => rpc(config, 'eth_getTransactionReceipt', [hash])

/** Asks for the size of the pool until `work` is done. Resolves with the longest wait. Unit: milliseconds. */
async function longestWait(node: NodeProcess, work: Promise<unknown>): Promise<number> {
  let isDone = false
  const done = work.finally(() => {
    isDone = true
  })
  let longest = 0
  while (!isDone) {
    const started = performance.now()
    await status(node)
    longest = Math.max(longest, performance.now() - started)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await done
  return longest
}

test('gapped transactions of many accounts do not lock others out, nor does any number of well-paying ones the node itself', async () => {
  const flags = ['--mempool-max-txs', '300', '--feeder']
  const { node, keys } = await startWithStrangers(51, flags)
  await using _ = node
  const [honest, ...attackers] = keys as [Uint8Array, ...Uint8Array[]]
  const gapped = attackers.flatMap((key) => Array.from({ length: 7 }, (_, i) => sign(key, i + 1, 5n * LOWEST)))
  for (const { error } of await submit(node, gapped)) if (error) expect(error.message).toMatch(/mempool is full/)
  // A vote of the feeder may have displaced one already.
  const [ready, waiting] = await status(node)
  expect([ready, waiting! >= 298]).toEqual([0, true])
  // An honest transaction at the lowest price displaces one that cannot run, and so do its replacements.
  const prices = Array.from({ length: 100 }, (_, i) => (LOWEST * 112n ** BigInt(i)) / 100n ** BigInt(i))
  const sent = await submit(
    node,
    prices.map((price) => sign(honest, 0, price)),
  )
  expect(sent.filter(({ error }) => error)).toEqual([])
  await rpc(node.config, 'evm_mine')
  expect(await receiptOf(node, sent.at(-1)!.result)).toMatchObject({ status: '0x1' })
  await rpc(node.config, 'anvil_dropAllTransactions')
  expect(await status(node)).toEqual([0, 0])

  const dear = attackers.flatMap((key) => Array.from({ length: 7 }, (_, i) => sign(key, i, 50n * LOWEST)))
  await submit(node, dear)
  const [full] = await status(node)
  expect(full).toBeGreaterThan(297)
  expect((await submit(node, [sign(honest, 1, LOWEST)]))[0]!.error?.message).toMatch(/mempool is full/)
  const own = await submit(node, [sign(hex(node.config.accounts[0]!.private_key.slice(2)), 0, LOWEST)])
  expect(await status(node)).toEqual([full, 0])
  await rpc(node.config, 'evm_mine')
  expect(await receiptOf(node, own[0]!.result)).toMatchObject({ status: '0x1' })
  // The votes of the validator are in the same block.
  const { result } = (await (await fetch(`${node.config.urls.comet}/block`)).json()) as {
    result: { block: { data: { txs: string[] } } }
  }
  const evmTxs = Number(await rpc<Hex>(node.config, 'eth_getBlockTransactionCountByNumber', ['latest']))
  expect(result.block.data.txs.length).toBeGreaterThan(evmTxs)
  expect(evmTxs).toBeGreaterThan(290)
})

test('transactions that claim whole blocks delay neither a better price nor a small one that fits behind them', async () => {
  const { node, keys } = await startWithStrangers(22)
  await using _ = node
  const [better, small, ...claimers] = keys as [Uint8Array, Uint8Array, ...Uint8Array[]]
  await submit(
    node,
    claimers.map((key) => sign(key, 0, LOWEST, MOST_GAS)),
  )
  const sent = await submit(node, [sign(small, 0, LOWEST), sign(better, 0, LOWEST + 10n ** 6n, MOST_GAS)])
  await rpc(node.config, 'evm_mine')
  const block = await rpc<{ transactions: Hex[] }>(node.config, 'eth_getBlockByNumber', ['latest', false])
  expect(block.transactions[0]).toBe(sent[1]!.result)
  expect(block.transactions).toHaveLength(4)
  expect(block.transactions).toContain(sent[0]!.result)
})

test('replacements, drops and blocks take no longer in a pool of 5,000 than others can wait', async () => {
  const { node, keys } = await startWithStrangers(80)
  await using _ = node
  // Two of each account can run, the others wait behind a gap.
  const filling = keys.flatMap((key) =>
    Array.from({ length: 63 }, (_, i) => sign(key, i < 2 ? i : i + 1, LOWEST + BigInt(i) * GWEI)),
  )
  expect((await submit(node, filling)).filter(({ error }) => error !== undefined).length).toBeLessThan(50)
  expect((await status(node)).reduce((sum, one) => sum + one)).toBe(5000)
  const replacing = Array.from({ length: 120 }, (_, i) =>
    sign(keys[0]!, 8, (2n * LOWEST * 112n ** BigInt(i)) / 100n ** BigInt(i)),
  )
  const started = performance.now()
  let replaced: readonly Answer[] = []
  const waits = [
    await longestWait(
      node,
      submit(node, replacing).then((answers) => {
        replaced = answers
      }),
    ),
  ]
  expect(replaced.filter(({ error }) => error)).toEqual([])
  expect(performance.now() - started).toBeLessThan(3 * LONGEST_WAIT_MS)
  // A stranger that asks for the pending block after each transaction has it executed once at a time.
  const asking = replacing
    .slice(0, 40)
    .flatMap((_, i) => [
      rpc(node.config, 'eth_sendRawTransaction', [sign(keys[1]!, 2, LOWEST + BigInt(i + 1) * LOWEST)]),
      rpc(node.config, 'eth_getBalance', [addressOf(keys[1]!), 'pending']),
    ])
  waits.push(await longestWait(node, Promise.allSettled(asking)))
  waits.push(await longestWait(node, rpc(node.config, 'evm_mine')))
  waits.push(await longestWait(node, rpc(node.config, 'anvil_dropAllTransactions')))
  expect(await status(node)).toEqual([0, 0])
  expect(Math.max(...waits)).toBeLessThan(LONGEST_WAIT_MS)
  expect((await ask(node.config, 'eth_sendRawTransaction', [sign(keys[3]!, 90, LOWEST)])).error).toBeUndefined()
})
