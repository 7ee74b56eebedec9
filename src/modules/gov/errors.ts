/** Errors of codespace `gov`. Code 13 is `invalidSigner` of `sdk/authority.ts`, which every module needs. */
import { defineErrors } from '../../primitives/errors.ts'

export const errors = defineErrors('gov', {
  unknownProposal: { code: 2, status: 'notFound', text: 'unknown proposal' },
  inactiveProposal: { code: 3, status: 'failedPrecondition', text: 'inactive proposal' },
  invalidContent: { code: 5, status: 'invalidArgument', text: 'invalid proposal content' },
  invalidType: { code: 6, status: 'invalidArgument', text: 'invalid proposal type' },
  invalidVote: { code: 7, status: 'invalidArgument', text: 'invalid vote option' },
  invalidGenesis: { code: 8, status: 'invalidArgument', text: "initial proposal ID hasn't been set" },
  noHandler: { code: 9, status: 'unimplemented', text: 'no handler exists for proposal type' },
  unroutable: { code: 10, status: 'unimplemented', text: 'proposal message not recognized by router' },
  noMessages: { code: 11, status: 'invalidArgument', text: 'no messages proposed' },
  invalidMessage: { code: 12, status: 'invalidArgument', text: 'invalid proposal message' },
  metadataTooLong: { code: 15, status: 'invalidArgument', text: 'metadata too long' },
  depositTooSmall: { code: 16, status: 'failedPrecondition', text: 'minimum deposit is too small' },
})
