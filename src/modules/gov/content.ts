/** Proposals of the old form: a content instead of messages (support-modules.md §7.1, upgrade.md §1). */
import type { Message } from '@bufbuild/protobuf'
import type { Any } from '@bufbuild/protobuf/wkt'
import { TextProposalSchema } from '../../gen/sdk/gov/v1beta1/gov_pb.ts'
import {
  CancelSoftwareUpgradeProposalSchema,
  type SoftwareUpgradeProposal,
  SoftwareUpgradeProposalSchema,
} from '../../gen/sdk/upgrade/v1beta1/upgrade_pb.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { type Unpacked, unpack } from '../../sdk/packed.ts'
import { neutralTypeName } from '../../sdk/tx.ts'
import * as upgrade from '../upgrade/keeper.ts'
import { errors } from './errors.ts'

type Execution = (ctx: Context, content: Message) => void

/** What each kind of content does, by neutral type name. */
const EXECUTIONS: ReadonlyMap<string, Execution> = new Map<string, Execution>([
  [TextProposalSchema.typeName, () => {}],
  [
    SoftwareUpgradeProposalSchema.typeName,
    (ctx, content) => {
      const { plan } = content as SoftwareUpgradeProposal
      if (!plan) throw sdkErrors.invalidRequest('plan must be given')
      upgrade.schedule(ctx, plan)
    },
  ],
  [CancelSoftwareUpgradeProposalSchema.typeName, (ctx) => upgrade.clearPlan(ctx)],
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

const LONGEST_TITLE = 140
const LONGEST_DESCRIPTION = 10_000

/** Title and description of a content; every kind has them. */
export interface Content extends Unpacked {
  readonly title: string
  readonly description: string
}

/** Throws gov 5 for none, or a title or description that is missing or too long; gov 9 for one that nobody carries out; sdk 34. */
export function parseContent(ctx: ReadContext, packed: Any | undefined): Content {
  if (!packed) throw errors.invalidContent('missing content')
  const instead = REPLACED.get(neutralTypeName(ctx.identity, packed.typeUrl))
  if (instead) throw errors.noHandler(`${packed.typeUrl}: ${instead}`)
  const unpacked = unpack(ctx, packed)
  const { title = '', description = '' } = unpacked.message as { title?: string; description?: string }
  if (!EXECUTIONS.has(unpacked.schema.typeName)) throw errors.noHandler(unpacked.typeUrl)
  if (title.trim() === '') throw errors.invalidContent('proposal title cannot be blank')
  if (title.length > LONGEST_TITLE) {
    throw errors.invalidContent(`proposal title is longer than max length of ${LONGEST_TITLE}`)
  }
  if (description.trim() === '') throw errors.invalidContent('proposal description cannot be blank')
  if (description.length > LONGEST_DESCRIPTION) {
    throw errors.invalidContent(`proposal description is longer than max length of ${LONGEST_DESCRIPTION}`)
  }
  return { ...unpacked, title, description }
}

/** Does what a content says. Throws as `parseContent`, and what its execution throws. */
export function executeContent(ctx: Context, packed: Any | undefined): void {
  const { schema, message } = parseContent(ctx, packed)
  EXECUTIONS.get(schema.typeName)!(ctx, message)
}
