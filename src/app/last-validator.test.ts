/** The last validator, which the embedded engine keeps even in jail (D25): it counts wherever bonded validators count. */
import { expect, test } from 'vitest'
import {
  MsgAggregateExchangeRatePrevoteSchema,
  MsgAggregateExchangeRateVoteSchema,
} from '../gen/chain/oracle/v1beta1/tx_pb.ts'
import { VoteOption } from '../gen/sdk/gov/v1/gov_pb.ts'
import { MsgSubmitProposalSchema, MsgVoteSchema } from '../gen/sdk/gov/v1/tx_pb.ts'
import { queries as gov } from '../modules/gov/queries.ts'
import * as oracle from '../modules/oracle/keeper.ts'
import { voteHash } from '../modules/oracle/vote-text.ts'
import * as staking from '../modules/staking/keeper.ts'
import { formatBech32 } from '../primitives/address.ts'
import { format } from '../primitives/decimal.ts'
import { testChain, testMessage } from './testing.ts'

const PERIOD = 5n
const RATES = '(ubtc:uusd,64250.5)'

test('a chain whose only validator is jailed still decides proposals and prices by its stake', () => {
  const chain = testChain({
    sections: {
      oracle: ({ params }: { readonly params: object }) => ({
        params: { ...params, vote_period: PERIOD.toString(), whitelist: ['ubtc:uusd'] },
      }),
      gov: ({ params }: { readonly params: object }) => ({
        params: {
          ...params,
          voting_period: '20s',
          max_deposit_period: '20s',
          min_deposit: [{ denom: 'unative', amount: '5' }],
        },
      }),
    },
  })
  const [operator] = chain.accounts as [Uint8Array]
  const account = formatBech32('chain', operator)
  const validator = formatBech32('chainvaloper', operator)
  const stored = () => staking.getValidator(chain.read(), operator)!
  chain.block()
  const evidence = [
    {
      kind: 'duplicateVote' as const,
      validator: chain.validator,
      height: 1n,
      timeNs: chain.read().block.timeNs,
      power: 1000n,
      totalPower: 1000n,
    },
  ]
  chain.block([], { evidence })
  expect([stored().jailed, staking.isBonded(stored())]).toEqual([true, true])
  expect(staking.validatorSet(chain.read()).map(({ address }) => address)).toEqual([chain.validator])
  expect(staking.bondedByPower(chain.read()).map(({ operatorAddress }) => operatorAddress)).toEqual([validator])

  const proposal = testMessage(MsgSubmitProposalSchema, {
    messages: [],
    initialDeposit: [{ denom: 'unative', amount: '5' }],
    proposer: account,
    title: 'a title',
    summary: 'a summary',
    metadata: 'ipfs://x',
  })
  expect(chain.send(0, [proposal])).toMatchObject({ code: 0 })
  expect(
    chain.send(0, [testMessage(MsgVoteSchema, { proposalId: 1n, voter: account, option: VoteOption.YES })]),
  ).toMatchObject({ code: 0 })
  const endPeriod = () => {
    do chain.block()
    while ((chain.height + 1n) % PERIOD !== 0n)
  }
  endPeriod()
  const hash = voteHash('1', RATES, validator)
  const prevote = testMessage(MsgAggregateExchangeRatePrevoteSchema, { hash, feeder: account, validator })
  expect(chain.send(0, [prevote])).toMatchObject({ code: 0 })
  endPeriod()
  const vote = { salt: '1', exchangeRates: RATES, feeder: account, validator }
  expect(chain.send(0, [testMessage(MsgAggregateExchangeRateVoteSchema, vote)])).toMatchObject({ code: 0 })
  endPeriod()
  chain.block()
  expect(format(oracle.findRate(chain.read(), 'ubtc:uusd')!.rate)).toBe('64250.500000000000000000')
  for (let i = 0; i < 20; i++) chain.block()
  const { status, finalTallyResult } = gov.proposal(chain.read(), { proposalId: 1n }).proposal!
  // PROPOSAL_STATUS_PASSED, with the whole stake.
  expect([status, finalTallyResult!.yesCount]).toEqual([3, stored().tokens])
})
