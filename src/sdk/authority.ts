/** The authority that governed messages require. */
import * as address from '../identity/address.ts'
import { ofModule } from '../primitives/address.ts'
import { equal } from '../primitives/bytes.ts'
import { defineErrors, type ErrorFactory } from '../primitives/errors.ts'
import type { ReadContext } from './context.ts'

/** The address of module account `gov`, the authority over every module's parameters. */
export const governance: Uint8Array = ofModule('gov')

const govErrors = defineErrors('gov', {
  invalidSigner: {
    code: 13,
    status: 'failedPrecondition',
    text: 'expected gov account as only signer for proposal message',
  },
})

/** gov 13, for modules that check signers other than governance. */
export const invalidSigner: ErrorFactory = govErrors.invalidSigner

/** Throws gov 13 unless the authority is governance, sdk 7 if it is not an address. */
export function requireGovernance(ctx: ReadContext, authority: string): void {
  if (isGovernance(ctx, authority)) return
  throw govErrors.invalidSigner(`invalid authority; expected ${address.format(ctx, governance)}, got ${authority}`)
}

/** Whether the authority is governance. Throws sdk 7 if it is not an address. */
export function isGovernance(ctx: ReadContext, authority: string): boolean {
  return equal(address.parse(ctx, authority), governance)
}
