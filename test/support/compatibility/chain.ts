/** A development chain with a contract, logs and transactions, on which every method is called. */
import { WebSocket } from 'ws'
import { type Node, startNode } from '../../../src/index.ts'

/** Facts of the chain that parameters refer to. */
export interface Facts {
  /** Accounts whose keys the node has. */
  readonly alice: string
  readonly bob: string
  /** A contract that stores 1 in slot 0 and emits an empty log. */
  readonly contract: string
  readonly creation: string
  /** A call of the contract, its block and the hash of that. */
  readonly tx: string
  readonly block: string
  readonly blockHash: string
  /** A second block with a transaction. */
  readonly nextBlock: string
  readonly nextBlockHash: string
  /** A signed transaction that is not sent, under the next nonce of Bob. */
  readonly rawTx: string
  /** An ordinary transaction of the chain, in base64, and its hash. */
  readonly cometHash: string
  readonly cometTx: string
}

/** The answer to a call: a result, or the error of the node. */
export type Answer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }

export interface Chain {
  readonly facts: Facts
  /** Calls over WebSocket, where subscriptions work too. */
  rpc(method: string, params: readonly unknown[]): Promise<Answer>
  comet(method: string, params: object): Promise<Answer>
  close(): Promise<void>
}

/** SSTORE(0, 1), LOG0 of nothing, behind the code that returns it. */
const CREATION_CODE = '0x600b600c600039600b6000f3600160005560006000a000'

function callsOf(
  url: string,
): Promise<{ call: (method: string, params: unknown) => Promise<Answer>; close: () => void }> {
  const socket = new WebSocket(url)
  const waiting = new Map<number, (answer: Answer) => void>()
  let lastId = 0
  socket.on('message', (bytes) => {
    const answer = JSON.parse(String(bytes)) as Answer & { readonly id?: number }
    waiting.get(answer.id!)?.(answer)
    waiting.delete(answer.id!)
  })
  const call = (method: string, params: unknown): Promise<Answer> =>
    new Promise((resolve) => {
      waiting.set(++lastId, resolve)
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params }))
    })
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve({ call, close: () => socket.close() }))
    socket.once('error', reject)
  })
}

/** Starts a chain, with the methods that need a flag. */
export async function openChain(): Promise<Chain> {
  const node: Node = await startNode({ comet: { unsafe: true } })
  const [rpc, comet] = await Promise.all([
    callsOf(node.urls.ws),
    callsOf(`${node.urls.comet.replace('http', 'ws')}/websocket`),
  ])
  async function must<T>(method: string, ...params: readonly unknown[]): Promise<T> {
    const answer = await rpc.call(method, params)
    if ('error' in answer) throw new Error(`${method}: ${answer.error.message}`)
    return answer.result as T
  }
  const [alice, bob] = await must<string[]>('eth_accounts')
  type Receipt = { transactionHash: string; contractAddress: string; blockNumber: string; blockHash: string }
  const send = (tx: object) => must<Receipt>('eth_sendTransactionSync', { from: alice, gas: '0x30d40', ...tx })
  const created = await send({ data: CREATION_CODE })
  const called = await send({ to: created.contractAddress })
  const paid = await send({ to: bob, value: '0x1' })
  const nonce = await must<string>('eth_getTransactionCount', bob, 'latest')
  const price = await must<string>('eth_gasPrice')
  const signed = await must<string | { raw: string }>('eth_signTransaction', {
    ...{ from: bob, to: alice, value: '0x1', gas: '0x5208', gasPrice: price, nonce },
  })
  const block = await comet.call('block', { height: String(BigInt(called.blockNumber)) })
  const { txs } = (block as { result: { block: { data: { txs: string[] } } } }).result.block.data
  const found = await comet.call('tx_search', { query: `tx.height=${BigInt(called.blockNumber)}` })
  const { hash } = (found as { result: { txs: { hash: string }[] } }).result.txs[0]!
  return {
    facts: {
      alice: alice!,
      bob: bob!,
      contract: created.contractAddress,
      creation: created.transactionHash,
      tx: called.transactionHash,
      block: called.blockNumber,
      blockHash: called.blockHash,
      nextBlock: paid.blockNumber,
      nextBlockHash: paid.blockHash,
      rawTx: typeof signed === 'string' ? signed : signed.raw,
      cometHash: Buffer.from(hash, 'hex').toString('base64'),
      cometTx: txs[0]!,
    },
    rpc: rpc.call,
    comet: comet.call,
    async close() {
      rpc.close()
      comet.close()
      await node.stop()
    },
  }
}
