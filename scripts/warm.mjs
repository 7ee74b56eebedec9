/**
 * Starts the bundle once, like a second `almanac start`, until it has answered and made some blocks, and saves the code that V8
 * compiled for it in `dist/code.cache`.
 */
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const LONGEST_MS = 60_000
const dist = fileURLToPath(new URL('../dist', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'almanac-build-'))
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }))
setTimeout(() => process.exit(1), LONGEST_MS).unref()
const configOut = join(scratch, 'config.json')
const ports = ['rest', 'grpc', 'jsonrpc', 'jsonrpc-ws', 'comet'].flatMap((name) => [`--${name}-port`, '0'])
// One process, so that the saved code contains the gateways.
const flags = [
  '--silent',
  '--api-workers',
  '0',
  '--log-level',
  'warn',
  '--home',
  join(scratch, 'home'),
  '--config-out',
  configOut,
  ...ports,
]
for (const name of Object.keys(process.env)) if (name.startsWith('ALMANAC_')) delete process.env[name]
process.argv.splice(2, Number.POSITIVE_INFINITY, 'start', ...flags)

const { load, createCache } = createRequire(import.meta.url)(join(dist, 'load.cjs'))
load('almanac.cjs')
while (!existsSync(configOut)) {
  if (process.exitCode !== undefined) process.exit()
  await new Promise((done) => setTimeout(done, 20))
}
const { urls } = JSON.parse(readFileSync(configOut, 'utf8'))
/** Sends a request to the node. Throws an `Error` if it is refused. */
async function ask(method, ...params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = await fetch(urls.jsonrpc, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { error } = await answer.json()
  if (error) throw new Error(`${method}: ${error.message}`)
}
await ask('eth_blockNumber')
await ask('hardhat_mine', '0x8')
// Renamed into place, so that no reader sees a partial file.
const unfinished = join(dist, `code.cache.${process.pid}`)
writeFileSync(unfinished, createCache())
renameSync(unfinished, join(dist, 'code.cache'))
process.kill(process.pid, 'SIGINT')
