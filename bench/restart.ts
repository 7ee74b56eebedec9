/**
 * Time from the start of the process to its first answer: for the first start, after a clean stop, and after `kill -9`; each also
 * without the start of Node.js itself, which is measured separately.
 */
import { spawnSync } from 'node:child_process'
import { call, removeFolder, scratchFolder, signTransfers, startNodeProcess } from './support/load.ts'

const transfers = Number(process.argv[2] ?? 2000)
const home = scratchFolder()
const flags = ['--home', home]

/** Measures the start of a Node.js that does nothing. Unit: milliseconds. */
function bareMs(): number {
  const started = performance.now()
  spawnSync(process.execPath, ['-e', '0'])
  return performance.now() - started
}

function report(what: string, firstAnswerMs: number): void {
  const bare = bareMs()
  const own = (firstAnswerMs - bare).toFixed(0)
  console.log(
    `${what.padEnd(20)} ${firstAnswerMs.toFixed(0)} ms, of it the node ${own} ms and Node.js ${bare.toFixed(0)} ms`,
  )
}

const first = await startNodeProcess(flags)
report('first start', first.firstAnswerMs)
const { accounts, evm_chain_id: chainId, urls } = first.config
const raws = signTransfers({ privateKey: accounts[0]!.private_key, chainId, firstNonce: 0, count: transfers })
for (let i = 0; i < raws.length; i += 8) {
  await Promise.all(raws.slice(i, i + 8).map((raw) => call(urls.jsonrpc, 'eth_sendRawTransaction', [raw])))
}
await first.end()

for (let i = 0; i < 3; i++) {
  const again = await startNodeProcess(flags)
  report('after a clean stop', again.firstAnswerMs)
  if (i < 2) await again.end()
  else await again.end('SIGKILL')
}
for (let i = 0; i < 3; i++) {
  const killed = await startNodeProcess(flags)
  report('after kill -9', killed.firstAnswerMs)
  await killed.end('SIGKILL')
}
removeFolder(home)
