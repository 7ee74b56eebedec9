/** One seed: a network lives through the schedule of the seed, and the invariants are checked on the way and at its end. */

import type { Validator } from '../../src/app/records.ts'
import { formatHex, toKey } from '../../src/primitives/bytes.ts'
import { sha256 } from '../../src/primitives/hash.ts'
import { audit } from './audit.ts'
import { type Block, makeBlock, type Tip } from './chain.ts'
import { diceOf } from './dice.ts'
import { Killed } from './disk.ts'
import { evilOf } from './evil.ts'
import { MAX_BYTES, senders } from './genesis.ts'
import { Broken } from './ledger.ts'
import { createNetwork } from './network.ts'
import { EngineKilled, type Node } from './node.ts'
import { Stopped } from './process.ts'
import { KINDS, type Kind, type PlannedTx, txOf } from './transactions.ts'
import { armFault, createTampering } from './trouble.ts'

export interface RunOptions {
  readonly sockets?: boolean
  /** Receives a line for each step. */
  readonly onLine?: (line: string) => void
}

/** Counts of a run. */
export interface Counts {
  blocks: number
  applications: number
  transactions: number
  succeeded: number
  refusedProposals: number
  lostRounds: number
  kills: number
  restarts: number
}

export const noCounts = (): Counts => ({
  ...{ blocks: 0, applications: 0, transactions: 0, succeeded: 0 },
  ...{ refusedProposals: 0, lostRounds: 0, kills: 0, restarts: 0 },
})

/** Numbers of applications. */
const SIZES = [...Array<number>(8).fill(1), ...Array<number>(16).fill(2), 3, 3, 3, 4, 5, 6, 7]
const MOST_ROUNDS = 4
/** Attempts of a start after which its faults are taken away. */
const MOST_STARTS = 4
const OVERHEAD_BYTES = 2000
const KIND_WEIGHTS: readonly Kind[] = [...KINDS, 'send', 'send', 'send', 'send', 'send', 'delegate']

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Returns the bytes of a transaction in a block: a tag, its length and itself. */
function sizeInBlock({ length }: Uint8Array): number {
  let varint = 1
  for (let rest = length; rest > 127; rest = Math.floor(rest / 128)) varint++
  return 1 + varint + length
}

/** Runs a seed. Throws `Broken`, or what was thrown, for a seed that fails. */
export async function runSeed(seed: number, { sockets = false, onLine }: RunOptions = {}): Promise<Counts> {
  const dice = diceOf(seed)
  const counts = noCounts()
  const say = (line: string): void => onLine?.(line)
  const count = dice.pick(SIZES)
  const fromGenesis = dice.chance(6)
  const network = await createNetwork({ dice, count, fromGenesis, sockets, say })
  const { ledger, nodes } = network
  const planned = new Map<string, PlannedTx>()
  const tamper = createTampering(dice, say)
  counts.applications = count
  say(`seed ${seed}: ${nodes.map(({ name }) => name).join(', ')}${fromGenesis ? ', from genesis' : ''}`)

  /** Runs a step of a node, in which its process or its engine can end. Resolves with undefined if one does. */
  async function attempt<T>(node: Node, step: () => Promise<T>): Promise<T | undefined> {
    try {
      return await step()
    } catch (error) {
      if (error instanceof Broken) throw error
      const text = error instanceof Error ? error.message : String(error)
      say(`${node.name} is down: ${text}`)
      counts.kills++
      if (!(error instanceof Killed || error instanceof EngineKilled)) {
        if (!node.disk().hasFailed()) throw error
        requireHalted(node, error)
      }
      await node.kill(error instanceof EngineKilled)
      return undefined
    }
  }

  /** Checks that an application whose engine has stopped because of it says so. */
  function requireHalted(node: Node, error: unknown): void {
    if (!(error instanceof Stopped)) return
    const halted = node.process()?.comet.status().halted
    if (!halted?.reason)
      throw new Broken(`${node.name} stays up without a block and does not say why: ${error.message}`)
  }

  /** Starts a node, and starts it again if it ends on the way. */
  async function start(node: Node): Promise<void> {
    for (let tries = 1; !node.isUp(); tries++) {
      if (tries > MOST_STARTS) {
        node.arm(undefined)
        node.disk().disarm()
      }
      if (tries > 2 * MOST_STARTS) throw new Broken(`${node.name} does not start`)
      say(`${node.name} starts at height ${node.committed()}, its engine at ${node.stored()}`)
      counts.restarts++
      await attempt(node, () => node.start())
    }
  }

  async function trouble(): Promise<void> {
    for (const node of nodes) {
      if (!node.isUp()) {
        if (node.process() === undefined && dice.chance(20)) await tamper(node)
        if (dice.chance(55)) await start(node)
        continue
      }
      if (dice.chance(16)) armFault(node, dice, say)
      const end = dice.below(25)
      if (end === 0) {
        say(`${node.name} stops`)
        await attempt(node, () => node.stop())
      } else if (end === 1) {
        say(`${node.name} is killed`)
        counts.kills++
        await node.kill(dice.chance(30))
      }
    }
    if (network.up().length === 0) await start(dice.pick(nodes))
  }

  /** Hands a transaction to a pool, sometimes twice: the second answer is as good as the first. */
  async function handTwice(node: Node, bytes: Uint8Array): Promise<void> {
    const [code] = await node.check([bytes.slice()])
    if (code !== 0 || dice.chance(70)) return
    const [again] = await node.check([bytes.slice()])
    if (again !== 0) throw new Broken(`${node.name} refuses with ${again} what it has just admitted`)
  }

  /** Clients and peers hand transactions to pools: in any order, and some of them twice. */
  async function traffic(): Promise<void> {
    const sent: PlannedTx[] = []
    for (let left = dice.below(5); left > 0 && network.up().length > 0; left--) {
      const node = dice.pick(network.up())
      const sender = dice.pick(senders)
      const { comet, executor } = node.process()!
      if (executor.committedHeight() === 0n) continue
      const waiting = comet.pool.ofSender(sender.address).txs.length
      const offset = dice.chance(85) ? 0 : dice.below(4) - 1
      const nonce = network.nonceOf(sender) + BigInt(waiting + offset)
      const one = txOf(sender, nonce < 0n ? 0n : nonce, dice.pick(KIND_WEIGHTS))
      planned.set(toKey(sha256(one.bytes)), one)
      sent.push(one)
      if (dice.chance(50)) await attempt(node, () => handTwice(node, one.bytes))
      else {
        node.listen(true)
        await comet.submit(one.bytes.slice())
        await tick()
        node.listen(false)
      }
    }
    for (const node of network.up()) {
      const heard = dice.shuffled([...sent, ...sent]).filter(() => dice.chance(60))
      if (heard.length > 0) await attempt(node, () => node.check(heard.map(({ bytes }) => bytes.slice())))
    }
  }

  /** Lets the nodes judge a proposal. */
  async function judge(block: Block, expected: (node: Node) => boolean, what: string): Promise<void> {
    for (const node of dice.shuffled(network.up())) {
      const accepts = await attempt(node, () => node.accepts(block))
      if (accepts === undefined || accepts === expected(node)) continue
      throw new Broken(`${node.name} ${accepts ? 'accepts' : 'rejects'} ${what} at height ${block.header.height}`)
    }
  }

  /** Returns a validator that has signed the last block twice: rarely, and one in a chain. */
  function suspectOf({ height, lastValidators }: Tip): Validator | undefined {
    const first = Number(height) - 1
    const isTried = Array.from({ length: Math.max(0, first) }, (_, i) => ledger.block(i + 1)).some(
      ({ guilty }) => guilty,
    )
    return !isTried && lastValidators.length > 2 && dice.chance(4) ? dice.pick(lastValidators) : undefined
  }

  const draft = (txs: readonly Uint8Array[], round: number): Block => {
    const tip = ledger.tip()
    const signs = tip.lastValidators.map(() => !dice.chance(10))
    return makeBlock(tip, txs, {
      ...{ proposer: dice.pick(tip.validators), round, seconds: 1 + dice.below(5) },
      guilty: suspectOf(tip),
      hasSigned: (i) => signs[i]!,
    })
  }

  async function refuse(round: number): Promise<void> {
    const { name, txs, rubbish, rejectedBy } = evilOf(dice, network.nonceOf)
    const bytes = [...txs.map((tx) => tx.bytes.slice()), ...(rubbish ? [rubbish] : [])]
    say(`round ${round}: a proposal with ${name}${rubbish ? ` ${formatHex(rubbish)}` : ''}`)
    counts.refusedProposals++
    await judge(draft(bytes, round), ({ dialect }) => !rejectedBy.includes(dialect), `a proposal with ${name}`)
  }

  /** Asks a node for a block. Undefined if it ends before its answer. */
  async function propose(round: number): Promise<Block | undefined> {
    const proposer = dice.pick(network.up())
    const block = draft([], round)
    const some = [...proposer.mempool.values()].slice(0, 1 + dice.below(4))
    const tight = some.reduce((sum, { length }) => sum + length, dice.below(8))
    const most = MAX_BYTES - OVERHEAD_BYTES
    const maxTxBytes = dice.chance(20) ? Math.min(tight, most) : most
    const txs = await attempt(proposer, () => proposer.prepare(block, maxTxBytes))
    if (!txs) return undefined
    const size = txs.reduce((sum, tx) => sum + sizeInBlock(tx), 0)
    if (size > maxTxBytes) throw new Broken(`${proposer.name} proposes ${size} bytes, at most ${maxTxBytes}`)
    say(`round ${round}: ${proposer.name} proposes ${txs.length} transactions`)
    return makeBlock(ledger.tip(), txs, {
      proposer: ledger.tip().validators.find(({ address }) => address === block.header.proposer)!,
      round,
      seconds: 1 + dice.below(5),
      hasSigned: (i) => block.votes[i]!.signed,
      guilty: block.guilty?.validator,
    })
  }

  async function decide(): Promise<void> {
    for (let round = 0; ; round++) {
      if (network.up().length === 0) await start(dice.pick(nodes))
      const isLast = round >= MOST_ROUNDS
      if (!isLast && dice.chance(25)) {
        await refuse(round)
        continue
      }
      const block = await propose(round)
      if (!block) continue
      await judge(block, () => true, 'an honest proposal')
      if (!isLast && dice.chance(15)) {
        counts.lostRounds++
        continue
      }
      ledger.decide(block)
      counts.blocks++
      counts.transactions += block.txs.length
      return
    }
  }

  async function execute(): Promise<void> {
    const block = ledger.block(ledger.height())
    const ready = dice.shuffled(network.up())
    for (const node of ready) await attempt(node, () => node.receive(block))
    // A block that every node failed to execute is executed by the one that starts first.
    for (const node of dice.shuffled(nodes)) {
      if (!node.isUp() && (dice.chance(50) || !ledger.outcome(ledger.height()))) await start(node)
    }
    for (const node of network.up()) {
      const rest = [...node.mempool.values()]
      const asked = dice.chance(70) ? rest : dice.shuffled([...rest, ...rest]).slice(0, 1 + dice.below(8))
      if (asked.length > 0) await attempt(node, () => node.check(asked, true))
    }
    for (const node of nodes) node.listen(true)
    await tick()
    for (const node of nodes) node.listen(false)
  }

  try {
    for (const node of nodes) await start(node)
    for (let left = 1 + dice.below(4); left > 0; left--) {
      await trouble()
      await traffic()
      await decide()
      await execute()
      say(`block ${ledger.height()} is done`)
    }
    for (const node of nodes) {
      node.arm(undefined)
      node.disk().disarm()
      if (dice.chance(30)) await node.kill()
      await start(node)
      audit(node, ledger, planned)
    }
    for (let height = 1; height <= ledger.height(); height++) {
      counts.succeeded += ledger.outcome(height)!.codes.filter((code) => code === 0).length
    }
    return counts
  } finally {
    for (const node of nodes) await node.kill()
  }
}
