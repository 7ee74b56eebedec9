/** Who may send governed messages. */
import * as address from '../identity/address.ts'
import { ofModule } from '../primitives/address.ts'
import { equal } from '../primitives/bytes.ts'
import { defineErrors, type ErrorFactory } from '../primitives/errors.ts'
import type { ReadContext } from './context.ts'

/** The governance account, authority of every module's parameters. */
export const governance: Uint8Array = ofModule('gov')

const govErrors = defineErrors('gov', {
  invalidSigner: {
    code: 13,
    status: 'failedPrecondition',
    text: 'expected gov account as only signer for proposal message',
  },
})

/** gov 13, for those who have other signers in mind. */
export const invalidSigner: ErrorFactory = govErrors.invalidSigner

/** Opens a message that only governance may send. Throws gov 13 for anybody else, sdk 7 for no address. */
export function requireGovernance(ctx: ReadContext, authority: string): void {
  if (isGovernance(ctx, authority)) return
  throw govErrors.invalidSigner(`invalid authority; expected ${address.format(ctx, governance)}, got ${authority}`)
}

/** Throws sdk 7 for no address. */
export function isGovernance(ctx: ReadContext, authority: string): boolean {
  return equal(address.parse(ctx, authority), governance)
}
