// Converts a mapped token between coin and ERC-20 with viem, through the FunToken precompile. Reads the coin with CosmJS, and
// both balances in one answer over REST.
//   node examples/funtoken.mjs TOKEN_ADDRESS [CONFIG_OUT.json]
import { readFileSync } from 'node:fs'
import { StargateClient } from '@cosmjs/stargate'
import { createPublicClient, createWalletClient, defineChain, getAddress, http, parseAbi } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'

const [token, config] = process.argv.slice(2)
const { urls, evm_chain_id } = config
  ? JSON.parse(readFileSync(config, 'utf8'))
  : {
      urls: { jsonrpc: 'http://127.0.0.1:8545', rest: 'http://127.0.0.1:1317', comet: 'http://127.0.0.1:26657' },
      evm_chain_id: 6930,
    }
const chain = defineChain({
  id: evm_chain_id,
  name: 'Almanac',
  nativeCurrency: { name: 'native', symbol: 'NATIVE', decimals: 18 },
  rpcUrls: { default: { http: [urls.jsonrpc] } },
})
const account = mnemonicToAccount('test test test test test test test test test test test junk')
const wallet = createWalletClient({ account, chain, transport: http() })
const client = createPublicClient({ chain, transport: http() })
const denom = `erc20/${getAddress(token)}`
const funtoken = {
  address: '0x0000000000000000000000000000000000000800',
  abi: parseAbi([
    'function sendToBank(address erc20, uint256 amount, string to) returns (uint256)',
    'function sendToEvm(string denom, uint256 amount, string to) returns (uint256)',
    'function whoAmI(string who) view returns ((address eth, string bech32))',
  ]),
}

async function send(functionName, args) {
  const hash = await wallet.writeContract({ ...funtoken, functionName, args })
  const { status, gasUsed, logs } = await client.waitForTransactionReceipt({ hash })
  console.log(`${functionName}: ${status}, ${gasUsed} gas, ${logs.length} logs`)
}

const { bech32 } = await client.readContract({ ...funtoken, functionName: 'whoAmI', args: [account.address] })
console.log(`${account.address} is ${bech32}`)
const stargate = await StargateClient.connect(urls.comet)
console.log('coins before', (await stargate.getBalance(bech32, denom)).amount)
await send('sendToBank', [token, 10n ** 20n, bech32])
await send('sendToEvm', [denom, 10n ** 19n, account.address])
console.log('coins after ', (await stargate.getBalance(bech32, denom)).amount)
const { bank, erc20 } = await (await fetch(`${urls.rest}/chain/evm/v1/balances/${bech32}?token=${denom}`)).json()
console.log(`bank ${bank.balance_human}, EVM ${erc20.balance_human} of ${erc20.symbol}`)
stargate.disconnect()
