import { createRequire } from 'node:module'
import { create, toBinary } from '@bufbuild/protobuf'
import { makeCosmoshubPath } from '@cosmjs/amino'
import { DirectSecp256k1HdWallet } from '@cosmjs/proto-signing'
import { SigningStargateClient } from '@cosmjs/stargate'
import { encodeDeployData, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { TxRawSchema } from '../../src/gen/sdk/tx/v1beta1/tx_pb.ts'
import { type Node, startNode } from '../../src/index.ts'
import { seededRandom } from '../support/random.ts'
import { rpc } from '../support/rpc.ts'

const BLOCKS = Number(process.env['TEST_TRACED_BLOCKS'] ?? 400)
const GAS_PRICE = 10n ** 12n
const MNEMONIC = 'test test test test test test test test test test test junk'
const { abi, bytecode } = createRequire(import.meta.url)(
  '@openzeppelin/contracts/build/contracts/ERC20PresetFixedSupply.json',
)
const FUNTOKEN: Hex = '0x0000000000000000000000000000000000000800'
const funToken = parseAbi(['function bankMsgSend(string to, string denom, uint256 amount) returns (bool)'])
/** Code that calls the address in the first word with the rest of the calldata and the value, and returns the result. */
const FORWARDER = '6020360360205f375f5f602036035f345f355af1503d5f5f3e3d5ff3'
/** Returns init code that deploys the given code. */
const deployer = (code: string): Hex => `0x61${(code.length / 2).toString(16).padStart(4, '0')}80600a5f395ff3${code}`

interface Receipt {
  readonly status: Hex
  readonly gasUsed: Hex
  readonly transactionHash: Hex
  readonly contractAddress: Hex | null
  readonly logs: readonly { readonly address: Hex; readonly topics: readonly Hex[]; readonly data: Hex }[]
}

interface CallFrame {
  readonly gasUsed: Hex
  readonly error?: string
  readonly logs?: readonly { address: Hex; topics: readonly Hex[]; data: Hex; index: Hex }[]
  readonly calls?: readonly CallFrame[]
}

const logsOf = (frame: CallFrame): NonNullable<CallFrame['logs']> => [
  ...(frame.logs ?? []),
  ...(frame.calls ?? []).flatMap(logsOf),
]

const SCRIPT = `{ logs: 0, step: function (log) { this.last = log.getPC() }, fault: function () {},
  result: function (ctx) { return { gasUsed: ctx.gasUsed, error: ctx.error } } }`

interface Item<Result> {
  readonly txHash: Hex
  readonly result: Result
}

/** Runs every tracer over one block, and compares each transaction with its receipt. */
async function compareBlock(node: Node, height: bigint, receipts: readonly Receipt[]): Promise<void> {
  // The default timeout is five seconds.
  const trace = async <Result>(options: object) =>
    rpc<Item<Result>[]>(node, 'debug_traceBlockByNumber', [`0x${height.toString(16)}`, { timeout: '100s', ...options }])
  const calls = await trace<CallFrame>({ tracer: 'callTracer', tracerConfig: { withLog: true } })
  const steps = await trace<{ gas: number; failed: boolean }>({ limit: 1, disableStack: true })
  const states = await trace<object>({ tracer: 'prestateTracer', tracerConfig: { diffMode: true } })
  const scripts = await trace<{ gasUsed: number; error?: string }>({ tracer: SCRIPT })
  const hashes = receipts.map(({ transactionHash }) => transactionHash)
  for (const list of [calls, steps, states, scripts]) expect(list.map(({ txHash }) => txHash)).toEqual(hashes)
  for (const [i, receipt] of receipts.entries()) {
    const call = calls[i]!.result
    const failed = receipt.status === '0x0'
    const what = `${height}/${i} ${receipt.transactionHash}`
    expect([call.gasUsed, call.error !== undefined], what).toEqual([receipt.gasUsed, failed])
    const logs = [...logsOf(call)].sort((a, b) => Number(a.index) - Number(b.index))
    expect(
      logs.map(({ address, topics, data }) => ({ address, topics, data })),
      what,
    ).toEqual(receipt.logs.map(({ address, topics, data }) => ({ address: address.toLowerCase(), topics, data })))
    expect(steps[i]!.result, what).toMatchObject({ gas: Number(receipt.gasUsed), failed })
    expect(states[i]!.result, what).toHaveProperty('post')
    expect(scripts[i]!.result.gasUsed, what).toBe(Number(receipt.gasUsed))
    expect(scripts[i]!.result.error !== undefined, what).toBe(failed)
  }
}

test('every transaction of a random chain is traced in agreement with its receipt, whatever precedes it in its block', async () => {
  const random = seededRandom(11)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  await using node = await startNode({ blocks: { time: 'manual' }, compute: { workers: 0 }, evm: { timeout: '100s' } })
  const senders = node.accounts
    .filter(({ kind }) => kind === 'eth')
    .slice(0, 8)
    .map(({ privateKey }) => ({ account: privateKeyToAccount(privateKey), nonce: 0 }))
  const wallet = await DirectSecp256k1HdWallet.fromMnemonic(MNEMONIC, {
    prefix: 'chain',
    hdPaths: [makeCosmoshubPath(0), makeCosmoshubPath(1)],
  })
  const [sender, receiver] = await wallet.getAccounts()
  const client = await SigningStargateClient.connectWithSigner(node.urls.comet, wallet)
  const { accountNumber } = await client.getSequence(sender!.address)
  let sequence = 0
  const tokens: Hex[] = []
  const forwarders: Hex[] = []
  let traced = 0
  let failures = 0

  async function sendCoins(): Promise<void> {
    const value = {
      fromAddress: sender!.address,
      toAddress: receiver!.address,
      amount: [{ denom: 'unative', amount: `${1 + Math.floor(random() * 5)}` }],
    }
    const message = { typeUrl: '/cosmos.bank.v1beta1.MsgSend', value }
    const fee = { amount: [{ denom: 'unative', amount: '5000' }], gas: '200000' }
    const signerData = { accountNumber, sequence: sequence++, chainId: node.chainId }
    const signed = await client.sign(sender!.address, [message], fee, '', signerData)
    await client.broadcastTxSync(toBinary(TxRawSchema, create(TxRawSchema, signed)))
  }

  function request(from: PrivateKeyAccount): { to?: Hex; data?: Hex; value?: bigint; gas: bigint } {
    const kind = random()
    const other = pick(senders).account.address
    const token = pick(tokens)
    const forwarder = pick(forwarders)
    const word = (address: Hex): string => address.slice(2).padStart(64, '0')
    const send = encodeFunctionData({
      abi: funToken,
      functionName: 'bankMsgSend',
      args: [random() < 0.5 ? receiver!.address : other, 'unative', BigInt(Math.floor(random() * 9))],
    })
    const transfer = encodeFunctionData({
      abi,
      functionName: 'transfer',
      args: [other, random() < 0.3 ? 10n ** 40n : 3n],
    })
    if (kind < 0.06) {
      const args = ['Gold', 'GLD', 10n ** 24n, from.address]
      return { data: encodeDeployData({ abi, bytecode, args }), gas: random() < 0.2 ? 300_000n : 2_000_000n }
    }
    if (kind < 0.1) return { data: deployer(FORWARDER), gas: 200_000n }
    if (kind < 0.14)
      return {
        data: pick(['0x33ff', '0x5f5ffd', '0xfe', '0x60ff60005260206000f3'] as const),
        gas: 100_000n,
        value: pick([0n, 7n]),
      }
    if (kind < 0.25) return { to: FUNTOKEN, data: send, gas: pick([60_000n, 200_000n]) }
    if (kind < 0.33 && forwarder)
      return {
        to: forwarder,
        data: `0x${word(FUNTOKEN)}${send.slice(2)}`,
        gas: 300_000n,
        value: pick([0n, 10n ** 13n]),
      }
    if (kind < 0.45 && forwarder && token) {
      return { to: forwarder, data: `0x${word(pick([token, forwarder, other]))}${transfer.slice(2)}`, gas: 200_000n }
    }
    if (kind < 0.5)
      return {
        to: pick([
          '0x0000000000000000000000000000000000000002',
          '0x0000000000000000000000000000000000000001',
          '0x0000000000000000000000000000000000000005',
        ] as const),
        data: `0x${'01'.repeat(Math.floor(random() * 99))}`,
        gas: 60_000n,
      }
    if (kind < 0.8 && token) return { to: token, data: transfer, gas: random() < 0.2 ? 24_000n : 100_000n }
    const stranger: Hex = `0x${Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(40, '9')}`
    return {
      to: random() < 0.3 ? stranger : other,
      value: BigInt(Math.floor(random() * 1e15)),
      gas: 21_000n + pick([0n, 9000n]),
    }
  }

  await node.nextBlock()
  for (let block = 0; block < BLOCKS; block++) {
    const sent: Hex[] = []
    for (let i = 2 + Math.floor(random() * 9); i > 0; i--) {
      if (random() < 0.15) {
        await sendCoins()
        continue
      }
      const from = pick(senders)
      const fields = { ...request(from.account), nonce: from.nonce, chainId: node.evmChainId }
      const kind = random()
      const authority = pick(senders.filter((one) => one !== from))
      let raw: Hex
      if (kind < 0.05 && fields.to && forwarders.length > 0 && i === 1) {
        const contractAddress = pick(forwarders)
        const authorization = await authority.account.signAuthorization({
          contractAddress,
          chainId: node.evmChainId,
          nonce: authority.nonce,
        })
        raw = await from.account.signTransaction({
          ...fields,
          gas: fields.gas + 60_000n,
          type: 'eip7702',
          maxFeePerGas: GAS_PRICE,
          maxPriorityFeePerGas: 0n,
          authorizationList: [authorization],
        } as never)
        authority.nonce++
      } else if (kind < 0.5) {
        raw = await from.account.signTransaction({ ...fields, type: 'legacy', gasPrice: GAS_PRICE })
      } else {
        const prices = { maxFeePerGas: GAS_PRICE * 2n, maxPriorityFeePerGas: pick([0n, 1n, GAS_PRICE]) }
        raw = await from.account.signTransaction({ ...fields, type: 'eip1559', ...prices })
      }
      sent.push(await rpc<Hex>(node, 'eth_sendRawTransaction', [raw]))
      from.nonce++
    }
    const height = await node.nextBlock()
    const receipts = await rpc<Receipt[]>(node, 'eth_getBlockReceipts', [`0x${height.toString(16)}`])
    expect(new Set(receipts.map(({ transactionHash }) => transactionHash))).toEqual(new Set(sent))
    for (const { status, contractAddress } of receipts) {
      if (status === '0x0') failures++
      else if (contractAddress) {
        const code = await rpc<Hex>(node, 'eth_getCode', [contractAddress, 'latest'])
        if (code.length > 1000) tokens.push(contractAddress)
        else if (code.length > 12) forwarders.push(contractAddress)
      }
    }
    await compareBlock(node, height, receipts)
    traced += receipts.length
  }
  client.disconnect()
  expect(failures).toBeGreaterThan(traced / 20)
  console.info(
    `${traced} transactions traced by four tracers, ${failures} of them failed; ${sequence} sends of coins between them`,
  )
})
