// Queries a running node over REST, gRPC, JSON-RPC, WebSocket and the CometBFT RPC, and compares the answers.
//   node .ci/questions.mjs CONFIG_OUT.json
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { credentials, Metadata, makeClientConstructor } from '@grpc/grpc-js'
import { createPublicClient, createWalletClient, http, parseEther, webSocket } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const config = JSON.parse(readFileSync(process.argv[2], 'utf8'))
let answered = 0
let wrong = 0
const ask = async (question, check) => {
  try {
    await check()
    answered++
  } catch (error) {
    wrong++
    console.log(`wrong: ${question}: ${error instanceof Error ? error.message : error}`)
  }
}
const same = (got, want) => {
  if (JSON.stringify(got) !== JSON.stringify(want))
    throw new Error(`got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`)
}
const rest = async (path, init) => {
  const response = await fetch(config.urls.rest + path, init)
  return { status: response.status, body: await response.json(), height: response.headers.get('x-sdk-block-height') }
}
const chain = {
  id: config.evm_chain_id,
  name: config.chain_id,
  nativeCurrency: { name: 'native', symbol: 'NATIVE', decimals: 18 },
  rpcUrls: { default: { http: [config.urls.jsonrpc] } },
}
const [first, second] = config.accounts.filter(({ path }) => path.startsWith("m/44'/60'"))
const account = privateKeyToAccount(first.private_key)
// One attempt without a deadline: a repeated transaction is refused.
const patient = { timeout: 120_000, retryCount: 0 }
const options = { chain, transport: http(config.urls.jsonrpc, patient), pollingInterval: 100, cacheTime: 0 }
const wallet = createWalletClient({ account, ...options })
const client = createPublicClient(options)
const socket = createPublicClient({ chain, transport: webSocket(config.urls.ws, patient) })

const artifact = createRequire(import.meta.url)('@openzeppelin/contracts/build/contracts/ERC20PresetFixedSupply.json')
const erc20 = { abi: artifact.abi, bytecode: artifact.bytecode }

await ask('REST params of the EVM', async () => {
  const { status, body } = await rest('/chain/evm/v1/params')
  same([status, body.params.create_funtoken_fee], [200, '10000000000'])
})
await ask('a missing route is 404, a wrong method 405', async () => {
  same((await rest('/nothing')).status, 404)
  same((await rest('/chain/evm/v1/params', { method: 'DELETE' })).status, 405)
})
await ask('a malformed address is 400 and names itself', async () => {
  const { status, body } = await rest('/chain/evm/v1/balances/0x123')
  same([status, body.code], [400, 3])
})
await ask('no upgrade is planned, and governance knows how long a vote takes', async () => {
  same((await rest('/sdk/upgrade/v1beta1/current_plan')).body, { plan: null })
  same((await rest('/sdk/gov/v1/params/voting')).body.params.voting_period, '30s')
})
await ask('viem sends coins, and REST, JSON-RPC and gRPC agree on the balance', async () => {
  const before = await client.getBalance({ address: second.address })
  const hash = await wallet.sendTransaction({ to: second.address, value: parseEther('1.5') })
  const receipt = await client.waitForTransactionReceipt({ hash })
  same(receipt.status, 'success')
  const after = await client.getBalance({ address: second.address })
  same((after - before).toString(), parseEther('1.5').toString())
  const { body } = await rest(`/chain/evm/v1/balances/${second.address}`)
  same(body.balance_wei, after.toString())
  const old = await rest(`/chain/evm/v1/balances/${second.address}?height=${receipt.blockNumber - 1n}`)
  same(old.body.balance_wei, before.toString())
  const Query = makeClientConstructor(
    {
      Balance: {
        path: '/chain.evm.v1.Query/Balance',
        requestStream: false,
        responseStream: false,
        requestSerialize: (text) => Buffer.concat([Buffer.from([0x0a, text.length]), Buffer.from(text)]),
        requestDeserialize: (bytes) => bytes,
        responseSerialize: (bytes) => bytes,
        responseDeserialize: (bytes) => bytes.subarray(2, 2 + bytes[1]).toString(),
      },
    },
    'Query',
  )
  const grpc = new Query(config.urls.grpc.replace(/^\w+:\/\//, ''), credentials.createInsecure())
  const overGrpc = await new Promise((done, fail) => {
    grpc.Balance(second.address, new Metadata(), (error, value) => (error ? fail(error) : done(value)))
  })
  grpc.close()
  same(overGrpc, after.toString())
})
await ask('a published token deploys, moves, and has one balance over every protocol', async () => {
  const args = ['Gold', 'GLD', 1_000_000n, first.address]
  const { contractAddress, status } = await client.waitForTransactionReceipt({
    hash: await wallet.deployContract({ ...erc20, args }),
  })
  same(status, 'success')
  const token = { address: contractAddress, abi: erc20.abi }
  const hash = await wallet.writeContract({ ...token, functionName: 'transfer', args: [second.address, 420n] })
  const { logs } = await client.waitForTransactionReceipt({ hash })
  same(logs.length, 1)
  const held = await socket.readContract({ ...token, functionName: 'balanceOf', args: [second.address] })
  same(held.toString(), '420')
  const { body } = await rest(`/chain/evm/v1/balances/${second.address}?token=${contractAddress}`)
  same([body.erc20.symbol, body.erc20.balance_base], ['GLD', '420'])
  const code = await rest(`/chain/evm/v1/codes/${contractAddress}`)
  same(`0x${Buffer.from(code.body.code, 'base64').toString('hex')}`, await client.getCode({ address: contractAddress }))
})
await ask('the engine RPC knows the chain and its height', async () => {
  // Queried first: a block can be made between two queries, so only the later answer can be higher.
  const before = await client.getBlockNumber()
  const { result } = await (await fetch(`${config.urls.comet}/status`)).json()
  same(result.node_info.network, config.chain_id)
  const height = BigInt(result.sync_info.latest_block_height)
  if (height < before) throw new Error(`the height is ${height} after JSON-RPC answered ${before}`)
})

socket.transport.getRpcClient().then((rpc) => rpc.close())
console.log(`${answered} answered, ${wrong} wrong`)
process.exit(wrong === 0 ? 0 : 1)
