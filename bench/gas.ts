/**
 * The time that a gas of work takes: blocks of 60,000,000 gas that spend it in a loop over one thing, against plain execution in
 * the same run. `npm run bench -- gas [PART_OF_A_NAME] [ROUNDS]`. Times are processor times.
 */
import { type GasLoop, gasWorld, type World } from '../test/support/evm/gas-loops.ts'
import { isBundled, runBundled } from './support/bundled.ts'
import { median } from './support/median.ts'

const BLOCK_GAS = 60_000_000n
/** The maximum of a transaction (EIP-7825). */
const TX_GAS = 1n << 24n
const WARM_UP_GAS = 20_000_000n

/** A block that takes longer is extrapolated from its first transactions. */
const PATIENCE_MS = 5_000

interface Measured {
  readonly seconds: number
  readonly gas: bigint
}

function block(world: World, loop: GasLoop, blockGas = BLOCK_GAS): Measured {
  const run = world.openBlock()
  const before = process.cpuUsage()
  const start = performance.now()
  let gas = 0n
  while (blockGas - gas > 100_000n && performance.now() - start < PATIENCE_MS) {
    const left = blockGas - gas
    const { success, error, gasUsedBeforeRefund } = run(loop, left < TX_GAS ? left : TX_GAS)
    if (!success) throw new Error(`${loop.name}: ${error}`)
    gas += gasUsedBeforeRefund
  }
  const { user, system } = process.cpuUsage(before)
  return { seconds: (user + system) / 1e6, gas }
}

const perBlock = ({ seconds, gas }: Measured): number => (seconds * Number(BLOCK_GAS)) / Number(gas)

function measure(filter: string, rounds: number): void {
  const world = gasWorld(Number(TX_GAS))
  for (const loop of [world.plain, ...world.loops.filter(({ isOwn }) => isOwn).slice(0, 4)]) block(world, loop)
  const plain = median(Array.from({ length: 5 }, () => perBlock(block(world, world.plain))))
  console.log(`plain execution: ${(60 / plain).toFixed(0)} Mgas/s`)
  console.log('seconds a block, Mgas/s, part of plain execution')
  const rows = world.loops
    .filter(({ name }) => name.includes(filter))
    .map((loop) => {
      block(world, loop, WARM_UP_GAS)
      const seconds = median(Array.from({ length: rounds }, () => perBlock(block(world, loop))))
      const part = plain / seconds
      console.log(
        `${loop.isOwn ? 'own' : '   '} ${loop.name.padEnd(56)} ${seconds.toFixed(2).padStart(7)} ${(60 / seconds).toFixed(0).padStart(5)} ${part.toFixed(2).padStart(6)}`,
      )
      return { loop, seconds, part }
    })
  const own = rows.filter(({ loop }) => loop.isOwn)
  const worst = own.reduce((a, b) => (a.part < b.part ? a : b), own[0]!)
  if (worst) console.log(`\nthe lowest part of the chain's precompiles: ${worst.part.toFixed(2)} (${worst.loop.name})`)
}

if (isBundled) measure(process.argv[2] ?? '', Number(process.argv[3] ?? 1))
else await runBundled(import.meta.filename)
