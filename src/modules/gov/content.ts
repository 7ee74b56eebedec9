/** Legacy proposals (v1beta1), which have a content in place of messages (docs/modules/gov.md#messages). */
import type { Message } from '@bufbuild/protobuf'
import type { Any } from '@bufbuild/protobuf/wkt'
import { TextProposalSchema } from '../../gen/sdk/gov/v1beta1/gov_pb.ts'
import {
  CancelSoftwareUpgradeProposalSchema,
  type Plan,
  type SoftwareUpgradeProposal,
  SoftwareUpgradeProposalSchema,
} from '../../gen/sdk/upgrade/v1beta1/upgrade_pb.ts'
import { neutralTypeName } from '../../identity/type-name.ts'
import { utf8 } from '../../primitives/bytes.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { unpack } from '../../sdk/packed.ts'
import * as upgrade from '../upgrade/keeper.ts'
import { errors } from './errors.ts'

interface ContentKind {
  /** Throws for an invalid content; title and description are checked elsewhere. */
  validate?(content: Message): void
  execute(ctx: Context, content: Message): void
}

/** Returns the plan of an upgrade content. Throws sdk 18 without one. */
function planOf(content: Message): Plan {
  const { plan } = content as SoftwareUpgradeProposal
  if (!plan) throw sdkErrors.invalidRequest('plan must be set')
  return plan
}

/** Kinds of content by neutral type name. */
const KINDS: ReadonlyMap<string, ContentKind> = new Map<string, ContentKind>([
  [TextProposalSchema.typeName, { execute() {} }],
  [
    SoftwareUpgradeProposalSchema.typeName,
    {
      validate: (content) => upgrade.validatePlan(planOf(content)),
      execute: (ctx, content) => upgrade.schedule(ctx, planOf(content)),
    },
  ],
  [CancelSoftwareUpgradeProposalSchema.typeName, { execute: (ctx) => upgrade.clearPlan(ctx) }],
])

/** Contents of earlier chains that this chain does not execute, with their replacements. */
const REPLACEMENTS: ReadonlyMap<string, string> = new Map([
  ['sdk.params.v1beta1.ParameterChangeProposal', 'propose MsgUpdateParams of the module'],
  ['sdk.distribution.v1beta1.CommunityPoolSpendProposal', 'propose MsgCommunityPoolSpend'],
])

const MAX_TITLE_BYTES = 140
const MAX_DESCRIPTION_BYTES = 10_000

/** Title and description, which every kind of content has. */
export interface Content {
  readonly title: string
  readonly description: string
}

interface UnpackedContent {
  readonly message: Message
  readonly kind: ContentKind
}

/** Unpacks a content. Throws gov 5 without one, gov 9 for a kind without a handler, and sdk 34. */
function unpackContent(ctx: ReadContext, packed: Any | undefined): UnpackedContent {
  if (!packed) throw errors.invalidContent('missing content')
  const instead = REPLACEMENTS.get(neutralTypeName(ctx.identity, packed.typeUrl))
  if (instead) throw errors.noHandler(`${packed.typeUrl}: ${instead}`)
  const { schema, message, typeUrl } = unpack(ctx, packed)
  const kind = KINDS.get(schema.typeName)
  if (!kind) throw errors.noHandler(typeUrl)
  return { message, kind }
}

/**
 * Returns title and description of a valid content. Throws the errors of `unpackContent`, sdk 18 for an invalid plan, and gov 5 for a
 * title or description that is missing or too long.
 */
export function parseContent(ctx: ReadContext, packed: Any | undefined): Content {
  const { message, kind } = unpackContent(ctx, packed)
  kind.validate?.(message)
  const { title = '', description = '' } = message as Partial<Content>
  if (title.trim() === '') throw errors.invalidContent('proposal title cannot be blank')
  if (utf8(title).length > MAX_TITLE_BYTES) {
    throw errors.invalidContent(`proposal title is longer than max length of ${MAX_TITLE_BYTES}`)
  }
  if (description === '') throw errors.invalidContent('proposal description cannot be blank')
  if (utf8(description).length > MAX_DESCRIPTION_BYTES) {
    throw errors.invalidContent(`proposal description is longer than max length of ${MAX_DESCRIPTION_BYTES}`)
  }
  return { title, description }
}

/** Executes a content without checking its texts. Throws the errors of `unpackContent`, and the errors of the execution. */
export function executeContent(ctx: Context, packed: Any | undefined): void {
  const { message, kind } = unpackContent(ctx, packed)
  kind.execute(ctx, message)
}
