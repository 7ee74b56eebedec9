import { keccak256, toHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startNode } from '../../../node/start.ts'

const start = () => startNode({ ports: false, blocks: { time: 'manual' } })
let node: Awaited<ReturnType<typeof start>>
beforeAll(async () => {
  node = await start()
})
afterAll(() => node.stop())

const CONTRACT = '0x00000000000000000000000000000000000000aa'
const rpc = <T = never>(method: string, ...params: readonly unknown[]) => node.rpc<T>(method, ...params)
const hex = (value: bigint | number) => `0x${value.toString(16)}`
/** Adds 1 to slot 0. */
const CODE = '0x6001600054016000550060aa'

interface Account {
  readonly balance: string
  readonly nonce: number
  readonly root: string
  readonly codeHash: string
  readonly code?: string
  readonly storage?: Record<string, string>
  readonly address: string
  readonly key: string
}
interface Dump {
  readonly root: string
  readonly accounts: Record<string, Account>
  readonly next?: string
}

async function mined(tx: object): Promise<void> {
  await rpc('eth_sendTransaction', { from: node.accounts[0]!.address, gas: '0x30d40', ...tx })
  await rpc('evm_mine')
}

test('pages of accounts are complete, in the order of hashes, and agree with the other methods', async () => {
  await rpc('anvil_setCode', CONTRACT, CODE)
  await rpc('anvil_setStorageAt', CONTRACT, '0x5', `0x${'0'.repeat(60)}beef`)
  await rpc('evm_mine')
  const seen: Account[] = []
  let start = '0x'
  let pages = 0
  for (;;) {
    const page = await rpc<Dump>('debug_accountRange', 'latest', start, 7, false, false, true)
    pages++
    expect(Object.keys(page.accounts).length).toBeLessThanOrEqual(7)
    seen.push(...Object.values(page.accounts).sort((a, b) => (a.key < b.key ? -1 : 1)))
    if (page.next === undefined) break
    start = page.next
  }
  expect(pages).toBeGreaterThan(2)
  expect(seen.map(({ key }) => key)).toEqual(seen.map(({ key }) => key).sort())
  expect(new Set(seen.map(({ address }) => address)).size).toBe(seen.length)
  for (const one of seen) {
    expect(one.key).toBe(keccak256(one.address as `0x${string}`))
    expect(hex(BigInt(one.balance))).toBe(await rpc('eth_getBalance', one.address, 'latest'))
    expect(hex(one.nonce)).toBe(await rpc('eth_getTransactionCount', one.address, 'latest'))
    expect(one.code ?? '0x').toBe(await rpc('eth_getCode', one.address, 'latest'))
  }
  const funded = node.accounts.map(({ address }) => address.toLowerCase())
  expect(seen.map(({ address }) => address)).toEqual(expect.arrayContaining([CONTRACT, ...funded.slice(0, 5)]))
  const contract = seen.find(({ address }) => address === CONTRACT)!
  expect(contract.storage).toEqual({ [`0x${'0'.repeat(63)}5`]: 'beef' })
  const { storageRoot } = await rpc<{ storageRoot: string }>('eth_getAccount', CONTRACT, 'latest')
  expect(contract.root).toBe(storageRoot)

  const bare = await rpc<Dump>('debug_accountRange', 'latest', keccak256(CONTRACT), 1, true, true, false)
  const [only] = Object.values(bare.accounts)
  expect(only).toMatchObject({ address: CONTRACT, root: storageRoot })
  expect(only).not.toHaveProperty('code')
  expect(only).not.toHaveProperty('storage')
})

test('a dump has the state after its block, and its root is in the next header', async () => {
  const before = await rpc<string>('eth_blockNumber')
  await mined({ to: CONTRACT })
  const [old, now] = [await rpc<Dump>('debug_dumpBlock', before), await rpc<Dump>('debug_dumpBlock', 'latest')]
  const storageOf = ({ accounts }: Dump) => Object.values(accounts).find(({ address }) => address === CONTRACT)!.storage
  const slot = `0x${'0'.repeat(64)}`
  expect(storageOf(old)).not.toHaveProperty(slot)
  expect(storageOf(now)).toMatchObject({ [slot]: '01' })
  const next = await rpc<{ stateRoot: string }>('eth_getBlockByNumber', hex(BigInt(before) + 1n), false)
  expect(`0x${old.root}`).toBe(next.stateRoot)
  await expect(rpc('debug_dumpBlock', '0x0')).rejects.toThrow('block 0 has no state of its own')
  await expect(rpc('debug_dumpBlock', '0xffffff')).rejects.toThrow('block not found')
  await expect(rpc('debug_accountRange', 'latest', `0x${'00'.repeat(33)}`)).rejects.toThrow('start has 33 bytes')
})

test('the accounts that a block wrote are found by number and by hash, alone and over a range', async () => {
  const sender = node.accounts[0]!.address.toLowerCase()
  const target = '0x00000000000000000000000000000000000000bb'
  await mined({ to: target, value: '0x1' })
  const paid = BigInt(await rpc<string>('eth_blockNumber'))
  await mined({ to: CONTRACT })
  const one = await rpc<string[]>('debug_getModifiedAccountsByNumber', hex(paid))
  expect(one).toEqual(expect.arrayContaining([sender, target]))
  expect(one).not.toContain(CONTRACT)
  const both = await rpc<string[]>('debug_getModifiedAccountsByNumber', hex(paid - 1n), hex(paid + 1n))
  expect(both).toEqual(expect.arrayContaining([sender, target, CONTRACT]))
  const hashOf = async (height: bigint) =>
    (await rpc<{ hash: string }>('eth_getBlockByNumber', hex(height), false)).hash
  const [start, end] = [await hashOf(paid - 1n), await hashOf(paid + 1n)]
  expect(await rpc('debug_getModifiedAccountsByHash', start, end)).toEqual(both)
  expect(await rpc('debug_getModifiedAccountsByHash', await hashOf(paid))).toEqual(one)
  await expect(rpc('debug_getModifiedAccountsByNumber', hex(paid), hex(paid))).rejects.toThrow(
    `start block height (${paid}) must be less than end block height (${paid})`,
  )
  await expect(rpc('debug_getModifiedAccountsByNumber', '0x0')).rejects.toThrow('block 0 has no parent')
  await expect(rpc('debug_getModifiedAccountsByHash', `0x${'12'.repeat(32)}`)).rejects.toThrow('start block 1212')
})

test('code is found by its hash, and heights with a state are known', async () => {
  const codeHash = keccak256(CODE)
  expect(await rpc('debug_codeByHash', codeHash)).toBe(CODE)
  expect(await rpc('debug_dbGet', `0x63${codeHash.slice(2)}`)).toBe(CODE)
  expect(await rpc('debug_codeByHash', keccak256('0x01'))).toBeNull()
  await expect(rpc('debug_dbGet', toHex('LastBlock'))).rejects.toThrow('only code has the key')
  const latest = Number(await rpc<string>('eth_blockNumber'))
  expect(await rpc('debug_getAccessibleState', '0x0', 'latest')).toBe(1)
  expect(await rpc('debug_getAccessibleState', hex(latest + 5), '0x0')).toBe(latest)
  await expect(rpc('debug_getAccessibleState', hex(latest + 5), hex(latest + 9))).rejects.toThrow('no state found')
})

test('bundles of calls run one after the other, each in the block that it describes', async () => {
  // Returns NUMBER and adds 1 to slot 1, whose new value is the second word.
  const code = '0x600154600101806001554360005260205260406000f3'
  await rpc('anvil_setCode', CONTRACT, code)
  const call = { from: node.accounts[1]!.address, to: CONTRACT }
  const outputs = async (context?: unknown) => {
    const bundles = [{ transactions: [call, call] }, { transactions: [call], blockOverride: { number: '0x3e8' } }]
    const lists = await rpc<{ output: string }[][]>('debug_traceCallMany', bundles, context ?? {}, {
      tracer: 'callTracer',
    })
    return lists.map((list) =>
      list.map(({ output }) => [output.slice(2, 66), output.slice(66)].map((w) => BigInt(`0x${w}`))),
    )
  }
  const height = BigInt(await rpc<string>('eth_blockNumber'))
  expect(await outputs()).toEqual([
    [
      [height, 1n],
      [height, 2n],
    ],
    [[1000n, 3n]],
  ])
  await mined({ to: CONTRACT })
  // Before the transaction of the block, and after it.
  expect((await outputs({ blockNumber: 'latest', transactionIndex: 0 }))[0]![0]![1]).toBe(1n)
  expect((await outputs({ blockNumber: 'latest', transactionIndex: -1 }))[0]![0]![1]).toBe(2n)
  const many = [{ transactions: Array(1001).fill(call) }]
  await expect(rpc('debug_traceCallMany', many)).rejects.toMatchObject({ code: -32602 })
  await expect(rpc('debug_traceCallMany', [])).rejects.toThrow('at least one bundle')
  await expect(rpc('debug_traceCallMany', [{ transactions: [call] }], { transactionIndex: 1.5 })).rejects.toThrow(
    'transactionIndex is not an index',
  )
})

test('methods that need what this chain does not keep say so', async () => {
  await expect(rpc('debug_executionWitness', 'latest')).rejects.toMatchObject({
    code: -32000,
    message: expect.stringContaining('eth_getProof'),
  })
  await expect(rpc('debug_intermediateRoots', `0x${'12'.repeat(32)}`)).rejects.toThrow('one root a block')
  await expect(rpc('debug_preimage', `0x${'12'.repeat(32)}`)).rejects.toThrow('debug_dumpBlock')
  await expect(rpc('debug_traceBadBlock', `0x${'12'.repeat(32)}`)).rejects.toThrow('bad block 0x1212')
  expect(await rpc('debug_getBadBlocks')).toEqual([])
})
