/** Lists of more than a thousand entries with totals and offsets, against the built program. */
import { expect, test } from 'vitest'
import { type NodeProcess, startProcess } from '../support/process.ts'
import { rpc } from '../support/rpc.ts'

/** Entries that a query reads in the thread that receives it. */
const FEW = 1200
/** Longest wait of a light request, on a machine that is busy with other tests. */
const LIMIT_MS = 5000
const SENDERS = 3
const GAS = '0xffffff'
/** JUMPDEST, a call that sends 10^12 wei to the address GAS XOR CALLER, and again while more than 65,535 gas is left. */
const PAY = '0x5b5f5f5f5f64e8d4a510005a33185ff1505a61ffff105f5700'

interface Page {
  readonly denom_owners: readonly { readonly address: string }[]
  readonly pagination: { readonly next_key: string | null; readonly total: string }
}

/** Gives coins to more than a thousand addresses. */
async function pay({ config }: NodeProcess): Promise<void> {
  const to = `0x${'c0'.repeat(20)}`
  await rpc(config, 'anvil_setCode', [to, PAY])
  await rpc(config, 'anvil_setBalance', [to, '0xde0b6b3a7640000'])
  for (const { address } of config.accounts.slice(0, SENDERS)) {
    await rpc(config, 'eth_sendTransaction', [{ from: address, to, gas: GAS }])
  }
  await rpc(config, 'evm_mine')
}

test('totals and offsets of long lists are right, and others are answered while they are counted', async () => {
  await using node = await startProcess(['--ephemeral', '--block-time', 'manual'])
  const { rest } = node.config.urls
  await pay(node)
  const list = async (pagination: string): Promise<Page> =>
    (await (await fetch(`${rest}/cosmos/bank/v1beta1/denom_owners/unative?${pagination}`)).json()) as Page
  const all: string[] = []
  for (let key: string | null = ''; key !== null; ) {
    const page = await list(`pagination.limit=1000&pagination.key=${encodeURIComponent(key)}`)
    all.push(...page.denom_owners.map(({ address }) => address))
    key = page.pagination.next_key
  }
  expect(all.length).toBeGreaterThan(FEW)

  let isRunning = true
  let longestMs = 0
  const watch = (async () => {
    while (isRunning) {
      const begun = performance.now()
      expect((await fetch(`${rest}/cosmos/bank/v1beta1/params`)).status).toBe(200)
      longestMs = Math.max(longestMs, performance.now() - begun)
    }
  })()
  const pages = await Promise.all(
    Array.from({ length: 40 }, (_, i) => list(`pagination.count_total=true&pagination.limit=${i + 1}`)),
  )
  const offset = all.length - 10
  const [last, beyond] = await Promise.all([
    list(`pagination.offset=${offset}&pagination.limit=20`),
    list('pagination.offset=18446744073709551615&pagination.limit=1&pagination.count_total=true'),
  ])
  isRunning = false
  await watch
  pages.forEach(({ denom_owners: owners, pagination }, i) => {
    expect(pagination.total).toBe(String(all.length))
    expect(owners.map(({ address }) => address)).toEqual(all.slice(0, i + 1))
  })
  expect(last!.denom_owners.map(({ address }) => address)).toEqual(all.slice(offset))
  expect(beyond).toEqual({ denom_owners: [], pagination: { next_key: null, total: String(all.length) } })
  expect(longestMs).toBeLessThan(LIMIT_MS)
})
