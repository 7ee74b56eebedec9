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

/** Stores the proposals of a document, in the queues they belong to. Returns their ids. */
function initProposals(ctx: Context, { proposals, startingProposalId }: GenesisState): ReadonlySet<bigint> {
  const ids = new Set<bigint>()
  for (const [i, proposal] of proposals.entries()) {
    const { id, status, depositEndTime, votingEndTime } = proposal
    inPlace(`proposals[${i}]`, () => {
      if (id === 0n || id >= startingProposalId) {
        throw sdkErrors.invalidRequest(`id ${id} must be below starting_proposal_id ${startingProposalId}`)
      }
      if (ids.has(id)) throw sdkErrors.invalidRequest(`proposal ${id} stands twice`)
      ids.add(id)
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
  return ids
}

/** Throws sdk 18 for what belongs to no proposal, or is already there from the same person; remembers the rest in `seen`. */
function requireOnce(what: string, id: bigint, who: string, ids: ReadonlySet<bigint>, seen: Set<string>): void {
  if (!ids.has(id)) throw sdkErrors.invalidRequest(`there is no proposal ${id}`)
  const key = `${id} ${who}`
  if (seen.has(key)) throw sdkErrors.invalidRequest(`a ${what} of ${who} on proposal ${id} stands twice`)
  seen.add(key)
}

/** Stores the deposits of a document. Returns what they are in all. */
function initDeposits(ctx: Context, { deposits }: GenesisState, ids: ReadonlySet<bigint>): readonly Coin[] {
  let total: readonly Coin[] = []
  const seen = new Set<string>()
  for (const [i, deposit] of deposits.entries()) {
    inPlace(`deposits[${i}]`, () => {
      const depositor = address.parse(ctx, deposit.depositor)
      requireOnce('deposit', deposit.proposalId, address.format(ctx, depositor), ids, seen)
      total = add(total, parseDepositCoins(deposit.amount))
      state.deposits.set(ctx, [deposit.proposalId, depositor], deposit)
    })
  }
  return total
}

function initVotes(ctx: Context, { votes }: GenesisState, ids: ReadonlySet<bigint>): void {
  const seen = new Set<string>()
  for (const [i, vote] of votes.entries()) {
    inPlace(`votes[${i}]`, () => {
      const voter = address.parse(ctx, vote.voter)
      requireOnce('vote', vote.proposalId, address.format(ctx, voter), ids, seen)
      requireOptions(vote.options)
      state.votes.set(ctx, [vote.proposalId, voter], vote)
    })
  }
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
    const ids = initProposals(ctx, data)
    const total = initDeposits(ctx, data, ids)
    initVotes(ctx, data, ids)
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
