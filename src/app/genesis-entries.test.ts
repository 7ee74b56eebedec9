import { expect, test } from 'vitest'
import { almanac } from '../identity/profiles/almanac.ts'
import { formatBech32 } from '../primitives/address.ts'
import { utf8 } from '../primitives/bytes.ts'
import { sha256 } from '../primitives/hash.ts'
import { createEmptyBranch } from '../store/branch.ts'
import { countEntries } from './genesis-entries.ts'
import { localnetGenesis } from './localnet.ts'
import { testApplication } from './testing.ts'
import type { GenesisDocument } from './types.ts'

const CHAIN_ID = 'almanac-localnet-1'
const ACCOUNTS = 40
const SLOTS = 30
const account = (i: number) => sha256(utf8(`account ${i}`)).slice(0, 20)
const word = (i: number) => `0x${i.toString(16).padStart(64, '0')}`

/** Returns a document with 40 accounts, one with 30 slots of storage. `lists` replaces parts of sections. */
function documentWith(lists: Readonly<Record<string, object>> = {}): GenesisDocument {
  const local = localnetGenesis({
    identity: almanac,
    chainId: CHAIN_ID,
    genesisTime: '2024-01-01T00:00:00Z',
    accounts: Array.from({ length: ACCOUNTS }, (_, i) => ({ address: account(i), balanceUnative: 5n })),
    validators: [{ publicKey: sha256(utf8('a validator')) }],
  })
  const storage = Array.from({ length: SLOTS }, (_, i) => ({ key: word(i), value: word(i + 1) }))
  const evm = { accounts: [{ address: `0x${'ab'.repeat(20)}`, code: '6001', storage }] }
  const sections = Object.entries({ evm, ...lists }).map(([name, part]) => {
    return [name, { ...(local.app_state[name] as object), ...part }] as const
  })
  return { ...local, app_state: { ...local.app_state, ...Object.fromEntries(sections) } }
}

/** Writes the state of a document. Returns it, the counts that were reported, and the error. */
function watched(document: GenesisDocument) {
  const counts: (readonly [number, number])[] = []
  const state = createEmptyBranch()
  let error: unknown
  try {
    testApplication({ chainId: CHAIN_ID }).initChain(document, state, (done, total) => counts.push([done, total]))
  } catch (thrown) {
    error = thrown
  }
  return { state, counts, error }
}

const isGrowing = (counts: readonly (readonly [number, number])[]): boolean =>
  counts.every(([done], i) => i === 0 || done > counts[i - 1]![0])

test('an entry is an element of a list, and one with lists of its own is their elements', () => {
  expect(countEntries({ params: { rate: '1' }, accounts: [{ a: 1 }, { a: 2 }], names: ['x'] })).toBe(3)
  expect(countEntries({ balances: [{ coins: [1, 2, 3] }, { coins: [] }] })).toBe(4)
  expect([undefined, null, 7, 'text', {}].map((value) => countEntries(value))).toEqual([0, 0, 0, 0, 0])
})

test('a value deeper than any document is not counted to its end', () => {
  let deep: unknown = ['end']
  for (let i = 0; i < 1_000_000; i++) deep = [deep]
  expect(countEntries(deep)).toBe(1)
})

test('the counts of a genesis grow to the number of its entries', () => {
  const document = documentWith()
  const { counts, error } = watched(document)
  expect(error).toBeUndefined()
  expect(isGrowing(counts)).toBe(true)
  const total = Object.values(document.app_state).reduce((sum: number, section) => sum + countEntries(section), 0)
  expect(new Set(counts.map(([, all]) => all))).toEqual(new Set([total]))
  expect(counts.at(-1)).toEqual([total, total])
})

test('the counts grow entry by entry, while a long list is read and while it is written', () => {
  const { counts } = watched(documentWith())
  const steps = counts.map(([done], i) => done - (counts[i - 1]?.[0] ?? 0))
  // All entries of the long lists are counted one by one: 40 accounts, 40 balances, 30 slots.
  expect(steps.filter((step) => step === 1).length).toBeGreaterThanOrEqual(2 * ACCOUNTS + SLOTS)
  expect(Math.max(...steps)).toBeLessThan(ACCOUNTS / 2)
})

test('a watched genesis writes the same state', () => {
  const alone = createEmptyBranch()
  testApplication({ chainId: CHAIN_ID }).initChain(documentWith(), alone)
  expect(watched(documentWith()).state.changes()).toEqual(alone.changes())
})

test('the counts of a document with an error stop before its end, and the error is the same', () => {
  const balances = Array.from({ length: ACCOUNTS }, (_, i) => ({
    address: i === 30 ? 'nobody' : formatBech32('chain', account(i)),
    coins: [{ denom: 'unative', amount: '5' }],
  }))
  const document = documentWith({ bank: { balances, supply: [] } })
  const { counts, error } = watched(document)
  let alone: unknown
  try {
    testApplication({ chainId: CHAIN_ID }).initChain(document, createEmptyBranch())
  } catch (thrown) {
    alone = thrown
  }
  expect(String(error)).toContain('balances[30]')
  expect(error).toEqual(alone)
  expect(isGrowing(counts)).toBe(true)
  const [done, total] = counts.at(-1)!
  expect(done).toBeGreaterThan(ACCOUNTS)
  expect(done).toBeLessThan(total)
})
