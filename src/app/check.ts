/** Admission to the pool, and simulation. */
import * as bank from '../modules/bank/keeper.ts'
import { EMPTY, toKey } from '../primitives/bytes.ts'
import { amountOf, tryParseList } from '../primitives/coin.ts'
import { ChainError } from '../primitives/errors.ts'
import { MAX_INT64 } from '../primitives/integers.ts'
import type { Context } from '../sdk/context.ts'
import { withoutGas } from '../sdk/create-context.ts'
import { type DecodedTx, signersOfTx } from '../sdk/tx.ts'
import { createGasMeter, createInfiniteGasMeter, type GasMeter } from '../store/gas.ts'
import { admit } from './ante/admit.ts'
import { granterOf } from './ante/fee.ts'
import { createVoteMeter, isOfDueVotes } from './ante/oracle.ts'
import { checkEthereumTx } from './evm/check.ts'
import { ethereumTxOf } from './evm/envelope.ts'
import { WEI_PER_PRIORITY } from './evm/price.ts'
import type { Machine } from './machine.ts'
import { failureOf, successLog } from './result.ts'
import { runMessages } from './run.ts'
import type { CheckMode, CheckResult, PoolOrder, TakePassed, TxPlace } from './types.ts'

/**
 * Runs admission on a branch of the pool's context, and merges it if the transaction passes and `take` accepts it. A simulation
 * also runs the messages, and its writes are dropped. An unexpected failure is reported and refuses the transaction as
 * `internal`.
 */
export function check(
  machine: Machine,
  pool: Context,
  decode: () => DecodedTx,
  mode: CheckMode,
  take?: TakePassed,
): CheckResult {
  let tx: DecodedTx
  try {
    tx = decode()
  } catch (error) {
    return refused(machine, error, 0n, 0n)
  }
  if (tx.isEvm) {
    try {
      return checkEthereumTx(pool, tx, mode, machine.settings, take)
    } catch (error) {
      return refused(machine, error, 0n, 0n)
    } finally {
      pool.branchStore.events.length = 0
    }
  }
  return checkOrdinary(machine, pool, tx, mode, take)
}

function refused(machine: Machine, error: unknown, gasWanted: bigint, gasUsed: bigint): CheckResult {
  const known = error instanceof ChainError
  if (!known) machine.onBug(error)
  return { ...failureOf(error), data: EMPTY, gasWanted, gasUsed, events: [], ...(known ? { error } : {}) }
}

function meterOf(pool: Context, tx: DecodedTx, mode: CheckMode, gasWanted: bigint): GasMeter {
  const votes = createVoteMeter(pool, tx)
  if (votes) return votes
  return mode === 'simulate' ? createInfiniteGasMeter() : createGasMeter(gasWanted)
}

function checkOrdinary(
  machine: Machine,
  pool: Context,
  tx: DecodedTx,
  mode: CheckMode,
  take: TakePassed | undefined,
): CheckResult {
  const gasWanted = tx.authInfo.fee?.gasLimit ?? 0n
  const meter = meterOf(pool, tx, mode, gasWanted)
  const ctx = pool.branch({ gas: meter })
  try {
    const signers = signersOfTx(ctx, tx)
    admit({ ctx, tx, mode, settings: machine.settings, signers, validate: machine.router.validate })
    const passed = { code: 0, codespace: '', gasWanted }
    if (mode === 'simulate') {
      const messages = ctx.branch()
      const run = runMessages(machine, messages, tx)
      const events = [...ctx.events, ...run.events]
      return { ...passed, log: successLog(run.eventsOfMessages), data: run.data, gasUsed: meter.used, events }
    }
    const events = ctx.branchStore.events.splice(0)
    const order = orderOf(ctx, tx, signers, isOfDueVotes(ctx, meter))
    const result = { ...passed, log: '', data: EMPTY, gasUsed: meter.used, events, order }
    take?.(result)
    ctx.merge()
    return result
  } catch (error) {
    return refused(machine, error, gasWanted, meter.used)
  }
}

/** Returns a transaction's signers with their sequences, in the order of the signatures. */
function placesOf({ authInfo }: DecodedTx, signers: readonly Uint8Array[]): TxPlace['signers'] {
  return signers.map((signer, i) => ({ sender: toKey(signer), nonce: authInfo.signerInfos[i]?.sequence ?? 0n }))
}

/**
 * Returns the place of a transaction among those of its signers, without a check of what it does; undefined if no signers can be
 * told, as of one without messages.
 */
export function placeOf(ctx: Context, tx: DecodedTx): TxPlace | undefined {
  const gasWanted = tx.authInfo.fee?.gasLimit ?? 0n
  try {
    if (!tx.isEvm) {
      const signers = placesOf(tx, signersOfTx(ctx, tx))
      return signers.length > 0 ? { signers, gasWanted } : undefined
    }
    const { transaction, from } = ethereumTxOf(ctx, tx)
    return { signers: [{ sender: toKey(from), nonce: transaction.nonce }], gasWanted: transaction.gasLimit }
  } catch (error) {
    if (error instanceof ChainError) return undefined
    throw error
  }
}

/** Returns the place in the pool of an admitted transaction, whose fee the context has deducted. */
function orderOf(ctx: Context, tx: DecodedTx, signers: readonly Uint8Array[], isDueVote: boolean): PoolOrder {
  const { fee } = tx.authInfo
  const [first, ...others] = placesOf(tx, signers)
  const payer = granterOf({ ctx, tx, signers })
  return {
    ...first!,
    ...(others.length > 0 && { others }),
    priority: isDueVote ? MAX_INT64 : priorityOf(ctx, tx, fee?.gasLimit ?? 0n),
    isDueVote,
    payer: toKey(payer),
    costWei: 0n,
    spendableWei: bank.spendableWei(withoutGas(ctx), payer),
    deducted: tryParseList(fee?.amount ?? []) ?? [],
    heldBytes: tx.heldBytes,
  }
}

/** Returns the offered price in the base denom, on the scale of EVM transactions. */
function priorityOf(ctx: Context, tx: DecodedTx, gasWanted: bigint): bigint {
  const coins = tryParseList(tx.authInfo.fee?.amount ?? []) ?? []
  if (gasWanted === 0n) return 0n
  return (amountOf(coins, ctx.identity.baseDenom) * bank.WEI_PER_UNIT) / gasWanted / WEI_PER_PRIORITY
}
