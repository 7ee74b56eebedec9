/** Wallets of a browser, which a test stands in for: one that announces itself (EIP-6963), and Keplr; and artifacts of each tool. */
import { expect, test } from 'vitest'
import { chromium } from '../support/console/browser.ts'
import { showChain } from '../support/console/shown-chain.ts'
import { populate } from '../support/console/world.ts'
import { startProcess } from '../support/process.ts'
import { rpc } from '../support/rpc.ts'

const inBrowser = test.runIf(chromium !== undefined)

const shown = showChain(
  () => startProcess(['--ephemeral']),
  ({ config }) => populate(config),
)

/** A provider that asks this node for everything but the user's account and chain, and notes what it is asked. */
const provider = (account: string, chain: string, switches: boolean) => `(() => {
  let chain = ${JSON.stringify(chain)}
  return {
    request: async ({ method, params = [] }) => {
      asked.push(method)
      if (method === 'eth_requestAccounts') return [${JSON.stringify(account)}]
      if (method === 'eth_chainId') return chain
      if (method === 'wallet_switchEthereumChain') {
        if (!${switches}) throw new Error('Unrecognized chain ID')
        chain = params[0].chainId
        return null
      }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const answer = await fetch('console/rpc', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      const { result, error } = await answer.json()
      if (error) throw new Error(error.message)
      return result
    },
  }
})()`

/** Puts a wallet that announces itself, or Keplr, into the page. */
const install = (name: string, source: string): Promise<unknown> =>
  shown.page.evaluate(
    name === 'Keplr'
      ? `window.asked = []; window.keplr = { ethereum: ${source} }; true`
      : `window.asked = []
         addEventListener('eip6963:requestProvider', () => dispatchEvent(new CustomEvent('eip6963:announceProvider', {
           detail: Object.freeze({ info: { uuid: 'u', name: ${JSON.stringify(name)}, icon: 'data:,', rdns: 'test' }, provider: ${source} }),
         }))); true`,
  )

/** Drops files onto the page of the account. */
const drop = (files: Readonly<Record<string, string>>): Promise<unknown> =>
  shown.page.evaluate(`{
    const data = new DataTransfer()
    for (const [name, text] of Object.entries(${JSON.stringify(files)})) data.items.add(new File([text], name))
    document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
  }`)

const form = (title: string) => `form[aria-label=${JSON.stringify(title)}]`
const run = async (title: string): Promise<void> => {
  await shown.page.until(`document.querySelector('${form(title)}')`)
  await shown.page.evaluate(`document.querySelector('${form(title)}').closest('details').open = true`)
  await shown.page.click(`${form(title)} button`)
}

/** Opens the vault with a wallet in the browser, and selects it as the sender. */
async function openVault(name: string, source: string): Promise<void> {
  await shown.page.open(`${shown.node.config.urls.rest}/#/blocks`)
  await install(name, source)
  await shown.page.evaluate(`location.hash = '#/account/${shown.world.vault}'`)
  await shown.page.untilText('choose them')
  await drop({ 'out.json': shown.world.artifacts })
  await shown.page.until(
    `[...document.querySelectorAll('.sender option')].some(({ innerText }) => innerText === ${JSON.stringify(name)})`,
  )
  await shown.page.evaluate(`{
    const select = document.querySelector('.sender select')
    select.value = [...select.options].find(({ innerText }) => innerText === ${JSON.stringify(name)}).value
    select.dispatchEvent(new Event('change', { bubbles: true }))
  }`)
}

const HERE = '0x1b12'
const sent = async (): Promise<string> => {
  await shown.page.until(`document.querySelector('${form('tryWithdraw()')} output a')`)
  const hash = await shown.page.evaluate<string>(
    `document.querySelector('${form('tryWithdraw()')} output a').href.match(/0x[0-9a-f]{64}/)[0]`,
  )
  await expect.poll(() => rpc(shown.node.config, 'eth_getTransactionReceipt', [hash])).not.toBeNull()
  return (await rpc<{ from: string }>(shown.node.config, 'eth_getTransactionByHash', [hash])).from
}

inBrowser('a wallet that announces itself switches to the chain, and writes a contract', async () => {
  await openVault('Test Wallet', provider(shown.world.bob, '0x1', true))
  await run('tryWithdraw()')
  expect(await sent()).toBe(shown.world.bob.toLowerCase())
  expect(await shown.page.evaluate('asked')).toEqual([
    'eth_requestAccounts',
    'eth_chainId',
    'wallet_switchEthereumChain',
    'eth_sendTransaction',
  ])
  expect(shown.page.errors()).toEqual([])
})

inBrowser('Keplr without an announcement writes a contract', async () => {
  await openVault('Keplr', provider(shown.world.alice, HERE, false))
  await run('tryWithdraw()')
  expect(await sent()).toBe(shown.world.alice.toLowerCase())
  expect(await shown.page.evaluate('asked')).toEqual(['eth_requestAccounts', 'eth_chainId', 'eth_sendTransaction'])
})

inBrowser('a wallet on another chain that does not switch is told which one it needs', async () => {
  await openVault('Stubborn', provider(shown.world.alice, '0x1', false))
  await run('tryWithdraw()')
  await shown.page.untilText('Stubborn is on another chain: select the one with the EVM chain id 6930 in it')
})

inBrowser('artifacts that are dropped later leave the forms of a contract as they are filled in', async () => {
  await openVault('Test Wallet', provider(shown.world.bob, HERE, true))
  const field = `${form('deposits(address)')} input`
  await shown.page.until(`document.querySelector('${field}')`)
  await shown.page.evaluate(`document.querySelector('${field}').closest('details').open = true`)
  await shown.page.type(field, shown.world.alice)
  await drop({ 'another.json': JSON.stringify({ contractName: 'Another', abi: [], bytecode: '0x00' }) })
  await shown.page.untilText('1 contract was read')
  expect(await shown.page.evaluate(`document.querySelector('${field}').value`)).toBe(shown.world.alice)
})

inBrowser('artifacts of Hardhat, of Foundry and of solc show the functions of a contract', async () => {
  const { Vault } = JSON.parse(shown.world.artifacts).contracts['vault.sol'] as Record<
    string,
    { abi: unknown; metadata: string; evm: { bytecode: { object: string }; deployedBytecode: { object: string } } }
  >
  const { abi, metadata, evm } = Vault!
  const [code, deployed] = [`0x${evm.bytecode.object}`, `0x${evm.deployedBytecode.object}`]
  const files = {
    'Vault.json': JSON.stringify({
      _format: 'hh-sol-artifact-1',
      contractName: 'Vault',
      sourceName: 'contracts/vault.sol',
      abi,
      bytecode: code,
      deployedBytecode: deployed,
      linkReferences: {},
    }),
    'Foundry.json': JSON.stringify({
      abi,
      bytecode: { object: code, linkReferences: {} },
      deployedBytecode: { object: deployed, linkReferences: {} },
      rawMetadata: metadata,
    }),
    'solc.json': shown.world.artifacts,
  }
  for (const [name, text] of Object.entries(files)) {
    await shown.page.open(`${shown.node.config.urls.rest}/#/account/${shown.world.vault}`)
    await shown.page.untilText('choose them')
    await shown.page.evaluate('sessionStorage.clear()')
    await shown.page.open(`${shown.node.config.urls.rest}/#/account/${shown.world.vault}`)
    await shown.page.untilText('choose them')
    await drop({ [name]: text })
    await shown.page.untilText(name === 'Foundry.json' ? 'Foundry' : 'Vault')
    await shown.page.until(`document.querySelector('${form('tryWithdraw()')}')`)
  }
  await drop({ 'wrong.json': '{"name": 1}' })
  await shown.page.untilText('wrong.json has no ABI')
})
