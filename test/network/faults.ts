/**
 * Faults of a network with the real engine, under a load of signed transfers from 16 accounts through all nodes: every node is killed
 * many times, one is stopped for long, one loses its data and begins again at a snapshot, a majority is frozen and goes on.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { seededRandom } from '../support/random.ts'
import { rpc } from '../support/rpc.ts'
import { compareNodes } from './agreement.ts'
import { createLife, type Life, type Victim } from './lives.ts'
import { askComet, heightOf, writeNetwork } from './processes.ts'
import { startSenders, VALUE_WEI } from './senders.ts'

const SENDERS = 16
const SNAPSHOT_INTERVAL = 20
const VICTIMS: readonly Victim[] = ['both', 'node', 'engine']
/** Number of kills of which the last one hits the next node too: then no block is made until one of both is back. */
const PAIR = 5
/** The longest pause before a kill and before the start after it, milliseconds. */
const LONGEST_PAUSE_MS = 1500
const FROZEN_MS = 4000

export interface FaultsOptions {
  readonly blocks: number
  /** Kills of each node. */
  readonly kills: number
  /** Blocks that one node misses while it is stopped. */
  readonly missed: number
  readonly seed: number
  readonly onLine?: (line: string) => void
}

/**
 * Makes a document of a network's genesis in which no validator is jailed for the time that this test has it down, and homes that take it
 * with their first start. Returns its path.
 */
function widenWindow(folder: string, homes: readonly string[]): string {
  const genesis = JSON.parse(readFileSync(join(folder, 'genesis.json'), 'utf8')) as {
    app_state: { slashing: { params: { signed_blocks_window: string } } }
  }
  genesis.app_state.slashing.params.signed_blocks_window = '100000'
  const path = join(folder, 'wide.json')
  writeFileSync(path, JSON.stringify(genesis))
  for (const home of homes) for (const name of ['home.json', 'genesis.json']) rmSync(join(home, name))
  return path
}

/** Returns the powers of the validators that a node has. */
async function powersOf({ node }: Life): Promise<string[]> {
  const answer = await askComet<{ validators: { voting_power: string }[] }>(node, 'validators')
  return answer!.validators.map(({ voting_power }) => voting_power)
}

/** Runs the faults. Resolves with the counts of what happened and what was compared; a difference is a failed expectation. */
export async function runFaults({ blocks, kills, missed, seed, onLine = () => {} }: FaultsOptions) {
  const random = seededRandom(seed)
  const network = writeNetwork(
    '--block-time',
    '300ms',
    '--accounts',
    String(SENDERS + 1),
    '--snapshot-interval',
    String(SNAPSHOT_INTERVAL),
  )
  const { nodes, evm_chain_id: chainId } = network.testnet()
  const homes = nodes.map(({ home }) => home)
  const flags = ['--genesis', widenWindow(network.folder, homes)]
  const lives = nodes.map((node) => createLife(node, flags))
  const started = performance.now()
  const heights = async () => (await Promise.all(nodes.map(heightOf))).join(' ')
  const say = async (text: string) =>
    onLine(`${((performance.now() - started) / 1000).toFixed(0)} s  [${await heights()}]  ${text}`)
  const pause = () => wait(random() * LONGEST_PAUSE_MS)
  let turn = 0

  async function killOne(life: Life): Promise<void> {
    const victim = VICTIMS[turn++ % VICTIMS.length]!
    await life.kill(victim)
    await pause()
    life.start()
    await life.reach()
    await say(`${life.node.home.slice(-5)}: killed ${victim}, ${life.kills()} times in all`)
  }

  /** Kills the nodes in turn until each has this number of kills. */
  async function killUntil(count: number): Promise<void> {
    while (lives.some((life) => life.kills() < count)) {
      for (const [i, life] of lives.entries()) {
        if (life.kills() >= count) continue
        await pause()
        const next = lives[(i + 1) % lives.length]!
        const isPair = turn % PAIR === PAIR - 1 && next.kills() < count
        await Promise.all([killOne(life), isPair ? killOne(next) : undefined])
      }
    }
  }

  /** Expects that no block is made without a majority, and that transactions are taken all the same. */
  async function freezeMajority(): Promise<number> {
    const [last, ...most] = [...lives].reverse()
    const resume = most.map((life) => life.freeze())
    // A block that was decided already.
    await wait(1000)
    const before = await heightOf(last!.node)
    await wait(FROZEN_MS)
    expect(await heightOf(last!.node)).toBe(before)
    for (const go of resume) go()
    return before
  }

  try {
    for (const life of lives) life.start()
    for (const life of lives) await life.reach(2)
    const senders = await startSenders({ nodes, chainId, count: SENDERS, paceMs: 300, random })
    await say('all run, and the senders send')

    const half = Math.ceil(kills / 2)
    await killUntil(half)
    for (const life of lives) await life.reach(await heightOf(lives[0]!.node))

    const stopped = lives[1]!
    await stopped.stop()
    const from = await heightOf(lives[0]!.node)
    await lives[0]!.reach(from + missed)
    stopped.start()
    await stopped.reach(from + missed)
    await say(`node1 was stopped for ${missed} blocks, and has caught up`)

    const frozenAt = await freezeMajority()
    for (const life of lives) await life.reach(frozenAt + 3)
    await say('three of four were frozen, and go on')

    await lives[0]!.reach(SNAPSHOT_INTERVAL + 3)
    await senders.spare(3)
    await lives[3]!.startOver(nodes.slice(0, 3))
    await lives[3]!.reach(await heightOf(lives[0]!.node))
    senders.use(3)
    await say('node3 lost its data, and began again at a snapshot')

    await killUntil(kills)
    await lives[0]!.reach(blocks)
    await say('the senders end')
    await senders.end(nodes[0]!)
    const last = await heightOf(lives[0]!.node)
    for (const life of lives) await life.reach(last)

    const { txs, logs, hashes } = await compareNodes(nodes, senders.receiver, last)
    // The first deployed the receiver.
    const [, ...sent] = senders.acknowledged.map(({ hash }) => hash)
    expect(txs.slice(1).sort()).toEqual([...new Set(sent)].sort())
    expect(new Set(logs.map(({ topics }) => topics[0])).size).toBe(sent.length)
    expect(logs.map(({ transactionHash }) => transactionHash).sort()).toEqual([...sent].sort())
    for (const { jsonrpc } of nodes) {
      const balance = await rpc<string>({ urls: { jsonrpc } }, 'eth_getBalance', [senders.receiver, 'latest'])
      expect(BigInt(balance)).toBe(VALUE_WEI * BigInt(sent.length))
    }
    for (const life of lives) expect(await powersOf(life)).toEqual(['1000', '1000', '1000', '1000'])
    const seconds = Math.round((performance.now() - started) / 1000)
    const counts = {
      blocks: last,
      kills: lives.map((life) => life.kills()),
      transactions: sent.length,
      hashes,
      logs: logs.length,
      seconds,
    }
    await say(JSON.stringify(counts))
    return counts
  } finally {
    await Promise.all(lives.map((life) => life.stop()))
    network.remove()
  }
}
