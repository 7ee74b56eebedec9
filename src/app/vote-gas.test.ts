/** Gas of oracle messages: constant for the feeders of validators, once a period, and that of the work for everybody else. */
import { expect, test } from 'vitest'
import {
  MsgAggregateExchangeRatePrevoteSchema,
  MsgAggregateExchangeRateVoteSchema,
} from '../gen/chain/oracle/v1beta1/tx_pb.ts'
import { behavioursOf } from '../identity/behaviours.ts'
import { almanac } from '../identity/profiles/almanac.ts'
import * as oracle from '../modules/oracle/keeper.ts'
import { voteHash } from '../modules/oracle/vote-text.ts'
import { formatBech32 } from '../primitives/address.ts'
import { format } from '../primitives/decimal.ts'
import { type TestChain, testChain, testMessage } from './testing.ts'

const VALIDATOR = 0
const STRANGER = 1
const PERIOD = 5n
const RATES = '(ubtc:uusd,64250.5)'
/** Text of 4,091 bytes; a vote can have 4,096. */
const LONG = Array.from({ length: 341 }, (_, i) => `(a${i.toString(36).padStart(2, '0')}:bbb,1)`).join('|')

function start(identity = almanac): TestChain {
  return testChain({
    identity,
    sections: {
      oracle: ({ params }: { readonly params: object }) => ({
        params: { ...params, vote_period: PERIOD.toString(), whitelist: ['ubtc:uusd', 'ueth:uusd'] },
      }),
    },
  })
}

const [operatorBytes, strangerBytes] = testChain().accounts as [Uint8Array, Uint8Array]
const operator = formatBech32('chainvaloper', operatorBytes)
const feederOf = (who: number) => formatBech32('chain', who === VALIDATOR ? operatorBytes : strangerBytes)
const prevote = (who = VALIDATOR, salt = '1', exchangeRates = RATES) =>
  testMessage(MsgAggregateExchangeRatePrevoteSchema, {
    hash: voteHash(salt, exchangeRates, operator),
    feeder: feederOf(who),
    validator: operator,
  })
const vote = (who = VALIDATOR, salt = '1', exchangeRates = RATES) =>
  testMessage(MsgAggregateExchangeRateVoteSchema, { salt, exchangeRates, feeder: feederOf(who), validator: operator })

/** Makes blocks until the next one begins a voting period. */
function endPeriod(chain: TestChain): void {
  do chain.block()
  while ((chain.height + 1n) % PERIOD !== 0n)
}

test('the feeder of a bonded validator pays 500 gas for a prevote and for the vote that reveals it', () => {
  const chain = start()
  endPeriod(chain)
  expect(chain.send(VALIDATOR, [prevote()])).toMatchObject({ code: 0, gasUsed: 500n })
  endPeriod(chain)
  expect(chain.send(VALIDATOR, [vote(), prevote(VALIDATOR, '2')])).toMatchObject({ code: 0, gasUsed: 500n })
  endPeriod(chain)
  chain.block()
  expect(format(oracle.findRate(chain.read(), 'ubtc:uusd')!.rate)).toBe('64250.500000000000000000')
  // The gas limit of feeders can be as low as their price.
  expect(chain.send(VALIDATOR, [vote(VALIDATOR, '2')], { gasLimit: 500n })).toMatchObject({ code: 0, gasUsed: 500n })
})

test('a second prevote in a period, a vote that reveals nothing and a vote after its prevote’s successor cost their work', () => {
  const chain = start()
  endPeriod(chain)
  expect(chain.send(VALIDATOR, [prevote()]).gasUsed).toBe(500n)
  const second = chain.send(VALIDATOR, [prevote(VALIDATOR, '2')])
  expect([second.code, second.gasUsed > 20_000n]).toEqual([0, true])
  const early = chain.send(VALIDATOR, [vote(VALIDATOR, '2')])
  expect([early.codespace, early.code, early.gasUsed > 20_000n]).toEqual(['oracle', 9, true])
  endPeriod(chain)
  const wrong = chain.send(VALIDATOR, [vote(VALIDATOR, '1')])
  expect([wrong.codespace, wrong.code, wrong.gasUsed > 20_000n]).toEqual(['oracle', 8, true])
  const swapped = chain.send(VALIDATOR, [prevote(), vote(VALIDATOR, '2')])
  expect([swapped.code !== 0, swapped.gasUsed > 20_000n]).toEqual([true, true])
  expect(chain.send(VALIDATOR, [vote(VALIDATOR, '2'), prevote()])).toMatchObject({ code: 0, gasUsed: 500n })
  expect(chain.send(VALIDATOR, [vote(VALIDATOR, '2')])).toMatchObject({ codespace: 'oracle', code: 9 })
})

test('22 MB of oracle transactions of strangers cost more gas than five blocks have', () => {
  const chain = start()
  endPeriod(chain)
  const tx = chain.sign(STRANGER, [vote(STRANGER, '1', LONG)])
  expect(tx.length).toBeGreaterThan(4300)
  const [result] = chain.block([tx]).results
  expect(result).toMatchObject({ codespace: 'oracle', code: 5 })
  // 10 gas for each byte, and more for the signature and the fee.
  expect(result!.gasUsed > 10n * BigInt(tx.length)).toBe(true)
  const whole = (22_020_096n / BigInt(tx.length)) * result!.gasUsed
  expect(whole > 5n * 60_000_000n).toBe(true)
  const small = start()
  const short = small.sign(STRANGER, [prevote(STRANGER)])
  const { gasUsed } = small.block([short]).results[0]!
  expect((22_020_096n / BigInt(short.length)) * gasUsed > 5n * 60_000_000n).toBe(true)
})

test('under the behaviour strangersVoteCheaply a stranger pays 500 gas for 4 kB', () => {
  const chain = start({ ...almanac, behaviours: behavioursOf(['strangersVoteCheaply']) })
  const result = chain.send(STRANGER, [vote(STRANGER, '1', LONG)])
  expect(result).toMatchObject({ codespace: 'oracle', code: 5, gasUsed: 500n })
})

test('a vote in the name of a feeder with a false signature costs its work', () => {
  const chain = start()
  endPeriod(chain)
  const tx = chain.sign(VALIDATOR, [prevote()])
  tx[tx.length - 1]! ^= 1
  const [result] = chain.block([tx]).results
  expect([result!.codespace, result!.code, result!.gasUsed > 5000n]).toEqual(['sdk', 4, true])
  expect(chain.send(VALIDATOR, [prevote()]).gasUsed).toBe(500n)
})

test('the pool prices a second prevote of a period as a block does', () => {
  const chain = start()
  endPeriod(chain)
  const tx = chain.sign(VALIDATOR, [prevote()])
  expect(chain.check(tx)).toMatchObject({ code: 0, gasUsed: 500n, order: { isDueVote: true, costWei: 0n } })
  const next = chain.app.check(chain.sign(VALIDATOR, [prevote(VALIDATOR, '2')], { sequence: 1n }), 'check')
  expect([next.code, next.gasUsed > 5000n, next.order!.isDueVote]).toEqual([0, true, false])
  // The pool's reservation is in no block.
  expect(chain.send(VALIDATOR, [prevote()])).toMatchObject({ code: 0, gasUsed: 500n })
})

test('a vote has at most 64 rates more than the whitelist', () => {
  const chain = start()
  const many = (count: number) => Array.from({ length: count }, (_, i) => `(aa${i}:bbb,1)`).join('|')
  for (const [count, code] of [
    [66, 0],
    [67, 18],
  ] as const) {
    endPeriod(chain)
    chain.send(VALIDATOR, [prevote(VALIDATOR, '1', many(count))])
    endPeriod(chain)
    const result = chain.send(VALIDATOR, [vote(VALIDATOR, '1', many(count))])
    expect(result.code).toBe(code)
    if (code !== 0)
      expect(result.log).toBe(
        'failed to execute message; message index: 0: a vote has at most 66 rates, got 67: invalid request',
      )
  }
})
