/** Genesis of governance: parameters, proposals with their queues, deposits and votes. */
import { create } from '@bufbuild/protobuf'
import { type GenesisState, GenesisStateSchema } from '../../gen/sdk/gov/v1/genesis_pb.ts'
import { type Params, ProposalStatus } from '../../gen/sdk/gov/v1/gov_pb.ts'
import * as address from '../../identity/address.ts'
import { add, type Coin } from '../../primitives/coin.ts'
import type { Context } from '../../sdk/context.ts'
import { withErrorPath } from '../../sdk/error-path.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { fromJson, nanoseconds, toJson } from '../../sdk/json.ts'
import type { GenesisHandlers } from '../../sdk/module.ts'
import * as auth from '../auth/keeper.ts'
import * as bank from '../bank/keeper.ts'
import { parseDepositCoins } from './deposits.ts'
import { errors } from './errors.ts'
import { defaultParams, params, validateParams } from './params.ts'
import { setProposal } from './proposals.ts'
import * as state from './state.ts'
import { requireOptions } from './votes.ts'

/** Returns the parameters of a document: one field, or three in older documents. */
function paramsOf(ctx: Context, { params: whole, depositParams, votingParams, tallyParams }: GenesisState): Params {
  if (whole) return whole
  const { $typeName: _d, ...deposit } = depositParams ?? { $typeName: '' }
  const { $typeName: _v, ...voting } = votingParams ?? { $typeName: '' }
  const { $typeName: _t, ...tally } = tallyParams ?? { $typeName: '' }
  return { ...defaultParams(ctx.identity), ...deposit, ...voting, ...tally }
}

/** Stores the proposals and their queue entries. Returns the ids. */
function initProposals(ctx: Context, { proposals, startingProposalId }: GenesisState): ReadonlySet<bigint> {
  const ids = new Set<bigint>()
  for (const [i, proposal] of proposals.entries()) {
    const { id, status, depositEndTime, votingEndTime } = proposal
    withErrorPath(`proposals[${i}]`, () => {
      if (id === 0n || id >= startingProposalId) {
        throw sdkErrors.invalidRequest(`id ${id} must be below starting_proposal_id ${startingProposalId}`)
      }
      if (ids.has(id)) throw sdkErrors.invalidRequest(`proposal ${id} is listed twice`)
      ids.add(id)
      if (status === ProposalStatus.DEPOSIT_PERIOD) {
        if (!depositEndTime) throw sdkErrors.invalidRequest('deposit_end_time must be set')
        state.inactiveQueue.set(ctx, [nanoseconds(depositEndTime), id], id)
      }
      if (status === ProposalStatus.VOTING_PERIOD) {
        if (!votingEndTime) throw sdkErrors.invalidRequest('voting_end_time must be set')
        state.activeQueue.set(ctx, [nanoseconds(votingEndTime), id], id)
      }
      setProposal(ctx, { ...proposal, proposer: address.canonicalOrSame(proposal.proposer) })
    })
  }
  return ids
}

/** Throws sdk 18 for an entry on an unknown proposal, or a second one of the same account. Adds the entry to `seen`. */
function requireOnce(what: string, id: bigint, who: string, ids: ReadonlySet<bigint>, seen: Set<string>): void {
  if (!ids.has(id)) throw sdkErrors.invalidRequest(`there is no proposal ${id}`)
  const key = `${id} ${who}`
  if (seen.has(key)) throw sdkErrors.invalidRequest(`a ${what} of ${who} on proposal ${id} is listed twice`)
  seen.add(key)
}

/** Stores the deposits. Returns their sum. */
function initDeposits(ctx: Context, { deposits }: GenesisState, ids: ReadonlySet<bigint>): readonly Coin[] {
  let total: readonly Coin[] = []
  const seen = new Set<string>()
  for (const [i, deposit] of deposits.entries()) {
    withErrorPath(`deposits[${i}]`, () => {
      const bytes = address.parse(ctx, deposit.depositor)
      const depositor = address.format(ctx, bytes)
      requireOnce('deposit', deposit.proposalId, depositor, ids, seen)
      total = add(total, parseDepositCoins(deposit.amount))
      state.deposits.set(ctx, [deposit.proposalId, bytes], { ...deposit, depositor })
    })
  }
  return total
}

function initVotes(ctx: Context, { votes }: GenesisState, ids: ReadonlySet<bigint>): void {
  const seen = new Set<string>()
  for (const [i, vote] of votes.entries()) {
    withErrorPath(`votes[${i}]`, () => {
      const bytes = address.parse(ctx, vote.voter)
      const voter = address.format(ctx, bytes)
      requireOnce('vote', vote.proposalId, voter, ids, seen)
      requireOptions(vote.options)
      state.votes.set(ctx, [vote.proposalId, bytes], { ...vote, voter })
    })
  }
}

function requireFunded(ctx: Context, total: readonly Coin[]): void {
  for (const { denom, amount } of total) {
    const held = bank.balance(ctx, state.account.address, denom)
    if (held < amount) {
      throw sdkErrors.invalidRequest(`deposits of ${amount}${denom} are open, the module account has ${held}${denom}`)
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
    withErrorPath('params', () => validateParams(chosen))
    auth.ensureModuleAccount(ctx, state.account)
    state.nextId.set(ctx, data.startingProposalId)
    state.params.set(ctx, chosen)
    const ids = initProposals(ctx, data)
    const total = initDeposits(ctx, data, ids)
    initVotes(ctx, data, ids)
    withErrorPath('deposits', () => requireFunded(ctx, total))
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
