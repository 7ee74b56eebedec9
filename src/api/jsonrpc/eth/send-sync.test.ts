import { expect, test } from 'vitest'
import { encodeTransaction } from '../../../evm/transaction/encode.ts'
import { signTransaction } from '../../../evm/transaction/sender.ts'
import { almanac } from '../../../identity/profiles/almanac.ts'
import { EMPTY, hex } from '../../../primitives/bytes.ts'
import { keccak256 } from '../../../primitives/hash.ts'
import { toRpcError } from '../errors.ts'
import type { RpcCall } from '../method.ts'
import { sendRawSync } from './send-sync.ts'

const raw = encodeTransaction(
  signTransaction(
    {
      type: 0,
      chainId: 6930n,
      nonce: 0n,
      gasPriceWei: 1n,
      gasLimit: 21_000n,
      to: hex('11'.repeat(20)),
      valueWei: 0n,
      data: EMPTY,
    },
    hex('22'.repeat(32)),
  ),
)

/** Returns a call to a node that finds no transaction in its blocks. */
function callOf(submit: () => Promise<object>) {
  const listeners = new Set<unknown>()
  const listen = (listener: unknown) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const halts = new Set<() => void>()
  const stops = new Set<() => void>()
  let halted: { readonly reason: string; readonly next: string } | undefined
  const abort = new AbortController()
  const node = {
    identity: almanac,
    settings: { txFeeCapWei: 0n, syncTimeoutMs: 1000 },
    blocks: { evmTx: () => undefined },
    driver: {
      submit,
      onBlock: listen,
      onStop(listener: () => void) {
        stops.add(listener)
        return listen(listener)
      },
      onHalt(listener: () => void) {
        halts.add(listener)
        return listen(listener)
      },
      status: () => ({ halted }),
    },
  }
  const halt = (reason: string): void => {
    halted = { reason, next: 'start it again' }
    for (const listener of halts) listener()
  }
  const stop = (): void => {
    for (const listener of stops) listener()
  }
  return { call: { node, signal: () => abort.signal } as unknown as RpcCall, listeners, abort, halt, stop }
}

async function failure(answer: Promise<unknown>): Promise<unknown> {
  return toRpcError(await answer.then(() => undefined).catch((error: unknown) => error), {} as never)
}

const WAITS = {
  code: 4,
  message: 'the transaction waits: no block contained it within 20 ms',
  data: `0x${Buffer.from(keccak256(raw)).toString('hex')}`,
}

test('the time ends although the pool has not answered yet, and although no block has the transaction', async () => {
  const silent = callOf(() => new Promise(() => {}))
  expect(await failure(sendRawSync(silent.call, raw, 20))).toEqual(WAITS)
  const admitted = callOf(async () => ({ code: 0, codespace: '', log: '' }))
  expect(await failure(sendRawSync(admitted.call, raw, '0x14'))).toEqual(WAITS)
  expect(admitted.listeners.size).toBe(0)
})

test('a client that leaves frees its listener', async () => {
  const { call, listeners, abort } = callOf(async () => ({ code: 0, codespace: '', log: '' }))
  const answer = sendRawSync(call, raw, undefined)
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(listeners.size).toBe(3)
  abort.abort()
  await expect(answer).rejects.toThrow('the client has disconnected')
  expect(listeners.size).toBe(0)
})

test('a halt of the chain answers at once, also one that came before', async () => {
  const { call, listeners, halt } = callOf(async () => ({ code: 0, codespace: '', log: '' }))
  const text = 'the chain has halted: the disk is full; start it again'
  const answer = sendRawSync(call, raw, 1000).catch((error: Error) => error.message)
  await expect.poll(() => listeners.size).toBe(3)
  halt('the disk is full')
  expect(await answer).toBe(text)
  await expect(sendRawSync(call, raw, 1000)).rejects.toThrow(text)
  expect(listeners.size).toBe(0)
})

test('a node that stops answers at once', async () => {
  const { call, listeners, stop } = callOf(async () => ({ code: 0, codespace: '', log: '' }))
  const answer = sendRawSync(call, raw, 1000).catch((error: Error) => error.message)
  await expect.poll(() => listeners.size).toBe(3)
  stop()
  expect(await answer).toBe('the node is stopping')
  expect(listeners.size).toBe(0)
})
