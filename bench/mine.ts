/**
 * Empty blocks of a development chain: 1,000 of one `hardhat_mine`, from the first request of a fresh process on, beside anvil's in
 * the same run; and one block a year later, which ends every epoch of that year. Then the same blocks on disk, and with simulated
 * prices. `npm run bench -- mine [PATH OF ANVIL]`; without a path, npx starts it.
 */
import { startAnvil } from './support/anvil.ts'
import { call, removeFolder, scratchFolder, startDevProcess, startNodeProcess } from './support/load.ts'
import { median } from './support/median.ts'

const BLOCKS = 1000
const ROUNDS = 3
const YEAR_SECONDS = 365 * 86_400
const COUNT = `0x${BLOCKS.toString(16)}`

interface Measured {
  readonly wallMs: number
  readonly cpuMs: number
}

/** A node that mines. */
interface Miner {
  readonly url: string
  /** Processor time of all its threads and processes. Unit: seconds. */
  cpuSeconds(): number
}

async function measure({ cpuSeconds }: Miner, run: () => Promise<unknown>): Promise<Measured> {
  const [started, cpuBefore] = [performance.now(), cpuSeconds()]
  await run()
  return { wallMs: performance.now() - started, cpuMs: (cpuSeconds() - cpuBefore) * 1000 }
}

const mine = (miner: Miner): Promise<Measured> => measure(miner, () => call(miner.url, 'hardhat_mine', [COUNT]))

function show(name: string, rounds: readonly Measured[]): void {
  const of = (field: keyof Measured) => rounds.map((one) => one[field])
  const all = (field: keyof Measured) => of(field).map(Math.round).join(', ')
  process.stdout.write(
    `${name}: ${all('wallMs')} ms, median ${median(of('wallMs')).toFixed(0)}; processor ${all('cpuMs')} ms\n`,
  )
}

/** Mines on a node with a home on disk. */
async function onDisk(name: string, flags: readonly string[]): Promise<void> {
  const home = scratchFolder()
  const node = await startNodeProcess(['--home', home, '--block-time', 'manual', '--log-level', 'warn', ...flags])
  try {
    const miner = { url: node.config.urls.jsonrpc, cpuSeconds: node.cpuSeconds }
    const rounds: Measured[] = []
    for (let round = 0; round < ROUNDS; round++) rounds.push(await mine(miner))
    show(name, rounds)
  } finally {
    await node.end()
    removeFolder(home)
  }
}

const anvil = await startAnvil(process.argv[2])
const node = await startDevProcess()
try {
  const ours: Measured[] = []
  const theirs: Measured[] = []
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await mine(node))
    theirs.push(await mine(anvil))
  }
  const year = await measure(node, async () => {
    await call(node.url, 'evm_increaseTime', [YEAR_SECONDS])
    await call(node.url, 'evm_mine', [])
  })
  show(`${BLOCKS} empty blocks, almanac dev`, ours)
  show(`${BLOCKS} empty blocks, anvil`, theirs)
  show('a block after a year of empty epochs', [year])
} finally {
  anvil.end()
  await node.end()
}
await onDisk(`${BLOCKS} empty blocks, on disk`, ['--feeder=false'])
await onDisk(`${BLOCKS} blocks, on disk with simulated prices`, [])
