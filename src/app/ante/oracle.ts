/** What admission knows of votes on prices (oracle.md §5.6): they cost little, and come alone. */

import { ChainError } from '../../primitives/errors.ts'
import type { DecodedTx } from '../../sdk/tx.ts'
import type { GasMeter } from '../../store/gas.ts'
import type { AnteContext } from './context.ts'

const PREVOTE = 'chain.oracle.v1beta1.MsgAggregateExchangeRatePrevote'
const VOTE = 'chain.oracle.v1beta1.MsgAggregateExchangeRateVote'
const VOTE_GAS = 500n
const NO_LIMIT = (1n << 64n) - 1n

/** The codespace has the chain's name in it. */
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

/** A meter that says the same whatever happens. */
export function createVoteMeter(): GasMeter {
  return { limit: NO_LIMIT, used: VOTE_GAS, consume() {} }
}

/** Votes mixed with anything else are refused. */
export function rejectMixedVotes(ante: AnteContext): void {
  const { tx } = ante
  const votes = count(tx, VOTE)
  const prevotes = count(tx, PREVOTE)
  if (votes + prevotes === 0 || isOracleVote(tx)) return
  if (votes > 0 && prevotes > 0) throw refusal(ante, 'a vote and a prevote come with nothing else')
  throw refusal(ante, 'a vote or a prevote comes alone')
}
