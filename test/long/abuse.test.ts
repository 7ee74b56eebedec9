import { expect, test } from 'vitest'
import { ENDLESS_LOOP, ENDLESS_PAIRINGS, sixteenCalls, transferDuring } from '../support/endless-calls.ts'
import { startProcess } from '../support/process.ts'
import { ask } from '../support/rpc.ts'

const MB = 1_000_000

test('sixteen endless loops at the gas cap are each answered when their gas is used up', async () => {
  // No time limit applies here, so that a slow machine is not mistaken for used-up gas.
  await using node = await startProcess(['--ephemeral'], { environment: { ALMANAC_EVM_TIMEOUT: '100s' } })
  await sixteenCalls(node, '0x00')
  const idle = node.memoryBytes()
  const { answers } = await sixteenCalls(node, ENDLESS_LOOP)
  expect(answers).toEqual(Array(16).fill('out of gas'))
  expect(node.memoryBytes() - idle).toBeLessThan(100 * MB)
})

test('sixteen endless loops over the most expensive precompile stop at the time budget', async () => {
  await using node = await startProcess(['--ephemeral'])
  await sixteenCalls(node, '0x00')
  const idle = node.memoryBytes()
  const { answers } = await sixteenCalls(node, ENDLESS_PAIRINGS)
  // The first of them may use up its gas earlier, and the last may wait for all of its time.
  const timeUp = 'the computation took longer than its time budget of 5 s'
  const waited = 'no thread was free within the time budget of 5 s; try again'
  expect(new Set([...answers, 'out of gas', waited])).toEqual(new Set([timeUp, 'out of gas', waited]))
  expect(node.memoryBytes() - idle).toBeLessThan(100 * MB)
  expect((await ask(node.config, 'eth_blockNumber')).result).toBeDefined()
})

test('a block is made while sixteen such calls run', async () => {
  // The budgets are large enough to last on any machine.
  const flags = [
    ...['--ephemeral', '--evm-timeout', '1h', '--evm-gas-cap', '1000000000'],
    ...['--metrics-enabled', '--metrics-port', '0'],
  ]
  await using node = await startProcess(flags)
  const load = sixteenCalls(node, ENDLESS_PAIRINGS).catch(() => 'the node has ended')
  const waiting = async () => {
    const text = await (await fetch(node.config.urls.metrics!)).text()
    return Number(/^almanac_compute_waiting (\d+)$/m.exec(text)![1])
  }
  await expect.poll(waiting).toBe(15)
  await transferDuring(node, load)
})
