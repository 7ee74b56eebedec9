/** From the start of the process to its first answer: the first start, after a clean stop, and after `kill -9`. */
import { call, removeFolder, scratchFolder, signTransfers, startNodeProcess } from './load.ts'

const transfers = Number(process.argv[2] ?? 2000)
const home = scratchFolder()
const flags = ['--home', home]

const first = await startNodeProcess(flags)
console.log(`first start          ${first.firstAnswerMs.toFixed(0)} ms`)
const { accounts, evm_chain_id: chainId, urls } = first.config
const raws = signTransfers({ privateKey: accounts[0]!.private_key, chainId, firstNonce: 0, count: transfers })
for (let i = 0; i < raws.length; i += 8) {
  await Promise.all(raws.slice(i, i + 8).map((raw) => call(urls.jsonrpc, 'eth_sendRawTransaction', [raw])))
}
await first.end()

for (let i = 0; i < 3; i++) {
  const again = await startNodeProcess(flags)
  console.log(`after a clean stop   ${again.firstAnswerMs.toFixed(0)} ms`)
  if (i < 2) await again.end()
  else await again.end('SIGKILL')
}
for (let i = 0; i < 3; i++) {
  const killed = await startNodeProcess(flags)
  console.log(`after kill -9        ${killed.firstAnswerMs.toFixed(0)} ms`)
  await killed.end('SIGKILL')
}
removeFolder(home)
