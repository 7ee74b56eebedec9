/** Minting and distribution at the end of an epoch (docs/modules/inflation.md#block-hooks). */
import { create } from '@bufbuild/protobuf'
import {
  EventInflationDistributionSchema,
  InflationDistributionSchema,
} from '../../gen/chain/inflation/v1/inflation_pb.ts'
import type { Coin } from '../../primitives/coin.ts'
import * as decimal from '../../primitives/decimal.ts'
import type { Context } from '../../sdk/context.ts'
import * as auth from '../auth/keeper.ts'
import * as bank from '../bank/keeper.ts'
import * as distribution from '../distribution/keeper.ts'
import type { Epoch } from '../epochs/hooks.ts'
import * as sudo from '../sudo/keeper.ts'
import { errors } from './errors.ts'
import * as inflation from './keeper.ts'
import { provision, split } from './provision.ts'
import * as state from './state.ts'

/** Identifier of the epochs that mint. */
const DAY = 'day'

/** The supply must stay below this value: its amount in wei must fit an EVM word. */
const SUPPLY_LIMIT = 1n << 200n

/** Mints at the end of a day, or counts the day as skipped. */
export function mintEpoch(ctx: Context, { identifier, number }: Epoch): void {
  if (identifier !== DAY) return
  const params = inflation.params(ctx)
  const skipped = inflation.skippedEpochs(ctx)
  if (!params.inflationEnabled) {
    state.skippedEpochs.set(ctx, params.hasInflationStarted ? skipped + 1n : number)
    return
  }
  const period = inflation.period(ctx)
  const perEpoch = provision(params, period)
  const minted = decimal.truncate(perEpoch)
  if (minted <= 0n) {
    if (!ctx.identity.behaviours.idleEpochsUncounted) state.skippedEpochs.set(ctx, skipped + 1n)
    return
  }
  distribute(ctx, minted, params.inflationDistribution ?? create(InflationDistributionSchema))
  if (number - params.epochsPerPeriod * period - skipped >= params.epochsPerPeriod) {
    state.period.set(ctx, period + 1n)
  }
  ctx.emitEvent('inflation', {
    epoch_number: (number - skipped).toString(),
    epoch_provisions: decimal.format(perEpoch),
    amount: minted.toString(),
  })
}

function distribute(ctx: Context, minted: bigint, ratios: Parameters<typeof split>[1]): void {
  const denom = ctx.identity.baseDenom
  if (bank.supply(ctx, denom) + minted >= SUPPLY_LIMIT) throw errors.supplyTooLarge(`${minted}${denom}`)
  const coin = (amount: bigint): Coin => ({ denom, amount })
  bank.mint(ctx, state.account, [coin(minted)])
  const { staking, community } = split(minted, ratios)
  if (staking > 0n) bank.sendToModule(ctx, state.account.address, auth.feeCollector, [coin(staking)])
  if (community > 0n) distribution.fundCommunityPool(ctx, state.account.address, [coin(community)])
  const reserve = payReserve(ctx, denom)
  const text = (amount: bigint) => ({ denom, amount: amount.toString() })
  ctx.emit(EventInflationDistributionSchema, {
    stakingRewards: text(staking),
    strategicReserve: text(reserve),
    communityPool: text(community),
  })
}

/** Sends the whole remaining balance to the sudo root. Without one that can receive it the coins wait in the account (D27). */
function payReserve(ctx: Context, denom: string): bigint {
  const amount = bank.balance(ctx, state.account.address, denom)
  const root = sudo.root(ctx)
  if (amount === 0n || root === undefined || ctx.app.isBlocked(root)) return 0n
  bank.send(ctx, state.account.address, root, [{ denom, amount }])
  return amount
}
