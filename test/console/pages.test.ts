/** The main pages in a real browser, on a chain with transfers, nested calls, a revert and a FunToken. */
import { expect, test } from 'vitest'
import { chromium } from '../support/console/browser.ts'
import { lookAt } from '../support/console/look.ts'
import { showChain } from '../support/console/shown-chain.ts'
import { populate } from '../support/console/world.ts'
import { startProcess } from '../support/process.ts'
import { rpc } from '../support/rpc.ts'

const inBrowser = test.runIf(chromium !== undefined)

const shown = showChain(
  () => startProcess(['--ephemeral']),
  ({ config }) => populate(config),
)

const open = (path: string) => shown.page.open(`${shown.node.config.urls.rest}/#${path}`)

const look = (name: string): Promise<void> => lookAt(shown.page, name)

inBrowser('the overview shows the tip, and follows it without a reload', async () => {
  await open('/')
  await shown.page.untilText('Transactions')
  await shown.page.until("document.querySelector('.bottom .dot-live')")
  await shown.page.until("document.querySelector('.latest-txs table')")
  await look('overview')
  const before = await shown.page.evaluate<string>("document.querySelector('.figures dd').innerText")
  await rpc(shown.node.config, 'evm_mine')
  await shown.page.until(`document.querySelector('.figures dd').innerText !== ${JSON.stringify(before)}`)
  expect(shown.page.errors()).toEqual([])
})

inBrowser('the page requests nothing from elsewhere', async () => {
  shown.page.requests()
  await open('/blocks')
  await shown.page.untilText('New blocks appear here')
  await open(`/account/${shown.world.coin}`)
  await shown.page.untilText('choose them')
  const { host } = new URL(shown.node.config.urls.rest)
  const foreign = shown.page.requests().filter((url) => !/^(data|about):/.test(url) && new URL(url).host !== host)
  expect(foreign).toEqual([])
})

inBrowser('blocks page back to the first one without gaps, and only those in view are in the document', async () => {
  await rpc(shown.node.config, 'anvil_mine', ['0x1f4'])
  await open('/blocks')
  await shown.page.untilText('New blocks appear here')
  await look('blocks')
  const heights =
    'new Set([...document.querySelectorAll(".virtual-row .col-height")].map((one) => Number(one.innerText.replace(/\\D/g, ""))))'
  await shown.page.evaluate('window.seen = new Set()')
  for (;;) {
    await shown.page.until(
      '[...document.querySelectorAll(".virtual-row .col-hash")].every((one) => one.innerText !== "")',
    )
    const done = await shown.page.evaluate<boolean>(`{
      for (const height of ${heights}) seen.add(height)
      const was = scrollY
      scrollBy(0, innerHeight / 2)
      scrollY === was
    }`)
    expect(await shown.page.evaluate<number>('document.querySelectorAll(".virtual-row").length')).toBeLessThan(80)
    if (done) break
    await shown.page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  }
  const missing = await shown.page.evaluate<number[]>(
    'Array.from({ length: Math.max(...seen) }, (_, i) => i + 1).filter((height) => !seen.has(height))',
  )
  expect(missing).toEqual([])
})

inBrowser('a block shows its header and its transactions', async () => {
  const { blockNumber } = await rpc<{ blockNumber: string }>(shown.node.config, 'eth_getTransactionReceipt', [
    shown.world.deposit,
  ])
  await open(`/block/${Number(blockNumber)}`)
  await shown.page.untilText('calls 0xb6b55f25')
  await shown.page.untilText('Previous block')
  await look('block')
  await shown.page.click('main td a')
  await shown.page.untilText('State before and after')
})

inBrowser('a height whose number is that of a round of blocks is another state than the latest', async () => {
  const tip = Number(await rpc(shown.node.config, 'eth_blockNumber'))
  for (const [subject, blocks, asked] of [
    ['denoms', 10, '/supply?'],
    ['validators', 10, '/validators'],
    ['oracle', 3, '/aggregate_votes'],
  ] as const) {
    await open(`/chain/${subject}`)
    await shown.page.until("document.querySelector('main .card') && !document.querySelector('main .skeleton')")
    shown.page.requests()
    await shown.page.evaluate(`location.hash += '?height=${Math.floor(tip / blocks)}'`)
    await expect.poll(() => shown.page.requests().some((url) => url.includes(asked)), { message: subject }).toBe(true)
  }
})

inBrowser('a block names its proposer', async () => {
  await open('/block/3')
  await shown.page.until("document.querySelector('main a[href*=chainvaloper1]')?.innerText === 'localnet'")
})

inBrowser('a height that is not made yet is said once, and no page shows another state for it', async () => {
  const tip = Number(await rpc(shown.node.config, 'eth_blockNumber'))
  await open(`/account/${shown.world.bob}?height=${tip + 2}`)
  await shown.page.untilText('This height is not made yet')
  expect(await shown.page.evaluate("document.querySelectorAll('.state-error, main .card').length")).toBe(0)
  expect(await shown.page.violations()).toEqual([])
  for (let i = 0; i < 2; i++) await rpc(shown.node.config, 'evm_mine')
  await shown.page.untilText(`At height ${tip + 2}`)
})

inBrowser('a block that is not made yet is no error, and appears once it is made', async () => {
  const tip = Number(await rpc(shown.node.config, 'eth_blockNumber'))
  shown.page.errors()
  await open(`/block/${tip + 1}`)
  await shown.page.untilText('This block is not made yet')
  expect(await shown.page.evaluate("document.querySelectorAll('.state-error').length")).toBe(0)
  await rpc(shown.node.config, 'evm_mine')
  await shown.page.untilText('Previous block')
  expect(shown.page.errors()).toEqual([])
})

inBrowser('a page for something that cannot be has a title, and says what it takes', async () => {
  const wrong = [
    ['/account/xyz', 'Account', 'it is 0x with 40 hexadecimal digits, or Bech32'],
    ['/block/xyz', 'Block', 'it is a number such as 7'],
    ['/tx/0x1234', 'Transaction', 'it has 64 hexadecimal digits'],
    ['/nothing', 'No such page', 'There is no page /nothing'],
    [`/tx/0x${'ab'.repeat(32)}`, 'Transaction', 'No block of this node has a transaction with this hash'],
  ]
  for (const [path, title, text] of wrong) {
    await open(path!)
    await shown.page.untilText(text!)
    await shown.page.until(`document.querySelector('h1')?.innerText === ${JSON.stringify(title)}`)
    expect(await shown.page.violations(), path!).toEqual([])
  }
})

inBrowser('a transaction shows its call, its logs, its fee, its trace and what it changed', async () => {
  await open(`/tx/${shown.world.deposit}`)
  await shown.page.until("document.querySelector('.difference')")
  await shown.page.untilText('transferFrom')
  await shown.page.untilText('Transfer')
  // All digits of an amount with 18 decimals are shown, in groups.
  await shown.page.until("document.body.innerText.replace(/\\u202f/g, '').includes('123456789012345678901')")
  await shown.page.untilText('0.10567')
  await look('transaction')
  await shown.page.evaluate(
    "[...document.querySelectorAll('button')].find((one) => one.innerText.startsWith('Show steps')).click()",
  )
  await shown.page.untilText('SSTORE')
  expect(await shown.page.violations()).toEqual([])
})

inBrowser('a failed transaction says why, decoded by a dropped artifact', async () => {
  await open(`/tx/${shown.world.reverted}`)
  await shown.page.untilText('failed')
  await shown.page.untilText('execution reverted')
  await shown.page.until("document.querySelector('.frame-name')?.innerText === '0x3ccfd60b'")
  await dropArtifacts()
  await open(`/tx/${shown.world.reverted}`)
  await shown.page.untilText('Locked(owner: 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266, until: 4000000000)')
  await open(`/tx/${shown.world.caught}`)
  await shown.page.untilText('tryWithdraw')
  await shown.page.untilText('STATICCALL')
})

inBrowser('a message of the SDK is shown with its fields, under either case of its hash', async () => {
  await open(`/tx/${shown.world.mapping.toLowerCase()}`)
  await shown.page.untilText('MsgCreateFunToken')
  await shown.page.untilText('from erc20')
  await look('message')
})

/** Drops the artifacts into the page of the vault by the input for files. */
async function dropArtifacts(): Promise<void> {
  await open(`/account/${shown.world.vault}`)
  await shown.page.until("document.querySelector('input[type=file]')")
  await shown.page.evaluate(`{
    const files = new DataTransfer()
    files.items.add(new File([${JSON.stringify(shown.world.artifacts)}], 'out.json'))
    const input = document.querySelector('input[type=file]')
    input.files = files.files
    input.dispatchEvent(new Event('change', { bubbles: true }))
  }`)
  await shown.page.untilText('contracts were read')
}

inBrowser('an account shows both halves: forms, units, coins beside tokens, stake', async () => {
  await open(`/account/${shown.node.config.accounts[0]!.bech32}`)
  await shown.page.untilText(shown.world.alice)
  await shown.page.untilText('FunToken')
  await shown.page.untilText('Harbour Gold')
  await shown.page.untilText('wei')
  await shown.page.untilText('Votes on prices')
  await shown.page.until("document.querySelectorAll('.skeleton').length === 0")
  await look('account')
})

inBrowser('an account lists what it has received, with the blocks', async () => {
  const { blockNumber } = await rpc<{ blockNumber: string }>(shown.node.config, 'eth_getTransactionReceipt', [
    shown.world.transfer,
  ])
  const row = `[...document.querySelectorAll('main tr')].find((one) => one.querySelector('a[href*="${shown.world.transfer}"]'))`
  await open(`/account/${shown.world.bob}`)
  await shown.page.until(`${row}?.innerText.split(/\\s/).includes('${Number(blockNumber)}')`)
  await open(`/account/${shown.world.bob}?height=${Number(blockNumber) - 1}`)
  await shown.page.untilText('No transaction has called this account or sent it coins.')
})

inBrowser('a contract shows who made it, and the coin that it is joined with', async () => {
  await open(`/account/${shown.world.coin}`)
  await shown.page.until(`document.querySelector('main a[href*="/chain/denoms/erc20/"]')`)
  await shown.page.untilText('Harbour Gold (HGLD), 18 decimals')
  await shown.page.until(`document.querySelector('main .fact a[href*="/account/${shown.world.alice}"]')`)
  await shown.page.click('main .fact a[href*="/tx/0x"]')
  await shown.page.until("document.querySelector('.frame-name')?.innerText === 'new contract'")
  await open(`/account/${shown.world.vault}`)
  await shown.page.untilText('none: no FunToken maps this contract')
  await shown.page.untilText('none: it does not tell name, symbol, decimals and supply')
  await shown.page.until('document.querySelector(\'main a[href*="/time?what=contract"]\')')
})

inBrowser('an account lists the transfers of tokens from and to it', async () => {
  const cells = `[...document.querySelectorAll('main tr')]
    .filter((row) => row.querySelector('a[href*="${shown.world.deposit}"]'))
    .map((row) => [...row.querySelectorAll('td')].map((one) => one.innerText.replace(/\\u202f/g, '')).slice(2))`
  const amount = '123.456789012345678901 HGLD'
  for (const [account, from, to] of [
    [shown.world.vault, '0xf39Fd6e5…b92266', 'this account'],
    [shown.world.alice, 'this account', '0x9fE46736…7fa6e0'],
  ]) {
    await open(`/account/${account}`)
    await shown.page.until(`${cells}.some(([a, b, c]) => c?.startsWith('${amount}'))`)
    const found = await shown.page.evaluate<string[][]>(cells)
    expect(found.find((texts) => texts[2]?.startsWith(amount))?.slice(0, 2)).toEqual([from, to])
  }
  await open(`/account/${shown.world.vault}?height=1`)
  await shown.page.untilText('No token has reported a transfer from or to this account.')
})

inBrowser('coins are sent to an account by a form', async () => {
  const sender = shown.node.config.accounts.filter(({ address }) => address).at(-1)!.address
  await open(`/account/${shown.world.alice}`)
  await shown.page.until("document.querySelector('.balance')")
  await shown.page.evaluate("document.querySelector('main .function').open = true")
  const form = 'form[aria-label="Send coins to this account"]'
  await shown.page.until(`document.querySelector('${form} select')`)
  await shown.page.type(`${form} input[inputmode=decimal]`, 'all')
  await shown.page.click(`${form} button`)
  await shown.page.untilText('Choose who sends.')
  await shown.page.evaluate(`{
    const select = document.querySelector('${form} select')
    select.value = 'any'
    select.dispatchEvent(new Event('change', { bubbles: true }))
  }`)
  await shown.page.type(`${form} .sender input`, sender)
  await shown.page.click(`${form} button`)
  await shown.page.untilText('above 0 with at most 18 decimals is expected')
  await shown.page.type(`${form} input[inputmode=decimal]`, '0.25')
  await shown.page.click(`${form} button`)
  await shown.page.until(`document.querySelector('${form} output a')`)
  const hash = await shown.page.evaluate<string>(
    `document.querySelector('${form} output a').href.match(/0x[0-9a-f]{64}/)[0]`,
  )
  await expect.poll(() => rpc(shown.node.config, 'eth_getTransactionReceipt', [hash])).not.toBeNull()
  const sent = await rpc<object>(shown.node.config, 'eth_getTransactionByHash', [hash])
  expect(sent).toMatchObject({ from: sender.toLowerCase(), value: '0x3782dace9d90000' })
  expect(sent).toMatchObject({ to: shown.world.alice.toLowerCase() })
})

inBrowser('what changes seldom in an account is not asked with each block', async () => {
  await open(`/account/${shown.world.bob}`)
  await shown.page.until("document.querySelector('.balance') && document.querySelectorAll('.skeleton').length === 0")
  shown.page.requests()
  for (let i = 0; i < 20; i++) await rpc(shown.node.config, 'evm_mine')
  const tip = Number(await rpc(shown.node.config, 'eth_blockNumber'))
  await shown.page.until(`document.querySelector('.bottom a').innerText.replace(/\\D/g, '') === '${tip}'`)
  const asked = shown.page.requests()
  const count = (part: string) => asked.filter((url) => url.includes(part)).length
  expect(count('/eth_account/')).toBeGreaterThan(0)
  expect(count('/staking/v1beta1/delegations/')).toBeLessThan(10)
})

inBrowser('the height of the address selects the state of the account', async () => {
  await open(`/account/${shown.world.bob}?height=1`)
  await shown.page.untilText('At height 1')
  await shown.page.until("document.querySelector('.balance')?.innerText.replace(/\\u202f/g, '').startsWith('1000000 ')")
  await open(`/account/${shown.world.bob}`)
  await shown.page.until(
    "document.querySelector('.balance')?.innerText.replace(/\\u202f/g, '').startsWith('1000001.5')",
  )
})

inBrowser('a contract is read and written as any account of a development chain, with its source', async () => {
  await dropArtifacts()
  await shown.page.untilText('tryWithdraw()')
  await look('contract')
  const form = (title: string) => `form[aria-label=${JSON.stringify(title)}]`
  await shown.page.evaluate(`document.querySelector('${form('deposits(address)')}').closest('details').open = true`)
  await shown.page.type(`${form('deposits(address)')} input`, shown.world.alice)
  await shown.page.click(`${form('deposits(address)')} button`)
  await shown.page.until("document.body.innerText.replace(/\\u202f/g, '').includes('123456789012345678901')")
  await shown.page.evaluate(`{
    const select = document.querySelector('.sender select')
    select.value = 'any'
    select.dispatchEvent(new Event('change', { bubbles: true }))
  }`)
  await shown.page.type('.sender input', shown.world.bob)
  await shown.page.evaluate(`document.querySelector('${form('tryWithdraw()')}').closest('details').open = true`)
  await shown.page.click(`${form('tryWithdraw()')} button`)
  await shown.page.until(`document.querySelector('${form('tryWithdraw()')} output a')`)
})

inBrowser('the search box leads to everything that it names, and says what it takes', async () => {
  const valoper = shown.node.config.accounts[0]!.bech32.replace('chain1', 'chainvaloper1')
  const block = await rpc<{ hash: string }>(shown.node.config, 'eth_getBlockByNumber', ['0x3', false])
  const status = (await (await fetch(`${shown.node.config.urls.comet}/status`)).json()) as {
    readonly result: { readonly validator_info: { readonly address: string } }
  }
  const searches: readonly (readonly [asked: string, place: string])[] = [
    ['3', '#/block/3'],
    [block.hash, '#/block/3'],
    [shown.world.transfer, `#/tx/${shown.world.transfer}`],
    [shown.world.mapping, `#/tx/${shown.world.mapping}`],
    [shown.world.bob, `#/account/${shown.world.bob}`],
    [shown.node.config.accounts[1]!.bech32, `#/account/${shown.node.config.accounts[1]!.bech32}`],
    [shown.world.bob.slice(2), `#/account/${shown.world.bob}`],
    [status.result.validator_info.address, `#/account/${shown.node.config.accounts[0]!.bech32}`],
    ['unative', '#/chain/denoms/unative'],
    ['localnet', '#/chain/validators/chainvaloper1'],
    ['Harbour Gold', '#/account/0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512'],
    ['vault', `#/account/${shown.world.vault}`],
  ]
  await dropArtifacts()
  await open('/')
  await shown.page.untilText('Transactions')
  for (const [asked, place] of searches) {
    await shown.page.evaluate("location.hash = '#/time'")
    await shown.page.until("document.querySelector('.search[aria-busy=false]')")
    await shown.page.type('input[type=search]', asked)
    await shown.page.press('Enter')
    await shown.page.until(`location.hash.toLowerCase().startsWith(${JSON.stringify(place.toLowerCase())})`)
  }
  for (const wrong of ['nonsense', '99999999', '0x1234', valoper]) {
    await shown.page.type('input[type=search]', wrong)
    await shown.page.press('Enter')
    await shown.page.until("document.querySelector('.search-problem')?.innerText.includes('It takes')")
  }
  expect(await shown.page.violations()).toEqual([])
  // A chain without votes on prices has no pairs.
  await using fed = await startProcess(['--ephemeral', '--feeder=true'])
  await shown.page.open(`${fed.config.urls.rest}/`)
  // Votes fill every list, and are shown on demand.
  await shown.page.untilText('blocks have no transactions but votes on prices.')
  await shown.page.click('main input[type=checkbox]')
  await shown.page.untilText('MsgAggregateExchangeRatePrevote')
  await shown.page.type('input[type=search]', 'ubtc:uusd')
  await shown.page.press('Enter')
  await shown.page.until("location.hash === '#/chain/oracle/ubtc:uusd'")
})

inBrowser('everything is reached by keyboard, and the focus is seen', async () => {
  await open('/')
  await shown.page.untilText('Transactions')
  const names: string[] = []
  for (let i = 0; i < 9; i++) {
    await shown.page.press('Tab')
    const name = await shown.page.evaluate<string>(
      "(document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText).trim()",
    )
    names.push(name)
    const outline = await shown.page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle')
    expect(outline, name).not.toBe('none')
  }
  expect(names[0]).toBe('Skip to the page')
  expect(names.join()).toContain('Blocks')
  await shown.page.press('/')
  expect(names).not.toContain('')
})

inBrowser('a chain of one block counts it', async () => {
  await using fresh = await startProcess(['--ephemeral', '--block-time', 'manual'])
  await shown.page.open(`${fresh.config.urls.rest}/`)
  await shown.page.untilText('The blocks so far have no transactions.')
  await shown.page.untilText('none yet')
  await shown.page.open(`${fresh.config.urls.rest}/#/blocks`)
  await shown.page.untilText('1 block, from 1 to 1')
  await shown.page.open(`${fresh.config.urls.rest}/#/chain/supply`)
  await shown.page.until("document.querySelector('.chain-chart + details summary')?.innerText === '1 value'")
})

inBrowser('a node that is gone is said so, and the page connects again', async () => {
  await using other = await startProcess(['--ephemeral', '--block-time', 'manual'])
  await shown.page.open(`${other.config.urls.rest}/`)
  await shown.page.until("document.querySelector('.dot-live') && document.querySelector('h1')")
  await other.kill('SIGKILL')
  await shown.page.untilText('The node does not answer.')
  await shown.page.picture('offline')
  expect(await shown.page.violations()).toEqual([])
})

inBrowser('the page works below a path of a proxy', async () => {
  const { createServer, request } = await import('node:http')
  const target = new URL(shown.node.config.urls.rest)
  const proxy = createServer((incoming, outgoing) => {
    if (!incoming.url!.startsWith('/chain/below/')) return void outgoing.writeHead(404).end()
    const path = incoming.url!.slice('/chain/below'.length)
    const forwarded = request(
      { host: target.hostname, port: target.port, path, method: incoming.method, headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(outgoing)
      },
    )
    incoming.pipe(forwarded)
  }).listen(0, '127.0.0.1')
  await new Promise((done) => proxy.once('listening', done))
  const { port } = proxy.address() as { port: number }
  try {
    await shown.page.open(`http://127.0.0.1:${port}/chain/below/#/account/${shown.world.bob}`)
    await shown.page.untilText('In base units')
    await shown.page.untilText(shown.node.config.chain_id)
  } finally {
    proxy.closeAllConnections()
    proxy.close()
  }
})
