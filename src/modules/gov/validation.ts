/** What is wrong with a message of its own accord; the same checks serve the handlers. */
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
import type { CoinText } from '../../primitives/coin.ts'
import { ChainError } from '../../primitives/errors.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { validation } from '../../sdk/module.ts'
import { type Unpacked, unpack } from '../../sdk/packed.ts'
import { neutralTypeName } from '../../sdk/tx.ts'
import { parseDepositCoins } from './deposits.ts'
import { errors } from './errors.ts'
import { validateParams } from './params.ts'
import { requireOption, requireOptions } from './votes.ts'

/** The expected failure of something, if it fails. */
export function faultOf(run: () => void): ChainError | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    return error
  }
}

/** How deep proposals may lie within each other: checks recurse, and where a stack ends is no rule of a chain. */
const MAX_DEPTH = 8

/** Throws sdk 29 for proposals that lie too deep within each other. */
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

/** The messages of a proposal, each past its own checks. Throws gov 11, 12, sdk 29, 34. */
function parseMessages(ctx: ReadContext, messages: readonly Any[], metadata: string): readonly Unpacked[] {
  if (messages.length === 0 && metadata === '') {
    throw errors.noMessages('either metadata or messages must be given')
  }
  requireShallow(ctx, messages)
  return messages.map((packed, i) => {
    const unpacked = unpack(ctx, packed)
    const fault = faultOf(() => ctx.app.validate(ctx, unpacked.schema, unpacked.message))
    if (fault) throw errors.invalidMessage(`msg: ${i}, err: ${fault.message}`)
    return unpacked
  })
}

/** Throws sdk 7, 10, 18, 29, 34, gov 11, 12. */
export function parseSubmission(ctx: ReadContext, message: MsgSubmitProposal) {
  if (message.title === '') throw sdkErrors.invalidRequest('proposal title cannot be empty')
  if (message.summary === '') throw sdkErrors.invalidRequest('proposal summary cannot be empty')
  const proposer = address.parse(ctx, message.proposer)
  const coins = parseDepositCoins(message.initialDeposit)
  return { proposer, coins, messages: parseMessages(ctx, message.messages, message.metadata) }
}

/** What both forms of a deposit are asked. Throws sdk 7, 10. */
export function checkDeposit(
  ctx: ReadContext,
  { depositor, amount }: { readonly depositor: string; readonly amount: readonly CoinText[] },
): void {
  address.parse(ctx, depositor)
  parseDepositCoins(amount)
}

/** What both forms of a whole vote are asked. Throws sdk 7, gov 7. */
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
    if (!params) throw sdkErrors.invalidRequest('params must be given')
    validateParams(params)
  }),
]
