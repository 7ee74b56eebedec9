import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { startNode } from '../../src/index.ts'

const folder = resolve(import.meta.dirname, '../../../shared/conformance/rpc-spec')
const present = existsSync(folder)

interface Method {
  readonly name: string
  readonly result?: { readonly schema: object }
}

/** Methods of the specification that this chain does not have, each with the reason. */
const NOT_OURS: Readonly<Record<string, string>> = {
  eth_getBlockAccessList: 'block access lists (EIP-7928) are of no fork up to Osaka',
  debug_getRawBlockAccessList: 'block access lists (EIP-7928) are of no fork up to Osaka',
}

const read = (sub: string) =>
  readdirSync(join(folder, sub)).map((name) => parse(readFileSync(join(folder, sub, name), 'utf8')))

let node: Awaited<ReturnType<typeof startNode>>
beforeAll(async () => {
  if (present) node = await startNode()
})
afterAll(async () => {
  if (present) await node.stop()
})

async function call(method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(node.urls.jsonrpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
  if (error) throw new Error(`${method}: ${error.message}`)
  return result
}

test.runIf(present)('every answer of the Ethereum methods matches the schema of the execution API', async () => {
  const components = { schemas: Object.assign({}, ...read('schemas')) as object }
  const methods = new Map(
    (['eth', 'debug', 'txpool'].flatMap(read).flat() as Method[]).map((method) => [method.name, method] as const),
  )
  const [from, to] = [node.accounts[0]!.address, node.accounts[1]!.address]
  const transfer = (await call('eth_sendTransaction', [{ from, to, value: '0x1' }])) as string
  const creation = (await call('eth_sendTransaction', [{ from, data: '0x600160005260206000a060006000f3' }])) as string
  const receipt = (await call('eth_getTransactionReceipt', [creation])) as { blockNumber: string; blockHash: string }
  const signed = (await call('eth_signTransaction', [
    { from: to, to: from, value: '0x1', gas: '0x5208', gasPrice: '0xe8d4a51000', nonce: '0x0' },
  ])) as { raw: string }
  const filter = await call('eth_newFilter', [{ fromBlock: '0x1' }])
  const blocks = await call('eth_newBlockFilter', [])
  await call('eth_sendTransaction', [{ from, to, value: '0x2' }])

  const questions: readonly (readonly [method: string, params: readonly unknown[]])[] = [
    ['eth_chainId', []],
    ['eth_blockNumber', []],
    ['eth_syncing', []],
    ['eth_accounts', []],
    ['eth_gasPrice', []],
    ['eth_maxPriorityFeePerGas', []],
    ['eth_blobBaseFee', []],
    ['eth_feeHistory', ['0x2', 'latest', [10, 90]]],
    ['eth_getBalance', [from, 'latest']],
    ['eth_getStorageAt', [from, '0x0', 'latest']],
    ['eth_getTransactionCount', [from, 'pending']],
    ['eth_getCode', [from, 'latest']],
    ['eth_getBlockByNumber', ['latest', true]],
    ['eth_getBlockByNumber', [receipt.blockNumber, false]],
    ['eth_getBlockByHash', [receipt.blockHash, true]],
    ['eth_getBlockByNumber', ['0xfffffff', true]],
    ['eth_getBlockTransactionCountByHash', [receipt.blockHash]],
    ['eth_getBlockTransactionCountByNumber', ['latest']],
    ['eth_getUncleCountByBlockHash', [receipt.blockHash]],
    ['eth_getUncleCountByBlockNumber', ['latest']],
    ['eth_getBlockReceipts', ['latest']],
    ['eth_getTransactionByHash', [transfer]],
    ['eth_getTransactionByBlockHashAndIndex', [receipt.blockHash, '0x0']],
    ['eth_getTransactionByBlockNumberAndIndex', [receipt.blockNumber, '0x0']],
    ['eth_getTransactionReceipt', [transfer]],
    ['eth_getTransactionReceipt', [creation]],
    ['eth_getTransactionReceipt', [`0x${'11'.repeat(32)}`]],
    ['eth_call', [{ from, to }, 'latest']],
    ['eth_estimateGas', [{ from, to, value: '0x1' }]],
    ['eth_createAccessList', [{ from, to }, 'latest']],
    ['eth_getLogs', [{ fromBlock: '0x1', toBlock: 'latest' }]],
    ['eth_newBlockFilter', []],
    ['eth_newPendingTransactionFilter', []],
    ['eth_getFilterChanges', [blocks]],
    ['eth_getFilterLogs', [filter]],
    ['eth_uninstallFilter', [filter]],
    ['eth_sign', [from, '0x01']],
    ['eth_capabilities', []],
    ['eth_config', []],
    ['eth_coinbase', []],
    ['net_version', []],
    ['eth_baseFee', []],
    ['eth_getStorageValues', [{ [to]: ['0x0'], [from]: ['0x0', `0x${'01'.repeat(32)}`] }, 'latest']],
    ['eth_getProof', [from, ['0x0', `0x${'01'.repeat(32)}`], 'latest']],
    ['eth_simulateV1', [{ blockStateCalls: [{ calls: [{ from, to, value: '0x1' }] }], returnFullTransactions: true }]],
    ['eth_simulateV1', [{ blockStateCalls: [{ calls: [{ from, to }] }, {}] }, 'latest']],
    ['eth_fillTransaction', [{ from, to, value: '0x1' }]],
    ['eth_signTransaction', [{ from, to, value: '0x1', gas: '0x5208', gasPrice: '0xe8d4a51000', nonce: '0x9' }]],
    ['eth_sendTransaction', [{ from, to, value: '0x1' }]],
    ['eth_sendRawTransaction', [signed.raw]],
    ['eth_newFilter', [{ fromBlock: '0x1' }]],
    ['debug_getRawHeader', ['latest']],
    ['debug_getRawBlock', [receipt.blockNumber]],
    ['debug_getRawTransaction', [transfer]],
    ['debug_getRawReceipts', [receipt.blockNumber]],
    ['debug_getBadBlocks', []],
    ['debug_traceTransaction', [transfer]],
    ['debug_traceBlockByNumber', [receipt.blockNumber]],
    ['debug_traceBlockByHash', [receipt.blockHash]],
    ['txpool_status', []],
    ['txpool_content', []],
    ['txpool_contentFrom', [from]],
  ]

  let right = 0
  const wrong: string[] = []
  for (const [name, params] of questions) {
    const schema = methods.get(name)?.result?.schema
    if (!schema) continue
    const validate = new Ajv2020({ strict: false, allErrors: true }).compile({ ...schema, components })
    const answer = await call(name, params).catch((error: Error) => error)
    if (answer instanceof Error) wrong.push(answer.message)
    else if (validate(answer)) right++
    else wrong.push(`${name} ${JSON.stringify(params)}: ${JSON.stringify(validate.errors?.slice(0, 3))}`)
  }
  const unasked = [...methods.keys()].filter((name) => !NOT_OURS[name] && !questions.some(([asked]) => asked === name))
  expect(unasked).toEqual([])
  console.log(`${right} of ${right + wrong.length} answers have the specified shape`)
  expect(wrong).toEqual([])
  expect(right).toBeGreaterThan(55)
})
