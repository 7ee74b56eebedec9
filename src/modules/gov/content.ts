/** Proposals of the old form: a content instead of messages (support-modules.md §7.1, upgrade.md §1). */
import type { Message } from '@bufbuild/protobuf'
import type { Any } from '@bufbuild/protobuf/wkt'
import { TextProposalSchema } from '../../gen/sdk/gov/v1beta1/gov_pb.ts'
import {
  CancelSoftwareUpgradeProposalSchema,
  type Plan,
  type SoftwareUpgradeProposal,
  SoftwareUpgradeProposalSchema,
} from '../../gen/sdk/upgrade/v1beta1/upgrade_pb.ts'
import { utf8 } from '../../primitives/bytes.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { unpack } from '../../sdk/packed.ts'
import { neutralTypeName } from '../../sdk/tx.ts'
import * as upgrade from '../upgrade/keeper.ts'
import { errors } from './errors.ts'

interface Kind {
  /** Throws for what is wrong with a content of its own accord, past its texts. */
  validate?(content: Message): void
  execute(ctx: Context, content: Message): void
}

/** The plan of an upgrade's content. Throws sdk 18 for none. */
function planOf(content: Message): Plan {
  const { plan } = content as SoftwareUpgradeProposal
  if (!plan) throw sdkErrors.invalidRequest('plan must be given')
  return plan
}

/** What each kind of content does, by neutral type name. */
const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
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

/** Contents of earlier chains that this one does not carry out, and what does the same. */
const REPLACED: ReadonlyMap<string, string> = new Map([
  [
    'sdk.params.v1beta1.ParameterChangeProposal',
    'parameters change by a proposal with MsgUpdateParams of their module',
  ],
  [
    'sdk.distribution.v1beta1.CommunityPoolSpendProposal',
    'the community pool pays by a proposal with MsgCommunityPoolSpend',
  ],
])

const LONGEST_TITLE_BYTES = 140
const LONGEST_DESCRIPTION_BYTES = 10_000

/** Title and description of a content; every kind has them. */
export interface Content {
  readonly title: string
  readonly description: string
}

interface UnpackedContent {
  readonly message: Message
  readonly kind: Kind
}

/** Throws gov 5 for none, gov 9 for one that nobody carries out; sdk 34. */
function unpackContent(ctx: ReadContext, packed: Any | undefined): UnpackedContent {
  if (!packed) throw errors.invalidContent('missing content')
  const instead = REPLACED.get(neutralTypeName(ctx.identity, packed.typeUrl))
  if (instead) throw errors.noHandler(`${packed.typeUrl}: ${instead}`)
  const { schema, message, typeUrl } = unpack(ctx, packed)
  const kind = KINDS.get(schema.typeName)
  if (!kind) throw errors.noHandler(typeUrl)
  return { message, kind }
}

/** Throws as `unpackContent`; sdk 18 for a plan that is wrong, gov 5 for a title or description that is missing or too long. */
export function parseContent(ctx: ReadContext, packed: Any | undefined): Content {
  const { message, kind } = unpackContent(ctx, packed)
  kind.validate?.(message)
  const { title = '', description = '' } = message as Partial<Content>
  if (title.trim() === '') throw errors.invalidContent('proposal title cannot be blank')
  if (utf8(title).length > LONGEST_TITLE_BYTES) {
    throw errors.invalidContent(`proposal title is longer than max length of ${LONGEST_TITLE_BYTES}`)
  }
  if (description === '') throw errors.invalidContent('proposal description cannot be blank')
  if (utf8(description).length > LONGEST_DESCRIPTION_BYTES) {
    throw errors.invalidContent(`proposal description is longer than max length of ${LONGEST_DESCRIPTION_BYTES}`)
  }
  return { title, description }
}

/** Does what a content says, whatever its texts. Throws as `unpackContent`, and what its execution throws. */
export function executeContent(ctx: Context, packed: Any | undefined): void {
  const { message, kind } = unpackContent(ctx, packed)
  kind.execute(ctx, message)
}
