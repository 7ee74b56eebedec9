/** Kinds of work that write as much as they can for their gas, for `bench/disk.ts`. Bytes are random unless a name says otherwise. */
import { createHash } from 'node:crypto'
import type { Node } from '../../src/index.ts'
import { encodeCall } from '../../src/modules/evm/calls/abi.ts'
import { formatBech32 } from '../../src/primitives/address.ts'
import { formatHex0x, hex } from '../../src/primitives/bytes.ts'

export interface DiskWork {
  readonly name: string
  /** Writes what the work needs. Returns the address of its contract, if it has one. */
  prepare(node: Node): Promise<string>
  /** Fills blocks with the work. */
  run(node: Node, prepared: string): Promise<void>
}

/** The maximum of a transaction (EIP-7825). */
const TX_GAS = 2 ** 24

let counter = 0
/** Returns bytes that no compression shortens, never the same twice. */
export function randomHex(bytes: number): string {
  let text = ''
  while (text.length < 2 * bytes) text += createHash('sha512').update(`${counter++}`).digest('hex')
  return text.slice(0, 2 * bytes)
}

async function rpc<T>(node: Node, method: string, params: readonly unknown[] = []): Promise<T> {
  const response = await fetch(node.urls.jsonrpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await response.json()) as { result: T; error?: { message: string } }
  if (error) throw new Error(`${method}: ${error.message}`)
  return result
}

const quantity = (value: number): string => `0x${value.toString(16)}`

interface EvmTx {
  readonly to?: string
  readonly data?: string
  readonly gas: number
  readonly value?: string
}

/** Transactions that an account sends before blocks are made. */
const WAITING = 4

/** Sends transactions from the accounts in turn, and makes blocks until all are included. */
async function sendAll(node: Node, txs: readonly EvmTx[]): Promise<void> {
  const senders = node.accounts.filter(({ kind }) => kind === 'eth')
  for (let i = 0; i < txs.length; i += senders.length * WAITING) {
    await Promise.all(
      senders.map(async ({ address: from }, j) => {
        for (let k = 0; k < WAITING; k++) {
          const tx = txs[i + k * senders.length + j]
          if (tx) await rpc(node, 'eth_sendTransaction', [{ ...tx, from, gas: quantity(tx.gas) }])
        }
      }),
    )
    await drain(node)
  }
}

/** Makes blocks until no transaction waits. */
export async function drain(node: Node): Promise<void> {
  while (Number((await rpc<{ pending: string }>(node, 'txpool_status')).pending) > 0) await node.nextBlock()
}

/** PUSH3. */
const push = (value: number): string => `62${value.toString(16).padStart(6, '0')}`
/** Multiplies the top of the stack by an odd constant: the next of numbers that no compression shortens. */
const NEXT = `7f${createHash('sha256').update('constant').digest('hex').slice(0, 63)}502`
/** The first number: the hash of the calldata, made odd. */
const SEED = '365f5f37365f20600117'

/** Returns code that repeats `body` while more than `reserve` gas is left, after `setup`. */
function loop(body: string, setup = SEED, reserve = 100_000): string {
  return `${setup}5b${body}${push(reserve)}5a11${push(setup.length / 2)}57`
}

/** Returns code that writes the next `count` numbers to memory, from its start. */
function words(count: number): string {
  return Array.from({ length: count }, (_, i) => `${NEXT}80${push(32 * i)}52`).join('')
}

/** Returns code that ends with `op` over memory: zeros, or numbers that are appended at MSIZE, 16 an iteration. */
function output(bytes: number, op: 'f3' | 'fd', isRandom: boolean): string {
  const end = `${push(bytes)}5f${op}`
  const more = `59${push(bytes)}11${push(SEED.length / 2)}57`
  return isRandom ? `${SEED}5b${`${NEXT}805952`.repeat(16)}${more}${end}` : end
}

/** Returns code that deploys a runtime code. */
const deployed = (code: string): string => `0x${push(code.length / 2)}80600b5f395ff3${code}`

async function deploy(node: Node, code: string, value = '0x0'): Promise<string> {
  const tx = { from: node.accounts[0]!.address, data: deployed(code), gas: quantity(TX_GAS), value }
  const hash = await rpc(node, 'eth_sendTransaction', [tx])
  await node.nextBlock()
  const receipt = await rpc<{ contractAddress: string; status: string }>(node, 'eth_getTransactionReceipt', [hash])
  if (receipt.status !== '0x1') throw new Error('the contract was not deployed')
  return receipt.contractAddress
}

interface ContractWork {
  readonly gas?: number
  readonly txs?: number
  /** Value that the contract is deployed with. */
  readonly value?: string
  /** Whether one call precedes the measured ones. */
  readonly isRepeated?: boolean
  /** Returns the calldata of a call; by default random bytes, which seed the numbers. */
  readonly data?: () => string
}

/** Calls of a contract. */
function ofContract(name: string, code: string, options: ContractWork = {}): DiskWork {
  const { gas = TX_GAS, txs = 6, value, isRepeated = false, data = () => `0x${randomHex(32)}` } = options
  const call = (to: string): EvmTx => ({ to, gas, data: data() })
  return {
    name,
    async prepare(node) {
      const to = await deploy(node, code, value)
      if (isRepeated) await sendAll(node, [call(to)])
      return to
    },
    run: (node, to) =>
      sendAll(
        node,
        Array.from({ length: txs }, () => call(to)),
      ),
  }
}

/** Transactions without a contract of their own. */
function ofTxs(name: string, count: number, make: () => EvmTx): DiskWork {
  return { name, prepare: async () => '', run: (node) => sendAll(node, Array.from({ length: count }, make)) }
}

export const randomAddress = (): string => formatBech32('chain', hex(randomHex(20)))
const anyone = `0x${'57'.repeat(20)}`

export const evmWorks: readonly DiskWork[] = [
  ofContract('LOG0 without data', loop('5f5fa0')),
  ofContract('LOG0 of 32 bytes', loop(`${NEXT}805f5260205fa0`)),
  ofContract('LOG0 of 1 kB', loop(`${words(32)}6104005fa0`)),
  ofContract('LOG0 of 1 kB of zeros', loop('6104006020a0')),
  ofContract('LOG1', loop(`${NEXT}805f5fa1`)),
  ofContract('LOG4', loop(`${NEXT}80${NEXT}80${NEXT}80${NEXT}80935f5fa4`)),
  ofContract('RETURN of 128 kB of zeros', output(131_072, 'f3', false), { gas: 200_000, txs: 512 }),
  ofContract('RETURN of 128 kB', output(131_072, 'f3', true), { gas: 300_000, txs: 256 }),
  ofContract('REVERT with 128 kB', output(131_072, 'fd', true), { gas: 300_000, txs: 256 }),
  ofContract('SSTORE of new slots', loop(`${NEXT}808055`)),
  ofContract('SSTORE of the same slots in each block', loop('600101805a9055', '5f'), { isRepeated: true }),
  ofContract('CREATE of contracts without code', loop('5f5f5ff050')),
  ofContract('CALL with value to new accounts', loop(`${NEXT}5f5f5f5f6001855af150`), { value: quantity(1e15) }),
  ofContract('calls of the precompile that sends coins', loop('5f5f365f5f6108005af150', '365f5f37'), {
    value: quantity(1e18),
    data: () => formatHex0x(encodeCall('bankMsgSend(string,string,uint256)', [randomAddress(), 'unative', 1n])),
  }),
  ofTxs('calldata', 12, () => ({ to: anyone, gas: 10_500_000, data: `0x${randomHex(200_000)}` })),
  ofTxs('calldata of zeros', 12, () => ({ to: anyone, gas: 10_500_000, data: `0x${'00'.repeat(900_000)}` })),
  ofTxs('code of 24 kB', 36, () => ({ data: deployed(`00${randomHex(24_000)}`), gas: 6_000_000 })),
  ofTxs('transfers to one account', 512, () => ({ to: anyone, gas: 21_000, value: '0x1' })),
  ofTxs('transfers to new accounts', 512, () => ({ to: `0x${randomHex(20)}`, gas: 21_000, value: '0x1' })),
  ofTxs('EVM transactions that fail', 512, () => ({ data: '0xfe', gas: 60_000 })),
]
