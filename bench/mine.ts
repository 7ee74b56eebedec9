/**
 * Empty blocks of a development chain in memory: 1,000 of one `hardhat_mine`, beside anvil's in the same run, and one block a year
 * later, which ends every epoch of that year. `npm run bench -- mine [PATH OF ANVIL]`; without a path, npx starts it.
 */
import { startNode } from '../src/index.ts'
import { startAnvil } from './support/anvil.ts'
import { call } from './support/load.ts'
import { median } from './support/median.ts'

const BLOCKS = 1000
const ROUNDS = 3
const YEAR_SECONDS = 365 * 86_400

interface Measured {
  readonly wallMs: number
  readonly cpuMs: number
}

async function measure(run: () => Promise<unknown>, cpuSeconds: () => number): Promise<Measured> {
  const [started, cpuBefore] = [performance.now(), cpuSeconds()]
  await run()
  return { wallMs: performance.now() - started, cpuMs: (cpuSeconds() - cpuBefore) * 1000 }
}

const ownCpuSeconds = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

const show = (rounds: readonly Measured[]): string => {
  const of = (name: keyof Measured) => rounds.map((one) => one[name])
  return `median ${median(of('wallMs')).toFixed(0)} ms, least ${Math.min(...of('wallMs')).toFixed(0)} ms, processor ${median(of('cpuMs')).toFixed(0)} ms, of each request ${of('cpuMs').map(Math.round).join(' ')}`
}

const anvil = await startAnvil(process.argv[2])
const node = await startNode({ ports: false, blocks: { time: 'manual' } })
try {
  const count = `0x${BLOCKS.toString(16)}`
  const ours: Measured[] = []
  const theirs: Measured[] = []
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await measure(() => node.rpc('hardhat_mine', count), ownCpuSeconds))
    theirs.push(await measure(() => call(anvil.url, 'anvil_mine', [count]), anvil.cpuSeconds))
  }
  const year = await measure(async () => {
    await node.rpc('evm_increaseTime', YEAR_SECONDS)
    await node.rpc('evm_mine')
  }, ownCpuSeconds)
  process.stdout.write(
    `${BLOCKS} empty blocks, ours: first ${ours[0]!.wallMs.toFixed(0)} ms; ${show(ours)}\n` +
      `${BLOCKS} empty blocks, anvil: first ${theirs[0]!.wallMs.toFixed(0)} ms; ${show(theirs)}\n` +
      `a block after a year of empty epochs: ${show([year])}\n`,
  )
} finally {
  anvil.end()
  await node.stop()
}
