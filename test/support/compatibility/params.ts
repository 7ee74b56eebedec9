/** Parameters of the methods, such that a node that has a method can answer it. */
import type { Chain, Facts } from './chain.ts'

type Params = readonly unknown[]
/** Parameters, or a function that also prepares the chain. */
type Recipe = Params | ((facts: Facts, chain: Chain) => Params | Promise<Params>)

const WNATIVE = '0x0cacf669f8446beca826913a3c6b96acd4b02a97'
const ZERO_HASH = `0x${'00'.repeat(32)}`
const TYPED = {
  types: { EIP712Domain: [{ name: 'name', type: 'string' }], Note: [{ name: 'text', type: 'string' }] },
  primaryType: 'Note',
  domain: { name: 'almanac' },
  message: { text: 'hello' },
}

/** Makes a call whose result is a parameter. */
async function resultOf(chain: Chain, method: string, params: Params): Promise<unknown> {
  const answer = await chain.rpc(method, params)
  if ('error' in answer) throw new Error(`${method}: ${answer.error.message}`)
  return answer.result
}

const call = ({ alice, contract }: Facts) => ({ from: alice, to: contract, gas: '0x30d40' })
const later = (): number => Math.floor(Date.now() / 1000) + 86_400
const account: Recipe = ({ bob }) => [bob]
const atBlock: Recipe = ({ block }) => [block]
const atBlockHash: Recipe = ({ blockHash }) => [blockHash]
const inBlock: Recipe = ({ block }) => [block, '0x0']
const inBlockHash: Recipe = ({ blockHash }) => [blockHash, '0x0']
const ofTx: Recipe = ({ tx }) => [tx]
const transfer: Recipe = ({ alice, bob }) => [{ from: alice, to: bob, value: '0x1' }]
const raw: Recipe = ({ rawTx }) => [rawTx]
const filter =
  (kind: string): Recipe =>
  async (_, chain) => [await resultOf(chain, kind, kind === 'eth_newFilter' ? [{}] : [])]

/** Recipes by the name of the method. */
const METHODS: Readonly<Record<string, Recipe>> = {
  debug_accountRange: ['latest', '0x', 5, true, true],
  debug_codeByHash: async ({ contract }, chain) => {
    const code = (await resultOf(chain, 'eth_getCode', [contract, 'latest'])) as string
    return [await resultOf(chain, 'web3_sha3', [code])]
  },
  debug_dbGet: async ({ contract }, chain) => {
    const code = await resultOf(chain, 'eth_getCode', [contract, 'latest'])
    const hash = (await resultOf(chain, 'web3_sha3', [code])) as string
    return [`0x63${hash.slice(2)}`]
  },
  debug_dumpBlock: ['latest'],
  debug_getAccessibleState: ['0x1', 'latest'],
  debug_getModifiedAccountsByHash: ({ blockHash, nextBlockHash }) => [blockHash, nextBlockHash],
  debug_getModifiedAccountsByNumber: ({ block, nextBlock }) => [Number(block), Number(nextBlock)],
  debug_getBlockRlp: ({ block }) => [Number(block)],
  debug_getHeaderRlp: ({ block }) => [Number(block)],
  debug_getRawTransaction: ofTx,
  debug_printBlock: ({ block }) => [Number(block)],
  debug_setHead: ['0x1'],
  debug_storageRangeAt: ({ blockHash, contract }) => [blockHash, 0, contract, '0x', 5],
  debug_traceBadBlock: atBlockHash,
  debug_traceBlock: async ({ block }, chain) => [await resultOf(chain, 'debug_getRawBlock', [block])],
  debug_traceCall: (facts) => [call(facts), 'latest', {}],
  debug_traceChain: ['0x1', '0x2'],
  debug_traceTransaction: ofTx,
  erigon_getHeaderByNumber: atBlock,
  eth_call: (facts) => [call(facts), 'latest'],
  eth_createAccessList: (facts) => [call(facts), 'latest'],
  eth_estimateGas: (facts) => [call(facts)],
  eth_feeHistory: ['0x2', 'latest', [50]],
  eth_fillTransaction: transfer,
  eth_getAccount: ({ alice }) => [alice, 'latest'],
  eth_getAccountInfo: ({ alice }) => [alice, 'latest'],
  eth_getBlockByHash: ({ blockHash }) => [blockHash, true],
  eth_getBlockByNumber: ['latest', true],
  eth_getFilterChanges: filter('eth_newBlockFilter'),
  eth_getFilterLogs: filter('eth_newFilter'),
  eth_getLogs: [{ fromBlock: '0x1' }],
  eth_getProof: ({ contract }) => [contract, ['0x0'], 'latest'],
  eth_getStorageAt: ({ contract }) => [contract, '0x0', 'latest'],
  eth_getStorageValues: ({ contract }) => [{ [contract]: ['0x0'] }, 'latest'],
  eth_getTransactionBySenderAndNonce: ({ alice }) => [alice, '0x1'],
  eth_getTransactionLogs: ofTx,
  eth_newFilter: [{}],
  eth_resend: async ({ bob, alice }, chain) => {
    await resultOf(chain, 'evm_setAutomine', [false])
    const price = BigInt((await resultOf(chain, 'eth_gasPrice', [])) as string)
    const hex = (value: bigint) => `0x${value.toString(16)}`
    const nonce = await resultOf(chain, 'eth_getTransactionCount', [bob, 'latest'])
    const tx = { from: bob, to: alice, value: '0x1', gas: '0x5208', gasPrice: hex(price), nonce }
    await resultOf(chain, 'eth_sendTransaction', [tx])
    return [tx, hex(price * 2n)]
  },
  eth_sendRawTransaction: raw,
  eth_sendRawTransactionSync: raw,
  eth_sendRawTransactionConditional: raw,
  eth_sendTransaction: transfer,
  eth_sendTransactionSync: transfer,
  eth_sendUnsignedTransaction: transfer,
  eth_sign: ({ alice }) => [alice, '0x68656c6c6f'],
  eth_signTransaction: ({ alice, bob }) => [
    { from: alice, to: bob, value: '0x1', gas: '0x5208', gasPrice: '0x174876e800', nonce: '0x63' },
  ],
  eth_signTypedData: ({ alice }) => [alice, TYPED],
  eth_signTypedData_v3: ({ alice }) => [alice, TYPED],
  eth_signTypedData_v4: ({ alice }) => [alice, TYPED],
  eth_simulateV1: (facts) => [{ blockStateCalls: [{ calls: [call(facts)] }] }, 'latest'],
  eth_submitHashrate: ['0x1', ZERO_HASH],
  eth_submitWork: ['0x0000000000000001', ZERO_HASH, ZERO_HASH],
  eth_subscribe: ['newHeads'],
  eth_uninstallFilter: filter('eth_newBlockFilter'),
  eth_unsubscribe: async (_, chain) => [await resultOf(chain, 'eth_subscribe', ['newHeads'])],
  net_version: [],
  ots_getBlockDetailsByHash: atBlockHash,
  ots_getBlockTransactions: ({ block }) => [block, 0, 10],
  ots_getContractCreator: ({ contract }) => [contract],
  ots_getTransactionBySenderAndNonce: ({ alice }) => [alice, 1],
  ots_hasCode: ({ contract }) => [contract, 'latest'],
  ots_searchTransactionsAfter: ({ alice }) => [alice, 0, 5],
  ots_searchTransactionsBefore: ({ alice }) => [alice, 0, 5],
  personal_ecRecover: async ({ alice }, chain) => [
    '0x68656c6c6f',
    await resultOf(chain, 'personal_sign', ['0x68656c6c6f', alice]),
  ],
  personal_sign: ({ alice }) => ['0x68656c6c6f', alice],
  trace_call: (facts) => [call(facts), ['trace'], 'latest'],
  trace_callMany: (facts) => [[[call(facts), ['trace']]], 'latest'],
  trace_filter: ({ block }) => [{ fromBlock: block, toBlock: block }],
  trace_get: ({ tx }) => [tx, ['0x0']],
  trace_rawTransaction: ({ rawTx }) => [rawTx, ['trace']],
  trace_replayBlockTransactions: ({ block }) => [block, ['trace']],
  trace_replayTransaction: ({ tx }) => [tx, ['trace']],
  txpool_contentFrom: account,
  web3_sha3: ['0x68656c6c6f'],
}

/** Recipes of development methods, by the verb behind the prefix. */
const VERBS: Readonly<Record<string, Recipe>> = {
  addBalance: ({ bob }) => [bob, '0x1'],
  autoImpersonateAccount: [false],
  dealERC20: ({ bob }) => [bob, WNATIVE, '0x1'],
  dropTransaction: ofTx,
  getBlobByHash: [ZERO_HASH],
  getBlobsByTransactionHash: ofTx,
  impersonateAccount: account,
  impersonateSignature: ({ bob }) => [`0x${'00'.repeat(65)}`, bob],
  increaseTime: [60],
  loadState: async (_, chain) => [await resultOf(chain, 'anvil_dumpState', [])],
  mine: [],
  removePoolTransactions: account,
  reorg: [1, []],
  reset: [],
  revert: async (_, chain) => [await resultOf(chain, 'evm_snapshot', [])],
  rollback: [1],
  setAccountNonce: ({ bob }) => [bob, '0x5'],
  setAutomine: [true],
  setBalance: ({ bob }) => [bob, '0xde0b6b3a7640000'],
  setBlockGasLimit: ['0x1c9c380'],
  setBlockTimestampInterval: [5],
  setChainId: [6931],
  setCode: ({ contract }) => [contract, '0x00'],
  setCoinbase: account,
  setERC20Allowance: ({ alice, bob }) => [alice, bob, WNATIVE, '0x1'],
  setERC20Balance: ({ bob }) => [bob, WNATIVE, '0x1'],
  setIntervalMining: [0],
  setLoggingEnabled: [true],
  setMinGasPrice: ['0x0'],
  setNextBlockBaseFeePerGas: ['0x3b9aca00'],
  setNextBlockTimestamp: () => [later()],
  setNonce: ({ bob }) => [bob, '0x5'],
  setPrevRandao: [ZERO_HASH],
  setRpcUrl: ['http://127.0.0.1:1'],
  setStorageAt: ({ contract }) => [contract, '0x0', ZERO_HASH],
  setTime: () => [later()],
  stopImpersonatingAccount: account,
}

const DEVELOPMENT = /^(?:anvil|hardhat|evm|tenderly)_(.+)$/

/** Recipes of families of methods, by parts of the name. */
const PATTERNS: readonly (readonly [RegExp, Recipe])[] = [
  [/By(Block)?NumberAndIndex$/, inBlock],
  [/ByBlockHashAndIndex$/, inBlockHash],
  [
    /^(eth_get(Raw)?TransactionByHash|eth_getTransactionReceipt|(trace|ots)_.*[tT]ransaction.*|ots_getInternalOperations)$/,
    ofTx,
  ],
  [/^(eth|debug|ots|trace).*By(Block)?Hash$/, atBlockHash],
  [/^eth_get(Balance|Code|TransactionCount)$/, ({ alice }) => [alice, 'latest']],
  [
    /^(eth_get(Block|Header|Uncle)|debug_(getRaw|traceBlock|executionWitness|intermediate)|ots_getBlock|trace_block)/,
    atBlock,
  ],
]

/** Returns the parameters of a JSON-RPC method; none if it takes none. */
export async function paramsOf(method: string, chain: Chain): Promise<Params> {
  const verb = DEVELOPMENT.exec(method)?.[1]
  const recipe =
    METHODS[method] ??
    (verb === undefined ? undefined : VERBS[verb]) ??
    PATTERNS.find(([pattern]) => pattern.test(method))?.[1] ??
    []
  return typeof recipe === 'function' ? recipe(chain.facts, chain) : recipe
}

/** Methods that change what others rely on: each is called on a chain of its own. */
export const ALONE =
  /_(reset|rollback|reorg|revert|loadState|setChainId|setTime|increaseTime|setNextBlockTimestamp|setBlockTimestampInterval|resend|setHead|mine.*|setIntervalMining|setAutomine|dropAllTransactions|sendRawTransaction.*|setBlockGasLimit|setNonce|setAccountNonce|trace_rawTransaction)$/

/** Parameters of the methods of CometBFT. */
export function cometParamsOf(method: string, { block, blockHash, cometHash, cometTx }: Facts): object {
  const height = String(BigInt(block))
  switch (method) {
    case 'abci_query':
      return { path: '/app/version', data: '' }
    case 'block_by_hash':
      return { hash: Buffer.from(blockHash.slice(2), 'hex').toString('base64') }
    case 'header_by_hash':
      return { hash: blockHash.slice(2) }
    case 'block_search':
      return { query: `block.height=${height}` }
    case 'broadcast_tx_async':
    case 'broadcast_tx_commit':
    case 'broadcast_tx_sync':
    case 'check_tx':
      return { tx: cometTx }
    case 'dial_peers':
      return { peers: [] }
    case 'dial_seeds':
      return { seeds: [] }
    case 'genesis_chunked':
      return { chunk: '0' }
    case 'subscribe':
    case 'unsubscribe':
      return { query: "tm.event='NewBlock'" }
    case 'tx':
      return { hash: cometHash }
    case 'tx_search':
      return { query: `tx.height=${height}` }
    default:
      return /^(block|commit|header|block_results|consensus_params|validators)$/.test(method) ? { height } : {}
  }
}
