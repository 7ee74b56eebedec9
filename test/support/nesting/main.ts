/**
 * Runs a plan of generated blocks, given as JSON in the first argument, and prints digest and outcomes as JSON. A child process
 * of the tests.
 */
import { create, toBinary } from '@bufbuild/protobuf'
import { wrapEthereumTx } from '../../../src/app/evm/envelope.ts'
import { transactionHash } from '../../../src/evm/transaction/encode.ts'
import { signTransaction } from '../../../src/evm/transaction/sender.ts'
import { MsgSendSchema } from '../../../src/gen/sdk/bank/v1beta1/tx_pb.ts'
import { almanac } from '../../../src/identity/profiles/almanac.ts'
import { seededRandom } from '../random.ts'
import { type Author, authors, createDigestedChain, type DigestedChain } from './chain.ts'
import { type Container, containers, nest, type Packed, repeat } from './containers.ts'
import type { NestingPlan } from './plan.ts'
import { createRandomMessages } from './random-messages.ts'

const GAS = 50_000_000n
const RANDOM_GAS = 400_000n
/** Bytes of transactions after which a block is full. */
const BLOCK_BYTES = 4_000_000

function leafOf({ text }: Author): Packed {
  const message = create(MsgSendSchema, {
    fromAddress: text,
    toAddress: text,
    amount: [{ denom: 'unative', amount: '1' }],
  })
  return { typeUrl: `/${MsgSendSchema.typeName}`, value: toBinary(MsgSendSchema, message) }
}

/** Returns the cycles of containers: each alone, every pair, and every triple if wanted. The first can begin a transaction. */
function* cycles(withTriples: boolean): IterableIterator<readonly Container[]> {
  const { routed, inner } = containers()
  const all = [...routed, ...inner]
  for (const first of routed) {
    yield [first]
    for (const second of all) {
      yield [first, second]
      if (withTriples) for (const third of all) yield [first, second, third]
    }
  }
}

function runNestings(chain: DigestedChain, { depths, tripleDepths }: NestingPlan): void {
  let txs: Uint8Array[] = []
  let size = 0
  const flush = (): void => {
    if (txs.length > 0) chain.block(txs)
    txs = []
    size = 0
  }
  for (const cycle of cycles(tripleDepths.length > 0)) {
    for (const depth of cycle.length === 3 ? tripleDepths : depths) {
      const author = authors[txs.length]!
      const message = nest(leafOf(author), repeat(cycle, depth), author.text)
      const tx = chain.sign(author, [message], GAS)
      txs.push(tx)
      size += tx.length
      if (txs.length === authors.length || size > BLOCK_BYTES) flush()
    }
  }
  flush()
}

function randomTx(chain: DigestedChain, author: Author, random: () => number): Uint8Array {
  const messages = createRandomMessages(random)
  const roll = random()
  if (roll < 0.1) {
    const data = Uint8Array.from({ length: Math.floor(random() * 200) }, () => Math.floor(random() * 256))
    const tx = signTransaction(
      {
        type: 0,
        chainId: 6930n,
        nonce: chain.nonceOf(author.evmAddress),
        gasLimit: 300_000n,
        to: random() < 0.5 ? undefined : authors[Math.floor(random() * authors.length)]!.evmAddress,
        valueWei: BigInt(Math.floor(random() * 1000)),
        data,
        gasPriceWei: 10n ** 12n,
      },
      author.privateKey,
    )
    const wrapped = wrapEthereumTx(almanac, tx, transactionHash(tx))
    return random() < 0.3 ? messages.mutate(wrapped) : wrapped
  }
  const list = Array.from({ length: 1 + Math.floor(random() * 2) }, () => messages.message(author))
  const tx = chain.sign(author, list, RANDOM_GAS)
  return roll < 0.3 ? messages.mutate(tx) : tx
}

function runRandom(chain: DigestedChain, seed: number, blocks: number): void {
  const random = seededRandom(seed)
  for (let i = 0; i < blocks; i++) {
    const count = 1 + Math.floor(random() * 3)
    const from = Math.floor(random() * (authors.length - count))
    chain.block(authors.slice(from, from + count).map((author) => randomTx(chain, author, random)))
  }
}

const plan = JSON.parse(process.argv[2]!) as NestingPlan
if (plan.warmBlocks > 0) runRandom(createDigestedChain(), plan.seed + 1, plan.warmBlocks)
const chain = createDigestedChain()
runNestings(chain, plan)
runRandom(chain, plan.seed, plan.randomBlocks)
process.stdout.write(JSON.stringify({ digest: chain.digest(), outcomes: chain.outcomes() }))
