/** A clean stop of the node while clients wait for a block. */
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { wrapEthereumTx } from '../src/app/evm/envelope.ts'
import { decodeTransaction } from '../src/evm/transaction/decode.ts'
import { almanac } from '../src/identity/profiles/almanac.ts'
import { startNode } from '../src/index.ts'
import { formatBase64, hex } from '../src/primitives/bytes.ts'
import { keccak256 } from '../src/primitives/hash.ts'

type Call = readonly [method: string, params: unknown]

const TO = `0x${'ab'.repeat(20)}` as const

interface Answer {
  readonly error?: { readonly code: number; readonly message: string; readonly data?: string }
}

async function overHttp(url: string, [method, params]: Call): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return (await answer.json()) as Answer
}

/** Sends a call on a connection of its own. Resolves when it is sent, with its answer; undefined if the connection ends before. */
async function overSocket(
  url: string,
  [method, params]: Call,
): Promise<{ readonly answer: Promise<Answer | undefined> }> {
  const socket = new WebSocket(url)
  await new Promise((resolve) => socket.once('open', resolve))
  const answer = new Promise<Answer | undefined>((resolve) => {
    socket.once('message', (data) => resolve(JSON.parse(String(data)) as Answer))
    socket.once('close', () => resolve(undefined))
  })
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  return { answer }
}

test.each([0, 2])('with %i API workers a stop answers everyone who waits for a block', async (workers) => {
  await using node = await startNode({ blocks: { time: 'manual' }, api: { workers } })
  const keys = node.accounts.map(({ privateKey }) => privateKeyToAccount(privateKey))
  const signed = (index: number) =>
    keys[index]!.signTransaction({
      to: TO,
      value: 1n,
      gas: 21_000n,
      gasPrice: 10n ** 12n,
      nonce: 0,
      chainId: node.evmChainId,
      type: 'legacy',
    })
  const wrapped = async (index: number) => {
    const raw = hex((await signed(index)).slice(2))
    return formatBase64(wrapEthereumTx(almanac, decodeTransaction(raw), keccak256(raw)))
  }
  const unsigned = (index: number) => [{ from: keys[index]!.address, to: TO, value: '0x1' }]
  const { jsonrpc, ws, comet } = node.urls
  const cometSocket = `${comet.replace('http', 'ws')}/websocket`
  const overSockets = await Promise.all([
    overSocket(ws, ['eth_sendRawTransactionSync', [await signed(0)]]),
    overSocket(ws, ['eth_sendTransactionSync', unsigned(1)]),
    overSocket(cometSocket, ['broadcast_tx_commit', { tx: await wrapped(2) }]),
  ])
  const answers = [
    ...overSockets.map(({ answer }) => answer),
    overHttp(jsonrpc, ['eth_sendRawTransactionSync', [await signed(3)]]),
    overHttp(jsonrpc, ['eth_sendTransactionSync', unsigned(4)]),
    overHttp(comet, ['broadcast_tx_commit', { tx: await wrapped(5) }]),
  ]
  await expect.poll(() => node.rpc('txpool_status')).toEqual({ pending: '0x6', queued: '0x0' })
  await node.stop()
  for (const answer of await Promise.all(answers)) {
    expect(JSON.stringify(answer?.error)).toContain('the node is stopping')
  }
})
