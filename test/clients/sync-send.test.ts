/** Transactions that viem sends and whose receipts it gets in one request (EIP-7966). */
import { createWalletClient, defineChain, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { startNode } from '../../src/index.ts'

test('viem sends transactions in sync: one request each', async () => {
  await using node = await startNode()
  const chain = defineChain({
    id: node.evmChainId,
    name: node.chainId,
    nativeCurrency: { name: 'native', symbol: 'NATIVE', decimals: 18 },
    rpcUrls: { default: { http: [node.urls.jsonrpc] } },
  })
  const methods: string[] = []
  const transport = http(undefined, {
    onFetchRequest: async (request) => void methods.push(((await request.clone().json()) as { method: string }).method),
  })
  const local = createWalletClient({
    account: privateKeyToAccount(node.accounts[0]!.privateKey),
    chain,
    transport,
  })
  const to = `0x${'ab'.repeat(20)}` as const
  const serializedTransaction = await local.signTransaction({
    to,
    value: 5n,
    gas: 21_000n,
    gasPrice: 10n ** 12n,
    nonce: 0,
  })
  methods.length = 0
  const receipt = await local.sendRawTransactionSync({ serializedTransaction, timeout: 60_000 })
  expect(receipt).toMatchObject({ status: 'success', to, gasUsed: 21_000n })
  expect(methods).toEqual(['eth_sendRawTransactionSync'])
  expect(await local.getAddresses()).toEqual([local.account.address])
  const remote = createWalletClient({ chain, transport })
  expect(await remote.requestAddresses()).toContain(local.account.address)
})
