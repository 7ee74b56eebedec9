/** Fees in foreign denoms: they cannot make the rewards of others expensive. */
import { expect, test } from 'vitest'
import { MsgUpdateParamsSchema } from '../gen/chain/fees/v1/tx_pb.ts'
import { MsgSendSchema } from '../gen/sdk/bank/v1beta1/tx_pb.ts'
import { MsgFundCommunityPoolSchema, MsgWithdrawDelegatorRewardSchema } from '../gen/sdk/distribution/v1beta1/tx_pb.ts'
import { behavioursOf } from '../identity/behaviours.ts'
import { almanac } from '../identity/profiles/almanac.ts'
import { identityOf } from '../identity/profiles.ts'
import * as bank from '../modules/bank/keeper.ts'
import * as distribution from '../modules/distribution/keeper.ts'
import { outstandingRewards } from '../modules/distribution/rewards.ts'
import { moduleVersions } from '../modules/upgrade/keeper.ts'
import { formatBech32, ofModule } from '../primitives/address.ts'
import type { Coin } from '../primitives/coin.ts'
import { createEmptyBranch } from '../store/branch.ts'
import { type TestChain, testChain, testMessage } from './testing.ts'

const VALIDATOR = 0
const ATTACKER = 1
const [validator, attacker] = testChain().accounts as [Uint8Array, Uint8Array]
const account = (bytes: Uint8Array) => formatBech32('chain', bytes)
const denomAt = (i: number) => `factory/${account(attacker)}/d${i.toString().padStart(4, '0')}`
const coinsOf = (count: number): Coin[] => Array.from({ length: count }, (_, i) => ({ denom: denomAt(i), amount: 5n }))
const textsOf = (coins: readonly Coin[]) => coins.map(({ denom, amount }) => ({ denom, amount: amount.toString() }))

interface BankSection {
  readonly balances: readonly { readonly address: string; readonly coins: readonly unknown[] }[]
  readonly supply: readonly unknown[]
}

/** Starts a chain on which the attacker, or with `stray` the fee collector, holds this many denoms, each 1000 units. */
function start(denoms: number, { allowed = [] as readonly string[], identity = almanac, stray = false } = {}) {
  const held = Array.from({ length: denoms }, (_, i) => ({ denom: denomAt(i), amount: '1000' }))
  const collector = { address: account(ofModule('fee_collector')), coins: held }
  const give = (balances: BankSection['balances']) =>
    balances.map((one) => (one.address === account(attacker) ? { ...one, coins: [...held, ...one.coins] } : one))
  return testChain({
    identity,
    sections: {
      fees: () => ({ params: { allowed_denoms: allowed } }),
      bank: ({ balances, supply }: BankSection) => ({
        balances: stray ? [...balances, collector] : give(balances),
        supply: [...held, ...supply],
      }),
    },
  })
}

/** Makes a withdrawal by the validator after a block with fees, and returns its result. */
function withdraw(chain: TestChain) {
  const amount = [{ denom: 'unative', amount: '5' }]
  chain.send(VALIDATOR, [
    testMessage(MsgSendSchema, { fromAddress: account(validator), toAddress: account(attacker), amount }),
  ])
  return chain.send(VALIDATOR, [
    testMessage(MsgWithdrawDelegatorRewardSchema, {
      delegatorAddress: account(validator),
      validatorAddress: formatBech32('chainvaloper', validator),
    }),
  ])
}

const send = { fromAddress: account(attacker), toAddress: account(validator) }
const oneNative = [testMessage(MsgSendSchema, { ...send, amount: [{ denom: 'unative', amount: '1' }] })]

test.each([600, 1500])(
  'fees and deposits in %i factory denoms leave a withdrawal and a block as cheap as before',
  (count) => {
    const calm = start(count)
    withdraw(calm)
    const usual = withdraw(calm)
    expect(usual.code).toBe(0)

    const chain = start(count)
    const coins = coinsOf(count)
    const paid = chain.send(ATTACKER, oneNative, { fee: coins })
    expect(paid).toMatchObject({ codespace: 'sdk', code: 13 })
    expect(paid.log).toContain(`fees are paid in unative; got: 5${denomAt(0)}: insufficient fee`)
    const deposit = chain.send(ATTACKER, [
      testMessage(MsgFundCommunityPoolSchema, { depositor: account(attacker), amount: textsOf(coins) }),
    ])
    expect(deposit).toMatchObject({ codespace: 'sdk', code: 10 })
    const collector = account(ofModule('fee_collector'))
    const stray = chain.send(ATTACKER, [
      testMessage(MsgSendSchema, { ...send, toAddress: collector, amount: textsOf(coins) }),
    ])
    expect(stray).toMatchObject({ codespace: 'sdk', code: 4 })
    withdraw(chain)
    const ctx = chain.read()
    expect(outstandingRewards(ctx, validator).map(({ denom }) => denom)).toEqual(['unative'])
    expect(distribution.communityPool(ctx).map(({ denom }) => denom)).toEqual(['unative'])
    expect(bank.balances(ctx, attacker).length).toBe(count + 1)
    const after = withdraw(chain)
    expect(after.code).toBe(0)
    // Amounts of more digits are the only difference.
    expect(Number(after.gasUsed) / Number(usual.gasUsed)).toBeCloseTo(1, 1)
    const written = chain.block().branch.changes()
    expect(written.length).toBeLessThan(40)
    expect(written.reduce((sum, { value }) => sum + (value?.length ?? 0), 0)).toBeLessThan(10_000)
  },
)

test('under the behaviour feesInAnyDenom a fee in 600 denoms makes a withdrawal 200 times as expensive', () => {
  const chain = start(600, { identity: { ...almanac, behaviours: behavioursOf(['feesInAnyDenom']) } })
  expect(chain.send(ATTACKER, oneNative, { fee: coinsOf(600) }).code).toBe(0)
  const { code, gasUsed } = withdraw(chain)
  expect([code, gasUsed > 15_000_000n]).toEqual([0, true])
})

test('a fee is accepted in the denoms of the parameters, and each of its denoms must be', () => {
  const chain = start(3, { allowed: [denomAt(1)] })
  const [first, second] = coinsOf(2) as [Coin, Coin]
  expect(chain.send(ATTACKER, oneNative, { fee: [second] }).code).toBe(0)
  expect(chain.send(ATTACKER, oneNative, { fee: [second, { denom: 'unative', amount: 3n }] }).code).toBe(0)
  const mixed = chain.send(ATTACKER, oneNative, { fee: [first, { denom: 'unative', amount: 3n }] })
  expect(mixed.log).toBe(`fees are paid in unative, ${denomAt(1)}; got: 5${denomAt(0)}: insufficient fee`)
  chain.block()
  expect(outstandingRewards(chain.read(), validator).map(({ denom }) => denom)).toEqual([denomAt(1), 'unative'])
  const amount = textsOf([second])
  expect(
    chain.send(ATTACKER, [testMessage(MsgFundCommunityPoolSchema, { depositor: account(attacker), amount })]).code,
  ).toBe(0)
})

test('coins of a denom that is not accepted remain in the collector, and reach validators once it is', () => {
  const chain = start(1, { stray: true })
  const collector = ofModule('fee_collector')
  chain.block()
  chain.block()
  expect(bank.balance(chain.read(), collector, denomAt(0))).toBe(1000n)
  expect(outstandingRewards(chain.read(), validator)).toEqual([])
  const open = start(1, { stray: true, allowed: [denomAt(0)] })
  open.block()
  open.block()
  expect(bank.balance(open.read(), collector, denomAt(0))).toBe(0n)
  // The community tax is 2 percent.
  expect(outstandingRewards(open.read(), validator)).toEqual([{ denom: denomAt(0), amount: 980n * 10n ** 18n }])
})

test('only governance changes the denoms of fees', () => {
  const chain = start(1)
  const params = { allowedDenoms: [denomAt(0)] }
  const result = chain.send(ATTACKER, [testMessage(MsgUpdateParamsSchema, { authority: account(attacker), params })])
  expect(result).toMatchObject({ codespace: 'gov', code: 13 })
})

test('the documents of a replayed chain have a section fees only if it says something', () => {
  const replayed = identityOf('nibiru')
  const exported = ({ app, read, genesis }: TestChain) => app.exportGenesis(read(), genesis).app_state['fees']
  expect(exported(testChain())).toEqual({ params: { allowed_denoms: [] } })
  const plain = testChain({ identity: replayed })
  expect([plain.genesis.app_state['fees'], exported(plain)]).toEqual([undefined, undefined])
  const params = { allowed_denoms: ['ufoo'] }
  expect(exported(testChain({ identity: replayed, sections: { fees: () => ({ params }) } }))).toEqual({ params })
})

test('a genesis without the section fees, and a chain of a build without the module, have the same state', () => {
  const { app, genesis, read } = testChain()
  const { fees, ...sections } = genesis.app_state
  expect(fees).toBeDefined()
  const stateOf = (document: typeof genesis) => {
    const branch = createEmptyBranch()
    app.initChain(document, branch)
    return branch.changes()
  }
  expect(stateOf({ ...genesis, app_state: sections })).toEqual(stateOf(genesis))
  expect(moduleVersions(read()).has('fees')).toBe(false)
})
