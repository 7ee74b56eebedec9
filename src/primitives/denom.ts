/** Denominations. */

const DENOM = /^[a-zA-Z][a-zA-Z0-9/:._-]{2,127}$/

/** Whether a text is a valid denomination by the rule of the Cosmos SDK. */
export function isValid(denom: string): boolean {
  return DENOM.test(denom)
}
