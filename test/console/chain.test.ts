/** The pages about the chain, two heights, and the panel of clients, in a real browser on a chain with something of everything. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Browser, type BrowserPage, chromium, openBrowser } from '../support/console/browser.ts'
import { type CommandWorld, populateByCommands, sendAndWait } from '../support/console/command-world.ts'
import { lookAt } from '../support/console/look.ts'
import { FREE_PORTS, type NodeProcess, startProcess } from '../support/process.ts'
import { rpc } from '../support/rpc.ts'
import { VOTING_SECONDS } from '../support/upgrade/governance.ts'

const inBrowser = test.runIf(chromium !== undefined)

let node: NodeProcess
let world: CommandWorld
let browser: Browser
let page: BrowserPage

beforeAll(async () => {
  if (!chromium) return
  // The feeder of this chain votes on prices.
  const command = ['start', '--silent', ...FREE_PORTS]
  node = await startProcess(['--ephemeral', '--validators', '2', '--voting-period', `${VOTING_SECONDS}s`], { command })
  world = await populateByCommands(node)
  browser = await openBrowser()
  page = browser.page
})
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]()
  await node?.[Symbol.asyncDispose]()
})

const open = (path: string) => page.open(`${node.config.urls.rest}/#${path}`)
const READY = "document.querySelector('main .card, main .state') && !document.querySelector('main .skeleton')"

const look = (name: string): Promise<void> => lookAt(page, name)

/** Errors apart from questions that the node refused, which a page shows as such. */
const errors = (): string[] => page.errors().filter((text) => !/the server responded with a status of 4\d\d/.test(text))

inBrowser('prices have a chart, its values, and the votes and misses of each validator', async () => {
  await expect
    .poll(
      async () => (await fetch(`${node.config.urls.rest}/chain/oracle/v1beta1/exchange_rate?pair=ubtc:uusd`)).status,
    )
    .toBe(200)
  page.requests()
  await open('/chain/oracle/ubtc:uusd')
  await page.until(READY)
  await page.until("document.querySelector('.chain-chart canvas')")
  const asked = page.requests().filter((url) => url.includes('exchange_rate?'))
  expect(asked.length).toBeLessThanOrEqual(70)
  expect(page.requests().filter((url) => /uPlot/i.test(url)).length).toBeLessThanOrEqual(1)
  await page.untilText('localnet 1')
  await page.untilText('Misses in this window')
  await page.click('.chain-chart + details summary')
  await page.until("document.querySelectorAll('.chain-scroll tbody tr').length > 1")
  await look('chain-oracle')
  expect(errors()).toEqual([])
})

inBrowser('the library of charts is not loaded by a page without one', async () => {
  page.requests()
  await open('/chain/epochs')
  await page.until(READY)
  expect(page.requests().filter((url) => /uPlot/i.test(url))).toEqual([])
  await page.until("document.querySelectorAll('.chain-clock svg').length === 4")
  await look('chain-epochs')
})

inBrowser('a proposal shows its messages, its tally and the time that is left', async () => {
  await open('/chain/governance/2')
  await page.untilText('is voted on')
  await page.until(`document.querySelector('main').innerText.match(/ left, until /)`)
  await page.untilText('"name": "later"')
  await page.untilText('100 %')
  await look('chain-governance')
  await open('/chain/governance/77')
  await page.untilText('Not found')
})

inBrowser('a denom of the token factory shows supply, admin, units and its ERC-20', async () => {
  await open(`/chain/denoms/${world.denom}`)
  await page.untilText('Gold (GLD)')
  await page.until(READY)
  // Every digit of the supply is there.
  await page.until(`document.querySelector('main').innerText.replace(/\\u202f/g, '').includes('1234567890')`)
  await page.untilText('made from this coin')
  await look('chain-denoms')
})

inBrowser('a contract that earns developer gas shows what it has earned', async () => {
  await open('/chain/devgas')
  await page.until(READY)
  await page.until(
    `document.querySelector('main td a[href*="${world.earner}" i], main td [title="${world.earner}" i]')`,
  )
  await page.until(`!document.querySelector('main').innerText.includes('nothing yet')`)
  await look('chain-devgas')
})

inBrowser('supply, validators, upgrades and parameters show what the modules answer', async () => {
  await open('/chain/supply')
  await page.untilText('Mint of a day')
  await page.until(READY)
  await look('chain-supply')
  await open('/chain/validators')
  await page.until(READY)
  await page.click('main td a[href*="chainvaloper"]')
  await page.untilText('Missed votes')
  await page.until(READY)
  await look('chain-validators')
  await open('/chain/upgrades')
  await page.untilText('v9')
  await page.until(READY)
  await look('chain-upgrades')
  await open('/chain/parameters')
  await page.until(READY)
  await page.untilText('vote_period')
  await page.untilText('Length of a voting period.')
  const without = await page.evaluate<string[]>(
    `[...document.querySelectorAll('.chain-parameters tbody tr')].filter((row) => row.lastElementChild.innerText.trim() === '').map((row) => row.innerText)`,
  )
  expect(without).toEqual([])
  await look('chain-parameters')
  await open('/chain/nothing')
  await page.untilText('There is no subject nothing')
  expect(errors()).toEqual([])
})

inBrowser('a height is chosen by keyboard, stays in the address, and changes what the page shows', async () => {
  await open('/chain/denoms')
  await page.until(READY)
  await page.until(`document.querySelector('main').innerText.includes('factory/')`)
  await page.type('.time-field', '2')
  await page.press('Enter')
  await page.until(`location.hash.includes('height=2')`)
  await page.until(`!document.querySelector('main').innerText.includes('factory/')`)
  await page.until("document.querySelector('.time-past')")
  await page.evaluate("document.querySelector('.time-range').focus()")
  await page.evaluate(
    "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))",
  )
  await page.until(`location.hash.includes('height=3')`)
  await look('time-slider')
  // A shared address shows the same height.
  await open('/chain/denoms?height=2')
  await page.until(READY)
  expect(await page.evaluate("document.querySelector('.time-field').value")).toBe('2')
  await page.type('.time-field', '999999999')
  await page.press('Enter')
  await page.untilText('A height from 1 to')
  await page.click('.time-live')
  await page.until(`document.querySelector('main').innerText.includes('factory/')`)
})

inBrowser('two heights of a contract show the slot that changed, and those of an account its coins', async () => {
  const before = Number(await rpc(node.config, 'eth_blockNumber'))
  await sendAndWait(node, { to: world.earner, data: `0x${'2a'.padStart(64, '0')}`, gas: '0x100000' })
  const after = Number(await rpc(node.config, 'eth_blockNumber'))
  await open(`/time?what=contract&of=${world.earner}&from=${before}&to=${after}`)
  await page.untilText(`0x${'2a'.padStart(64, '0')}`)
  await page.untilText(`0x${'07'.padStart(64, '0')}`)
  await look('time-contract')
  const { bech32 } = node.config.accounts[0]!
  await open(`/time?what=account&of=${bech32}&from=2&to=${after}`)
  await page.untilText(`balances[denom=${world.denom}]`)
  await look('time-account')
  await open(`/time?what=module&of=inflation&from=2&to=${after}`)
  await page.untilText('params.inflation_enabled')
  await open(`/time?what=module&of=inflation&from=2&to=2`)
  await page.untilText('Nothing changed')
  await open('/time')
  await page.untilText('Choose what to compare')
  expect(errors()).toEqual([])
})

inBrowser('a number tells how to get it, for each client, by keyboard and for the height of the page', async () => {
  await open('/chain/oracle?height=9')
  await page.until(READY)
  await page.click('.card-head .how-button')
  await page.until("document.querySelector('.how-dialog[open] pre')?.innerText.includes('x-sdk-block-height: 9')")
  await page.press('Escape')
  await page.until("!document.querySelector('.how-dialog')")
  await page.click('.card-head .how-button')
  await page.until("document.querySelector('.how-dialog [role=tab][aria-selected=true]')")
  const clients = await page.evaluate<string[]>(
    "[...document.querySelectorAll('.how-tabs [role=tab]')].map((tab) => tab.innerText)",
  )
  expect(clients).toEqual(['curl', 'grpcurl', 'viem', 'ethers', 'CosmJS', 'command line'])
  for (const client of clients) {
    await page.evaluate(
      `[...document.querySelectorAll('.how-tabs [role=tab]')].find((tab) => tab.innerText === ${JSON.stringify(client)}).click()`,
    )
    await page.until(`document.querySelector('.how-text').innerText.trim().length > 20`)
  }
  await look('ask-panel')
  expect(errors()).toEqual([])
})
