/** Answers of `trace_` and `ots_` methods, compared with those of anvil 1.7.1 about the same transactions. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startNode } from '../../src/index.ts'
import { traces } from '../support/anvil/traces.ts'

type Json = Record<string, unknown>

const chain = () => startNode({ ports: false, chain: { evmChainId: 31_337n } })
let node: Awaited<ReturnType<typeof chain>>
/** Blocks of this chain that precede those of the recording. */
let offset: bigint

beforeAll(async () => {
  node = await chain()
  offset = node.height
  for (const raw of traces.transactions) await node.rpc('eth_sendRawTransactionSync', raw)
  expect(node.height - offset).toBe(BigInt(traces.transactions.length))
})
afterAll(() => node.stop())

const SENDER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const IDENTITY = `0x${'4'.padStart(40, '0')}`
/** Fields that differ between two chains with the same transactions. */
const PLACE = new Set(['blockHash', 'blockNumber', 'blockTimestamp', 'timestamp'])

const withoutPlace = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutPlace)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (PLACE.has(key) ? [] : [[key, withoutPlace(item)]])),
  )
}

const shifted = (block: string): string => `0x${(BigInt(block) + offset).toString(16)}`

async function pairs(method: string): Promise<{ params: readonly unknown[]; theirs: unknown; ours: unknown }[]> {
  const found = traces.answers.filter((answer) => answer.method === method)
  expect(found.length).toBeGreaterThan(0)
  return Promise.all(
    found.map(async ({ params, result }) => {
      const [first, ...rest] = params
      const filter = first as { fromBlock?: string; toBlock?: string }
      const own = method.startsWith('trace_replayBlock')
        ? shifted(first as string)
        : method === 'trace_filter'
          ? { ...filter, fromBlock: shifted(filter.fromBlock!), toBlock: shifted(filter.toBlock!) }
          : first
      return { params, theirs: withoutPlace(result), ours: withoutPlace(await node.rpc(method, own, ...rest)) }
    }),
  )
}

interface Trace {
  readonly action: Json
  readonly transactionHash: string
}
const isQuiet = ({ action }: Trace): boolean => action['to'] === IDENTITY

test('calls of blocks are those of anvil', async () => {
  for (const { params, theirs, ours } of await pairs('trace_replayBlockTransactions')) {
    if ((params[1] as string[])[0] === 'trace') expect(ours).toEqual(theirs)
  }
  // Outside replays, anvil shows calls of precompiles that move nothing, which moves the paths of others; Erigon and Reth never do.
  const moved = new Set<string>()
  for (const { theirs, ours } of await pairs('trace_transaction')) {
    const [first] = theirs as Trace[]
    if ((theirs as Trace[]).some(isQuiet)) moved.add(first!.transactionHash)
    else expect(ours).toEqual(theirs)
  }
  expect(moved.size).toBe(1)
  const unmoved = (all: unknown) => (all as Trace[]).filter(({ transactionHash }) => !moved.has(transactionHash))
  for (const { theirs, ours } of await pairs('trace_filter')) expect(unmoved(ours)).toEqual(unmoved(theirs))
})

test('state differences are those of anvil, but for fees and accounts that appear', async () => {
  /** Returns what both show: the recipient of fees here is no account of the EVM, and balances of the sender differ. */
  const common = (answer: unknown): Json => {
    const [{ stateDiff }] = answer as [{ stateDiff: Record<string, Json> }]
    return Object.fromEntries(
      Object.entries(stateDiff).flatMap(([address, { balance, code, nonce, storage }]) => {
        if (BigInt(address) === 0n) return []
        // For anvil every address is an account, here and for OpenEthereum it appears with its first coins.
        const appeared = (balance as { '+'?: string })['+']
        const isContract = (code as { '+'?: string })['+'] !== '0x'
        if (appeared === undefined || isContract) {
          return [[address, { balance: address === SENDER ? null : balance, code, nonce, storage }]]
        }
        return [[address, { balance: { '*': { from: '0x0', to: appeared } }, code: '=', nonce: '=', storage }]]
      }),
    )
  }
  let compared = 0
  for (const { params, theirs, ours } of await pairs('trace_replayBlockTransactions')) {
    if ((params[1] as string[])[0] !== 'stateDiff') continue
    expect(common(ours)).toEqual(common(theirs))
    compared++
  }
  expect(compared).toBe(traces.transactions.length)
})

test("Otterscan's calls, operations and errors of transactions are those of anvil", async () => {
  // In anvil they have no creations and self-destructs, and a delegated call has the value of its caller.
  const calls = (entries: unknown) =>
    (entries as Json[])
      .filter(({ type, to }) => /CALL$/.test(type as string) && to !== IDENTITY)
      .map((entry) => (entry['type'] === 'DELEGATECALL' ? { ...entry, value: null } : entry))
  for (const { theirs, ours } of await pairs('ots_traceTransaction')) expect(calls(ours)).toEqual(calls(theirs))
  // In anvil the transaction itself is an internal operation, and a self-destruct comes before what precedes it.
  const inner = (operations: unknown) =>
    (operations as Json[]).filter(({ from }) => from !== SENDER).sort((a, b) => Number(a['type']) - Number(b['type']))
  for (const { theirs, ours } of await pairs('ots_getInternalOperations')) expect(inner(ours)).toEqual(inner(theirs))
  for (const { theirs, ours } of await pairs('ots_getTransactionError')) expect(ours).toEqual(theirs)
})

interface Page {
  readonly txs: readonly Json[]
  readonly receipts: readonly Json[]
  readonly firstPage: boolean
  readonly lastPage: boolean
}

test("accounts have anvil's transactions, creators, nonces, code and fields", async () => {
  const page = (answer: unknown) => {
    const { txs, receipts, firstPage, lastPage } = answer as Page
    const places = receipts.map(({ transactionHash, status, logs }) => ({ transactionHash, status, logs }))
    return { txs, places, firstPage, lastPage }
  }
  for (const direction of ['Before', 'After']) {
    for (const { theirs, ours } of await pairs(`ots_searchTransactions${direction}`)) {
      expect(page(ours)).toEqual(page(theirs))
    }
  }
  for (const method of ['ots_getContractCreator', 'ots_hasCode', 'ots_getTransactionBySenderAndNonce']) {
    for (const { theirs, ours } of await pairs(method)) expect(ours).toEqual(theirs)
  }
  for (const method of ['eth_getAccount', 'eth_getAccountInfo']) {
    for (const { params, theirs, ours } of await pairs(method)) {
      const balance = params[0] === SENDER ? { balance: null } : {}
      expect({ ...(ours as Json), ...balance }).toEqual({ ...(theirs as Json), ...balance })
    }
  }
})
