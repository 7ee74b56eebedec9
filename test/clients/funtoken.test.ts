/** A token in two forms: CosmJS signs the messages, viem calls the precompile. */

import { createRequire } from 'node:module'
import { create, toBinary } from '@bufbuild/protobuf'
import { makeCosmoshubPath } from '@cosmjs/amino'
import { DirectSecp256k1HdWallet, type GeneratedType, Registry } from '@cosmjs/proto-signing'
import { GasPrice, SigningStargateClient } from '@cosmjs/stargate'
import { createPublicClient, createWalletClient, defineChain, http, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  MsgConvertCoinToEvmSchema,
  MsgConvertEvmToCoinSchema,
  MsgCreateFunTokenSchema,
} from '../../src/gen/chain/evm/v1/tx_pb.ts'
import { startNode } from '../../src/index.ts'
import { rpc } from '../support/rpc.ts'

const { abi, bytecode } = createRequire(import.meta.url)(
  '@openzeppelin/contracts/build/contracts/ERC20PresetFixedSupply.json',
)
const SUPPLY = 1_000_000n
const precompile = {
  address: '0x0000000000000000000000000000000000000800',
  abi: parseAbi([
    'function sendToBank(address erc20, uint256 amount, string to) returns (uint256)',
    'function balance(address who, address token) view returns (uint256 erc20, uint256 bank, (address, string), (address, string))',
    'function whoAmI(string who) view returns ((address eth, string bech32))',
  ]),
} as const

/** Registers a message of this chain with CosmJS, from our generated code. */
const SCHEMAS = [MsgCreateFunTokenSchema, MsgConvertCoinToEvmSchema, MsgConvertEvmToCoinSchema] as const
const registry = new Registry(
  SCHEMAS.map((schema): [string, GeneratedType] => [
    `/${schema.typeName}`,
    {
      encode: (value: object) => ({ finish: () => toBinary(schema, create(schema, value)) }),
      decode: () => {
        throw new Error('nothing is read here')
      },
      fromPartial: (value: object) => value,
    } as unknown as GeneratedType,
  ]),
)

let node: Awaited<ReturnType<typeof startNode>>
let cosmos: SigningStargateClient
let signer: string

beforeAll(async () => {
  node = await startNode()
  const wallet = await DirectSecp256k1HdWallet.fromMnemonic(node.mnemonic, {
    prefix: 'chain',
    hdPaths: [makeCosmoshubPath(0)],
  })
  signer = (await wallet.getAccounts())[0]!.address
  const gasPrice = GasPrice.fromString('0.025unative')
  cosmos = await SigningStargateClient.connectWithSigner(node.urls.comet, wallet, {
    gasPrice,
    registry,
    broadcastPollIntervalMs: 50,
  })
})
afterAll(async () => {
  cosmos.disconnect()
  await node.stop()
})

async function send(typeName: string, value: object) {
  const result = await cosmos.signAndBroadcast(
    signer,
    [{ typeUrl: `/${typeName}`, value: { sender: signer, ...value } }],
    'auto',
  )
  expect([result.code, result.rawLog]).toEqual([0, expect.any(String)])
  return result
}

interface CallFrame {
  readonly from: string
  readonly to: string
  readonly gasUsed: string
  readonly input: string
  readonly logs?: readonly object[]
  readonly calls?: readonly CallFrame[]
}

/** Returns the trace of a transaction, and every frame in it. */
async function traceOf(hash: string): Promise<readonly [CallFrame, readonly CallFrame[]]> {
  const options = { tracer: 'callTracer', tracerConfig: { withLog: true } }
  const result = await rpc<CallFrame>(node, 'debug_traceTransaction', [hash, options])
  const all = (frame: CallFrame): CallFrame[] => [frame, ...(frame.calls ?? []).flatMap(all)]
  return [result, all(result)]
}

test('an ERC-20 is mapped and converted by message and by precompile, and every answer has both balances', async () => {
  const chain = defineChain({
    id: node.evmChainId,
    name: node.chainId,
    nativeCurrency: { name: 'native', symbol: 'NATIVE', decimals: 18 },
    rpcUrls: { default: { http: [node.urls.jsonrpc] } },
  })
  const account = privateKeyToAccount(node.accounts[0]!.privateKey)
  const wallet = createWalletClient({ account, chain, transport: http() })
  const client = createPublicClient({ chain, transport: http(), pollingInterval: 50 })
  const deployed = await wallet.deployContract({ abi, bytecode, args: ['Gold', 'GLD', SUPPLY, account.address] })
  const token = (await client.waitForTransactionReceipt({ hash: deployed })).contractAddress!
  const erc20Addr = new Uint8Array(Buffer.from(token.slice(2), 'hex'))

  const supply = async () => BigInt((await cosmos.getBalance(signer, 'unative')).amount)
  const before = await supply()
  const { gasUsed } = await send(MsgCreateFunTokenSchema.typeName, { fromErc20: erc20Addr })
  expect(gasUsed).toBeGreaterThan(0n)
  expect(before - (await supply())).toBeGreaterThan(10_000_000_000n)
  const mapping = await node.query(`/chain/evm/v1/funtoken/${token}`)
  const { bank_denom: denom } = mapping['fun_token'] as { bank_denom: string }
  expect(denom.toLowerCase()).toBe(`erc20/${token}`)

  // viem turns a part of its tokens into coins of the CosmJS account.
  const hash = await wallet.writeContract({ ...precompile, functionName: 'sendToBank', args: [token, 600n, signer] })
  const receipt = await client.waitForTransactionReceipt({ hash })
  expect([receipt.status, receipt.logs.length]).toEqual(['success', 7])
  expect(await cosmos.getBalance(signer, denom)).toEqual({ denom, amount: '600' })

  // The trace shows the calls of the precompile, and the gas and logs of the receipt.
  const [trace, calls] = await traceOf(hash)
  expect([BigInt(trace.gasUsed), calls.flatMap((call) => call.logs ?? []).length]).toEqual([receipt.gasUsed, 7])
  const made = trace.calls!.map(({ from, to, input }) => [from, to, input.slice(0, 10)])
  const [module, holder] = ['0x603871c2ddd41c26ee77495e2e31e6de7f9957e0', account.address.toLowerCase()]
  expect(made).toEqual([
    [module, token, '0x70a08231'],
    [holder, token, '0xa9059cbb'],
    [module, token, '0x70a08231'],
  ])

  // CosmJS gives half of them back, to its own EVM address.
  const mine = await client.readContract({ ...precompile, functionName: 'whoAmI', args: [signer] })
  const toEthAddr = new Uint8Array(Buffer.from(mine.eth.slice(2), 'hex'))
  await send(MsgConvertCoinToEvmSchema.typeName, { toEthAddr, bankCoin: { denom, amount: '300' } })
  const halves = await node.query(`/chain/evm/v1/balances/${signer}?token=${denom}`)
  expect(halves).toMatchObject({ bank: { balance_base: '300' }, erc20: { balance_base: '300', symbol: 'GLD' } })
  const [inEvm, inBank] = await client.readContract({ ...precompile, functionName: 'balance', args: [mine.eth, token] })
  expect([inEvm, inBank]).toEqual([300n, 300n])

  await send(MsgConvertEvmToCoinSchema.typeName, { erc20Addr, amount: '300', toAddr: signer })
  expect((await cosmos.getBalance(signer, denom)).amount).toBe('600')
  const locked = await client.readContract({
    address: token,
    abi,
    functionName: 'balanceOf',
    args: ['0x603871c2ddd41c26Ee77495E2E31e6De7f9957e0'],
  })
  expect(locked).toBe(600n)
})

test('viem reports why a precompile refuses', async () => {
  const client = createPublicClient({ transport: http(node.urls.jsonrpc) })
  const call = client.readContract({ ...precompile, functionName: 'whoAmI', args: ['nobody'] })
  await expect(call).rejects.toThrow(/failed to run precompileFunToken: decoding bech32 failed/)
})
