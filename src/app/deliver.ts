/** Delivery of one transaction of a block: decode, admit, run, merge or drop. */
import { ChainError } from '../primitives/errors.ts'
import type { Context } from '../sdk/context.ts'
import { errors } from '../sdk/errors.ts'
import { type DecodedTx, signersOfTx } from '../sdk/tx.ts'
import { createGasMeter, type GasMeter } from '../store/gas.ts'
import type { ChainEvent } from '../store/types.ts'
import { admit } from './ante/admit.ts'
import { createVoteMeter } from './ante/oracle.ts'
import { deliverEthereumTx } from './evm/deliver.ts'
import type { Machine } from './machine.ts'
import type { TxResult } from './records.ts'
import { failedResult, failureOf } from './result.ts'
import { runMessages } from './run.ts'
import type { Delivery } from './transaction.ts'
import type { TxWatch } from './watch.ts'

/** Gas of a block; a limit of 0 means no limit. */
export interface BlockGas {
  readonly limit: bigint
  used: bigint
}

/** `gas_wanted` of a meter without a limit: 2^64-1 as a signed number. */
const WANTS_ALL = -1n
const NO_GAS = { gasWanted: 0n, gasUsed: 0n }

/**
 * Runs one transaction on the block's context, which keeps the transaction's writes; its events are in the result. A
 * `ChainError` is the result of an invalid transaction; any other error is thrown, and the block ends without a result.
 */
export function deliver(
  machine: Machine,
  block: Context,
  gas: BlockGas,
  decode: () => DecodedTx,
  txIndex: number,
  watch?: TxWatch,
): Delivery {
  let tx: DecodedTx
  try {
    if (gas.limit > 0n && gas.used >= gas.limit) throw errors.outOfGas('no block gas left to run tx')
    tx = decode()
  } catch (error) {
    return { result: failedResult(expected(error), NO_GAS) }
  }
  if (tx.isEvm) return deliverEvm(machine, block, gas, tx, txIndex, watch)
  return { result: deliverOrdinary(machine, block, gas, tx) }
}

function deliverEvm(
  machine: Machine,
  block: Context,
  gas: BlockGas,
  tx: DecodedTx,
  txIndex: number,
  watch: TxWatch | undefined,
): Delivery {
  const gasWanted = tx.authInfo.fee?.gasLimit ?? 0n
  // An executed EVM transaction is not reverted, so its gas limit must fit into the block before it runs.
  if (gas.limit > 0n && gas.used + gasWanted > gas.limit) {
    const failure = failureOf(
      errors.outOfGas(`tx gas limit ${gasWanted} exceeds the block gas left: ${gas.limit - gas.used}`),
    )
    return { result: failedResult(failure, { gasWanted, gasUsed: 0n }) }
  }
  try {
    const delivery = deliverEthereumTx(block, tx, txIndex, watch, machine.onPrint)
    gas.used += delivery.result.gasUsed
    return delivery
  } catch (error) {
    return { result: failedResult(expected(error), NO_GAS) }
  } finally {
    block.branchStore.events.length = 0
  }
}

/** Returns the public fields of a refusal. Throws on any other error: it is no result of the transaction (ADR 0021). */
function expected(error: unknown) {
  if (!(error instanceof ChainError)) throw error
  return failureOf(error)
}

function deliverOrdinary(machine: Machine, block: Context, gas: BlockGas, tx: DecodedTx): TxResult {
  const limit = tx.authInfo.fee?.gasLimit ?? 0n
  const votes = createVoteMeter(block, tx)
  const gasWanted = votes && block.identity.behaviours.votesWantAllGas ? WANTS_ALL : limit
  const meter = votes ?? createGasMeter(limit)
  const used = () => ({ gasWanted, gasUsed: meter.used })
  const whole = block.branch({ gas: meter })
  const ante = whole.branch()
  try {
    const { settings, router, substitution } = machine
    substitution?.beforeAdmission(ante, tx)
    const signers = signersOfTx(ante, tx)
    admit({ ctx: ante, tx, mode: 'deliver', settings, signers, validate: router.validate })
  } catch (error) {
    gas.used += charged(meter)
    return failedResult(expected(error), used())
  }
  ante.merge()
  const messages = whole.branch()
  let result: TxResult
  try {
    const { data, eventsOfMessages, events } = runMessages(machine, messages, tx)
    if (gas.limit > 0n && gas.used + charged(meter) > gas.limit) {
      throw errors.outOfGas(`block gas meter; gasWanted: ${gas.limit}, gasUsed: ${gas.used + charged(meter)}`)
    }
    messages.merge()
    result = {
      code: 0,
      codespace: '',
      log: startsOf(whole.events.length, eventsOfMessages),
      info: '',
      data,
      ...used(),
      events: [...whole.events, ...events],
    }
  } catch (error) {
    result = failedResult(expected(error), used(), [...whole.events])
  }
  gas.used += charged(meter)
  whole.branchStore.events.length = 0
  whole.merge()
  return result
}

/** Returns the index of each message's first event; `first` is the number of admission's events. */
function startsOf(first: number, eventsOfMessages: readonly (readonly ChainEvent[])[]): number[] {
  let at = first
  return eventsOfMessages.map((events) => {
    const start = at
    at += events.length
    return start
  })
}

/** Returns the gas charged to the block: at most the transaction's limit. */
function charged({ used, limit }: GasMeter): bigint {
  return used > limit ? limit : used
}
