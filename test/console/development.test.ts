/** Tools of a development chain in a real browser, and their absence elsewhere. */
import { expect, test } from 'vitest'
import { deployables } from '../../web/src/development/creation.ts'
import { chromium } from '../support/console/browser.ts'
import { showChain } from '../support/console/shown-chain.ts'
import { type NodeProcess, startProcess } from '../support/process.ts'
import { rpc } from '../support/rpc.ts'

const inBrowser = test.runIf(chromium !== undefined)

const shown = showChain(
  () => startProcess(['--ephemeral', '--log-chain']),
  async () => undefined,
)

const open = (of: NodeProcess) => shown.page.open(`${of.config.urls.rest}/#/development`)
const height = async () => Number(await rpc(shown.node.config, 'eth_blockNumber'))

/** Clicks the button with a text. */
const press = (text: string) =>
  shown.page.evaluate(
    `[...document.querySelectorAll('main button')].find((one) => one.innerText === ${JSON.stringify(text)} && !one.disabled).click()`,
  )

/** Code that returns its constructor's argument as code: 32 bytes. */
const RETURNS_ARGUMENT = '6020600c60003960206000f3'
const ABI = [{ type: 'constructor', stateMutability: 'nonpayable', inputs: [{ name: 'word', type: 'uint256' }] }]

test('artifacts of Hardhat and Foundry and the standard JSON of solc are read, and others refused with the reason', () => {
  const hardhat = JSON.stringify({ contractName: 'A', abi: ABI, bytecode: `0x${RETURNS_ARGUMENT}` })
  const foundry = JSON.stringify({ abi: ABI, bytecode: { object: `0x${RETURNS_ARGUMENT}` } })
  const contracts = { 'a.sol': { A: { abi: ABI, evm: { bytecode: { object: RETURNS_ARGUMENT } } }, I: { abi: [] } } }
  const expected = { name: 'A', abi: ABI, code: `0x${RETURNS_ARGUMENT}` }
  expect(deployables('A.json', hardhat)).toEqual([expected])
  expect(deployables('A.json', foundry)).toEqual([expected])
  expect(deployables('out.json', JSON.stringify({ contracts }))).toEqual([expected])
  expect(deployables('build.json', JSON.stringify({ output: { contracts } }))).toEqual([expected])
  expect(() => deployables('a.txt', 'contract A {}')).toThrow('a.txt is no JSON')
  expect(() => deployables('I.json', JSON.stringify({ abi: ABI, bytecode: '0x' }))).toThrow('cannot be deployed')
  expect(() => deployables('list.json', '[]')).toThrow('no artifact')
  const unlinked = `60__$${'a'.repeat(34)}$__`
  expect(() => deployables('L.json', JSON.stringify({ abi: ABI, bytecode: unlinked }))).toThrow('needs libraries')
})

inBrowser('blocks are mined, paused and resumed, the clock moves, and a snapshot brings the chain back', async () => {
  await open(shown.node)
  await shown.page.untilText('Made when a transaction arrives')
  const start = await height()
  await shown.page.type('input[name=count]', '5')
  await press('Mine')
  await shown.page.untilText('Made 5 blocks')
  expect(await height()).toBe(start + 5)
  await press('Take a snapshot')
  await shown.page.untilText('has the state after block')
  await press('Move, and mine')
  await shown.page.untilText('The clock moved by 1 h')
  const { timestamp } = await rpc<{ timestamp: string }>(shown.node.config, 'eth_getBlockByNumber', ['latest', false])
  expect(Number(timestamp) * 1000 - Date.now()).toBeGreaterThan(3_000_000)
  // What is on the chain is not in the future of its reader.
  await shown.page.untilText('ahead of this computer')
  await shown.page.evaluate("location.hash = '#/'")
  await shown.page.until("document.querySelector('.rows li time')")
  await shown.page.untilText('ahead of this computer')
  const times = await shown.page.evaluate<string[]>(
    "[...document.querySelectorAll('time')].map((one) => one.innerText)",
  )
  expect(times.filter((text) => text.startsWith('in '))).toEqual([])
  await shown.page.evaluate('history.back()')
  await shown.page.untilText('Revert to it')
  await press('Revert to it')
  await shown.page.untilText('The chain is again at block')
  expect(await height()).toBe(start + 5)
  await press('Pause blocks')
  await shown.page.untilText('Made paused')
  expect(await rpc(shown.node.config, 'anvil_getAutomine')).toBe(false)
  await press('Resume blocks')
  await shown.page.untilText('Made when a transaction arrives')
  expect(await rpc(shown.node.config, 'anvil_getAutomine')).toBe(true)
  await shown.page.type('input[name=count]', '0')
  await press('Mine')
  await shown.page.untilText('must be a whole number from 1 on')
})

inBrowser('the faucet adds, a balance is set to the last wei, and an account without a key sends', async () => {
  await open(shown.node)
  const [who, amount] = [`0x${'ab'.repeat(20)}`, '1.000000000000000001']
  await shown.page.until("document.querySelectorAll('input[name=address]').length === 3")
  await shown.page.evaluate(
    "document.querySelectorAll('input[name=address]').forEach((one, i) => (one.id = 'address' + i))",
  )
  await shown.page.evaluate(
    "document.querySelectorAll('input[name=amount]').forEach((one, i) => (one.id = 'amount' + i))",
  )
  await shown.page.type('#address1', who)
  await shown.page.type('#amount2', amount)
  await press('Set')
  await shown.page.untilText(`has ${amount}`)
  await expect.poll(() => rpc(shown.node.config, 'eth_getBalance', [who, 'pending'])).toBe('0xde0b6b3a7640001')
  await shown.page.type('#address0', who)
  await press('Add')
  await expect.poll(() => rpc(shown.node.config, 'eth_getBalance', [who, 'pending'])).toBe('0x579a814e10a740001')
  await shown.page.type('#address2', 'nonsense')
  await press('Impersonate')
  await shown.page.untilText('The address must be 0x')
  await shown.page.type('#address2', who)
  await press('Impersonate')
  await shown.page.untilText('without a key.')
  await rpc(shown.node.config, 'eth_sendTransaction', [{ from: who, to: `0x${'cd'.repeat(20)}`, value: '0x1' }])
})

inBrowser('an artifact is deployed with its argument, and the log shows the transaction', async () => {
  await open(shown.node)
  const file = JSON.stringify({ contractName: 'Word', abi: ABI, bytecode: `0x${RETURNS_ARGUMENT}` })
  await shown.page.until("document.querySelector('input[type=file]')")
  const choose = (text: string) =>
    shown.page.evaluate(`{
      const files = new DataTransfer()
      files.items.add(new File([${JSON.stringify(text)}], 'Word.json'))
      const input = document.querySelector('input[type=file]')
      input.files = files.files
      input.dispatchEvent(new Event('change', { bubbles: true }))
    }`)
  await choose('{}')
  await shown.page.untilText('no contract with an ABI')
  await choose(file)
  await shown.page.untilText('Deploy Word')
  await shown.page.until("document.querySelectorAll('select[name=from] option').length > 0")
  await shown.page.type('input[name=argument-0]', '42')
  await press('Deploy Word')
  await shown.page.untilText('Word is')
  const address = await shown.page.evaluate<string>(
    "document.querySelector('.dev-said a[href*=account]').title || document.querySelector('.dev-said [title^=\"0x\"]').title",
  )
  expect(await rpc(shown.node.config, 'eth_getCode', [address, 'latest'])).toBe(`0x${'2a'.padStart(64, '0')}`)
  await shown.page.until("document.querySelector('.dev-log')?.innerText.includes('transaction')")
  for (const width of [1280, 390]) {
    for (const dark of [false, true]) {
      await shown.page.resize({ width, dark })
      await shown.page.picture(`development-${width}-${dark}`)
      expect(await shown.page.violations()).toEqual([])
      expect(await shown.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    }
  }
  await shown.page.resize({})
})

inBrowser('a chain with an interval says so, and has it again after a pause', async () => {
  await using clocked = await startProcess(['--ephemeral', '--feeder=true'])
  await open(clocked)
  await shown.page.untilText('Made every 1 s, and when a transaction arrives')
  await press('Pause blocks')
  await shown.page.untilText('Made paused')
  await press('Resume blocks')
  await shown.page.untilText('Made every 1 s, and when a transaction arrives')
})

inBrowser('a chain without development methods offers none', async () => {
  await using plain = await startProcess(['--ephemeral', '--no-dev', '--insecure-keys'])
  await open(plain)
  await shown.page.untilText('This is no development chain')
  expect(await shown.page.evaluate("document.querySelector('nav').innerText")).not.toContain('Develop')
})

inBrowser('a node that ends is said to be gone, and what was shown stays', async () => {
  const gone = await startProcess(['--ephemeral'])
  await shown.page.open(`${gone.config.urls.rest}/#/chain/parameters`)
  await shown.page.untilText('vote_period')
  await gone[Symbol.asyncDispose]()
  await shown.page.untilText('The node does not answer')
  await shown.page.untilText('vote_period')
})
