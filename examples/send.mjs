// Sends coins with CosmJS and reads them back.
//   node examples/send.mjs [CONFIG_OUT.json]
import { readFileSync } from 'node:fs'
import { makeCosmoshubPath } from '@cosmjs/amino'
import { DirectSecp256k1HdWallet } from '@cosmjs/proto-signing'
import { GasPrice, SigningStargateClient } from '@cosmjs/stargate'

const { urls } = process.argv[2]
  ? JSON.parse(readFileSync(process.argv[2], 'utf8'))
  : { urls: { comet: 'http://127.0.0.1:26657' } }
const wallet = await DirectSecp256k1HdWallet.fromMnemonic(
  'test test test test test test test test test test test junk',
  { prefix: 'chain', hdPaths: [makeCosmoshubPath(0), makeCosmoshubPath(1)] },
)
const [alice, bob] = await wallet.getAccounts()
const client = await SigningStargateClient.connectWithSigner(urls.comet, wallet, {
  gasPrice: GasPrice.fromString('0.025unative'),
})

const { height, transactionHash, gasUsed } = await client.sendTokens(
  alice.address,
  bob.address,
  [{ denom: 'unative', amount: '12345' }],
  'auto',
)
console.log(`${transactionHash} in block ${height}, ${gasUsed} gas`)
console.log(bob.address, await client.getBalance(bob.address, 'unative'))
client.disconnect()
