/** A pool that one party fills, against the built program. */
import { create } from '@bufbuild/protobuf'
import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { encodeTransaction } from '../../src/evm/transaction/encode.ts'
import { addressOfPrivateKey, signTransaction } from '../../src/evm/transaction/sender.ts'
import { MsgMultiSendSchema } from '../../src/gen/sdk/bank/v1beta1/tx_pb.ts'
import { almanac } from '../../src/identity/profiles/almanac.ts'
import { formatHex0x, hex, utf8 } from '../../src/primitives/bytes.ts'
import { sha256 } from '../../src/primitives/hash.ts'
import { publicKeyOf } from '../../src/sdk/crypto.ts'
import { encodeSigned } from '../../src/sdk/sign-tx.ts'
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

test('an account that its first transaction empties leaves nothing else in the block, which nobody would pay for', async () => {
  const { node } = await startWithStrangers(0)
  await using _ = node
  const { accounts, urls, chain_id: chainId } = node.config
  const account = accounts.find(({ path }) => path.startsWith("m/44'/118'"))!
  const other = accounts.find(({ bech32 }) => bech32 !== account.bech32)!
  const info = (await (await fetch(`${urls.rest}/sdk/auth/v1beta1/account_info/${account.bech32}`)).json()) as {
    info: { account_number: string }
  }
  const held = (await (
    await fetch(`${urls.rest}/sdk/bank/v1beta1/balances/${account.bech32}/by_denom?denom=unative`)
  ).json()) as { balance: { amount: string } }
  const privateKey = hex(account.private_key.slice(2))
  const fee = 10_000n
  const pay = (amount: bigint, times: number) => ({
    schema: MsgMultiSendSchema,
    message: create(MsgMultiSendSchema, {
      inputs: [{ address: account.bech32, coins: [{ denom: 'unative', amount: String(amount * BigInt(times)) }] }],
      outputs: Array.from({ length: times }, () => ({
        address: other.bech32,
        coins: [{ denom: 'unative', amount: String(amount) }],
      })),
    }),
  })
  for (let sequence = 0n; sequence < 10n; sequence++) {
    const tx = encodeSigned(
      {
        identity: almanac,
        messages: [sequence === 0n ? pay(BigInt(held.balance.amount) - fee, 1) : pay(1n, 500)],
        memo: '',
        timeoutHeight: 0n,
        key: { algorithm: 'secp256k1', publicKey: publicKeyOf(privateKey) },
        chainId,
        accountNumber: BigInt(info.info.account_number),
        sequence,
      },
      { gasLimit: 6_000_000n, amount: [{ denom: 'unative', amount: fee }] },
      privateKey,
    )
    const sent = await fetch(urls.comet, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'broadcast_tx_sync',
        params: { tx: Buffer.from(tx).toString('base64') },
      }),
    })
    expect(((await sent.json()) as { result: { code: number } }).result.code).toBe(0)
  }
  await rpc(node.config, 'evm_mine')
  const { result } = (await (await fetch(`${urls.comet}/block`)).json()) as {
    result: { block: { header: { height: string }; data: { txs: string[] } } }
  }
  expect([result.block.header.height, result.block.data.txs.length]).toEqual(['2', 1])
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
