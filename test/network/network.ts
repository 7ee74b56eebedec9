/** A network of the model: its nodes, started on the chain's first block or before it. */
import * as auth from '../../src/modules/auth/keeper.ts'
import type { Actor } from '../simulation/actors.ts'
import { type Block, makeBlock, type Outcome } from './chain.ts'
import type { Dice } from './dice.ts'
import { createDisk, type Disk } from './disk.ts'
import { createLedger, type Ledger } from './ledger.ts'
import { createNode, type Node } from './node.ts'
import { startProcess } from './process.ts'
import type { Dialect } from './requests.ts'
import { initChain, validatorsOf } from './requests.ts'

export interface Network {
  readonly ledger: Ledger
  readonly nodes: readonly Node[]
  /** Returns the nodes that run. */
  up(): Node[]
  /** Returns the sequence of a sender in the state that the next block builds on. */
  nonceOf(sender: Actor): bigint
}

/** A chain of one block, which networks start from to save the time of InitChain. */
interface Image {
  readonly disk: Disk
  readonly appHash: Uint8Array
  readonly validators: ReturnType<typeof validatorsOf>
  readonly block: Block
  readonly outcome: Outcome
}

let image: Promise<Image> | undefined

async function makeImage(): Promise<Image> {
  const disk = createDisk()
  const ledger = createLedger()
  const unheard = (): never => {
    throw new Error('nothing is broadcast')
  }
  const process = await startProcess({
    disk,
    rpc: { broadcast: unheard, isCatchingUp: async () => false },
    elapsed: () => 0,
    sockets: false,
    onBug: (error) => {
      throw error
    },
  })
  const begun = await process.call(initChain())
  if (begun.case !== 'initChain') throw new Error('InitChain has another answer')
  await process.kill()
  const { appHash } = begun.value
  const validators = validatorsOf(begun.value.validators)
  ledger.begin('image', appHash, validators)
  const tip = ledger.tip()
  const choices = { proposer: tip.validators[0]!, round: 0, seconds: 1, hasSigned: () => true }
  const block = makeBlock(tip, [], choices)
  const node = createNode({
    ...{ name: 'image', dialect: '2.0' as const, disk, ledger, sockets: false, height: 0 },
    elapsed: () => 0,
    say: () => undefined,
  })
  ledger.decide(block)
  await node.start()
  await node.stop()
  return { disk, appHash, validators, block, outcome: ledger.outcome(1)! }
}

/** Dialects of the nodes, of which a network of several has both. */
const dialectsOf = (dice: Dice, count: number): Dialect[] =>
  dice.shuffled(Array.from({ length: count }, (_, i): Dialect => (i % 2 === 0 ? '2.0' : '1.0')))

interface Options {
  readonly dice: Dice
  readonly count: number
  readonly fromGenesis: boolean
  readonly sockets: boolean
  readonly say: (line: string) => void
}

export async function createNetwork({ dice, count, fromGenesis, sockets, say }: Options): Promise<Network> {
  const ledger = createLedger()
  if (!fromGenesis) image ??= makeImage()
  const origin = fromGenesis ? undefined : await image
  if (origin) {
    ledger.begin('the image', origin.appHash, origin.validators)
    ledger.decide(origin.block)
    ledger.record('the image', 1, origin.outcome)
  }
  const nodes = dialectsOf(dice, count).map((dialect, i) => {
    let ticks = 0
    const step = dice.below(2)
    return createNode({
      name: `node ${i} (ABCI ${dialect})`,
      dialect,
      disk: origin ? origin.disk.copy() : createDisk(),
      ledger,
      sockets,
      height: origin ? 1 : 0,
      elapsed: () => (ticks += step),
      say,
    })
  })
  return {
    ledger,
    nodes,
    up: () => nodes.filter((node) => node.isUp()),
    nonceOf(sender) {
      const height = ledger.height()
      const node = nodes.find((one) => one.isUp() && one.committed() === height)
      if (!node || height === 0) return 0n
      return node.process()!.executor.read((ctx) => auth.getAccount(ctx, sender.address)?.sequence ?? 0n)
    },
  }
}
