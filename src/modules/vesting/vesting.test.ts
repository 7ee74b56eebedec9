import { beforeEach, describe, expect, test } from 'vitest'
import { behavioursOf } from '../../identity/behaviours.ts'
import { almanac } from '../../identity/profiles/almanac.ts'
import { formatBech32 } from '../../primitives/address.ts'
import { concat, hex, utf8 } from '../../primitives/bytes.ts'
import type { BranchedContext } from '../../sdk/context.ts'
import { defineModule } from '../../sdk/module.ts'
import { moduleAccount } from '../../sdk/module-account.ts'
import { testContext } from '../../sdk/testing.ts'
import { createGasMeter } from '../../store/gas.ts'
import { auth as authModule } from '../auth/index.ts'
import * as auth from '../auth/keeper.ts'
import { bank as bankModule } from '../bank/index.ts'
import * as bank from '../bank/keeper.ts'
import { messages as bankMessages } from '../bank/messages.ts'
import { messages } from './messages.ts'

const alice = hex('026408260f38d3c43b26f36952ff38ecbaa88692')
const bob = hex('1dcfcd015f33402c43aef6a57ba6977df044f83a')
const fromAddress = formatBech32('chain', alice)
const toAddress = formatBech32('chain', bob)
const minter = moduleAccount('mintery', 'minter')
const vault = moduleAccount('vault')
/** Second of the block of a test context. */
const NOW = 1_704_067_200n
const DAY = 86_400n

const texts = (amount: bigint, denom = 'unative') => [{ denom, amount: amount.toString() }]
const coins = (amount: bigint, denom = 'unative') => [{ denom, amount }]

function start(identity = almanac): BranchedContext {
  const holders = defineModule({ name: 'mintery', accounts: [minter, vault] })
  const created = testContext({ identity, modules: [authModule, bankModule, holders] })
  bank.mint(created, minter, coins(1_000n))
  bank.send(created, minter.address, alice, coins(1_000n))
  created.branchStore.events.length = 0
  return created
}

let ctx: BranchedContext
beforeEach(() => {
  ctx = start()
})

const at = (second: bigint): bigint => {
  ctx.block.timeNs = second * 1_000_000_000n
  return bank.spendable(ctx, bob, 'unative')
}

describe('an account is created with its coins', () => {
  test('that unlock from the time of the block to the end time', () => {
    messages.createVestingAccount(ctx, { fromAddress, toAddress, amount: texts(100n), endTime: NOW + 100n })
    expect(auth.getAccount(ctx, bob)).toMatchObject({
      kind: 'vesting',
      sequence: 0n,
      vesting: { schedule: { kind: 'continuous', startTime: NOW }, original: coins(100n), endTime: NOW + 100n },
    })
    expect([NOW, NOW + 25n, NOW + 99n, NOW + 100n].map(at)).toEqual([0n, 25n, 99n, 100n])
    expect(bank.balance(ctx, alice, 'unative')).toBe(900n)
    expect(ctx.events.map(({ type }) => type)).toEqual(['coin_spent', 'coin_received', 'transfer', 'message'])
  })

  test('that unlock all at the end time', () => {
    const message = { fromAddress, toAddress, amount: texts(100n), endTime: NOW + DAY, delayed: true }
    messages.createVestingAccount(ctx, message)
    expect([NOW, NOW + DAY - 1n, NOW + DAY].map(at)).toEqual([0n, 0n, 100n])
  })

  test('that never unlock', () => {
    messages.createPermanentLockedAccount(ctx, { fromAddress, toAddress, amount: texts(100n) })
    expect(auth.getAccount(ctx, bob)!.vesting).toMatchObject({ schedule: { kind: 'permanent' }, endTime: 0n })
    expect([NOW, NOW + 1_000n * DAY].map(at)).toEqual([0n, 0n])
  })

  test('that unlock period by period', () => {
    const vestingPeriods = [
      { length: DAY, amount: texts(10n) },
      { length: 2n * DAY, amount: texts(30n) },
    ]
    messages.createPeriodicVestingAccount(ctx, { fromAddress, toAddress, startTime: NOW - 1n, vestingPeriods })
    expect(auth.getAccount(ctx, bob)!.vesting).toMatchObject({ original: coins(40n), endTime: NOW - 1n + 3n * DAY })
    expect([NOW, NOW - 1n + DAY, NOW - 2n + 3n * DAY, NOW - 1n + 3n * DAY].map(at)).toEqual([0n, 10n, 10n, 40n])
  })

  test('also without periods, and then without coins', () => {
    messages.createPeriodicVestingAccount(ctx, { fromAddress, toAddress, startTime: 1n, vestingPeriods: [] })
    expect(auth.getAccount(ctx, bob)!.vesting).toMatchObject({ original: [], endTime: 1n })
    expect(bank.balances(ctx, bob)).toEqual([])
  })

  test('and the next number of all accounts', () => {
    const number = auth.getAccount(ctx, alice)!.number
    messages.createPermanentLockedAccount(ctx, { fromAddress, toAddress, amount: texts(1n) })
    expect(auth.getAccount(ctx, bob)!.number).toBe(number + 1n)
    expect(auth.ensureAccount(ctx, hex('aa'.repeat(20))).number).toBe(number + 2n)
  })
})

describe('refused', () => {
  const create = (init: object) => () =>
    messages.createVestingAccount(ctx, { fromAddress, toAddress, amount: texts(1n), endTime: NOW, ...init })
  const periodic = (init: object) => () =>
    messages.createPeriodicVestingAccount(ctx, { fromAddress, toAddress, startTime: NOW, ...init })

  test.each([
    ['sdk 7', { toAddress: 'chain1' }],
    ['sdk 7', { fromAddress: '' }],
    ['sdk 10', { amount: [] }],
    ['sdk 10', { amount: texts(0n) }],
    ['sdk 10', { amount: texts(-5n) }],
    ['sdk 10', { amount: [...texts(5n), ...texts(5n)] }],
    ['sdk 10', { amount: texts(5n, '!') }],
    ['sdk 18', { endTime: 0n }],
    ['sdk 18', { endTime: -1n }],
    ['sdk 5', { amount: texts(1_001n) }],
    ['sdk 4', { toAddress: formatBech32('chain', vault.address) }],
    ['sdk 18', { toAddress: fromAddress }],
  ])('as %s: %o', (expected, init) => {
    const [codespace, code] = expected.split(' ')
    expect(create(init)).toThrow(expect.objectContaining({ codespace, code: Number(code) }))
  })

  test('a recipient that has an account, by its address', () => {
    expect(create({ toAddress: fromAddress })).toThrow(`account ${fromAddress} already exists`)
  })

  test('coins that cannot be sent, before anything else is read', () => {
    const denom = 'unative'
    const authority = formatBech32('chain', moduleAccount('gov').address)
    bankMessages.setSendEnabled(ctx, { authority, sendEnabled: [{ denom, enabled: false }] })
    const toItself = { toAddress: fromAddress }
    expect(create(toItself)).toThrow(expect.objectContaining({ codespace: 'bank', code: 5 }))
    expect(periodic({ ...toItself, vestingPeriods: [{ length: 1n, amount: texts(1n) }] })).toThrow('already exists')
  })

  test.each([
    ['sdk 10', 'invalid coins', [{ length: 1n, amount: texts(-1n) }]],
    ['sdk 10', 'invalid coins', [{ length: 1n, amount: [] }]],
    [
      'sdk 18',
      'length of 0 seconds in period 1',
      [
        { length: 1n, amount: texts(1n) },
        { length: 0n, amount: texts(1n) },
      ],
    ],
    ['sdk 18', 'length of -5 seconds in period 0', [{ length: -5n, amount: texts(1n) }]],
    ['sdk 18', 'beyond the range of times', [{ length: (1n << 63n) - 1n, amount: texts(1n) }]],
  ])('periods, as %s: %s', (expected, text, vestingPeriods) => {
    const [codespace, code] = expected.split(' ')
    expect(periodic({ vestingPeriods })).toThrow(expect.objectContaining({ codespace, code: Number(code) }))
    expect(periodic({ vestingPeriods })).toThrow(text)
  })

  test('without a code where the Cosmos SDK registers no error', () => {
    ctx = start({ ...almanac, behaviours: behavioursOf(['unregisteredErrors']) })
    const undefinedError = expect.objectContaining({ codespace: 'undefined', code: 1 })
    expect(periodic({ startTime: 0n })).toThrow(undefinedError)
    expect(periodic({ toAddress: 'chain1' })).toThrow(undefinedError)
    expect(periodic({ vestingPeriods: [{ length: 0n, amount: texts(1n) }] })).toThrow(undefinedError)
    expect(periodic({ vestingPeriods: [{ length: 1n, amount: texts(0n) }] })).toThrow(
      expect.objectContaining({ codespace: 'sdk', code: 10 }),
    )
    expect(create({ toAddress: 'chain1' })).toThrow(expect.objectContaining({ codespace: 'sdk', code: 7 }))
  })
})

test('gas is that of the accesses of the Cosmos SDK', () => {
  const gasOf = (run: (paying: BranchedContext) => void): bigint => {
    const gas = createGasMeter(10_000_000n)
    run(ctx.withGas(gas) as BranchedContext)
    return gas.used
  }
  const size = (store: string, key: Uint8Array): bigint => BigInt(key.length + (ctx.store.get(store, key)?.length ?? 0))
  const nextNumber = utf8('globalAccountNumber')
  const accountKey = concat(hex('01'), bob)
  // A read costs 1000 and 3 per byte, a write 2000 and 30 per byte, a presence check 1000 (docs/transactions.md#gas).
  const read = (bytes: bigint) => 1000n + 3n * bytes
  const write = (bytes: bigint) => 2000n + 30n * bytes
  // Parameters of the bank, the switch of the denom, the missing account, and the next number.
  const reads = read(size('bank', hex('05'))) + 1000n + read(21n) + read(size('acc', nextNumber))
  const message = { fromAddress, toAddress, amount: texts(10n), endTime: NOW + DAY }
  const created = gasOf((paying) => void messages.createVestingAccount(paying, message))
  const numberKey = concat(utf8('accountNumber'), hex('0000000000000002'))
  const writes = [size('acc', nextNumber), size('acc', accountKey), size('acc', numberKey)].map(write)
  const stored = writes.reduce((sum, cost) => sum + cost)
  // The same transfer again: it finds balances of the same lengths, but for the first of the recipient.
  ctx = start()
  auth.ensureAccount(ctx, bob)
  const sent = gasOf((paying) => bank.send(paying, alice, bob, coins(10n)))
  expect(created).toBe(reads + stored + sent)
})
