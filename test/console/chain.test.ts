/** The pages about the chain, two heights, and the panel of clients, in a real browser on a chain with something of everything. */
import { expect, test } from 'vitest'
import { chromium } from '../support/console/browser.ts'
import { populateByCommands, sendAndWait } from '../support/console/command-world.ts'
import { lookAt } from '../support/console/look.ts'
import { showChain } from '../support/console/shown-chain.ts'
import { FREE_PORTS, startProcess } from '../support/process.ts'
import { rpc } from '../support/rpc.ts'
import { VOTING_SECONDS } from '../support/upgrade/governance.ts'

const inBrowser = test.runIf(chromium !== undefined)

// The feeder of this chain votes on prices.
const command = ['start', '--silent', ...FREE_PORTS]
const shown = showChain(
  () => startProcess(['--ephemeral', '--validators', '2', '--voting-period', `${VOTING_SECONDS}s`], { command }),
  populateByCommands,
)

const open = (path: string) => shown.page.open(`${shown.node.config.urls.rest}/#${path}`)
const READY = "document.querySelector('main .card, main .state') && !document.querySelector('main .skeleton')"

const look = (name: string): Promise<void> => lookAt(shown.page, name)

/** Errors apart from questions that the node refused, which a page shows as such. */
const errors = (): string[] =>
  shown.page.errors().filter((text) => !/the server responded with a status of 4\d\d/.test(text))

inBrowser('prices have a chart, its values, and the votes and misses of each validator', async () => {
  await expect
    .poll(
      async () =>
        (await fetch(`${shown.node.config.urls.rest}/chain/oracle/v1beta1/exchange_rate?pair=ubtc:uusd`)).status,
    )
    .toBe(200)
  shown.page.requests()
  await open('/chain/oracle/ubtc:uusd')
  await shown.page.until(READY)
  await shown.page.until("document.querySelector('.chain-chart canvas')")
  const asked = shown.page.requests().filter((url) => url.includes('exchange_rate?'))
  expect(asked.length).toBeLessThanOrEqual(70)
  expect(shown.page.requests().filter((url) => /uPlot/i.test(url)).length).toBeLessThanOrEqual(1)
  await shown.page.untilText('localnet 1')
  await shown.page.untilText('Misses in this window')
  await shown.page.click('.chain-chart + details summary')
  await shown.page.until("document.querySelectorAll('.chain-scroll tbody tr').length > 1")
  await look('chain-oracle')
  expect(errors()).toEqual([])
})

inBrowser('the library of charts is not loaded by a page without one', async () => {
  shown.page.requests()
  await open('/chain/epochs')
  await shown.page.until(READY)
  expect(shown.page.requests().filter((url) => /uPlot/i.test(url))).toEqual([])
  await shown.page.until("document.querySelectorAll('.chain-clock svg').length === 4")
  await look('chain-epochs')
})

inBrowser('a proposal shows its messages, its tally and the time that is left', async () => {
  await open('/chain/governance/2')
  await shown.page.untilText('is voted on')
  await shown.page.until(`document.querySelector('main').innerText.match(/ left, until /)`)
  await shown.page.untilText('MsgSoftwareUpgrade')
  await shown.page.until(
    "[...document.querySelectorAll('main dt')].some((one) => one.innerText === 'name' && one.nextSibling.innerText === 'later')",
  )
  await shown.page.untilText('100 %')
  await shown.page.until("document.querySelector('[aria-label=Voters] td:last-child')?.innerText === 'Yes'")
  await look('chain-governance')
  await open('/chain/governance/77')
  await shown.page.untilText('Not found')
})

inBrowser('a denom of the token factory shows supply, admin, units and its ERC-20', async () => {
  await open(`/chain/denoms/${shown.world.denom}`)
  await shown.page.untilText('Gold (GLD)')
  await shown.page.until(READY)
  // Every digit of the supply is there.
  await shown.page.until(`document.querySelector('main').innerText.replace(/\\u202f/g, '').includes('1234567890')`)
  await shown.page.untilText('made from this coin')
  await shown.page.untilText('Supply, base units')
  expect(await shown.page.evaluate("document.querySelectorAll('.chain-pager').length")).toBe(0)
  await look('chain-denoms')
})

inBrowser('a contract that earns developer gas shows what it has earned', async () => {
  await open('/chain/devgas')
  await shown.page.until(READY)
  await shown.page.until(
    `document.querySelector('main td a[href*="${shown.world.earner}" i], main td [title="${shown.world.earner}" i]')`,
  )
  await shown.page.until(`!document.querySelector('main').innerText.includes('nothing yet')`)
  await look('chain-devgas')
})

inBrowser('supply, validators, upgrades and parameters show what the modules answer', async () => {
  await open('/chain/supply')
  await shown.page.untilText('Mint of a day')
  await shown.page.until(READY)
  await look('chain-supply')
  await open('/chain/validators')
  await shown.page.until(READY)
  await shown.page.click('main td a[href*="chainvaloper"]')
  await shown.page.untilText('Missed votes')
  await shown.page.until(READY)
  await look('chain-validators')
  await open('/chain/upgrades')
  await shown.page.untilText('v9')
  await shown.page.until(READY)
  await look('chain-upgrades')
  await open('/chain/parameters')
  await shown.page.until(READY)
  await shown.page.untilText('vote_period')
  await shown.page.untilText('Length of a voting period.')
  const without = await shown.page.evaluate<string[]>(
    `[...document.querySelectorAll('.chain-parameters tbody tr')].filter((row) => row.lastElementChild.innerText.trim() === '').map((row) => row.innerText)`,
  )
  expect(without).toEqual([])
  expect(await shown.page.evaluate("document.querySelector('main').innerText")).not.toMatch(/\b(\d+)s \1 s\b/)
  await look('chain-parameters')
  await open('/chain/nothing')
  await shown.page.untilText('There is no subject nothing')
  expect(errors()).toEqual([])
})

inBrowser('a form for a transaction of Ethereum begins with one, among others that are newer', async () => {
  await open('/docs/debug_traceTransaction')
  await shown.page.until("document.querySelector('.docs-main input')?.value.startsWith('0x')")
  const hash = await shown.page.evaluate<string>("document.querySelector('.docs-main input').value")
  expect(await rpc(shown.node.config, 'eth_getTransactionReceipt', [hash])).not.toBeNull()
})

inBrowser('a height is chosen by keyboard, stays in the address, and changes what the page shows', async () => {
  await open('/chain/denoms')
  await shown.page.until(READY)
  await shown.page.until(`document.querySelector('main').innerText.includes('factory/')`)
  await shown.page.type('.time-field', '2')
  await shown.page.press('Enter')
  await shown.page.until(`location.hash === '#/chain/denoms?height=2'`)
  await shown.page.until(`!document.querySelector('main').innerText.includes('factory/')`)
  await shown.page.until("document.querySelector('.time-past')")
  await shown.page.evaluate("document.querySelector('.time-range').focus()")
  await shown.page.evaluate(
    "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))",
  )
  await shown.page.until(`location.hash.includes('height=3')`)
  await look('time-slider')
  // A shared address shows the same height.
  await open('/chain/denoms?height=2')
  await shown.page.until(READY)
  await shown.page.until("document.querySelector('.time-field').value === '2'")
  await shown.page.type('.time-field', '999999999')
  await shown.page.press('Enter')
  await shown.page.untilText('A height from 1 to')
  await shown.page.click('.time-live')
  await shown.page.until(`document.querySelector('main').innerText.includes('factory/')`)
})

inBrowser('a block that arrives leaves the height that is being typed as it is', async () => {
  await open('/chain/parameters')
  await shown.page.until(READY)
  await shown.page.type('.time-field', '2')
  const tip = await shown.page.evaluate<string>("document.querySelector('.time-range').max")
  await shown.page.until(`document.querySelector('.time-range').max !== '${tip}'`)
  expect(
    await shown.page.evaluate(
      "[document.activeElement.className.includes('time-field'), document.activeElement.value]",
    ),
  ).toEqual([true, '2'])
  await shown.page.press('Enter')
  await shown.page.until(`location.hash === '#/chain/parameters?height=2'`)
})

inBrowser('two heights of a contract show the slot that changed, and those of an account its coins', async () => {
  const before = Number(await rpc(shown.node.config, 'eth_blockNumber'))
  await sendAndWait(shown.node, { to: shown.world.earner, data: `0x${'2a'.padStart(64, '0')}`, gas: '0x100000' })
  const after = Number(await rpc(shown.node.config, 'eth_blockNumber'))
  await open(`/time?what=contract&of=${shown.world.earner}&from=${before}&to=${after}`)
  await shown.page.untilText(`0x${'2a'.padStart(64, '0')}`)
  await shown.page.untilText(`0x${'07'.padStart(64, '0')}`)
  await look('time-contract')
  await open(`/time?what=contract&of=${shown.world.earner}&from=2&to=${after}`)
  await shown.page.untilText('/codes/')
  // A name beside a long value stays in one piece.
  const broken = await shown.page.evaluate<string[]>(`[...document.querySelectorAll('td.time-path')].filter((cell) => {
    const text = document.createRange()
    text.selectNodeContents(cell)
    return cell.innerText.length < 12 && text.getClientRects().length > 1
  }).map((cell) => cell.innerText)`)
  expect(broken).toEqual([])
  const { bech32 } = shown.node.config.accounts[0]!
  await open(`/time?what=account&of=${bech32}&from=2&to=${after}`)
  await shown.page.untilText(`balances[denom=${shown.world.denom}]`)
  await look('time-account')
  await open(`/time?what=module&of=inflation&from=2&to=${after}`)
  await shown.page.untilText('params.inflation_enabled')
  await open(`/time?what=module&of=inflation&from=2&to=2`)
  await shown.page.untilText('Nothing changed')
  await open('/time')
  await shown.page.untilText('Choose what to compare')
  expect(errors()).toEqual([])
})

inBrowser('a number tells how to get it, for each client, by keyboard and for the height of the page', async () => {
  await open('/chain/oracle?height=9')
  await shown.page.until(READY)
  await shown.page.click('.card-head .how-button')
  await shown.page.until("document.querySelector('.how-dialog[open] pre')?.innerText.includes('x-sdk-block-height: 9')")
  await shown.page.press('Escape')
  await shown.page.until("!document.querySelector('.how-dialog')")
  await shown.page.click('.card-head .how-button')
  await shown.page.until("document.querySelector('.how-dialog [role=tab][aria-selected=true]')")
  const clients = await shown.page.evaluate<string[]>(
    "[...document.querySelectorAll('.how-tabs [role=tab]')].map((tab) => tab.innerText)",
  )
  expect(clients).toEqual(['curl', 'grpcurl', 'viem', 'ethers', 'CosmJS', 'command line'])
  for (const client of clients) {
    await shown.page.evaluate(
      `[...document.querySelectorAll('.how-tabs [role=tab]')].find((tab) => tab.innerText === ${JSON.stringify(client)}).click()`,
    )
    await shown.page.until(`document.querySelector('.how-text').innerText.trim().length > 20`)
  }
  await look('ask-panel')
  expect(errors()).toEqual([])
})
