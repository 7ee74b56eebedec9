/** Proposals in the state: the record, and the queue that belongs to its status. */
import { create } from '@bufbuild/protobuf'
import { type Any, type Timestamp, TimestampSchema } from '@bufbuild/protobuf/wkt'
import {
  type Proposal,
  ProposalSchema,
  ProposalStatus,
  type TallyResult,
  TallyResultSchema,
} from '../../gen/sdk/gov/v1/gov_pb.ts'
import { toTimestamp } from '../../primitives/time.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { nanoseconds } from '../../sdk/json.ts'
import { errors } from './errors.ts'
import { params } from './params.ts'
import * as state from './state.ts'

const IN_VOTING = Uint8Array.of(1)

export function noVotes(): TallyResult {
  return create(TallyResultSchema, { yesCount: '0', abstainCount: '0', noCount: '0', noWithVetoCount: '0' })
}

function timestamp(timeNs: bigint): Timestamp {
  return create(TimestampSchema, toTimestamp(timeNs))
}

/** Returns a proposal. Throws gov 2 for an unknown id. */
export function requireProposal(ctx: ReadContext, id: bigint): Proposal {
  const proposal = state.proposals.get(ctx, id)
  if (!proposal) throw errors.unknownProposal(id.toString())
  return proposal
}

/** Stores a proposal, and whether it accepts votes. */
export function setProposal(ctx: Context, proposal: Proposal): void {
  if (proposal.status === ProposalStatus.VOTING_PERIOD) state.voting.set(ctx, proposal.id, IN_VOTING)
  else state.voting.delete(ctx, proposal.id)
  state.proposals.set(ctx, proposal.id, proposal)
}

/** Stores a proposal under the next id. Its deposit period starts now. */
export function addProposal(
  ctx: Context,
  parts: {
    readonly messages: Any[]
    readonly metadata: string
    readonly title: string
    readonly summary: string
    readonly proposer: string
  },
): Proposal {
  const id = nextId(ctx)
  const endNs = ctx.block.timeNs + nanoseconds(params(ctx).maxDepositPeriod)
  const proposal = create(ProposalSchema, {
    ...parts,
    id,
    status: ProposalStatus.DEPOSIT_PERIOD,
    finalTallyResult: noVotes(),
    submitTime: timestamp(ctx.block.timeNs),
    depositEndTime: timestamp(endNs),
  })
  setProposal(ctx, proposal)
  state.inactiveQueue.set(ctx, [endNs, id], id)
  state.nextId.set(ctx, id + 1n)
  return proposal
}

/** Returns the id of the next proposal. Throws gov 8 if genesis did not set one. */
function nextId(ctx: ReadContext): bigint {
  const id = state.nextId.get(ctx)
  if (id === undefined) throw errors.invalidGenesis()
  return id
}

/** Starts the voting period of a proposal. */
export function openVoting(ctx: Context, proposal: Proposal): void {
  const endNs = ctx.block.timeNs + nanoseconds(params(ctx).votingPeriod)
  setProposal(ctx, {
    ...proposal,
    status: ProposalStatus.VOTING_PERIOD,
    votingStartTime: timestamp(ctx.block.timeNs),
    votingEndTime: timestamp(endNs),
  })
  state.inactiveQueue.delete(ctx, [nanoseconds(proposal.depositEndTime), proposal.id])
  state.activeQueue.set(ctx, [endNs, proposal.id], proposal.id)
}

/** Removes a proposal whose deposit period is over. */
export function dropProposal(ctx: Context, { id, depositEndTime }: Proposal): void {
  state.inactiveQueue.delete(ctx, [nanoseconds(depositEndTime), id])
  state.proposals.delete(ctx, id)
}

/** Stores the outcome of a vote and removes its queue entry. */
export function closeVoting(ctx: Context, proposal: Proposal): void {
  setProposal(ctx, proposal)
  state.activeQueue.delete(ctx, [nanoseconds(proposal.votingEndTime), proposal.id])
}
