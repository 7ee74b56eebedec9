/** The state of the nodes of a network, as they answer over their CometBFT RPC, and the rates that follow. */
import type { TestnetNode } from './manifest.ts'

/** Time in which a node answers. Beyond: it counts as one that does not. */
const ANSWER_MS = 3000
/** Time over which rates are averaged. */
const WINDOW_MS = 10_000
/** Blocks in one answer of `blockchain`. */
const BLOCKS_ASKED = 20

/** A node that answers. */
export interface Sight {
  readonly height: number
  readonly appHash: string
  readonly catchingUp: boolean
  /** Round of the height that is being decided; undefined if the engine does not say. */
  readonly round: number | undefined
  readonly peers: number
  readonly blocksPerSecond: number
  readonly txsPerSecond: number
}

export interface Watch {
  /** Asks all nodes. The list has the order of the nodes; undefined for one that does not answer. */
  look(): Promise<readonly (Sight | undefined)[]>
}

interface Status {
  readonly sync_info: {
    readonly latest_block_height: string
    readonly latest_app_hash: string
    readonly catching_up: boolean
  }
}

interface RoundState {
  readonly round_state: { readonly 'height/round/step': string }
}

interface Metas {
  readonly block_metas: readonly { readonly header: { readonly height: string }; readonly num_txs: string }[]
}

async function ask<T>(node: TestnetNode, path: string): Promise<T | undefined> {
  try {
    const response = await fetch(`${node.comet}/${path}`, { signal: AbortSignal.timeout(ANSWER_MS) })
    return ((await response.json()) as { readonly result?: T }).result
  } catch {
    return undefined
  }
}

/** The height of a node at a time, monotonic milliseconds. */
interface Sample {
  readonly atMs: number
  readonly height: number
}

/** Watches nodes. `elapsed` is a monotonic clock, milliseconds. */
export function watchNodes(nodes: readonly TestnetNode[], elapsed: () => number): Watch {
  const samples: Sample[][] = nodes.map(() => [])
  /** Number of transactions by height, of the heights within the window. */
  const txs = new Map<number, number>()

  /** Counts the transactions of the blocks after those that are counted. */
  async function countTxs(node: TestnetNode, from: number, to: number): Promise<void> {
    for (let first = from; first <= to; first += BLOCKS_ASKED) {
      const last = Math.min(to, first + BLOCKS_ASKED - 1)
      const found = await ask<Metas>(node, `blockchain?minHeight=${first}&maxHeight=${last}`)
      for (const { header, num_txs: count } of found?.block_metas ?? []) txs.set(Number(header.height), Number(count))
    }
  }

  /** Returns the blocks and transactions a second of a node over the window, up to a height that it has now. */
  async function ratesOf(index: number, height: number): Promise<readonly [blocks: number, txs: number]> {
    const own = samples[index]!
    const now = elapsed()
    own.push({ atMs: now, height })
    while (own.length > 2 && now - own[0]!.atMs > WINDOW_MS) own.shift()
    const first = own[0]!
    const seconds = (now - first.atMs) / 1000
    if (seconds === 0 || height <= first.height) return [0, 0]
    let missing = height
    for (let one = first.height + 1; one <= height && missing === height; one++) if (!txs.has(one)) missing = one - 1
    if (missing < height) await countTxs(nodes[index]!, missing + 1, height)
    let count = 0
    for (let one = first.height + 1; one <= height; one++) count += txs.get(one) ?? 0
    return [(height - first.height) / seconds, count / seconds]
  }

  async function lookAt(node: TestnetNode, index: number): Promise<Sight | undefined> {
    const [status, state, net] = await Promise.all([
      ask<Status>(node, 'status'),
      ask<RoundState>(node, 'consensus_state'),
      ask<{ readonly n_peers: string }>(node, 'net_info'),
    ])
    if (!status) {
      samples[index]!.length = 0
      return undefined
    }
    const { latest_block_height: latest, latest_app_hash: appHash, catching_up: catchingUp } = status.sync_info
    const height = Number(latest)
    const [blocksPerSecond, txsPerSecond] = await ratesOf(index, height)
    const round = Number(state?.round_state['height/round/step'].split('/')[1])
    return {
      height,
      appHash,
      catchingUp,
      round: Number.isInteger(round) ? round : undefined,
      peers: Number(net?.n_peers ?? 0),
      blocksPerSecond,
      txsPerSecond,
    }
  }

  return {
    async look() {
      const sights = await Promise.all(nodes.map(lookAt))
      const least = Math.min(...samples.flatMap((own) => own.slice(0, 1).map(({ height }) => height)))
      for (const height of txs.keys()) if (height <= least) txs.delete(height)
      return sights
    },
  }
}
