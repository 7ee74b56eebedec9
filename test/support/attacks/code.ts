/** Calls of code that is not on the chain, by an override of the state. */
import { call } from './target.ts'

/** JUMPDEST, and a jump back to it. */
export const ENDLESS = '0x5b5f56'
/** An address without an account. */
export const NOBODY = `0x${'c0'.repeat(20)}` as const

/** Returns a call of code, as JSON-RPC. */
export const callOf = (code: string, id = 1, gas?: string): object =>
  call('eth_call', [{ to: NOBODY, ...(gas && { gas }) }, 'latest', { [NOBODY]: { code } }], id)
