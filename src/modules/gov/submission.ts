/** Submission of a proposal: checks and stored form. */
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import {
  type MsgExecLegacyContent,
  MsgExecLegacyContentSchema,
  type MsgSubmitProposal,
} from '../../gen/sdk/gov/v1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import { equal } from '../../primitives/bytes.ts'
import { failureOf } from '../../primitives/errors.ts'
import { governance, invalidSigner } from '../../sdk/authority.ts'
import type { Context } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { fromJson, toJson } from '../../sdk/json.ts'
import { pack, profileTypeUrl, type Unpacked } from '../../sdk/packed.ts'
import { signersOf } from '../../sdk/tx.ts'
import * as auth from '../auth/keeper.ts'
import { deposit, requireInitialDeposit } from './deposits.ts'
import { errors } from './errors.ts'
import { addProposal } from './proposals.ts'
import * as state from './state.ts'
import { requireShort } from './texts.ts'
import { parseSubmission } from './validation.ts'

/** Gas for each byte of a proposal, on top of the gas of writing it. */
const GAS_PER_BYTE = 3n * 30n

/** Throws gov 13 unless governance is the only signer, gov 10 without a handler, gov 9 or 5 for a legacy content. */
function requireExecutable(ctx: Context, { schema, message, typeUrl }: Unpacked): void {
  const signers = signersOf(ctx.identity, schema, message)
  if (signers.length !== 1) throw invalidSigner()
  auth.ensureModuleAccount(ctx, state.account)
  if (!equal(signers[0]!, governance)) throw invalidSigner(address.format(ctx, signers[0]!))
  const handler = ctx.app.handlerOf(schema.typeName)
  if (!handler) throw errors.unroutable(typeUrl)
  if (schema.typeName !== MsgExecLegacyContentSchema.typeName) return
  // A content is checked by executing it in a branch that is then dropped.
  const fault = failureOf(() => handler.handle(ctx.branch(), message))
  if (!fault) return
  const isUnhandled = fault.codespace === 'gov' && fault.code === 9
  throw isUnhandled ? fault : errors.invalidContent(fault.message)
}

/** Packs a message in its stored form, with the profile's type names. */
function toStored(ctx: Context, { schema, message }: Unpacked): Any {
  if (schema.typeName !== MsgExecLegacyContentSchema.typeName) return pack(ctx, schema, message)
  const execution = message as MsgExecLegacyContent
  const { content } = execution
  if (!content) return pack(ctx, schema, execution)
  const typeUrl = profileTypeUrl(ctx.identity, content.typeUrl)
  return pack(ctx, MsgExecLegacyContentSchema, { ...execution, content: { ...content, typeUrl } })
}

/** Throws sdk 18 for a message that an export would print in a form that no import reads. */
function requireExportable(ctx: Context, packed: Any, index: number): void {
  const fault = failureOf(() => fromJson(ctx, AnySchema, toJson(ctx, AnySchema, packed), `messages[${index}]`))
  if (fault) throw sdkErrors.invalidRequest(`an export could not contain the proposal: ${fault.message}`)
}

/**
 * Stores a proposal with its first deposit. Returns its id. Throws the errors of `parseSubmission` and `deposit`, sdk 18, and gov 5, 9,
 * 10, 13, 15, 16.
 */
export function submit(ctx: Context, submission: MsgSubmitProposal): bigint {
  const { proposer, coins, messages } = parseSubmission(ctx, submission)
  const { metadata, summary, title } = submission
  requireInitialDeposit(ctx, coins)
  requireShort('metadata', metadata)
  requireShort('summary', summary)
  requireShort('title', title)
  for (const message of messages) requireExecutable(ctx, message)
  const packed = messages.map((message) => toStored(ctx, message))
  for (const [i, message] of packed.entries()) requireExportable(ctx, message, i)
  const proposal = addProposal(ctx, {
    messages: packed,
    metadata,
    title,
    summary,
    proposer: address.format(ctx, proposer),
  })
  const id = proposal.id.toString()
  const types = packed.map(({ typeUrl }) => `,${typeUrl}`).join('')
  ctx.emitEvent('submit_proposal', { proposal_id: id, proposal_messages: types })
  const { length } = state.proposalValue.encode(ctx, proposal)
  ctx.gas.consume(GAS_PER_BYTE * BigInt(length), 'submit proposal')
  const opened = deposit(ctx, proposal.id, proposer, coins)
  if (opened) ctx.emitEvent('submit_proposal', { voting_period_start: id })
  return proposal.id
}
