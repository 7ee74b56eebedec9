import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeFunctionData, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { type NodeConfig, startNode } from '../../src/index.ts'
import { seededRandom } from '../support/random.ts'
import { ask } from '../support/rpc.ts'

const BLOCKS = Number(process.env['TEST_SIMULATION_BLOCKS'] ?? 200)
const GENESIS_MS = Date.UTC(2024, 0, 1)
const GAS_PRICE = 10n ** 12n
const { abi, bytecode } = createRequire(import.meta.url)(
  '@openzeppelin/contracts/build/contracts/ERC20PresetFixedSupply.json',
)

interface Outcome {
  readonly appHashes: readonly string[]
  readonly supply: bigint
  readonly failed: number
  readonly succeeded: number
}

/** Runs a chain from one seed: transfers, tokens, reverts, empty gas, wrong nonces, several transactions a block. */
async function simulate(seed: number, config: NodeConfig): Promise<Outcome> {
  let nowMs = GENESIS_MS
  const random = seededRandom(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const randomBytes = seededRandom(seed + 1)
  await using node = await startNode(
    { ...config, blocks: { time: 'manual' } },
    {
      clock: () => nowMs,
      random: (length) => Uint8Array.from({ length }, () => Math.floor(randomBytes() * 256)),
    },
  )
  const senders = node.accounts
    .slice(0, 10)
    .map(({ privateKey }) => ({ account: privateKeyToAccount(privateKey), nonce: 0 }))
  const tokens: Hex[] = []
  const appHashes: string[] = []
  let failed = 0
  let succeeded = 0

  for (let block = 0; block < BLOCKS; block++) {
    const sent: Hex[] = []
    for (let i = Math.floor(random() * 8); i > 0; i--) {
      const sender = pick(senders)
      const to = pick(senders).account.address
      const kind = random()
      const token = pick(tokens)
      const request =
        kind < 0.08
          ? { data: `${bytecode}${encodeConstructor(sender.account.address)}` as Hex, gas: 2_000_000n }
          : kind < 0.6 && token
            ? {
                to: token,
                // One in four exceeds the balance and reverts.
                data: encodeFunctionData({
                  abi,
                  functionName: 'transfer',
                  args: [to, random() < 0.25 ? 10n ** 30n : 3n],
                }),
                gas: random() < 0.1 ? 23_000n : 100_000n,
              }
            : { to, value: BigInt(Math.floor(random() * 1e15)), gas: 21_000n }
      // A nonce that is used, or taken by a transaction that waits.
      const nonce = random() < 0.05 && sender.nonce > 0 ? sender.nonce - 1 : sender.nonce
      const raw = await sender.account.signTransaction({
        ...request,
        nonce,
        gasPrice: GAS_PRICE,
        chainId: node.evmChainId,
        type: 'legacy',
      })
      const { result, error } = await ask(node, 'eth_sendRawTransaction', [raw])
      if (error) expect(nonce, error.message).not.toBe(sender.nonce)
      else {
        sent.push(result as Hex)
        sender.nonce++
      }
    }
    nowMs += 500 + Math.floor(random() * 2_000)
    const height = await node.nextBlock()
    for (const hash of sent) {
      const receipt = (await ask(node, 'eth_getTransactionReceipt', [hash])).result as {
        status: string
        contractAddress: Hex | null
        blockNumber: string
      }
      expect(BigInt(receipt.blockNumber)).toBe(height)
      if (receipt.status === '0x1') succeeded++
      else failed++
      if (receipt.contractAddress && receipt.status === '0x1') tokens.push(receipt.contractAddress)
    }
    const { result } = (await (await fetch(`${node.urls.comet}/abci_info`)).json()) as {
      result: { response: { last_block_app_hash: string } }
    }
    appHashes.push(result.response.last_block_app_hash)
  }
  const supply = (await node.query('/sdk/bank/v1beta1/supply/by_denom?denom=unative')) as { amount: { amount: string } }
  return { appHashes, supply: BigInt(supply.amount.amount), failed, succeeded }
}

const encodeConstructor = (owner: Hex): string => {
  const word = (value: bigint) => value.toString(16).padStart(64, '0')
  const text = (value: string) => word(BigInt(value.length)) + Buffer.from(value).toString('hex').padEnd(64, '0')
  return word(0x80n) + word(0xc0n) + word(10n ** 24n) + word(BigInt(owner)) + text('Gold') + text('GLD')
}

test('one seed gives one chain, in memory and on disk, and no coin is created or lost', async () => {
  const homes = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'almanac-simulation-')))
  try {
    const inMemory = await simulate(7, {})
    expect(await simulate(7, {})).toEqual(inMemory)
    const onDisk = await simulate(7, { home: homes[0]! })
    expect(await simulate(7, { home: homes[1]! })).toEqual(onDisk)
    // A home has its own random validator key, so its hashes differ from those in memory. The executed results do not.
    expect({ ...onDisk, appHashes: [] }).toEqual({ ...inMemory, appHashes: [] })
    expect(inMemory.succeeded).toBeGreaterThan(BLOCKS)
    expect(inMemory.failed).toBeGreaterThan(BLOCKS / 20)
    expect(new Set(inMemory.appHashes).size).toBe(BLOCKS)
    const untouched = await startNode({ ports: false })
    const supply = (await untouched.query('/sdk/bank/v1beta1/supply/by_denom?denom=unative')) as {
      amount: { amount: string }
    }
    await untouched.stop()
    expect(inMemory.supply).toBe(BigInt(supply.amount.amount))
  } finally {
    for (const home of homes) rmSync(home, { recursive: true, force: true })
  }
})

test('another seed gives another chain', async () => {
  expect((await simulate(8, {})).appHashes.at(-1)).not.toBe((await simulate(9, {})).appHashes.at(-1))
})
