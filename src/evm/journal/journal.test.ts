import { expect, test } from 'vitest'
import { createMemoryState } from '../../../test/support/evm/memory-state.ts'
import { decodeUint, encodeUint, hex } from '../../primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../../primitives/hash.ts'
import { rulesOf } from '../forks.ts'
import { createJournal } from './journal.ts'

const ALICE = hex('a11ce00000000000000000000000000000000001')
const BOB = hex('b0b0000000000000000000000000000000000002')
const SLOT = encodeUint(1n, 32)

function journal(fork: 'Homestead' | 'Osaka' = 'Osaka') {
  const state = createMemoryState()
  state.put(ALICE, { nonce: 1n, balanceWei: 100n })
  return { state, journal: createJournal(state, rulesOf(fork)) }
}

test('a revert undoes everything since its snapshot and nothing before', () => {
  const { journal: j } = journal()
  j.setStorage(ALICE, SLOT, encodeUint(5n, 32))
  j.warmAddress(BOB)
  const snapshot = j.snapshot()
  j.transfer(j.account(ALICE), j.account(BOB), 30n)
  j.setNonce(ALICE, 9n)
  j.setCode(BOB, hex('00'))
  j.setStorage(ALICE, SLOT, encodeUint(6n, 32))
  j.addRefund(7)
  j.log({ address: ALICE, topics: [], data: SLOT })
  expect(j.warmSlot(ALICE, SLOT)).toBe(true)
  const inner = j.snapshot()
  j.addBalance(BOB, 1n)
  j.commit(inner)
  j.revert(snapshot)
  expect([j.balance(ALICE), j.balance(BOB), j.nonce(ALICE), j.code(BOB).length]).toEqual([100n, 0n, 1n, 0])
  expect([decodeUint(j.storage(ALICE, SLOT)), j.refund(), j.logs().length]).toEqual([5n, 0n, 0])
  expect([j.warmSlot(ALICE, SLOT), j.warmAddress(BOB)]).toEqual([true, false])
})

test('the state receives every written slot and account at the end and not before, even unchanged values', () => {
  const { state, journal: j } = journal()
  const written: string[] = []
  const { setAccount, setStorage } = state
  state.setAccount = (address, account) => {
    written.push('account')
    setAccount(address, account)
  }
  state.setStorage = (address, slot, value) => {
    written.push('slot')
    setStorage(address, slot, value)
  }
  j.balance(BOB)
  j.storage(ALICE, SLOT)
  j.setNonce(ALICE, 2n)
  j.setStorage(ALICE, SLOT, encodeUint(3n, 32))
  j.setStorage(ALICE, encodeUint(2n, 32), encodeUint(3n, 32))
  j.setStorage(ALICE, encodeUint(2n, 32), encodeUint(0n, 32))
  const undone = j.snapshot()
  j.setStorage(ALICE, encodeUint(4n, 32), encodeUint(3n, 32))
  j.revert(undone)
  expect(written).toEqual([])
  j.finalise()
  expect(written).toEqual(['account', 'slot', 'slot'])
  expect(state.account(ALICE)).toMatchObject({ nonce: 2n, balanceWei: 100n })
})

test('a touched empty account is deleted from Spurious Dragon on, and created before', () => {
  for (const [fork, exists] of [
    ['Homestead', true],
    ['Osaka', false],
  ] as const) {
    const { state, journal: j } = journal(fork)
    j.touch(BOB)
    j.finalise()
    expect(state.account(BOB) !== undefined).toBe(exists)
  }
  const { state, journal: j } = journal()
  state.put(BOB, {})
  j.touch(BOB)
  j.finalise()
  expect(state.account(BOB)).toBeUndefined()
})

test('many branches between two snapshots nest the state no deeper than one', () => {
  const { state, journal: j } = journal()
  let depth = 0
  let deepest = 0
  const { branch, merge, drop } = state
  Object.assign(state, {
    branch() {
      deepest = Math.max(deepest, ++depth)
      branch()
    },
    merge() {
      depth--
      merge()
    },
    drop() {
      depth--
      drop()
    },
  })
  const outer = j.snapshot()
  for (let i = 0; i < 100; i++) {
    const snapshot = j.snapshot()
    j.openBranch()
    state.setAccount(BOB, { nonce: BigInt(i), balanceWei: 1n, codeHash: j.codeHash(ALICE) })
    j.refresh()
    if (i % 3 === 2) j.revert(snapshot)
    else j.commit(snapshot)
  }
  expect(deepest).toBe(2)
  expect(j.nonce(BOB)).toBe(99n)
  j.revert(outer)
  expect(depth).toBe(0)
  expect(state.account(BOB)).toBeUndefined()
  expect(j.exists(BOB)).toBe(false)
})

test('coins without an account do not make it exist, even when module code adds to them', () => {
  const { state, journal: j } = journal()
  const coins = { nonce: 0n, codeHash: EMPTY_CODE_HASH, isBalanceOnly: true }
  state.setAccount(BOB, { ...coins, balanceWei: 5n })
  expect([j.exists(BOB), j.balance(BOB)]).toEqual([false, 5n])
  const snapshot = j.snapshot()
  j.openBranch()
  state.setAccount(BOB, { ...coins, balanceWei: 8n })
  j.refresh()
  j.commit(snapshot)
  expect([j.exists(BOB), j.balance(BOB)]).toEqual([false, 8n])
})
