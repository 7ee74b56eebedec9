/** Admission of price votes: they cost constant gas, and come without other messages (docs/modules/oracle.md#messages). */

import { ChainError } from '../../primitives/errors.ts'
import type { DecodedTx } from '../../sdk/tx.ts'
import type { GasMeter } from '../../store/gas.ts'
import type { AnteContext } from './context.ts'

const PREVOTE = 'chain.oracle.v1beta1.MsgAggregateExchangeRatePrevote'
const VOTE = 'chain.oracle.v1beta1.MsgAggregateExchangeRateVote'
const VOTE_GAS = 500n
const NO_LIMIT = (1n << 64n) - 1n

/** Returns the refusal. Its codespace includes the chain's name. */
function refusal({ ctx }: AnteContext, detail: string): ChainError {
  const row = { code: 2, status: 'invalidArgument', text: 'oracle ante error' } as const
  return new ChainError(`ante-${ctx.identity.toProfileName('chain')}`, row, `${detail}: ${row.text}`)
}

function count(tx: DecodedTx, typeName: string): number {
  return tx.messages.reduce((sum, { schema }) => (schema.typeName === typeName ? sum + 1 : sum), 0)
}

/** Whether a transaction is one vote, one prevote, or one of each, and nothing else. */
export function isOracleVote(tx: DecodedTx): boolean {
  const votes = count(tx, VOTE)
  const prevotes = count(tx, PREVOTE)
  return votes <= 1 && prevotes <= 1 && votes + prevotes === tx.messages.length && tx.messages.length > 0
}

/** Creates a meter that always reports the gas of a vote. */
export function createVoteMeter(): GasMeter {
  return { limit: NO_LIMIT, used: VOTE_GAS, consume() {} }
}

/** Refuses votes mixed with other messages. */
export function rejectMixedVotes(ante: AnteContext): void {
  const { tx } = ante
  const votes = count(tx, VOTE)
  const prevotes = count(tx, PREVOTE)
  if (votes + prevotes === 0 || isOracleVote(tx)) return
  if (votes > 0 && prevotes > 0) throw refusal(ante, 'a transaction with a vote and a prevote has no other messages')
  throw refusal(ante, 'a transaction has at most one vote and one prevote, and no other messages with them')
}
