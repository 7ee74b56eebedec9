/** Methods that read accounts and send transactions, on a chain whose blocks are made by hand. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EMPTY_TRIE_ROOT, secureTrieRoot } from '../../../evm/trie.ts'
import { startNode } from '../../../node/start.ts'
import { encodeUint, formatHex0x } from '../../../primitives/bytes.ts'
import { EMPTY_CODE_HASH, keccak256 } from '../../../primitives/hash.ts'
import { encode, fromUint } from '../../../primitives/rlp.ts'

type Answer = { result?: unknown; error?: { code: number; message: string; data?: unknown } }

/** Writes 1 to slot 0 and 0x1234 to slot 1, and returns two bytes of code. */
const WRITES = '0x60015f55611234600155615f5f5f526002601ef3'
const DEAD = '0x000000000000000000000000000000000000dead'
const PRICE = '0xe8d4a51000'

let node: Awaited<ReturnType<typeof startNode>>
beforeAll(async () => {
  node = await startNode({ blocks: { time: 'manual' } })
})
afterAll(() => node.stop())

async function ask(method: string, ...params: readonly unknown[]): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(node.urls.jsonrpc!, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  return (await response.json()) as Answer
}
const result = async (method: string, ...params: readonly unknown[]) => (await ask(method, ...params)).result
const from = (index: number): string => node.accounts[index]!.address.toLowerCase()

async function signed(index: number, nonce: number): Promise<string> {
  const tx = {
    from: from(index),
    to: DEAD,
    value: '0x1',
    gas: '0x5208',
    gasPrice: PRICE,
    nonce: `0x${nonce.toString(16)}`,
  }
  return ((await result('eth_signTransaction', tx)) as { raw: string }).raw
}

test('an account has its fields in one answer, with the root of its storage as Ethereum computes it', async () => {
  const creation = (await result('eth_sendTransaction', { from: from(0), data: WRITES, gas: '0x30d40' })) as string
  await node.nextBlock()
  const receipt = (await result('eth_getTransactionReceipt', creation)) as { contractAddress: string; status: string }
  expect(receipt.status).toBe('0x1')
  const { contractAddress } = receipt
  const code = (await result('eth_getCode', contractAddress, 'latest')) as string
  const slot = (number: bigint, value: bigint) => [encodeUint(number, 32), encode(fromUint(value))] as const
  expect(await result('eth_getAccount', contractAddress, 'latest')).toEqual({
    balance: '0x0',
    nonce: '0x1',
    codeHash: formatHex0x(keccak256(Buffer.from(code.slice(2), 'hex'))),
    storageRoot: formatHex0x(secureTrieRoot([slot(0n, 1n), slot(1n, 0x1234n)])),
  })
  expect(await result('eth_getAccount', from(0), 'latest')).toMatchObject({
    nonce: '0x1',
    codeHash: formatHex0x(EMPTY_CODE_HASH),
    storageRoot: formatHex0x(EMPTY_TRIE_ROOT),
  })
  expect(await result('eth_getAccount', DEAD, 'latest')).toBeNull()
  expect(await result('eth_getAccountInfo', contractAddress, 'latest')).toEqual({ balance: '0x0', nonce: '0x1', code })
  expect(await result('eth_requestAccounts')).toEqual(await result('eth_accounts'))
  expect(await result('eth_networkId')).toBe(await result('net_version'))
})

test('a raw transaction is found by its place in a block, and a transaction by sender and nonce', async () => {
  const raw = await signed(1, 0)
  const hash = await result('eth_sendRawTransaction', raw)
  expect(await result('eth_getTransactionBySenderAndNonce', from(1), '0x0')).toMatchObject({ hash, blockHash: null })
  expect(await result('eth_getRawTransactionByBlockNumberAndIndex', 'pending', '0x0')).toBe(raw)
  await node.nextBlock()
  for (let i = 0; i < 5; i++) await node.nextBlock()
  const { blockHash, blockNumber } = (await result('eth_getTransactionByHash', hash)) as Record<string, string>
  expect(await result('eth_getRawTransactionByBlockHashAndIndex', blockHash, '0x0')).toBe(raw)
  expect(await result('eth_getRawTransactionByBlockNumberAndIndex', blockNumber, '0x0')).toBe(raw)
  expect(await result('eth_getRawTransactionByBlockNumberAndIndex', blockNumber, '0x1')).toBeNull()
  expect(await result('eth_getTransactionBySenderAndNonce', from(1), '0x0')).toMatchObject({ hash, blockHash })
  expect(await result('eth_getTransactionBySenderAndNonce', from(1), '0x1')).toBeNull()
})

test('a transaction that is sent in sync is answered with its receipt, or with code 4 or 5 and its hash', async () => {
  const wait = ask('eth_sendRawTransactionSync', await signed(2, 0), 10_000)
  while (((await result('txpool_status')) as { pending: string }).pending === '0x0')
    await new Promise((r) => setTimeout(r, 5))
  await node.nextBlock()
  expect((await wait).result).toMatchObject({ from: from(2), status: '0x1', logs: [] })

  const late = (await ask('eth_sendRawTransactionSync', await signed(2, 1), '0x32')).error!
  expect(late).toMatchObject({ code: 4, message: 'the transaction waits: no block contained it within 50 ms' })
  expect(await result('eth_getTransactionByHash', late.data)).toMatchObject({ nonce: '0x1', blockHash: null })
  const queued = (await ask('eth_sendTransactionSync', { from: from(2), to: DEAD, gas: '0x5208', nonce: '0x9' })).error!
  expect(queued).toMatchObject({ code: 5, message: 'the transaction waits: a nonce before 9 of its sender is missing' })
  expect(queued.data).toMatch(/^0x[0-9a-f]{64}$/)
  const known = (await ask('eth_sendRawTransactionSync', await signed(2, 1), 1)).error
  expect(known).toEqual({ code: -32000, message: 'already known' })
})

test('a waiting transaction is resent with a higher price; one that differs is named', async () => {
  const spec = { from: from(3), to: DEAD, value: '0x5', gas: '0x5208', gasPrice: PRICE, nonce: '0x0' }
  const first = await result('eth_sendTransaction', spec)
  expect((await ask('eth_resend', { ...spec, value: '0x6' }, '0x1d1a94a2000')).error!.message).toContain(
    'has another value',
  )
  expect((await ask('eth_resend', { ...spec, nonce: '0x1' })).error!.message).toContain('not found in the pool')
  expect((await ask('eth_resend', { from: from(3) })).error!.message).toBe(
    'missing transaction nonce in transaction spec',
  )
  expect((await ask('eth_resend', spec)).error!.message).toBe('already known')
  const second = await result('eth_resend', spec, '0x1d1a94a2000', '0x7530')
  expect(second).not.toBe(first)
  await node.nextBlock()
  expect(await result('eth_getTransactionByHash', first)).toBeNull()
  expect(await result('eth_getTransactionByHash', second)).toMatchObject({
    gas: '0x7530',
    gasPrice: '0x1d1a94a2000',
    value: '0x5',
  })
})

test('typed data is signed under its three names', async () => {
  const data = {
    types: { EIP712Domain: [{ name: 'name', type: 'string' }], Note: [{ name: 'text', type: 'string' }] },
    primaryType: 'Note',
    domain: { name: 'Notes' },
    message: { text: 'hello' },
  }
  const answers = await Promise.all(
    ['eth_signTypedData', 'eth_signTypedData_v3', 'eth_signTypedData_v4'].map((name) => result(name, from(0), data)),
  )
  expect(answers[0]).toMatch(/^0x[0-9a-f]{130}$/)
  expect(new Set(answers).size).toBe(1)
  expect((await ask('eth_signTypedData', from(0), [])).error!.message).toContain('a list of values has no domain')
})

test('transactions sent at the same time without nonce and gas get one nonce after the other', async () => {
  const tx = { from: from(5), to: DEAD, value: '0x1' }
  const hashes = await Promise.all(Array.from({ length: 5 }, () => result('eth_sendTransaction', tx)))
  expect(new Set(hashes).size).toBe(5)
  await node.nextBlock()
  expect(await result('eth_getTransactionCount', from(5), 'latest')).toBe('0x5')
})
