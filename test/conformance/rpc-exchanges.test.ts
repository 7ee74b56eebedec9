import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAddress } from '../../src/evm/contract-address.ts'
import { decodeTransaction } from '../../src/evm/transaction/decode.ts'
import { recoverSender } from '../../src/evm/transaction/sender.ts'
import { startNode } from '../../src/index.ts'
import { formatHex0x } from '../../src/primitives/bytes.ts'
import { decode, encode, type RlpItem } from '../../src/primitives/rlp.ts'
import { isPresent } from '../support/public-data.ts'

/** Requests to geth with its answers, on geth's own chain: its genesis, and blocks that our node cannot make. */
const folder = resolve(import.meta.dirname, '../../../shared/conformance/rpc')

interface Exchange {
  readonly name: string
  readonly method: string
  readonly params: readonly unknown[]
  readonly answer: { readonly result?: unknown; readonly error?: unknown }
}

/** Fields of geth's answers that this chain does not have, each with the reason. */
const NOT_OURS: Readonly<Record<string, string>> = {
  blobGasUsed: 'no blobs; in headers only',
  blobGasPrice: 'no blobs',
  root: 'of receipts before Byzantium; ours have a status',
}

function readExchanges(): Exchange[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.io'))
    .sort()
    .map((name) => {
      const lines = readFileSync(join(folder, name), 'utf8').split('\n')
      const of = (mark: string) => JSON.parse(lines.find((line) => line.startsWith(mark))!.slice(mark.length)) as never
      const { method, params = [] } = of('>> ') as { method: string; params?: readonly unknown[] }
      return { name, method, params, answer: of('<< ') }
    })
}

/** Init codes in the chain's blocks by created address. */
function creations(): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const file = readFileSync(join(folder, 'chain.rlp'))
  for (let at = 0; at < file.length; ) {
    // A block is a list whose length has at most three bytes.
    const first = file[at]!
    const digits = first - 0xf7
    const length = digits > 0 ? 1 + digits + file.readUIntBE(at + 1, digits) : 1 + first - 0xc0
    const [, transactions] = decode(new Uint8Array(file.subarray(at, at + length))) as readonly RlpItem[]
    at += length
    for (const item of transactions as readonly RlpItem[]) {
      const raw = item instanceof Uint8Array ? item : encode(item)
      if (raw[0] === 3) continue
      const tx = decodeTransaction(raw)
      if (tx.to) continue
      const sender = recoverSender(tx, { allowHighS: true })
      found.set(formatHex0x(createAddress(sender, tx.nonce)), formatHex0x(tx.data))
    }
  }
  return found
}

let node: Awaited<ReturnType<typeof startNode>>
beforeAll(async () => {
  if (isPresent) node = await startNode()
})
afterAll(async () => {
  if (isPresent) await node.stop()
})

async function ask(method: string, params: readonly unknown[]): Promise<{ result?: unknown; error?: unknown }> {
  const response = await fetch(node.urls.jsonrpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return (await response.json()) as never
}

const addressesOf = ({ params }: Exchange): string[] => JSON.stringify(params).match(/0x[0-9a-fA-F]{40}\b/g) ?? []
/** Whether the answer depends on nothing but the genesis. */
const followsFromGenesis = ({ method, answer }: Exchange): boolean =>
  answer.error !== undefined || answer.result === null || method === 'eth_getCode'

test.runIf(isPresent)(
  'requests about the genesis, wrong requests and unknown records are answered as geth answers them',
  async () => {
    const { alloc } = JSON.parse(readFileSync(join(folder, 'genesis.json'), 'utf8')) as { alloc: object }
    const state = Object.fromEntries(
      Object.entries(alloc).map(([address, account]) => [address.startsWith('0x') ? address : `0x${address}`, account]),
    )
    const packed = formatHex0x(new TextEncoder().encode(JSON.stringify({ accounts: state })))
    expect(await ask('anvil_loadState', [packed])).toMatchObject({ result: true })
    let same = 0
    const wrong: unknown[] = []
    for (const exchange of readExchanges()) {
      const unknown =
        addressesOf(exchange).length > 0 && addressesOf(exchange).every((address) => /cada(f+)$/.test(address))
      if (exchange.method === 'eth_call' || !(unknown || followsFromGenesis(exchange))) continue
      if (exchange.name.includes('7702')) continue // delegated by a transaction
      const { result, error } = await ask(exchange.method, exchange.params)
      const { result: theirs, error: theirError } = exchange.answer
      if (JSON.stringify([result, error]) === JSON.stringify([theirs, theirError])) same++
      else wrong.push({ name: exchange.name, ours: result ?? error, theirs: theirs ?? theirError })
    }
    console.log(`${same} exchanges agree`)
    expect(wrong).toEqual([])
    expect(same).toBeGreaterThan(12)
  },
)

test.runIf(isPresent)('calls of the chain’s contracts return and revert with geth’s bytes and texts', async () => {
  const initCodes = creations()
  let same = 0
  for (const exchange of readExchanges().filter(({ method }) => method === 'eth_call')) {
    const [call, block] = exchange.params as [{ to: string }, string]
    const initCode = initCodes.get(call.to.toLowerCase())
    // One of them prints its block number.
    if (!initCode || exchange.name.includes('callenv')) continue
    const { result: code } = await ask('eth_call', [{ data: initCode }, 'latest'])
    const { result, error } = await ask('eth_call', [call, block, { [call.to]: { code } }])
    expect([exchange.name, result, error]).toEqual([exchange.name, exchange.answer.result, exchange.answer.error])
    same++
  }
  console.log(`${same} calls agree`)
  expect(same).toBeGreaterThanOrEqual(3)
})

test.runIf(isPresent)('blocks, transactions and receipts have the same fields as geth’s', async () => {
  const [from, to] = [node.accounts[0]!.address, node.accounts[1]!.address]
  const legacy = await ask('eth_sendTransaction', [{ from, to, value: '0x1', gasPrice: '0xe8d4a51000' }])
  const list = await ask('eth_sendTransaction', [{ from, to, gasPrice: '0xe8d4a51000', accessList: [] }])
  const dynamic = await ask('eth_sendTransaction', [{ from, to, value: '0x1' }])
  const byType = new Map<string, unknown>([
    ['0x0', legacy.result],
    ['0x1', list.result],
    ['0x2', dynamic.result],
  ])
  const fields = (value: unknown): string[] => Object.keys(value as object).filter((name) => !NOT_OURS[name])
  const missing: string[] = []
  let compared = 0
  for (const { name, method, answer } of readExchanges()) {
    if (typeof answer.result !== 'object' || answer.result === null || name.includes('genesis')) continue
    const { type } = answer.result as { type?: string }
    if (type !== undefined && !byType.has(type)) continue
    const question = method === 'eth_getBlockByNumber' ? ['latest', true] : [byType.get(type!)]
    const { result } = await ask(method, question)
    compared++
    for (const field of fields(answer.result)) if (!(field in (result as object))) missing.push(`${name}: ${field}`)
  }
  expect(missing).toEqual([])
  expect(compared).toBeGreaterThan(15)
})
