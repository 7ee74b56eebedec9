// Deploys OpenZeppelin's ERC-20 with viem, moves some of it, and reads the balance over JSON-RPC and over REST.
//   node examples/token.mjs [CONFIG_OUT.json]
// It imports viem and @openzeppelin/contracts 4: `npm install viem @openzeppelin/contracts@4` where they are not installed.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createPublicClient, createWalletClient, defineChain, http } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'

const { urls, evm_chain_id } = process.argv[2]
  ? JSON.parse(readFileSync(process.argv[2], 'utf8'))
  : { urls: { jsonrpc: 'http://127.0.0.1:8545', rest: 'http://127.0.0.1:1317' }, evm_chain_id: 6930 }
const chain = defineChain({
  id: evm_chain_id,
  name: 'Almanac',
  nativeCurrency: { name: 'native', symbol: 'NATIVE', decimals: 18 },
  rpcUrls: { default: { http: [urls.jsonrpc] } },
})
const mnemonic = 'test test test test test test test test test test test junk'
const [alice, bob] = [0, 1].map((addressIndex) => mnemonicToAccount(mnemonic, { addressIndex }))
const wallet = createWalletClient({ account: alice, chain, transport: http() })
const client = createPublicClient({ chain, transport: http() })
const { abi, bytecode } = createRequire(import.meta.url)(
  '@openzeppelin/contracts/build/contracts/ERC20PresetFixedSupply.json',
)

const deployed = await wallet.deployContract({ abi, bytecode, args: ['Gold', 'GLD', 10n ** 24n, alice.address] })
const { contractAddress: address, gasUsed } = await client.waitForTransactionReceipt({ hash: deployed })
console.log(`GLD is ${address}, deployed for ${gasUsed} gas`)

const sent = await wallet.writeContract({
  address,
  abi,
  functionName: 'transfer',
  args: [bob.address, 420n * 10n ** 18n],
})
const { blockNumber } = await client.waitForTransactionReceipt({ hash: sent })
console.log(`420 GLD to ${bob.address} in block ${blockNumber}`)

console.log('JSON-RPC', await client.readContract({ address, abi, functionName: 'balanceOf', args: [bob.address] }))
const balances = (height) =>
  fetch(`${urls.rest}/chain/evm/v1/balances/${bob.address}?token=${address}&height=${height}`)
console.log('REST    ', (await (await balances(blockNumber)).json()).erc20)
console.log('before  ', (await (await balances(blockNumber - 1n)).json()).erc20.balance_human)
