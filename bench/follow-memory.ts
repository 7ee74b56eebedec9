/**
 * `npm run bench -- follow-memory [BLOCKS]` (default 100000): memory of a replica that follows a long chain, its processes together,
 * at the end against the beginning. The chain is another Almanac's, whose blocks have a transfer each hundred heights.
 */
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { call, removeFolder, scratchFolder, startNodeProcess, startReplicaProcess } from './support/load.ts'
import { median } from './support/median.ts'

const BLOCKS = Number(process.argv[2] ?? 100_000)
const STEPS = 20
const MEBIBYTE = 2 ** 20

const scratch = scratchFolder()
const origin = await startNodeProcess([
  '--home',
  join(scratch, 'origin'),
  '--block-time',
  'arrival',
  '--log-level',
  'warn',
])
const { jsonrpc, comet } = origin.config.urls
const [from, to] = origin.config.accounts.map(({ address }) => address)
const heightOf = async (url: string): Promise<number> => Number(await call(url, 'eth_blockNumber', []))
while ((await heightOf(jsonrpc)) < BLOCKS) {
  await call(jsonrpc, 'eth_sendTransaction', [{ from, to, value: '0x1' }])
  await call(jsonrpc, 'hardhat_mine', ['0x64'])
}
const last = await heightOf(jsonrpc)
console.log(`a chain of ${last} blocks, made by a process of ${(origin.rssBytes() / MEBIBYTE).toFixed(0)} MB`)

const started = performance.now()
const replica = await startReplicaProcess(['--home', join(scratch, 'replica'), '--from', comet])
const url = `http://127.0.0.1:${replica.ports.jsonrpc}`
const sizes: number[] = []
console.log('height    blocks/s   own memory   with mapped pages')
for (let step = 1; step <= STEPS; step++) {
  const until = Math.floor((last * step) / STEPS)
  const [begun, since] = [await heightOf(url), performance.now()]
  while ((await heightOf(url)) < until) await delay(50)
  const rate = ((until - begun) * 1000) / (performance.now() - since)
  const [own, whole] = [replica.ownBytes() / MEBIBYTE, replica.rssBytes() / MEBIBYTE]
  sizes.push(own)
  console.log(
    `${String(until).padEnd(10)}${rate.toFixed(0).padEnd(11)}${`${own.toFixed(0)} MB`.padEnd(13)}${whole.toFixed(0)} MB`,
  )
}
/** Medians of parts of the run: single readings differ by what a garbage collection has left. */
const [early, late] = [sizes.slice(1, 6), sizes.slice(-5)].map(median) as [number, number]
console.log(`own memory of the last quarter against the first: ${(late / early).toFixed(2)}`)
console.log(`${(last / ((performance.now() - started) / 1000)).toFixed(0)} blocks/s in the mean`)
await replica.end()
await origin.end()
removeFolder(scratch)
