/** The rules of the bank hold for conversions: locked coins, disabled denoms, accounts of modules, admins of factory denoms. */
import { create } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import { DenomUnitSchema, MetadataSchema } from '../../../gen/sdk/bank/v1beta1/bank_pb.ts'
import * as address from '../../../identity/address.ts'
import { type BehaviourName, behavioursOf } from '../../../identity/behaviours.ts'
import { almanac } from '../../../identity/profiles/almanac.ts'
import { hex } from '../../../primitives/bytes.ts'
import { governance } from '../../../sdk/authority.ts'
import type { Context } from '../../../sdk/context.ts'
import { testContext } from '../../../sdk/testing.ts'
import { createGasMeter } from '../../../store/gas.ts'
import { auth as authModule } from '../../auth/index.ts'
import * as auth from '../../auth/keeper.ts'
import * as bank from '../../bank/keeper.ts'
import { messages as bankMessages } from '../../bank/messages.ts'
import { setAdmin } from '../../tokenfactory/keeper.ts'
import { localnetGenesis } from '../development/localnet.ts'
import { evm } from '../index.ts'
import * as keeper from '../keeper.ts'
import { messages } from '../messages.ts'
import { evmAccount } from '../state.ts'
import { readErc20 } from './erc20.ts'

const ALICE = new Uint8Array(20).fill(0xa1)
const BOB = new Uint8Array(20).fill(0xb0)
const GOLD = 'factory/x/gold'
const WNATIVE = hex('0cacf669f8446beca826913a3c6b96acd4b02a97')
const UNIT = 10n ** 12n

const text = (ctx: Context, bytes: Uint8Array): string => address.format(ctx, bytes)

function fund(ctx: Context, to: Uint8Array, denom: string, amount: bigint): void {
  bank.mint(ctx, evmAccount, [{ denom, amount }])
  bank.send(ctx, evmAccount.address, to, [{ denom, amount }])
}

/** Returns a chain on which Alice has 1,000 gold, which any account can map, and 5 * 10^10 unative. */
function chain(...behaviours: BehaviourName[]): Context {
  const identity = { ...almanac, behaviours: behavioursOf(behaviours) }
  const ctx = testContext({ identity, modules: [authModule, evm], block: { gasLimit: 60_000_000n } })
  evm.genesis!.init(ctx, localnetGenesis(ctx))
  fund(ctx, ALICE, 'unative', 50_000_000_000n)
  fund(ctx, ALICE, GOLD, 1000n)
  const denomUnits = [create(DenomUnitSchema, { denom: GOLD }), create(DenomUnitSchema, { denom: 'gold', exponent: 6 })]
  bank.setMetadata(
    ctx,
    create(MetadataSchema, { name: 'Gold', symbol: 'GOLD', base: GOLD, display: 'gold', denomUnits }),
  )
  return ctx
}

const map = (ctx: Context, who = ALICE): Uint8Array =>
  messages.createFunToken(ctx, { sender: text(ctx, who), fromBankDenom: GOLD }).funtokenMapping!.erc20Addr

const toEvm = (ctx: Context, denom: string, amount: bigint, to: Uint8Array = BOB) =>
  messages.convertCoinToEvm(ctx, {
    sender: text(ctx, ALICE),
    toEthAddr: to.slice(),
    bankCoin: { denom, amount: amount.toString() },
  })

const toCoin = (ctx: Context, contract: Uint8Array, amount: bigint, to: Uint8Array = BOB) =>
  messages.convertEvmToCoin(ctx, {
    sender: text(ctx, ALICE),
    erc20Addr: contract.slice(),
    amount: amount.toString(),
    toAddr: text(ctx, to),
  })

/** Locks coins of Alice permanently. */
function lock(ctx: Context, denom: string, amount: bigint): void {
  const coins = { original: [{ denom, amount }], delegatedFree: [], delegatedVesting: [] }
  const vesting = { schedule: { kind: 'permanent' } as const, ...coins, endTime: 0n }
  auth.setAccount(ctx, { ...auth.ensureAccount(ctx, ALICE), kind: 'vesting', vesting })
}

describe('locked coins', () => {
  test('of a mapped denom do not become tokens', () => {
    const ctx = chain()
    map(ctx)
    lock(ctx, GOLD, 900n)
    expect(() => toEvm(ctx.branch(), GOLD, 101n)).toThrow(
      `spendable balance 100${GOLD} is smaller than 101${GOLD}: insufficient funds`,
    )
    toEvm(ctx, GOLD, 100n)
    expect(bank.balance(ctx, ALICE, GOLD)).toBe(900n)
  })

  test('of the base denom cannot be wrapped, but under the behaviour lockedCoinsMoveInEvm', () => {
    const balance = 50_000_000_000n
    const ctx = chain()
    lock(ctx, 'unative', balance - 10n)
    expect(() => toEvm(ctx.branch(), 'unative', 11n)).toThrow('spendable balance 10unative is smaller than 11unative')
    toEvm(ctx, 'unative', 10n)
    expect(readErc20(ctx, WNATIVE, BOB).balance).toBe(10n * UNIT)
    const open = chain('lockedCoinsMoveInEvm')
    lock(open, 'unative', balance)
    toEvm(open, 'unative', 11n)
    expect(bank.balance(open, ALICE, 'unative')).toBe(balance - 11n)
  })

  test('that a withdrawal fills up stay with the holder', () => {
    const ctx = chain()
    toEvm(ctx, 'unative', 30n, ALICE)
    lock(ctx, 'unative', 50_000_000_000n)
    // The withdrawn 20 are locked as soon as they arrive, so that they cannot move on.
    expect(() => toCoin(ctx.branch(), WNATIVE, 20n * UNIT)).toThrow('spendable balance 0wei is smaller than')
    toCoin(ctx, WNATIVE, 20n * UNIT, ALICE)
    expect(bank.balance(ctx, ALICE, 'unative')).toBe(50_000_000_000n - 10n)
  })
})

describe('a denom with disabled transfers', () => {
  const disable = (ctx: Context, denom: string) =>
    bankMessages.setSendEnabled(ctx, { authority: text(ctx, governance), sendEnabled: [{ denom, enabled: false }] })

  test('is converted in neither direction, but under the behaviour evmIgnoresSendEnabled', () => {
    for (const [behaviours, refused] of [
      [[], true],
      [['evmIgnoresSendEnabled'], false],
    ] as const) {
      const ctx = chain(...behaviours)
      const gold = map(ctx)
      toEvm(ctx, GOLD, 100n, ALICE)
      toEvm(ctx, 'unative', 100n, ALICE)
      for (const [denom, contract, unit] of [
        [GOLD, gold, 1n],
        ['unative', WNATIVE, UNIT],
      ] as const) {
        disable(ctx, denom)
        for (const convert of [() => toEvm(ctx, denom, 5n), () => toCoin(ctx, contract, 5n * unit)]) {
          if (refused) expect(convert).toThrow(expect.objectContaining({ codespace: 'bank', code: 5 }))
          else convert()
        }
      }
    }
  })

  test('is looked up without gas, so that a conversion costs what it costs on the reference', () => {
    const ctx = chain()
    map(ctx)
    const used = (behaviours: BehaviourName[]) => {
      const meter = createGasMeter(10n ** 9n)
      const metered = ctx.branch().withGas(meter)
      const identity = { ...almanac, behaviours: behavioursOf(behaviours) }
      toEvm({ ...metered, identity }, GOLD, 5n)
      return meter.used
    }
    expect(used([])).toBe(used(['evmIgnoresSendEnabled', 'lockedCoinsMoveInEvm']))
  })
})

test('neither coins nor tokens of a conversion reach the account of a module', () => {
  const ctx = chain()
  const gold = map(ctx)
  toEvm(ctx, GOLD, 100n, ALICE)
  toEvm(ctx, 'unative', 100n, ALICE)
  const module = evmAccount.address
  const refused = expect.objectContaining({ codespace: 'sdk', code: 4 })
  for (const denom of [GOLD, 'unative']) expect(() => toEvm(ctx.branch(), denom, 1n, module)).toThrow(refused)
  for (const [contract, amount] of [
    [gold, 1n],
    [WNATIVE, UNIT],
  ] as const) {
    expect(() => toCoin(ctx.branch(), contract, amount, module)).toThrow(refused)
  }
})

test('a conversion leaves the nonce of the holder alone, but under the behaviour moduleCallsRaiseNonces', () => {
  for (const [behaviours, nonce] of [
    [[], 7n],
    [['moduleCallsRaiseNonces'], 10n],
  ] as const) {
    const ctx = chain(...behaviours)
    auth.setAccount(ctx, { ...auth.getAccount(ctx, ALICE)!, sequence: 7n })
    // A deposit and a transfer; then a withdrawal. A grantee of Alice can send both messages.
    toEvm(ctx, 'unative', 2n, BOB)
    toEvm(ctx, 'unative', 2n, ALICE)
    expect(keeper.nonce(ctx, ALICE)).toBe(nonce)
  }
})

test('only the admin of a factory denom maps it, and after a renunciation any account', () => {
  const refused = expect.objectContaining({ codespace: 'sdk', code: 4 })
  const ctx = chain()
  fund(ctx, BOB, 'unative', 10_000_000_000n)
  setAdmin(ctx, GOLD, ALICE)
  expect(() => map(ctx.branch(), BOB)).toThrow(refused)
  expect(() => map(ctx.branch(), ALICE)).not.toThrow()
  const renounced = ctx.branch()
  setAdmin(renounced, GOLD, undefined)
  expect(() => map(renounced, BOB)).not.toThrow()
  const reference = chain('anyoneMapsFactoryDenoms')
  fund(reference, BOB, 'unative', 10_000_000_000n)
  setAdmin(reference, GOLD, ALICE)
  expect(() => map(reference, BOB)).not.toThrow()
})
