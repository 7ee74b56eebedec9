/**
 * Compares the interpreter with anvil's in one run on one machine: a ray tracer of about 160 Mgas, ours called directly, anvil's by
 * `eth_call`. `npm run bench -- evm-anvil [PATH OF ANVIL]`; without a path, `npx @foundry-rs/anvil` starts it.
 */
import { rulesOf } from '../src/evm/forks.ts'
import { createEvm } from '../src/evm/host.ts'
import { formatHex0x, hex } from '../src/primitives/bytes.ts'
import { createMemoryState } from '../test/support/evm/memory-state.ts'
import { BLOCK, CONTRACT, GAS, renderData } from './evm/block.ts'
import { compileWorkloads } from './evm/solidity.ts'
import { startAnvil } from './support/anvil.ts'
import { call as ask } from './support/load.ts'
import { median } from './support/median.ts'

const CALLER = hex('1111111111111111111111111111111111111111')
const ROUNDS = 7

const code = compileWorkloads()
const data = renderData(240n, 60n)

function ours(): { ms: number; gas: bigint; output: string } {
  const state = createMemoryState()
  state.put(CONTRACT, { nonce: 1n, code })
  const evm = createEvm({
    state,
    rules: rulesOf('Prague'),
    block: BLOCK,
    tx: { origin: CALLER, gasPrice: 0n, blobHashes: [] },
    precompiles: new Map(),
  })
  const start = performance.now()
  const { gasLeft, output } = evm.call({ caller: CALLER, to: CONTRACT, valueWei: 0n, data, gas: GAS })
  return { ms: performance.now() - start, gas: GAS - gasLeft, output: formatHex0x(output) }
}

async function theirs(): Promise<{ ms: number; output: string }> {
  const start = performance.now()
  const call = {
    from: formatHex0x(CALLER),
    to: formatHex0x(CONTRACT),
    data: formatHex0x(data),
    gas: `0x${GAS.toString(16)}`,
  }
  const output = (await ask(anvil.url, 'eth_call', [call, 'latest'])) as string
  return { ms: performance.now() - start, output }
}

const anvil = await startAnvil(process.argv[2], ['--hardfork', 'prague', '--gas-limit', `${GAS}`])
try {
  await ask(anvil.url, 'anvil_setCode', [formatHex0x(CONTRACT), formatHex0x(code)])
  const first = await theirs()
  const mine = ours()
  if (first.output !== mine.output) throw new Error(`${mine.output} against ${first.output}`)
  const rounds: { mine: number; other: number }[] = []
  for (let i = 0; i < ROUNDS; i++) rounds.push({ mine: ours().ms, other: (await theirs()).ms })
  const mineMs = median(rounds.map((round) => round.mine))
  const otherMs = median(rounds.map((round) => round.other))
  const rate = (ms: number): string => `${ms.toFixed(0)} ms, ${(Number(mine.gas) / ms / 1000).toFixed(0)} Mgas/s`
  process.stdout.write(
    `ray tracer, ${(Number(mine.gas) / 1e6).toFixed(0)} Mgas: ours ${rate(mineMs)}; anvil ${rate(otherMs)}\n`,
  )
  process.stdout.write(`${(otherMs / mineMs).toFixed(2)} times as fast as anvil\n`)
} finally {
  anvil.end()
}
