/** Votes: one for each voter, for one option or weighted. */
import { create } from '@bufbuild/protobuf'
import {
  VoteOption,
  VoteOptionSchema,
  VoteSchema,
  type WeightedVoteOption,
  WeightedVoteOptionSchema,
} from '../../gen/sdk/gov/v1/gov_pb.ts'
import * as address from '../../identity/address.ts'
import * as decimal from '../../primitives/decimal.ts'
import type { Context } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { errors } from './errors.ts'
import * as state from './state.ts'
import { requireShort } from './texts.ts'

/** Returns a vote with weight 1 for one option. */
export function singleVote(option: VoteOption): WeightedVoteOption[] {
  return [create(WeightedVoteOptionSchema, { option, weight: decimal.format(decimal.one) })]
}

/** Returns an option in the text form of protobuf, which events contain. */
function textOf({ option, weight }: WeightedVoteOption): string {
  return `option:${nameOf(option)} weight:"${weight}" `
}

function nameOf(option: VoteOption): string {
  return VoteOptionSchema.value[option]?.name ?? String(option)
}

/** Throws gov 7 for an unknown option. */
export function requireOption(option: VoteOption): void {
  const known = option >= VoteOption.YES && option <= VoteOption.NO_WITH_VETO
  if (!known) throw errors.invalidVote(nameOf(option))
}

/** Throws gov 7 unless options are known and distinct and positive weights add up to 1; sdk 18 for an empty list. */
export function requireOptions(options: readonly WeightedVoteOption[]): void {
  if (options.length === 0) throw sdkErrors.invalidRequest('no options')
  const seen = new Set<VoteOption>()
  let total = 0n
  for (const option of options) {
    requireOption(option.option)
    const weight = decimal.parse(option.weight)
    if (weight === undefined) throw errors.invalidVote(`weight "${option.weight}" is not a decimal`)
    if (weight <= 0n || weight > decimal.one) {
      throw errors.invalidVote(`weight ${option.weight} of ${nameOf(option.option)} must be above 0 and at most 1`)
    }
    if (seen.has(option.option)) throw errors.invalidVote(`${nameOf(option.option)} is listed twice`)
    seen.add(option.option)
    total += weight
  }
  if (total !== decimal.one) {
    throw errors.invalidVote(`weights must add up to 1, got ${decimal.format(decimal.fromRaw(total))}`)
  }
}

/** Stores a vote and replaces an earlier one. Throws gov 3 unless the proposal is in its voting period. */
export function vote(
  ctx: Context,
  id: bigint,
  voter: Uint8Array,
  options: WeightedVoteOption[],
  metadata: string,
): void {
  if (!state.voting.has(ctx, id)) throw errors.inactiveProposal(id.toString())
  requireShort('metadata', metadata)
  requireOptions(options)
  const voterText = address.format(ctx, voter)
  state.votes.set(ctx, [id, voter], create(VoteSchema, { proposalId: id, voter: voterText, options, metadata }))
  ctx.emitEvent('proposal_vote', {
    voter: voterText,
    option: options.map(textOf).join('\n').trim(),
    proposal_id: id.toString(),
  })
}
