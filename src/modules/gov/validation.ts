/** Stateless checks of the messages. The handlers use the same functions. */
import type { Any } from '@bufbuild/protobuf/wkt'
import type { VoteOption } from '../../gen/sdk/gov/v1/gov_pb.ts'
import {
  MsgDepositSchema,
  MsgExecLegacyContentSchema,
  type MsgSubmitProposal,
  MsgSubmitProposalSchema,
  MsgUpdateParamsSchema,
  MsgVoteSchema,
  MsgVoteWeightedSchema,
} from '../../gen/sdk/gov/v1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import { neutralTypeName } from '../../identity/type-name.ts'
import type { CoinText } from '../../primitives/coin.ts'
import { failureOf } from '../../primitives/errors.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { validation } from '../../sdk/module.ts'
import { type Unpacked, unpack } from '../../sdk/packed.ts'
import { parseDepositCoins } from './deposits.ts'
import { errors } from './errors.ts'
import { validateParams } from './params.ts'
import { requireOption, requireOptions } from './votes.ts'

/** Maximum nesting of proposals. The checks recurse, and the stack of a node must not decide what is valid. */
const MAX_DEPTH = 8

/** Throws sdk 29 for proposals that are nested too deeply. */
function requireShallow(ctx: ReadContext, messages: readonly Any[]): void {
  let level = messages
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= MAX_DEPTH) throw sdkErrors.invalidType(`exceeded max nested proposal depth: ${MAX_DEPTH}`)
    level = level.flatMap((packed) => {
      if (neutralTypeName(ctx.identity, packed.typeUrl) !== MsgSubmitProposalSchema.typeName) return []
      return (unpack(ctx, packed).message as MsgSubmitProposal).messages
    })
  }
}

/** Unpacks and validates the messages of a proposal. Throws gov 11, 12, sdk 29, 34. */
function parseMessages(ctx: ReadContext, messages: readonly Any[], metadata: string): readonly Unpacked[] {
  if (messages.length === 0 && metadata === '') {
    throw errors.noMessages('either metadata or messages must be set')
  }
  requireShallow(ctx, messages)
  return messages.map((packed, i) => {
    const unpacked = unpack(ctx, packed)
    const fault = failureOf(() => ctx.app.validate(ctx, unpacked.schema, unpacked.message))
    if (fault) throw errors.invalidMessage(`msg: ${i}, err: ${fault.message}`)
    return unpacked
  })
}

/** Parses a submission. Throws sdk 7, 10, 18, 29, 34, gov 11, 12. */
export function parseSubmission(ctx: ReadContext, message: MsgSubmitProposal) {
  if (message.title === '') throw sdkErrors.invalidRequest('proposal title cannot be empty')
  if (message.summary === '') throw sdkErrors.invalidRequest('proposal summary cannot be empty')
  const proposer = address.parse(ctx, message.proposer)
  const coins = parseDepositCoins(message.initialDeposit)
  return { proposer, coins, messages: parseMessages(ctx, message.messages, message.metadata) }
}

/** Checks a deposit of either form. Throws sdk 7, 10. */
export function checkDeposit(
  ctx: ReadContext,
  { depositor, amount }: { readonly depositor: string; readonly amount: readonly CoinText[] },
): void {
  address.parse(ctx, depositor)
  parseDepositCoins(amount)
}

/** Checks an unweighted vote of either form. Throws sdk 7, gov 7. */
export function checkVote(
  ctx: ReadContext,
  { voter, option }: { readonly voter: string; readonly option: VoteOption },
): void {
  address.parse(ctx, voter)
  requireOption(option)
}

export const validations = [
  validation(MsgSubmitProposalSchema, parseSubmission),
  validation(MsgExecLegacyContentSchema, (ctx, { authority }) => address.parse(ctx, authority)),
  validation(MsgDepositSchema, checkDeposit),
  validation(MsgVoteSchema, checkVote),
  validation(MsgVoteWeightedSchema, (ctx, { voter, options }) => {
    address.parse(ctx, voter)
    requireOptions(options)
  }),
  validation(MsgUpdateParamsSchema, (ctx, { authority, params }) => {
    address.parse(ctx, authority)
    if (!params) throw sdkErrors.invalidRequest('params must be set')
    validateParams(params)
  }),
]
