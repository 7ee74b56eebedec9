/** Accounts that send signed transfers through every node of a network, whatever happens to the nodes. */
import { setTimeout as wait } from 'node:timers/promises'
import { mnemonicToAccount } from 'viem/accounts'
import { encodeTransaction } from '../../src/evm/transaction/encode.ts'
import { signTransaction } from '../../src/evm/transaction/sender.ts'
import { TEST_MNEMONIC } from '../../src/node/settings/chain.ts'
import type { TestnetNode } from '../../src/node/testnet/manifest.ts'
import { formatHex0x, hex } from '../../src/primitives/bytes.ts'
import { keccak256 } from '../../src/primitives/hash.ts'
import { ask, type RpcAnswer } from '../support/rpc.ts'
import { creationOf } from '../support/small-contracts.ts'

/** Transactions that an account has under way, acknowledged and not in a block. */
const WINDOW = 6
const CALL_MS = 10_000
const GAS_PRICE_WEI = 2_000_000_000_000n
/** Emits a log without data whose topic is the input, and keeps the value. */
const RECEIVER = creationOf('5f355f5fa100')

/** Value of each transfer. */
export const VALUE_WEI = 10n ** 12n

/** A transaction that a node has acknowledged. */
interface Acknowledged {
  readonly hash: string
  readonly sender: number
  readonly nonce: number
  /** Number of the node that has acknowledged it, and milliseconds since the senders' start. */
  readonly node: number
  readonly atMs: number
}

export interface Senders {
  readonly acknowledged: readonly Acknowledged[]
  /** Address of the contract that receives the transfers. */
  readonly receiver: string
  /** Sends nothing more through a node until `use`. Resolves once all that it has acknowledged is in blocks. */
  spare(node: number): Promise<void>
  use(node: number): void
  /** Resolves once all senders have ended, and all that was acknowledged is in blocks of the node. */
  end(node: TestnetNode): Promise<void>
}

/** Sends one call to a node. Resolves with undefined if it does not answer. */
async function call<Result>(
  { jsonrpc }: TestnetNode,
  method: string,
  params: readonly unknown[],
): Promise<RpcAnswer<Result> | undefined> {
  try {
    return await ask<Result>({ urls: { jsonrpc } }, method, params, AbortSignal.timeout(CALL_MS))
  } catch {
    return undefined
  }
}

interface SendersOptions {
  readonly nodes: readonly TestnetNode[]
  readonly chainId: number
  readonly count: number
  /** Milliseconds between two transactions of an account. */
  readonly paceMs: number
  readonly random: () => number
}

/** Deploys the receiver with the account after the senders, and starts the senders. */
export async function startSenders(options: SendersOptions): Promise<Senders> {
  const { nodes, chainId, count, paceMs, random } = options
  const started = performance.now()
  const accounts = Array.from({ length: count + 1 }, (_, addressIndex) => {
    const account = mnemonicToAccount(TEST_MNEMONIC, { addressIndex })
    return { address: account.address, key: account.getHdKey().privateKey! }
  })
  const acknowledged: Acknowledged[] = []
  const spared = new Set<number>()
  /** Nonce of the next block of each account, as far as any node has shown it. */
  const mined = accounts.map(() => 0)
  let isOver = false

  function sign(sender: number, nonce: number, to: string | undefined, data: Uint8Array) {
    const raw = encodeTransaction(
      signTransaction(
        {
          type: 2,
          chainId: BigInt(chainId),
          nonce: BigInt(nonce),
          gasLimit: 100_000n,
          to: to === undefined ? undefined : hex(to),
          valueWei: to === undefined ? 0n : VALUE_WEI,
          data,
          maxPriorityFeePerGasWei: 0n,
          maxFeePerGasWei: GAS_PRICE_WEI,
          accessList: [],
        },
        accounts[sender]!.key,
      ),
    )
    return { raw: formatHex0x(raw), hash: formatHex0x(keccak256(raw)) }
  }

  async function look(sender: number, node: TestnetNode): Promise<void> {
    const answer = await call<string>(node, 'eth_getTransactionCount', [accounts[sender]!.address, 'latest'])
    if (answer?.result !== undefined) mined[sender] = Math.max(mined[sender]!, Number(answer.result))
  }

  /** Sends a transaction until a node has acknowledged it, or a block has it. */
  async function send(sender: number, nonce: number, to: string | undefined, data: Uint8Array): Promise<void> {
    const { raw, hash } = sign(sender, nonce, to, data)
    for (let turn = sender + nonce; ; turn++) {
      const number = turn % nodes.length
      const node = nodes[number]!
      if (spared.has(number)) continue
      const answer = await call<string>(node, 'eth_sendRawTransaction', [raw])
      if (answer?.result === hash || answer?.error?.message.includes('already known')) {
        acknowledged.push({ hash, sender, nonce, node: number, atMs: Math.round(performance.now() - started) })
        return
      }
      // It is in a block: an earlier attempt was admitted and its answer lost.
      if (answer?.error?.message.includes('nonce too low')) {
        acknowledged.push({ hash, sender, nonce, node: number, atMs: Math.round(performance.now() - started) })
        return
      }
      await wait(20)
    }
  }

  async function flow(sender: number, to: string): Promise<void> {
    for (let nonce = 0; !isOver; nonce++) {
      while (nonce - mined[sender]! >= WINDOW && !isOver) {
        await look(sender, nodes[Math.floor(random() * nodes.length)]!)
        await wait(50)
      }
      if (isOver) return
      await send(sender, nonce, to, hex(`${sender}`.padStart(32, '0') + `${nonce}`.padStart(32, '0')))
      await wait(paceMs * (0.5 + random()))
    }
  }

  await send(count, 0, undefined, hex(RECEIVER))
  let receiver: string | undefined
  while (receiver === undefined) {
    const hash = acknowledged[0]!.hash
    const receipt = await call<{ contractAddress: string } | null>(nodes[0]!, 'eth_getTransactionReceipt', [hash])
    receiver = receipt?.result?.contractAddress
    await wait(50)
  }
  const to = receiver
  const flows = Array.from({ length: count }, (_, sender) => flow(sender, to))

  /** Resolves once a node has all acknowledged transactions that are chosen in its blocks. */
  async function settled(node: TestnetNode, isChosen: (one: Acknowledged) => boolean): Promise<void> {
    const wanted = acknowledged.filter(isChosen)
    const isIn = ({ sender, nonce }: Acknowledged) => mined[sender]! > nonce
    const limit = performance.now() + 150_000
    while (!wanted.every(isIn)) {
      if (performance.now() > limit) {
        throw new Error(
          `acknowledged and in no block: ${JSON.stringify(wanted.filter((one) => !isIn(one)).slice(0, 20))}`,
        )
      }
      for (const sender of accounts.keys()) await look(sender, node)
      await wait(200)
    }
  }

  return {
    acknowledged,
    receiver: to,
    async spare(number) {
      spared.add(number)
      // Answers that are under way.
      await wait(CALL_MS / 10)
      await settled(nodes[(number + 1) % nodes.length]!, ({ node }) => node === number)
    },
    use: (number) => void spared.delete(number),
    async end(node) {
      isOver = true
      await Promise.all(flows)
      await settled(node, () => true)
    },
  }
}
