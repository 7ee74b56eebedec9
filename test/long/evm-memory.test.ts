import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { formatHex, hex } from '../../src/primitives/bytes.ts'
import { CALLER, CONTRACT, machine } from '../support/evm/machine.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/**
 * Returns the memory inside and outside the JavaScript heap after everything unused is freed: WebAssembly memory is freed
 * in turns of the event loop after a garbage collection. Unit: MiB.
 */
async function held(): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < 10; i++) {
    collect()
    await new Promise((resolve) => setTimeout(resolve, 10))
    const { heapUsed, external, arrayBuffers } = process.memoryUsage()
    least = Math.min(least, (heapUsed + external + arrayBuffers) / 2 ** 20)
  }
  return least
}

test('10,000 calls of 1,024 depth and 10,000 creations of 24 kB leave memory flat', async () => {
  const deep = `5f5f5f5f5f73${formatHex(CONTRACT)}5af1`
  const round = (n: number) => {
    for (let i = 0; i < n; i++) {
      const { call, evm } = machine({ code: deep })
      expect(call({ gas: 10n ** 14n }).success).toBe(true)
      evm.journal.finalise()
      const creation = machine().evm
      const { success } = creation.create({
        caller: CALLER,
        valueWei: 0n,
        initCode: hex('6160005ff3'),
        gas: 10_000_000n,
      })
      expect(success).toBe(true)
      creation.journal.finalise()
    }
  }
  round(1_000)
  const early = await held()
  const earlyRss = process.memoryUsage().rss / 2 ** 20
  round(9_000)
  const late = await held()
  const lateRss = process.memoryUsage().rss / 2 ** 20
  console.info(`in use: ${early.toFixed(0)} MiB after 1,000, ${late.toFixed(0)} MiB after 10,000 of each`)
  expect(late).toBeLessThan(early + 10)
  expect(lateRss).toBeLessThan(earlyRss * 1.3 + 50)
})
