/** Admission of price votes: due ones cost constant gas, and all come without other messages (docs/modules/oracle.md#messages). */

import type {
  MsgAggregateExchangeRatePrevote,
  MsgAggregateExchangeRateVote,
} from '../../gen/chain/oracle/v1beta1/tx_pb.ts'
import * as oracle from '../../modules/oracle/keeper.ts'
import { ChainError } from '../../primitives/errors.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { withoutGas } from '../../sdk/create-context.ts'
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
function isOracleVote(tx: DecodedTx): boolean {
  const votes = count(tx, VOTE)
  const prevotes = count(tx, PREVOTE)
  return votes <= 1 && prevotes <= 1 && votes + prevotes === tx.messages.length && tx.messages.length > 0
}

/** Maximum size of a transaction at constant gas: a vote's text has at most 4,096 bytes. */
const MAX_DUE_BYTES = 8192

/** Whether each message of votes is due. A vote comes before the prevote that replaces the one it reveals. */
function isDue(ctx: ReadContext, { bytes, messages }: DecodedTx): boolean {
  if (bytes.length > MAX_DUE_BYTES) return false
  return messages.every(({ schema, message }, i) =>
    schema.typeName === VOTE
      ? i === 0 && oracle.isDueVote(ctx, message as MsgAggregateExchangeRateVote)
      : oracle.isDuePrevote(ctx, message as MsgAggregateExchangeRatePrevote),
  )
}

/** A meter of due votes: it reports what they use until they are admitted, and constant gas from then on. */
interface VoteMeter extends GasMeter {
  settle(): void
}

/**
 * Creates the meter of a transaction of due votes; of any votes under behaviour `strangersVoteCheaply`. Returns undefined for other
 * transactions. Reads state before the signatures are verified, so only admission settles the price.
 */
export function createVoteMeter(ctx: ReadContext, tx: DecodedTx): VoteMeter | undefined {
  if (!isOracleVote(tx)) return undefined
  const meter = {
    limit: NO_LIMIT,
    used: 0n,
    isSettled: false,
    consume(amount: bigint) {
      if (!meter.isSettled) meter.used += amount
    },
    settle() {
      meter.isSettled = true
      meter.used = VOTE_GAS
    },
  }
  if (ctx.identity.behaviours.strangersVoteCheaply) meter.settle()
  else if (!isDue(ctx, tx)) return undefined
  return meter
}

/** Whether a meter is of due votes. The pool keeps their place, and a block begins with them. */
export function isOfDueVotes({ identity }: ReadContext, gas: GasMeter): boolean {
  return 'settle' in gas && !identity.behaviours.strangersVoteCheaply
}

/** Settles the price of due votes. The pool's state also reserves them, so that the next ones of the period are not due. */
export function settleVotes({ ctx, tx, mode }: AnteContext): void {
  if (!('settle' in ctx.gas)) return
  const meter = ctx.gas as VoteMeter
  meter.settle()
  if (ctx.identity.behaviours.strangersVoteCheaply || (mode !== 'check' && mode !== 'recheck')) return
  for (const { schema, message } of tx.messages) {
    const kind = schema.typeName === VOTE ? 'vote' : 'prevote'
    oracle.reserve(withoutGas(ctx), kind, message as MsgAggregateExchangeRateVote | MsgAggregateExchangeRatePrevote)
  }
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
