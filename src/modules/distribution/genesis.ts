/** Genesis of distribution: community pool, withdraw addresses, and records of rewards. */
import { create } from '@bufbuild/protobuf'
import { GenesisStateSchema } from '../../gen/sdk/distribution/v1beta1/genesis_pb.ts'
import * as address from '../../identity/address.ts'
import { add, type DecCoins, decode, encode, truncate } from '../../primitives/dec-coin.ts'
import type { Context } from '../../sdk/context.ts'
import { required, withErrorPath } from '../../sdk/error-path.ts'
import { errors } from '../../sdk/errors.ts'
import { fromJson, toJson } from '../../sdk/json.ts'
import type { GenesisHandlers } from '../../sdk/module.ts'
import * as auth from '../auth/keeper.ts'
import * as bank from '../bank/keeper.ts'
import { defaultParams, params, validateParams } from './params.ts'
import { communityPool, setCommunityPool } from './pool.ts'
import { setCommission, setCurrent, setOutstanding } from './rewards.ts'
import * as state from './state.ts'

/** Throws sdk 18 unless the module's balance covers the amount owed, in each denom. More can lie there: nothing pays it out. */
function requireHolding(ctx: Context, owed: DecCoins): void {
  for (const { denom, amount } of truncate(owed).coins) {
    const held = bank.balance(ctx, state.distributionAccount.address, denom)
    if (held < amount) {
      throw errors.invalidRequest(
        `the balance of the distribution account is ${held}${denom}, its records add up to ${amount}${denom}`,
      )
    }
  }
}

export const genesis: GenesisHandlers = {
  defaults: (ctx) =>
    toJson(ctx, GenesisStateSchema, create(GenesisStateSchema, { params: defaultParams(), feePool: {} })),
  init(ctx, json) {
    const data = fromJson(ctx, GenesisStateSchema, json, 'distribution')
    const chosen = data.params ?? defaultParams()
    withErrorPath('params', () => validateParams(chosen))
    state.params.set(ctx, chosen)
    setCommunityPool(ctx, decode(data.feePool?.communityPool ?? []))
    const operator = (text: string) => address.parseValidator(ctx, text)
    let owed = decode(data.feePool?.communityPool ?? [])
    for (const [i, info] of data.delegatorWithdrawInfos.entries()) {
      withErrorPath(`delegator_withdraw_infos[${i}]`, () =>
        state.withdrawAddresses.set(
          ctx,
          address.parse(ctx, info.delegatorAddress),
          address.parse(ctx, info.withdrawAddress),
        ),
      )
    }
    const { previousProposer } = data
    state.previousProposer.set(
      ctx,
      previousProposer === '' ? new Uint8Array(0) : address.parseConsensus(ctx, previousProposer),
    )
    for (const [i, record] of data.outstandingRewards.entries()) {
      withErrorPath(`outstanding_rewards[${i}]`, () => {
        const key = operator(record.validatorAddress)
        setOutstanding(ctx, key, decode(record.outstandingRewards))
        owed = add(owed, decode(record.outstandingRewards))
      })
    }
    for (const [i, { validatorAddress, accumulated }] of data.validatorAccumulatedCommissions.entries()) {
      withErrorPath(`validator_accumulated_commissions[${i}]`, () =>
        setCommission(ctx, operator(validatorAddress), decode(required(accumulated, 'accumulated').commission)),
      )
    }
    for (const [i, { validatorAddress, period, rewards }] of data.validatorHistoricalRewards.entries()) {
      withErrorPath(`validator_historical_rewards[${i}]`, () =>
        state.historical.set(ctx, [operator(validatorAddress), period], required(rewards, 'rewards')),
      )
    }
    for (const [i, { validatorAddress, rewards: given }] of data.validatorCurrentRewards.entries()) {
      withErrorPath(`validator_current_rewards[${i}]`, () => {
        const { rewards, period } = required(given, 'rewards')
        setCurrent(ctx, operator(validatorAddress), decode(rewards), period)
      })
    }
    for (const [i, record] of data.delegatorStartingInfos.entries()) {
      withErrorPath(`delegator_starting_infos[${i}]`, () => {
        const key = [operator(record.validatorAddress), address.parse(ctx, record.delegatorAddress)] as const
        state.startingInfos.set(ctx, key, required(record.startingInfo, 'starting_info'))
      })
    }
    for (const [i, record] of data.validatorSlashEvents.entries()) {
      withErrorPath(`validator_slash_events[${i}]`, () => {
        const key = [operator(record.validatorAddress), record.height, record.period] as const
        state.slashEvents.set(ctx, key, required(record.validatorSlashEvent, 'validator_slash_event'))
      })
    }
    auth.ensureModuleAccount(ctx, state.distributionAccount)
    requireHolding(ctx, owed)
  },
  export(ctx) {
    const text = (operator: Uint8Array) => address.formatValidator(ctx, operator)
    const proposer = state.previousProposer.get(ctx)
    return toJson(
      ctx,
      GenesisStateSchema,
      create(GenesisStateSchema, {
        params: params(ctx),
        feePool: { communityPool: encode(communityPool(ctx)) },
        delegatorWithdrawInfos: [...state.withdrawAddresses.iterate(ctx)].map(([delegator, target]) => ({
          delegatorAddress: address.format(ctx, delegator),
          withdrawAddress: address.format(ctx, target),
        })),
        previousProposer: proposer?.length ? address.formatConsensus(ctx, proposer) : '',
        outstandingRewards: [...state.outstanding.iterate(ctx)].map(([operator, rewards]) => ({
          validatorAddress: text(operator),
          outstandingRewards: encode(rewards),
        })),
        validatorAccumulatedCommissions: [...state.commissions.iterate(ctx)].map(([operator, coins]) => ({
          validatorAddress: text(operator),
          accumulated: { commission: encode(coins) },
        })),
        validatorHistoricalRewards: [...state.historical.iterate(ctx)].map(([[operator, period], rewards]) => ({
          validatorAddress: text(operator),
          period,
          rewards,
        })),
        validatorCurrentRewards: [...state.current.iterate(ctx)].map(([operator, { rewards, period }]) => ({
          validatorAddress: text(operator),
          rewards: { rewards: encode(rewards), period },
        })),
        delegatorStartingInfos: [...state.startingInfos.iterate(ctx)].map(([[operator, delegator], startingInfo]) => ({
          delegatorAddress: address.format(ctx, delegator),
          validatorAddress: text(operator),
          startingInfo,
        })),
        validatorSlashEvents: [...state.slashEvents.iterate(ctx)].map(([[operator, height, period], event]) => ({
          validatorAddress: text(operator),
          height,
          period,
          validatorSlashEvent: event,
        })),
      }),
    )
  },
}
