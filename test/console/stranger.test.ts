/** A page of another origin in a real browser: it uses no path of the console, and cannot frame it. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { chromium, openBrowser } from '../support/console/browser.ts'
import { startProcess } from '../support/process.ts'
import { rpc } from '../support/rpc.ts'

const inBrowser = test.runIf(chromium !== undefined)

const CALL = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'evm_mine', params: [] })

/** Tries every way in which a page can reach the paths. Each becomes `refused`, or the status and the text that it reads. */
const attempts = (rest: string) => `(async () => {
  const tried = async (run) => { try { return await run() } catch { return 'refused' } }
  const read = async (answer) => answer.status + ' ' + (await answer.text())
  const socket = (url) => new Promise((done) => {
    const opened = new WebSocket(url)
    opened.onopen = () => done('open')
    opened.onerror = () => done('refused')
  })
  const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(CALL)} }
  const found = []
  for (const path of ['rpc', 'engine']) {
    const url = ${JSON.stringify(rest)} + '/console/' + path
    found.push(await tried(async () => read(await fetch(url, json))))
    found.push(await tried(async () => read(await fetch(url, { method: 'POST', body: json.body }))))
    await tried(() => fetch(url, { method: 'POST', body: json.body, mode: 'no-cors' }))
    found.push(await socket(url.replace('http', 'ws') + (path === 'engine' ? '/websocket' : '')))
  }
  const frame = document.createElement('iframe')
  frame.src = ${JSON.stringify(rest)}
  document.body.append(frame)
  await new Promise((done) => { frame.onload = done })
  found.push(tryFrame(frame))
  return found
  function tryFrame({ contentDocument }) { return contentDocument === null ? 'refused' : 'framed' }
})()`

inBrowser('a page of a stranger uses no path of the console', async () => {
  await using node = await startProcess(['--ephemeral', '--block-time', 'manual'])
  await using browser = await openBrowser()
  const stranger = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Stranger</title><body>')
  }).listen(0, '127.0.0.1')
  await once(stranger, 'listening')
  const { port } = stranger.address() as { port: number }
  try {
    const before = await rpc(node.config, 'eth_blockNumber')
    // The same machine under another name is another site; its other port is another origin.
    for (const host of ['127.0.0.1', 'localhost']) {
      await browser.page.open(`http://${host}:${port}/`)
      const found = await browser.page.evaluate<string[]>(attempts(node.config.urls.rest))
      expect(found, host).toEqual(found.map(() => 'refused'))
      expect(found).toHaveLength(7)
    }
    expect(await rpc(node.config, 'eth_blockNumber')).toBe(before)
  } finally {
    stranger.closeAllConnections()
    stranger.close()
  }
})
