/** A chain with something to see: transfers, contracts with nested calls and a revert, a FunToken, messages of the SDK. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeCosmoshubPath } from '@cosmjs/amino'
import { DirectSecp256k1HdWallet, Registry } from '@cosmjs/proto-signing'
import { defaultRegistryTypes, GasPrice, SigningStargateClient } from '@cosmjs/stargate'
import solc from 'solc'
import { type Abi, encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import { evm, messagesOf } from '../../../src/messages/index.ts'
import { rpc } from '../rpc.ts'

interface Endpoint {
  readonly accounts: readonly { readonly address: Hex; readonly bech32: string }[]
  readonly urls: { readonly jsonrpc: string; readonly comet: string }
  readonly mnemonic: string
}

interface Artifact {
  readonly abi: Abi
  readonly code: Hex
}

export interface World {
  readonly alice: Hex
  readonly bob: Hex
  readonly coin: Hex
  readonly vault: Hex
  /** Hashes of transactions. */
  readonly transfer: Hex
  readonly deposit: Hex
  readonly reverted: Hex
  readonly caught: Hex
  /** Hash of the transaction that maps the coin, 64 hexadecimal digits. */
  readonly mapping: string
  /** Standard JSON output of the compiler for both contracts. */
  readonly artifacts: string
}

/** Compiles the contracts. Returns the standard JSON output of the compiler. */
function compile(): string {
  const input = {
    language: 'Solidity',
    sources: { 'vault.sol': { content: readFileSync(join(import.meta.dirname, 'vault.sol'), 'utf8') } },
    settings: {
      optimizer: { enabled: true },
      evmVersion: 'london',
      outputSelection: { '*': { '*': ['abi', 'metadata', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  }
  const output: string = solc.compile(JSON.stringify(input))
  const { errors = [] } = JSON.parse(output) as { errors?: { severity: string; formattedMessage: string }[] }
  const failed = errors.filter(({ severity }) => severity === 'error')
  if (failed.length > 0) throw new Error(failed.map(({ formattedMessage }) => formattedMessage).join('\n'))
  return output
}

/** Fills a development chain by the keys of its node. */
export async function populate(node: Endpoint): Promise<World> {
  const artifacts = compile()
  const contracts = JSON.parse(artifacts).contracts['vault.sol']
  const artifact = (name: string): Artifact => ({
    abi: contracts[name].abi,
    code: `0x${contracts[name].evm.bytecode.object}`,
  })
  const [alice, bob] = node.accounts.filter(({ address }) => address).map(({ address }) => address) as [Hex, Hex]
  const send = async (transaction: object): Promise<Hex> => {
    const hash = await rpc<Hex>(node, 'eth_sendTransaction', [{ from: alice, ...transaction }])
    for (;;) {
      if (await rpc(node, 'eth_getTransactionReceipt', [hash])) return hash
      await new Promise((done) => setTimeout(done, 50))
    }
  }
  const deploy = async ({ abi, code }: Artifact, args: readonly unknown[]): Promise<Hex> => {
    const hash = await send({ data: encodeDeployData({ abi, bytecode: code, args }), gas: '0x300000' })
    return (await rpc<{ contractAddress: Hex }>(node, 'eth_getTransactionReceipt', [hash])).contractAddress
  }
  const { abi: coinAbi } = artifact('Coin')
  const { abi: vaultAbi } = artifact('Vault')
  const call = (abi: Abi, to: Hex, functionName: string, args: readonly unknown[] = [], gas = '0x100000') =>
    send({ to, data: encodeFunctionData({ abi, functionName, args }), gas })

  const transfer = await send({ to: bob, value: '0x14d1120d7b160000' })
  const coin = await deploy(artifact('Coin'), [10n ** 27n])
  const vault = await deploy(artifact('Vault'), [coin])
  await call(coinAbi, coin, 'approve', [vault, 10n ** 24n])
  const deposit = await call(vaultAbi, vault, 'deposit', [123_456_789_012_345_678_901n])
  const reverted = await call(vaultAbi, vault, 'withdraw')
  const caught = await call(vaultAbi, vault, 'tryWithdraw')
  const mapping = await mapToken(node, coin)
  const funtoken = '0x0000000000000000000000000000000000000800'
  await call(FUNTOKEN, funtoken, 'sendToBank', [coin, 5n * 10n ** 18n, node.accounts[0]!.bech32], '0x300000')
  return { alice, bob, coin, vault, transfer, deposit, reverted, caught, mapping, artifacts }
}

const FUNTOKEN: Abi = [
  {
    type: 'function',
    name: 'sendToBank',
    stateMutability: 'nonpayable',
    inputs: [
      { name: 'erc20', type: 'address' },
      { name: 'amount', type: 'uint256' },
      { name: 'to', type: 'string' },
    ],
    outputs: [{ name: '', type: 'uint256' }],
  },
]

/** Maps a contract to a coin by a message of the SDK. Returns the hash of its transaction. */
async function mapToken(node: Endpoint, contract: Hex): Promise<string> {
  const wallet = await DirectSecp256k1HdWallet.fromMnemonic(node.mnemonic, {
    prefix: 'chain',
    hdPaths: [makeCosmoshubPath(0)],
  })
  const { address } = (await wallet.getAccounts())[0]!
  const { registryTypes, message } = messagesOf('almanac')
  const client = await SigningStargateClient.connectWithSigner(node.urls.comet, wallet, {
    gasPrice: GasPrice.fromString('0.025unative'),
    registry: new Registry([...defaultRegistryTypes, ...registryTypes]),
    broadcastPollIntervalMs: 50,
  })
  const create = message(evm.MsgCreateFunTokenSchema, {
    sender: address,
    fromErc20: Buffer.from(contract.slice(2), 'hex'),
  })
  const { transactionHash, code, rawLog } = await client.signAndBroadcast(address, [create], 1.5)
  client.disconnect()
  if (code !== 0) throw new Error(rawLog)
  return transactionHash
}
