/**
 * The console on a long chain in Chromium: time until the first page and a block are drawn, and frames while the list of blocks scrolls. Then
 * block intervals while a hundred consoles are open, against the same node without any.
 *
 * A console here is what an open overview sends: one WebSocket with its subscription, and with each block the requests that the page sent
 * when a browser was asked. `npm run bench -- console [BLOCKS] [CONSOLES] [SECONDS] [HOME]`. The chain of a home is used with the blocks
 * that it has, and those that are missing are made first.
 */
import { Agent, request } from 'node:http'
import { WebSocket } from 'ws'
import { chromium, openBrowser } from '../test/support/console/browser.ts'
import { startProcess } from '../test/support/process.ts'
import { rpc } from '../test/support/rpc.ts'
import { median } from './support/median.ts'

const [BLOCKS = 100_000, CONSOLES = 100, SECONDS = 30] = process.argv.slice(2, 5).map(Number)
const HOME = process.argv[5]
const ROUNDS = 7
const SCROLLED_FRAMES = 120
if (!chromium) throw new Error('the benchmark needs Chromium')

await using node = await startProcess([...(HOME ? ['--home', HOME] : ['--ephemeral']), '--block-time', '1s'])
const { rest } = node.config.urls
while (Number(await rpc(node.config, 'eth_blockNumber', [])) < BLOCKS) await rpc(node.config, 'anvil_mine', ['0x3e8'])
console.log(`a chain of ${Number(await rpc(node.config, 'eth_blockNumber', []))} blocks`)

interface Sent {
  readonly path: string
  readonly body: string | undefined
}

/** Requests of the overview with one block, as the page sends them. */
let sent: readonly Sent[]
{
  await using browser = await openBrowser()
  const { page } = browser
  /** Loads a page, and returns the time from its begin until a condition holds. Unit: milliseconds. */
  const drawn = async (path: string, condition: string): Promise<number> => {
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      await page.open(`${rest}/#${path}`)
      times.push(
        await page.evaluate<number>(
          `new Promise((done) => { const look = () => (${condition}) ? requestAnimationFrame(() => done(performance.now())) : requestAnimationFrame(look); look() })`,
        ),
      )
    }
    return median(times)
  }
  /** Goes to a place within the page, and returns the time until a condition holds. Unit: milliseconds. */
  const shown = async (hash: string, condition: string): Promise<number> =>
    page.evaluate<number>(
      `new Promise((done) => { const begin = performance.now(); location.hash = ${JSON.stringify(hash)}; const look = () => (${condition}) ? requestAnimationFrame(() => done(performance.now() - begin)) : requestAnimationFrame(look); look() })`,
    )
  const overview = await drawn('/', "document.querySelector('.figures dd') && document.querySelector('h1')")
  console.log(`first page drawn after ${overview.toFixed(0)} ms (target: 300)`)
  await page.open(`${rest}/#/blocks`)
  await page.untilText('New blocks appear here')
  const places = Array.from({ length: ROUNDS }, (_, i) => Math.max(2, Math.floor((BLOCKS * (i + 1)) / (ROUNDS + 1))))
  const times: number[] = []
  for (const height of places) {
    times.push(
      await shown(
        `#/block/${height}`,
        `document.querySelector('h1')?.innerText.replace(/\\s/g, '').includes('${height}') && document.body.innerText.includes('Previous block')`,
      ),
    )
  }
  console.log(`a block page drawn after ${median(times).toFixed(0)} ms (target: 150)`)
  await page.evaluate("location.hash = '#/blocks'")
  await page.untilText('New blocks appear here')
  const { frames, ms, still } = await page.evaluate<{ frames: number; ms: number; still: number }>(`(async () => {
    const frame = () => new Promise(requestAnimationFrame)
    const measure = async (move) => {
      await frame()
      const begin = performance.now()
      for (let i = 0; i < ${SCROLLED_FRAMES}; i++) { move(); await frame() }
      return performance.now() - begin
    }
    const still = await measure(() => {})
    const ms = await measure(() => scrollBy(0, 400))
    return { frames: ${SCROLLED_FRAMES}, ms, still }
  })()`)
  console.log(
    `scrolling: ${((frames / ms) * 1000).toFixed(1)} frames a second, ${((frames / still) * 1000).toFixed(1)} without scrolling (target: 60)`,
  )
  await page.open(`${rest}/#/`)
  await page.untilText('Transactions')
  const before = await page.evaluate<string>("document.querySelector('.figures dd').innerText")
  page.sent()
  await page.until(`document.querySelector('.figures dd').innerText !== ${JSON.stringify(before)}`)
  await new Promise((done) => setTimeout(done, 500))
  sent = page.sent().map(({ url, body }) => ({ path: new URL(url).pathname + new URL(url).search, body }))
}
console.log(`an open overview sends ${sent.length} requests with a block`)

const agent = new Agent({ keepAlive: true, maxSockets: CONSOLES * 6 })
const { host, origin } = new URL(rest)

/** Sends a request as the page does. Resolves with the answer read. */
function send({ path, body }: Sent): Promise<void> {
  return new Promise((done, fail) => {
    const headers = {
      host,
      origin,
      'sec-fetch-site': 'same-origin',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const asked = request(
      `${rest}${path}`,
      { method: body === undefined ? 'GET' : 'POST', agent, headers },
      (answer) => {
        answer.resume().on('end', done).on('error', fail)
      },
    )
    asked.on('error', fail).end(body)
  })
}

let answers = 0
/** Opens a console: it asks with each block. */
async function openConsole(): Promise<WebSocket> {
  const socket = new WebSocket(`${rest.replace('http', 'ws')}/console/engine/websocket`, { headers: { origin } })
  await new Promise((done) => socket.once('open', done))
  const params = { query: "tm.event='NewBlockHeader'" }
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscribe', params }))
  socket.on('message', (data) => {
    if (!String(data).includes('NewBlockHeader')) return
    for (const one of sent)
      send(one).then(
        () => answers++,
        () => {},
      )
  })
  return socket
}

/** Returns the intervals of the blocks of some seconds. Unit: milliseconds. */
async function intervals(): Promise<number[]> {
  const first = Number(await rpc(node.config, 'eth_blockNumber', [])) + 1
  await new Promise((done) => setTimeout(done, SECONDS * 1000))
  const last = Number(await rpc(node.config, 'eth_blockNumber', []))
  const times: number[] = []
  for (let low = first; low <= last; low += 20) {
    const answer = await fetch(
      `${node.config.urls.comet}/blockchain?minHeight=${low}&maxHeight=${Math.min(last, low + 19)}`,
    )
    const { result } = (await answer.json()) as { result: { block_metas: { header: { time: string } }[] } }
    times.push(...result.block_metas.map(({ header }) => Date.parse(header.time)).reverse())
  }
  return times.slice(1).map((time, i) => time - times[i]!)
}

const describe = (name: string, list: readonly number[]): void => {
  const sorted = [...list].sort((a, b) => a - b)
  console.log(
    `${name}: ${list.length} intervals, mean ${(list.reduce((a, b) => a + b, 0) / list.length).toFixed(1)} ms, median ${median(sorted)} ms, at most ${sorted.at(-1)} ms`,
  )
}
describe('without consoles', await intervals())
const sockets = await Promise.all(Array.from({ length: CONSOLES }, openConsole))
answers = 0
describe(`with ${CONSOLES} consoles`, await intervals())
console.log(`${(answers / SECONDS).toFixed(0)} answers a second`)
for (const socket of sockets) socket.terminate()
agent.destroy()
