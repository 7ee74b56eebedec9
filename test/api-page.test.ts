/** The API page in a real browser: its list, its search, its answers at any height, and its clients. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Browser, type BrowserPage, chromium, openBrowser } from './support/console/browser.ts'
import { type NodeProcess, startProcess } from './support/process.ts'
import { rpc } from './support/rpc.ts'

const inBrowser = test.runIf(chromium !== undefined)

let node: NodeProcess
let browser: Browser
let page: BrowserPage

beforeAll(async () => {
  if (!chromium) return
  node = await startProcess(['--ephemeral'])
  await rpc(node.config, 'anvil_mine', ['0x3'])
  browser = await openBrowser()
  page = browser.page
})
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]()
  await node?.[Symbol.asyncDispose]()
})

const open = (path: string) => page.open(`${node.config.urls.rest}/${path}`)
const ANSWER = ".docs-answer[aria-busy='false'] pre"
const answered = () => page.until(`document.querySelector(${JSON.stringify(ANSWER)})`)
const answer = async <T>() =>
  JSON.parse(await page.evaluate<string>(`document.querySelector(${JSON.stringify(ANSWER)}).innerText`)) as T

/** Takes pictures as phones and desktops show the page, and checks what axe says about it. */
async function look(name: string): Promise<void> {
  for (const [device, width] of [
    ['desktop', 1280],
    ['phone', 390],
  ] as const) {
    for (const dark of [false, true]) {
      await page.resize({ width, dark })
      await page.picture(`api-${name}-${device}-${dark ? 'dark' : 'light'}`)
      expect(await page.violations(), `${name} ${device}`).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${name} ${device}`).toBe(true)
    }
  }
  await page.resize({})
}

inBrowser('/docs is the page: all operations of all three protocols, in groups', async () => {
  await open('docs')
  await page.untilText('operations of REST')
  const groups = await page.evaluate<string[]>(
    "[...document.querySelectorAll('.docs-list summary')].map((one) => one.innerText)",
  )
  for (const group of ['oracle', 'evm', 'bank', 'eth_ (JSON-RPC)', 'debug_ (JSON-RPC)', 'engine RPC']) {
    expect(groups.some((text) => text.startsWith(group))).toBe(true)
  }
  const count = await page.evaluate<number>(`{
    for (const group of document.querySelectorAll('.docs-list details')) group.open = true
    new Promise((done) => setTimeout(() => done(document.querySelectorAll('.docs-list li').length), 500))
  }`)
  const api = (await (await fetch(`${node.config.urls.rest}/openrpc.json`)).json()) as { methods: unknown[] }
  expect(count).toBeGreaterThan(135 + api.methods.length)
  await look('start')
})

inBrowser('a search finds an operation by its path, a parameter or a misspelt alias, and Enter opens it', async () => {
  await open('docs')
  await page.untilText('operations of REST')
  await page.type('.docs-list input', 'valdiators')
  await page.until("document.querySelectorAll('.docs-list li').length === 1")
  await page.evaluate("document.querySelector('.docs-list input').focus()")
  await page.press('Enter')
  await page.untilText('/chain/oracle/v1beta1/validators/{validator_addr}/aggregate_vote')
  await page.untilText('Alias, as clients of the inherited API spell it: /chain/oracle/v1beta1/valdiators/')
  await page.type('.docs-list input', 'nothing has this')
  await page.untilText('No operation has these words')
})

inBrowser(
  'an operation shows parameters, a real answer of this node, errors, and the same in six clients',
  async () => {
    await open('docs#/docs/cosmos.staking.v1beta1.Query/Validator')
    await answered()
    const { validator } = await answer<{ validator: { operator_address: string; status: string } }>()
    expect(validator.status).toBe('BOND_STATUS_BONDED')
    await page.untilText('Validator, as Bech32 operator address.')
    await page.untilText('notFound (code 5): the validator does not exist')
    await page.untilText('Fields of the answer')
    for (const [client, text] of [
      ['curl', 'curl -s'],
      ['grpcurl', 'grpcurl -plaintext'],
      ['command line', 'almanac query staking validator'],
    ]) {
      await page.evaluate(
        `[...document.querySelectorAll('[role=tab]')].find((one) => one.innerText === '${client}').click()`,
      )
      await page.until(`document.querySelector('.how-text pre')?.innerText.includes('${text}')`)
    }
    expect(await page.evaluate("document.querySelectorAll('[role=tab]').length")).toBe(6)
    expect(await page.evaluate("document.querySelector('.how-text').innerText")).toContain(validator.operator_address)
    await look('operation')
  },
)

inBrowser('an answer follows the height of the page, and a wrong value shows the error of the node', async () => {
  const supply = 'docs#/docs/cosmos.base.node.v1beta1.Service/Status'
  await open(supply)
  await answered()
  await open('docs#/docs/eth_getBlockByNumber?height=2')
  await answered()
  expect((await answer<{ number: string }>()).number).toBe('0x2')
  await open('docs#/docs/cosmos.bank.v1beta1.Query/Balance')
  await answered()
  await page.type('.docs-parameter input', 'nonsense')
  await page.click('.docs-button')
  await page.untilText('status 400, code 3')
})

inBrowser('JSON-RPC and the engine RPC answer in the page too, and an unknown operation says so', async () => {
  await open('docs#/docs/eth_chainId')
  await answered()
  expect(await answer<string>()).toMatch(/^0x/)
  await look('method')
  await open('docs#/docs/engine/block')
  await answered()
  expect(await answer<{ block: { header: { height: string } } }>()).toHaveProperty('block.header.height')
  await open('docs#/docs/no.such/Operation')
  await page.untilText('This node has no operation no.such/Operation')
  // Chromium also reports answers that are errors, which these tests ask for.
  expect(page.errors().filter((text) => !text.startsWith('Failed to load resource'))).toEqual([])
})

inBrowser('the list is reached and walked by keyboard', async () => {
  await open('docs')
  await page.untilText('operations of REST')
  await page.type('.docs-list input', 'exchange rate')
  await page.evaluate("document.querySelector('.docs-list input').focus()")
  for (const key of ['ArrowDown', 'ArrowDown']) await page.press(key)
  expect(await page.evaluate("document.activeElement.closest('.docs-list li') !== null")).toBe(true)
  await page.press('Enter')
  await page.until("document.querySelector('.docs-main h2')")
})
