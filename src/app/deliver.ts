/** One transaction of a block: decode, admit, run, and what is kept of it. */
import { ChainError } from '../primitives/errors.ts'
import type { Context } from '../sdk/context.ts'
import { errors } from '../sdk/errors.ts'
import { type DecodedTx, signersOfTx } from '../sdk/tx.ts'
import { createGasMeter, type GasMeter } from '../store/gas.ts'
import type { ChainEvent } from '../store/types.ts'
import { admit } from './ante/admit.ts'
import { createVoteMeter, isOracleVote } from './ante/oracle.ts'
import type { Machine } from './machine.ts'
import type { TxResult } from './records.ts'
import { failedResult, failureOf } from './result.ts'
import { runMessages } from './run.ts'
import type { EvmDelivery } from './transaction.ts'
import type { TxWatch } from './watch.ts'

/** The gas of a block; a limit of 0 is none. */
export interface BlockGas {
  readonly limit: bigint
  used: bigint
}

const NO_GAS = { gasWanted: 0n, gasUsed: 0n }

/**
 * Runs one transaction on the block's context, which keeps what the transaction wrote and none of its events: those
 * are in the result. Throws for failures of the environment alone, never for a bad transaction.
 */
export function deliver(
  machine: Machine,
  block: Context,
  gas: BlockGas,
  decode: () => DecodedTx,
  txIndex: number,
  watch?: TxWatch,
): EvmDelivery {
  let tx: DecodedTx
  try {
    if (gas.limit > 0n && gas.used >= gas.limit) throw errors.outOfGas('no block gas left to run tx')
    tx = decode()
  } catch (error) {
    return { result: failedResult(reported(machine, error), NO_GAS) }
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
): EvmDelivery {
  const gasWanted = tx.authInfo.fee?.gasLimit ?? 0n
  // An EVM transaction is not undone once it has run: what it may use must fit beforehand.
  if (gas.limit > 0n && gas.used + gasWanted > gas.limit) {
    const failure = failureOf(
      errors.outOfGas(`tx gas limit ${gasWanted} exceeds the block gas left: ${gas.limit - gas.used}`),
    )
    return { result: failedResult(failure, { gasWanted, gasUsed: 0n }) }
  }
  try {
    const delivery = machine.evm.deliver(block, tx, { txIndex }, watch)
    gas.used += delivery.result.gasUsed
    return delivery
  } catch (error) {
    return { result: failedResult(reported(machine, error), NO_GAS) }
  } finally {
    block.branchStore.events.length = 0
  }
}

function reported(machine: Machine, error: unknown) {
  if (!(error instanceof ChainError)) machine.onBug(error)
  return failureOf(error)
}

function deliverOrdinary(machine: Machine, block: Context, gas: BlockGas, tx: DecodedTx): TxResult {
  const gasWanted = tx.authInfo.fee?.gasLimit ?? 0n
  const meter = isOracleVote(tx) ? createVoteMeter() : createGasMeter(gasWanted)
  const used = () => ({ gasWanted, gasUsed: meter.used })
  const whole = block.branch({ gas: meter })
  const ante = whole.branch()
  try {
    const { settings, router } = machine
    const signers = signersOfTx(ante, tx)
    admit({ ctx: ante, tx, mode: 'deliver', settings, signers, validate: router.validate })
  } catch (error) {
    gas.used += charged(meter)
    return failedResult(reported(machine, error), used())
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
    result = failedResult(reported(machine, error), used(), [...whole.events])
  }
  gas.used += charged(meter)
  whole.branchStore.events.length = 0
  whole.merge()
  return result
}

/** Where the events of each message begin behind those of admission. */
function startsOf(first: number, eventsOfMessages: readonly (readonly ChainEvent[])[]): number[] {
  let at = first
  return eventsOfMessages.map((events) => {
    const start = at
    at += events.length
    return start
  })
}

/** What a block is charged: never more than the transaction wanted. */
function charged({ used, limit }: GasMeter): bigint {
  return used > limit ? limit : used
}
