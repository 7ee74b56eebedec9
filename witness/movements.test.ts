import { beforeEach, expect, test } from 'vitest'
import { format } from '../src/identity/address.ts'
import * as auth from '../src/modules/auth/keeper.ts'
import * as bank from '../src/modules/bank/keeper.ts'
import { moduleAccount } from '../src/sdk/module-account.ts'
import { testContext } from '../src/sdk/testing.ts'
import { applyMovement, movementsOf } from './movements.ts'
import type { RecordedEvent } from './recording.ts'

const minter = moduleAccount('minter', 'minter', 'burner')
const alice = new Uint8Array(20).fill(1)
const bob = new Uint8Array(20).fill(2)

let ctx = testContext()
beforeEach(() => {
  ctx = testContext()
})

const event = (type: string, attributes: Record<string, string>): RecordedEvent => ({
  type,
  attributes: Object.entries(attributes).map(([key, value]) => ({ key, value })),
})

/** Applies the movements of events to an empty state. */
function replayed(events: readonly RecordedEvent[]) {
  const other = testContext()
  for (const movement of movementsOf(events)) applyMovement(other, movement)
  return other
}

test('the events of mint, send and burn reproduce the balances and the supply', () => {
  bank.mint(ctx, minter, [{ denom: 'unative', amount: 9n }])
  bank.send(ctx, minter.address, bob, [{ denom: 'unative', amount: 4n }])
  bank.burn(ctx, minter, [{ denom: 'unative', amount: 5n }])
  const other = replayed(ctx.events)
  expect(bank.balance(other, bob, 'unative')).toBe(4n)
  expect(bank.balance(other, minter.address, 'unative')).toBe(0n)
  expect(bank.supply(other, 'unative')).toBe(4n)
  expect(auth.hasAccount(other, bob)).toBe(true)
})

test('each operation has its payer, and whether it burned coins', () => {
  const [from, to] = [format(ctx, alice), format(ctx, bob)]
  const movements = movementsOf([
    event('coin_spent', { spender: from, amount: '7unative' }),
    event('coin_received', { receiver: to, amount: '7unative' }),
    event('transfer', { recipient: to, sender: from, amount: '7unative' }),
    event('message', { sender: from }),
    event('coin_spent', { spender: to, amount: '2unative' }),
    event('burn', { burner: to, amount: '2unative' }),
    event('coin_received', { receiver: from, amount: '3ufoo' }),
    event('coinbase', { minter: from, amount: '3ufoo' }),
  ])
  expect(movements.map((one) => [one.from === from ? 'alice' : 'bob', one.isBurn, one.steps.length])).toEqual([
    ['alice', false, 3],
    ['bob', true, 2],
    ['alice', false, 2],
  ])
})

test('an empty send writes no balance, but creates the recipient’s account', () => {
  const [from, to] = [format(ctx, alice), format(ctx, bob)]
  const other = replayed([
    event('coin_spent', { spender: from, amount: '' }),
    event('coin_received', { receiver: to, amount: '' }),
    event('transfer', { recipient: to, sender: from, amount: '' }),
  ])
  expect(other.branchStore.changes().every(({ store }) => store === 'acc')).toBe(true)
  expect(auth.hasAccount(other, bob)).toBe(true)
})

test('an invalid amount is an error that names the event', () => {
  expect(() => movementsOf([event('coin_spent', { spender: 'x', amount: 'all' })])).toThrow('event coin_spent')
})
