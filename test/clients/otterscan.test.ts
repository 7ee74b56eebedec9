/** The answers for Otterscan, read as it reads them: with the formatters of ethers. */
import { JsonRpcProvider, Network, Wallet } from 'ethers'
import { expect, test } from 'vitest'
import { startNode } from '../../src/index.ts'
import { FORWARDER, wordOf } from '../support/small-contracts.ts'

const FRESH = `0x${'5e'.repeat(20)}`

test('ethers reads blocks, transactions and receipts of ots_ methods', async () => {
  await using node = await startNode()
  const provider = new JsonRpcProvider(node.urls.jsonrpc, undefined, { staticNetwork: true, cacheTimeout: -1 })
  const network = new Network(node.chainId, node.evmChainId)
  try {
    const wallet = new Wallet(node.accounts[0]!.privateKey, provider)
    const deployed = await (await wallet.sendTransaction({ data: FORWARDER })).wait()
    const paid = await (
      await wallet.sendTransaction({ to: deployed!.contractAddress, value: 9n, data: wordOf(FRESH) })
    ).wait()
    expect(await provider.send('ots_getApiLevel', [])).toBe(8)

    const { txs, receipts } = await provider.send('ots_searchTransactionsBefore', [FRESH, 0, 25])
    const [tx, receipt] = [
      provider._wrapTransactionResponse(txs[0], network),
      provider._wrapTransactionReceipt(receipts[0], network),
    ]
    expect(tx).toMatchObject({ hash: paid!.hash, value: 9n, blockNumber: paid!.blockNumber })
    expect(receipt).toMatchObject({ hash: paid!.hash, status: 1, gasUsed: paid!.gasUsed })

    const { block, totalFees } = await provider.send('ots_getBlockDetails', [paid!.blockNumber])
    const wrapped = provider._wrapBlock({ ...block, transactions: [] }, network)
    expect(wrapped).toMatchObject({ number: paid!.blockNumber, hash: paid!.blockHash, gasUsed: paid!.gasUsed })
    expect(BigInt(totalFees)).toBe(paid!.fee)
    const { fullblock } = await provider.send('ots_getBlockTransactions', [paid!.blockNumber, 0, 25])
    expect(provider._wrapTransactionResponse(fullblock.transactions[0], network).from).toBe(wallet.address)
    expect(await provider.send('ots_getContractCreator', [deployed!.contractAddress])).toEqual({
      hash: deployed!.hash,
      creator: wallet.address.toLowerCase(),
    })
  } finally {
    provider.destroy()
  }
})
