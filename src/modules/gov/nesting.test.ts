import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { AUTHORITY, govWorld } from '../../../test/support/governance-world.ts'
import { type MsgSubmitProposal, MsgSubmitProposalSchema } from '../../gen/sdk/gov/v1/tx_pb.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { pack } from '../../sdk/packed.ts'
import { parseSubmission } from './validation.ts'

function nested(ctx: ReadContext, depth: number): MsgSubmitProposal {
  const parts = { title: 't', summary: 's', metadata: 'm', proposer: AUTHORITY }
  let proposal = create(MsgSubmitProposalSchema, parts)
  for (let i = 0; i < depth; i++) {
    const messages = [pack(ctx, MsgSubmitProposalSchema, proposal)]
    proposal = create(MsgSubmitProposalSchema, { ...parts, messages })
  }
  return proposal
}

test('nesting of proposals has a limit that does not depend on the stack of a node', () => {
  const { ctx } = govWorld()
  expect(parseSubmission(ctx, nested(ctx, 8)).messages).toHaveLength(1)
  for (const depth of [9, 16]) {
    expect(() => parseSubmission(ctx, nested(ctx, depth))).toThrow('exceeded max nested proposal depth: 8')
  }
  for (const depth of [17, 1_000]) {
    expect(() => parseSubmission(ctx, nested(ctx, depth))).toThrow('nested deeper than 32 levels: tx parse error')
  }
})
