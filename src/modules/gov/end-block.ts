/** End of each block: decides and drops proposals whose time is over (docs/modules/gov.md#block-hooks). */
import { type Proposal, ProposalStatus } from '../../gen/sdk/gov/v1/gov_pb.ts'
import { ChainError } from '../../primitives/errors.ts'
import type { Context } from '../../sdk/context.ts'
import { unpack } from '../../sdk/packed.ts'
import { createGasMeter } from '../../store/gas.ts'
import * as staking from '../staking/keeper.ts'
import { burnDeposits, refundDeposits } from './deposits.ts'
import { errors } from './errors.ts'
import { params } from './params.ts'
import { closeVoting, dropProposal, requireProposal } from './proposals.ts'
import * as state from './state.ts'
import { countVotes, outcomeOf, resultOf } from './tally.ts'

/** Gas limit for the messages of one proposal, far above any real need, so that no proposal delays a block. */
const EXECUTION_GAS = 1_000_000_000n

/** Drops proposals whose deposit period is over, then decides those whose voting period is over, by end time and id. */
export function endBlock(ctx: Context): void {
  const now = ctx.block.timeNs
  for (const [, id] of due(state.inactiveQueue, ctx, now)) drop(ctx, requireProposal(ctx, id))
  for (const [, id] of due(state.activeQueue, ctx, now)) decide(ctx, requireProposal(ctx, id))
}

/** Returns the entries of a queue up to and including a time. The range without an end is that of the block before, which is cached. */
function due(queue: typeof state.activeQueue, ctx: Context, timeNs: bigint) {
  const found: (readonly [endNs: bigint, id: bigint])[] = []
  for (const [key] of queue.iterate(ctx)) {
    if (key[0] > timeNs) break
    found.push(key)
  }
  return found
}

function drop(ctx: Context, proposal: Proposal): void {
  const { id } = proposal
  dropProposal(ctx, proposal)
  if (params(ctx).burnProposalDepositPrevote) burnDeposits(ctx, id)
  else refundDeposits(ctx, id)
  ctx.emitEvent('inactive_proposal', { proposal_id: id.toString(), proposal_result: 'proposal_dropped' })
}

const STATUS_WORDS = new Map([
  [ProposalStatus.PASSED, 'proposal_passed'],
  [ProposalStatus.REJECTED, 'proposal_rejected'],
  [ProposalStatus.FAILED, 'proposal_failed'],
])

function decide(ctx: Context, proposal: Proposal): void {
  const { id } = proposal
  const count = countVotes(ctx, id)
  for (const [, voter] of [...state.votes.keys(ctx, { prefix: id })]) state.votes.delete(ctx, [id, voter])
  const { passes, burns } = outcomeOf(count, staking.bondedTokens(ctx), params(ctx))
  if (burns) burnDeposits(ctx, id)
  else refundDeposits(ctx, id)
  const failure = passes ? execute(ctx, proposal) : undefined
  const status = !passes
    ? ProposalStatus.REJECTED
    : failure === undefined
      ? ProposalStatus.PASSED
      : ProposalStatus.FAILED
  closeVoting(ctx, { ...proposal, status, finalTallyResult: resultOf(count) })
  const log = failure === undefined || ctx.identity.behaviours.untoldProposalFailures ? {} : { proposal_log: failure }
  ctx.emitEvent('active_proposal', {
    proposal_id: id.toString(),
    proposal_result: STATUS_WORDS.get(status)!,
    ...log,
  })
}

/** Executes the messages of a proposal, all or none. Returns the reason of a failure. */
function execute(ctx: Context, { messages }: Proposal): string | undefined {
  const branch = ctx.branch({ gas: createGasMeter(EXECUTION_GAS) })
  for (const [i, packed] of messages.entries()) {
    try {
      const { schema, message, typeUrl } = unpack(branch, packed)
      const handler = branch.app.handlerOf(schema.typeName)
      if (!handler) throw errors.unroutable(typeUrl)
      handler.handle(branch, message)
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      return `msg ${i} (${packed.typeUrl}) failed on execution: ${error.message}`
    }
  }
  branch.merge()
  return undefined
}
