/** Genesis of governance: parameters, proposals with their queues, deposits and votes. */
import { create } from '@bufbuild/protobuf'
import { type GenesisState, GenesisStateSchema } from '../../gen/sdk/gov/v1/genesis_pb.ts'
import { type Params, ProposalStatus } from '../../gen/sdk/gov/v1/gov_pb.ts'
import * as address from '../../identity/address.ts'
import { add, type Coin } from '../../primitives/coin.ts'
import type { Context } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { fromJson, nanoseconds, toJson } from '../../sdk/json.ts'
import type { GenesisHandlers } from '../../sdk/module.ts'
import { inPlace } from '../../sdk/place.ts'
import * as auth from '../auth/keeper.ts'
import * as bank from '../bank/keeper.ts'
import { parseDepositCoins } from './deposits.ts'
import { errors } from './errors.ts'
import { defaultParams, params, validateParams } from './params.ts'
import { setProposal } from './proposals.ts'
import * as state from './state.ts'
import { requireOptions } from './votes.ts'

/** The parameters of a document, in one part or, as older documents have them, in three. */
function paramsOf(ctx: Context, { params: whole, depositParams, votingParams, tallyParams }: GenesisState): Params {
  if (whole) return whole
  const { $typeName: _d, ...deposit } = depositParams ?? { $typeName: '' }
  const { $typeName: _v, ...voting } = votingParams ?? { $typeName: '' }
  const { $typeName: _t, ...tally } = tallyParams ?? { $typeName: '' }
  return { ...defaultParams(ctx.identity), ...deposit, ...voting, ...tally }
}

function requireFunded(ctx: Context, total: readonly Coin[]): void {
  for (const { denom, amount } of total) {
    const held = bank.balance(ctx, state.account.address, denom)
    if (held < amount) {
      throw sdkErrors.invalidRequest(`deposits of ${amount}${denom} are open, the module account holds ${held}${denom}`)
    }
  }
}

export const genesis: GenesisHandlers = {
  defaults: (ctx) =>
    toJson(
      ctx,
      GenesisStateSchema,
      create(GenesisStateSchema, { startingProposalId: 1n, params: defaultParams(ctx.identity) }),
    ),
  init(ctx, json) {
    const data = fromJson(ctx, GenesisStateSchema, json, 'gov')
    if (data.startingProposalId === 0n) throw errors.invalidGenesis('starting_proposal_id')
    const chosen = paramsOf(ctx, data)
    inPlace('params', () => validateParams(chosen))
    auth.ensureModuleAccount(ctx, state.account)
    state.nextId.set(ctx, data.startingProposalId)
    state.params.set(ctx, chosen)
    let total: readonly Coin[] = []
    for (const [i, deposit] of data.deposits.entries()) {
      inPlace(`deposits[${i}]`, () => {
        total = add(total, parseDepositCoins(deposit.amount))
        state.deposits.set(ctx, [deposit.proposalId, address.parse(ctx, deposit.depositor)], deposit)
      })
    }
    for (const [i, vote] of data.votes.entries()) {
      inPlace(`votes[${i}]`, () => {
        requireOptions(vote.options)
        state.votes.set(ctx, [vote.proposalId, address.parse(ctx, vote.voter)], vote)
      })
    }
    for (const [i, proposal] of data.proposals.entries()) {
      const { id, status, depositEndTime, votingEndTime } = proposal
      inPlace(`proposals[${i}]`, () => {
        if (id === 0n || id >= data.startingProposalId) {
          throw sdkErrors.invalidRequest(`id ${id} must be below starting_proposal_id ${data.startingProposalId}`)
        }
        if (status === ProposalStatus.DEPOSIT_PERIOD) {
          if (!depositEndTime) throw sdkErrors.invalidRequest('deposit_end_time must be given')
          state.inactiveQueue.set(ctx, [nanoseconds(depositEndTime), id], id)
        }
        if (status === ProposalStatus.VOTING_PERIOD) {
          if (!votingEndTime) throw sdkErrors.invalidRequest('voting_end_time must be given')
          state.activeQueue.set(ctx, [nanoseconds(votingEndTime), id], id)
        }
        setProposal(ctx, proposal)
      })
    }
    inPlace('deposits', () => requireFunded(ctx, total))
  },
  export(ctx) {
    const values = <Value>(entries: Iterable<readonly [unknown, Value]>) => [...entries].map(([, value]) => value)
    return toJson(
      ctx,
      GenesisStateSchema,
      create(GenesisStateSchema, {
        startingProposalId: state.nextId.get(ctx) ?? 1n,
        deposits: values(state.deposits.iterate(ctx)),
        votes: values(state.votes.iterate(ctx)),
        proposals: values(state.proposals.iterate(ctx)),
        params: params(ctx),
      }),
    )
  },
}
